"""Names of features on pages; the map's script is held to the same cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from libs.catalogue.feature_name import feature_name
from libs.catalogue.model import Collection, TimeColumn

_CASES = json.loads((Path(__file__).parents[2] / "services" / "feature_names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", _CASES, ids=lambda case: str(case["says"]))
def test_features_are_distinguished(case: dict[str, Any]) -> None:
    start, end = case["time"] or (None, None)
    collection = Collection(
        id="s.t",
        schema="s",
        name="t",
        oid=1,
        kind="table",
        title=case["title"],
        description=None,
        columns=(),
        times=tuple(TimeColumn(name, "timestamptz") for name in (start, end) if name),
        time_end=end,
    )
    assert feature_name(collection, case["id"], case["properties"]) == case["name"]
