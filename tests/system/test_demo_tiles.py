"""Tiles of the demo data at low zooms: light enough for a phone, with all that the styles draw by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.running_stack import RunningStack
from tests.system.test_stack import get, get_json

pytestmark = pytest.mark.system

_FILE = Path(__file__).resolve().parents[2] / "deploy" / "collections.yaml"
CONFIG = yaml.safe_load(_FILE.read_text(encoding="utf-8"))["collections"]
BYTES = 165_000
LINES = 270_000
"""Limit in bytes of a tile with the tracks of the whole world: their lines alone are 250 kB."""
ZONES = 480_000
"""Limit in bytes of a tile with the zones of every advisory, which maps show on request.

The shapes of 12,000 zones are 345 kB. How well the rest compresses depends on the order in which PostgreSQL finds them.
"""


def _names(expression: Any) -> Iterator[str]:
    if isinstance(expression, dict):
        expression = list(expression.values())
    if isinstance(expression, list):
        match expression:
            case ["get" | "has", str(name)]:
                yield name
        for part in expression:
            yield from _names(part)


@pytest.mark.parametrize("collection", [name for name, said in CONFIG.items() if "tile_properties" in said])
def test_what_the_style_draws_by_is_in_the_tiles(stack: RunningStack, collection: str) -> None:
    style = get_json(f"{stack.base_url}/collections/{collection}/tiles/WebMercatorQuad/style.json")
    schema = get_json(f"{stack.base_url}/collections/{collection}/queryables")["properties"]
    layers = [layer for layer in style["layers"] if layer.get("source") == collection]
    assert layers
    for zooms, kept in CONFIG[collection]["tile_properties"].items():
        assert set(kept) <= set(schema)
        last = int(str(zooms).rpartition("-")[2])
        drawn_by = {name for layer in layers if layer.get("minzoom", 0) <= last for name in _names(layer)}
        assert drawn_by & set(schema) <= set(kept), zooms


@pytest.mark.parametrize("collection", list(CONFIG))
def test_low_zooms_are_light(stack: RunningStack, collection: str) -> None:
    address = f"{stack.base_url}/collections/{collection}/tiles/WebMercatorQuad"
    for z in range(3):
        most = LINES if (collection, z) == ("hazard.hazard_ts_tracks", 0) else BYTES
        if collection == "hazard.hazard_ts_advisory_buffers":
            most = ZONES
        for x in range(2**z):
            for y in range(2**z):
                status, _, body = get(f"{address}/{z}/{x}/{y}", **{"Accept-Encoding": "gzip"})
                assert status == 200
                assert len(body) <= most, (z, x, y)
