"""Areas of sources become valid ones within the world, and repairs are reported."""

from __future__ import annotations

from typing import Any

import pytest
import shapely

from deploy.loader.geometry.polygons import GeometryError, polygons_of, repair

SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]
OPEN = SQUARE[:-1]
HOLE = [[0.5, 0.5], [0.5, 1], [1, 1], [1, 0.5], [0.5, 0.5]]


def _geometry(*polygons: Any, kind: str = "MultiPolygon") -> dict[str, Any]:
    return {"type": kind, "coordinates": list(polygons) if kind == "MultiPolygon" else polygons[0]}


@pytest.mark.parametrize(
    ("geometry", "area", "noticed"),
    [
        (_geometry([SQUARE], kind="Polygon"), 4, []),
        (_geometry([SQUARE, HOLE], kind="Polygon"), 3.75, []),
        (_geometry([OPEN]), 4, ["1 unclosed ring"]),
        (_geometry([OPEN, HOLE[:-1]]), 3.75, ["2 unclosed rings"]),
        (_geometry([SQUARE], [[[9, 9], [9, 9], [8, 8], [9, 9]]], []), 4, []),
        (_geometry([[[x, y, 7] for x, y in SQUARE]]), 4, []),
    ],
)
def test_rings_are_closed_and_those_that_are_none_left_out(
    geometry: dict[str, Any], area: float, noticed: list[str]
) -> None:
    shape, told = polygons_of(geometry)
    assert (shape.area, told, shape.has_z) == (area, noticed, False)


@pytest.mark.parametrize(
    ("geometry", "fault"),
    [
        ({"type": "LineString", "coordinates": SQUARE}, "a LineString where an area is expected"),
        ({}, "a None where an area is expected"),
        (_geometry([[[0, 0], [1, 1], [0, 0]]]), "no ring has three positions"),
        (_geometry(), "no ring has three positions"),
        (_geometry([[]]), "no ring has three positions"),
    ],
)
def test_what_is_no_area_is_told(geometry: dict[str, Any], fault: str) -> None:
    with pytest.raises(GeometryError, match=fault):
        polygons_of(geometry)


def test_an_area_becomes_valid_and_lies_within_the_world() -> None:
    whole, told = repair(shapely.Polygon(SQUARE))
    assert (whole.area, told, whole.geom_type) == (4, [], "MultiPolygon")
    assert shapely.is_ccw(shapely.get_parts(whole)[0].exterior)
    bow = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    mended, told = repair(bow)
    assert (mended.is_valid, round(mended.area, 3), told) == (True, 2, ["self-intersection"])
    split, told = repair(shapely.box(178, 0, 182, 1))
    assert sorted(part.bounds for part in shapely.get_parts(split)) == [(-180, 0, -178, 1), (178, 0, 180, 1)]
    assert told == ["longitudes beyond ±180"]
    west, told = repair(shapely.box(-183, 0, -181, 1))
    assert (west.bounds, told) == ((177, 0, 179, 1), ["longitudes beyond ±180"])
    _, told = repair(shapely.box(-180, -90, 180, 90))
    assert told == []


@pytest.mark.parametrize(
    ("shape", "fault"),
    [
        (shapely.box(0, 0, 1, 90.1), "beyond the world"),
        (shapely.box(0, -90.1, 1, 0), "beyond the world: 0, -90.1, 1, 0"),
        (shapely.box(530, 0, 541, 1), "beyond the world"),
        (shapely.box(-541, 0, -530, 1), "beyond the world"),
        (shapely.Polygon(), "no area is left"),
        (shapely.Polygon([(0, 0), (1, 1), (2, 2), (0, 0)]), "no area is left"),
        (shapely.box(0, 0, 1e-7, 1e-7), "no area is left"),
    ],
)
def test_an_area_of_which_nothing_is_left_is_told(shape: shapely.Polygon, fault: str) -> None:
    with pytest.raises(GeometryError, match=fault):
        repair(shape)
