"""The schema of the Monty extension, and the grid that its package leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import pystac
import pytest
from jsonschema import Draft7Validator
from pystac.validation.stac_validator import JsonSchemaSTACValidator
from pystac_monty.extension import SCHEMA_URI
from pystac_monty.geo_blocks import GeoBlocks

SCHEMA = orjson.loads((Path(__file__).parent / "services/features/stac/monty/schema.json").read_bytes())
_VALIDATOR = Draft7Validator(SCHEMA)
_STEP = 0.2


def faults(document: dict[str, Any]) -> list[str]:
    """Return what does not fit the schema of the extension."""
    return [error.message for error in _VALIDATOR.iter_errors(document)]


def validate(found: pystac.Item | pystac.Collection) -> None:
    """Validate with pystac, by its own schemas and that of the extension, which it would fetch."""
    validator = JsonSchemaSTACValidator()
    validator.schema_cache[SCHEMA_URI] = SCHEMA
    assert SCHEMA_URI in found.validate(validator=validator)


def grid() -> pd.DataFrame:
    """Return the grid of pystac-monty, numbered from the south-west; no release of the package has the file."""
    south, west = (-90.0 + _STEP) + 90.0, (-180.0 + _STEP) + 180.0
    rows = [(-90 + row * south, -90 + (row + 1) * south) for row in range(900)]
    columns = [(-180 + column * west, -180 + (column + 1) * west) for column in range(1800)]
    frame = pd.DataFrame(
        [(*row, *column) for row in rows for column in columns],
        columns=["lat_min", "lat_max", "lon_min", "lon_max"],
    )
    frame["block_id"] = range(1, len(frame) + 1)
    return frame


def use_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pystac-monty have the grid."""
    made = grid()
    monkeypatch.setattr(GeoBlocks, "get_geoblocks_df", lambda: made)
