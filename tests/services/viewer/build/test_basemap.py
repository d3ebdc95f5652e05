"""The basemap: valid, cut at the antimeridian, land where land is."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from shapely import STRtree
from shapely.geometry import Point, box, shape

from services.viewer.build.basemap import CELL, coast, repaired_polygons

_LAYERS = ("land", "borders", "coast", "lakes", "rivers", "graticule", "labels")


def _features(dist: Path, name: str) -> list[dict[str, Any]]:
    features: list[dict[str, Any]] = json.loads((dist / "basemap" / f"{name}.geojson").read_text("utf-8"))["features"]
    return features


def _positions(coordinates: Any) -> list[list[float]]:
    if isinstance(coordinates[0], (int, float)):
        return [coordinates]
    return [position for part in coordinates for position in _positions(part)]


def _lines(geometry: dict[str, Any]) -> list[list[list[float]]]:
    return geometry["coordinates"] if geometry["type"] == "Polygon" else [geometry["coordinates"]]


@pytest.mark.parametrize("name", _LAYERS)
def test_positions_are_on_the_globe_and_rounded(dist: Path, name: str) -> None:
    features = _features(dist, name)
    assert features
    for feature in features:
        for x, y in _positions(feature["geometry"]["coordinates"]):
            assert -180 <= x <= 180
            assert -90 <= y <= 90
            assert round(x, 3) == x
            assert round(y, 3) == y


@pytest.mark.parametrize("name", ["land", "borders", "coast", "lakes", "rivers"])
def test_no_edge_runs_round_the_world(dist: Path, name: str) -> None:
    for feature in _features(dist, name):
        for line in _lines(feature["geometry"]):
            steps = [abs(a[0] - b[0]) for a, b in pairwise(line) if min(a[1], b[1]) > -89]
            # the 49th parallel is a border of 28 degrees
            assert max(steps, default=0) < 30


def test_land_is_valid_and_where_land_is(dist: Path) -> None:
    land = [shape(feature["geometry"]) for feature in _features(dist, "land")]
    assert all(polygon.is_valid for polygon in land)
    tree = STRtree(land)

    def on_land(x: float, y: float) -> bool:
        return bool(len(tree.query(Point(x, y), predicate="intersects")))

    # either side of 180 degrees: Wrangel Island, Chukotka, Fiji (Vanua Levu)
    places = [(-179.5, 71.2), (179.5, 71.2), (-175, 66.5), (179.3, -16.6), (0, -89.9), (-179.9, -85), (10, 50)]
    assert [place for place in places if not on_land(*place)] == []
    # where a ring stitched across 180 degrees would draw a band
    waters = [(0, 71.3), (-30, 66), (-150, 0), (0, 89), (-100, -17)]
    assert [place for place in waters if on_land(*place)] == []


def test_coast_leaves_out_the_seam(dist: Path) -> None:
    for feature in _features(dist, "coast"):
        line = feature["geometry"]["coordinates"]
        assert not any(abs(a[0]) == 180 and abs(b[0]) == 180 for a, b in pairwise(line))
        assert min(y for _, y in line) > -89.9


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("land", {"land"}),
        ("coast", {"coast"}),
        ("borders", {"border"}),
        ("lakes", {"lake"}),
        ("rivers", {"river"}),
        ("graticule", {"graticule"}),
        ("labels", {"country", "sea"}),
        ("fine/0_40", {"land", "coast", "border"}),
    ],
)
def test_features_say_what_they_are(dist: Path, name: str, kinds: set[str]) -> None:
    assert {feature["properties"]["basemap"] for feature in _features(dist, name)} == kinds


def test_polygon_across_the_antimeridian_becomes_two() -> None:
    ring = [[170, 0], [-170, 0], [-170, 10], [170, 10], [170, 0]]
    parts = repaired_polygons({"type": "Polygon", "coordinates": [ring]})
    assert sorted(part.bounds for part in parts) == [(-180, 0, -170, 10), (170, 0, 180, 10)]
    # four shores of ten degrees are left, and no line along 180
    assert sum(line.length for line in coast(parts)) == pytest.approx(60, abs=0.1)


def test_labels_have_a_rank(dist: Path) -> None:
    labels = _features(dist, "labels")
    names = {feature["properties"]["name"]: feature for feature in labels}
    assert {feature["properties"]["rank"] for feature in labels} == {1, 2, 3, 4, 5}
    # the largest of its parts, not an island
    assert 5 < names["Norway"]["geometry"]["coordinates"][0] < 20
    assert names["Fiji"]["properties"]["rank"] == 5
    # too small for the 1:50m atlas
    assert names["Tuvalu"]["geometry"]["coordinates"] == pytest.approx([179, -8], abs=2)


def _cells(dist: Path) -> dict[tuple[int, int], list[dict[str, Any]]]:
    cells = json.loads((dist / "basemap" / "fine" / "cells.json").read_text("utf-8"))
    assert cells["size"] == CELL
    return {
        (int(west), int(south)): _features(dist, f"fine/{west}_{south}") for west, south in map(_corner, cells["cells"])
    }


def _corner(name: str) -> tuple[str, str]:
    west, _, south = name.partition("_")
    return west, south


def test_fine_cells_hold_the_same_land_in_more_detail(dist: Path) -> None:
    cells = _cells(dist)
    fine = coarse = 0.0
    for (west, south), features in cells.items():
        window = box(west, south, west + CELL, south + CELL)
        for feature in features:
            geometry = shape(feature["geometry"])
            left, bottom, right, top = geometry.bounds
            assert west - 0.03 <= left <= right <= west + CELL + 0.03
            assert south - 0.03 <= bottom <= top <= south + CELL + 0.03
            if feature["properties"]["basemap"] == "land":
                fine += geometry.intersection(window).area
    for feature in _features(dist, "land"):
        coarse += shape(feature["geometry"]).area
    assert fine == pytest.approx(coarse, rel=0.005)
    vertices = sum(len(_positions(feature["geometry"]["coordinates"])) for each in cells.values() for feature in each)
    assert vertices > 3 * sum(len(_positions(f["geometry"]["coordinates"])) for f in _features(dist, "land"))


@pytest.mark.parametrize(
    ("x", "y", "land"),
    [
        (6.4, 61.03, True),
        (6.4, 61.07, False),  # in the Sognefjord, land in the 1:50m atlas
        (174.4, -41.25, False),  # Cook Strait
        (179.97, -16.5, False),
        (-179.5, 71.1, True),  # Wrangel Island, on either side of 180 degrees
        (179.5, 71.1, True),
        (0.0, -89.0, True),
        (0.0, 89.0, False),
        (-160.0, 0.5, False),
    ],
)
def test_fine_land_is_where_land_is(dist: Path, x: float, y: float, land: bool) -> None:
    features = _cells(dist).get((int(x // CELL * CELL), int(y // CELL * CELL)), [])
    areas = [shape(feature["geometry"]) for feature in features if feature["properties"]["basemap"] == "land"]
    assert any(area.covers(Point(x, y)) for area in areas) is land


def test_fine_cells_are_small(dist: Path) -> None:
    sizes = [file.stat().st_size for file in (dist / "basemap" / "fine").glob("*.gz")]
    assert max(sizes) < 80_000
    assert sum(sizes) < 4_000_000
