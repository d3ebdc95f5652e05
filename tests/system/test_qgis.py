"""QGIS reads features by the address of the README, and draws vector tiles in the colours of their style."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.client_programs import command, folder
from tests.running_stack import RunningStack
from tests.system.visits import items

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.clients]

_QUAKES, _TRACKS = "hazard.hazard_eq_events", "hazard.hazard_ts_tracks"
_SCRIPT = Path(__file__).with_name("qgis_layers.py")
_SEA = (0xDF, 0xE8, 0xEE)
_LAND = "#f7f6f2"


def _qgis(stack: RunningStack, collection: str, picture: Path) -> dict[str, Any]:
    # addresses of the stack are local, even if the machine has a proxy
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "no_proxy": "127.0.0.1"}
    folder(picture.parent)
    result = subprocess.run(
        # from its input: the file is not where another release of Debian is
        command("/usr/bin/python3", "-", stack.base_url, collection, str(picture)),
        input=_SCRIPT.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[at : at + 2], 16) for at in (1, 3, 5))


def _drawn(colors: dict[str, int], wanted: tuple[float, ...]) -> int:
    """How many pixels have nearly this colour."""
    return sum(
        number
        for color, number in colors.items()
        if max(abs(a - b) for a, b in zip(_rgb(color), wanted, strict=True)) < 16
    )


async def test_qgis_reads_features(stack: RunningStack, tmp_path: Path) -> None:
    found = _qgis(stack, _QUAKES, tmp_path / "quakes.png")
    wanted = await items(stack, _QUAKES, limit="10000", f="geojson")
    # types of columns that are empty are those of /schema
    knows_schemas = tuple(map(int, found["version"].split(".")[:2])) >= (3, 44)
    for read in found["features"]:
        assert read["valid"]
        assert read["count"] == len(wanted) > 1000
        assert sorted(read["ids"]) == sorted(item["properties"]["event_id"] for item in wanted)
        assert {name: read["types"][name] for name in ("id", "magnitude", "title", "event_date", "tsunami")} == {
            "id": "Integer",
            "magnitude": "Real",
            "title": "String",
            "event_date": "DateTime",
            "tsunami": "Boolean",
        }
        if knows_schemas:
            assert (read["types"]["withdrawn"], read["types"]["episode_id"]) == ("DateTime", "Integer"), "of no feature"
        assert read["box"] == len(await items(stack, _QUAKES, limit="10000", bbox="-130,20,-60,60", f="geojson"))
        for subset, number in read["subsets"].items():
            filter_ = subset.replace("'2018-02-01T00:00:00Z'", "TIMESTAMP('2018-02-01T00:00:00Z')")
            same = await items(stack, _QUAKES, limit="10000", filter=filter_, f="geojson")
            assert number == len(same) > 0, subset
    for extension, read in found["files"].items():
        assert read["valid"], extension
        assert sorted(read["ids"]) == sorted(item["properties"]["event_id"] for item in wanted), extension
        assert read["crs"] in ("EPSG:4326", "OGC:CRS84"), extension
        kinds = {read["types"][name] for name in ("magnitude", "event_date")}
        assert kinds == {"Real", "DateTime"}, (extension, read["types"])
    # circles let a little of the sea through
    colors = found["picture"]["colors"]
    assert found["picture"]["styled"]
    for color in ("#dbb512", "#d98901", "#de4f11"):
        seen = tuple(0.78 * a + 0.22 * b for a, b in zip(_rgb(color), _SEA, strict=True))
        assert _drawn(colors, seen) > 5, color
    assert _LAND not in colors


async def test_qgis_draws_lines_in_their_colours(stack: RunningStack, tmp_path: Path) -> None:
    found = _qgis(stack, _TRACKS, tmp_path / "tracks.png")["picture"]
    assert found["styled"]
    for color in ("#daba17", "#db9d01", "#de7e00", "#de540d", "#d02b2a", "#a9004f", "#591877"):
        assert _drawn(found["colors"], _rgb(color)) > 20, color
    assert _LAND not in found["colors"]
