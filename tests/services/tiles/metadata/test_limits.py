"""Rows and columns of each matrix that can hold data."""

from __future__ import annotations

import pytest

from libs.catalogue.model import GeometryColumn
from libs.geo.boxes import Box
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import NotFound
from services.tiles.metadata.limits import limits, refuse_outside

BOXED = GeometryColumn("geom", "Point", 4326, bbox=(-40, 10, 100, 70))
NAMES = ("minTileRow", "maxTileRow", "minTileCol", "maxTileCol")


def _limits(bbox: Box | None, matrix: str, tms: str = "WebMercatorQuad") -> tuple[int, ...]:
    found = limits([GeometryColumn("geom", "Point", 4326, bbox=bbox)], tile_matrix_set(tms))
    assert [each["tileMatrix"] for each in found] == [each.id for each in tile_matrix_set(tms).matrices.values()]
    (wanted,) = (each for each in found if each["tileMatrix"] == matrix)
    return tuple(wanted[name] for name in NAMES)


@pytest.mark.parametrize(
    ("bbox", "matrix", "found"),
    [
        ((10, 10, 11, 11), "0", (0, 0, 0, 0)),
        ((10, 10, 11, 11), "3", (3, 3, 4, 4)),
        ((-100, -50, 100, 70), "3", (1, 5, 1, 6)),
        # beyond the last row of the set: the nearest is as good as any
        ((-5, 89, 5, 90), "3", (0, 0, 3, 4)),
        ((-5, -90, 5, -89), "3", (7, 7, 3, 4)),
    ],
)
def test_tiles_that_the_extent_touches(bbox: Box, matrix: str, found: tuple[int, ...]) -> None:
    assert _limits(bbox, matrix) == found


def test_tiles_of_several_geometries_are_those_of_all() -> None:
    west, east = (GeometryColumn("geom", "Point", 4326, bbox=box) for box in ((-170, 50, -160, 60), (10, -20, 11, -10)))
    (found,) = (each for each in limits([west, east], tile_matrix_set("WebMercatorQuad")) if each["tileMatrix"] == "3")
    assert tuple(found[name] for name in NAMES) == (2, 4, 0, 4)
    unknown = GeometryColumn("geom", "Point", 4326)
    assert limits([west, unknown, east], tile_matrix_set("WebMercatorQuad"))[3]["maxTileCol"] == 7


def test_all_tiles_where_the_extent_is_unknown_or_nowhere_in_the_crs() -> None:
    assert _limits(None, "2") == (0, 3, 0, 3)
    # Europe seen from New Zealand
    assert _limits((0, 50, 5, 60), "1", "NZTM2000Quad") == (0, 1, 0, 1)


def test_data_beside_a_set_have_its_nearest_column() -> None:
    for matrix in tile_matrix_set("EuropeanETRS89_LAEAQuad").matrices.values():
        for bbox, column in (((110, 60, 111, 61), matrix.columns - 1), ((-76, 45, -75, 46), 0)):
            low_row, high_row, low, high = _limits(bbox, matrix.id, "EuropeanETRS89_LAEAQuad")
            assert (low, high) == (column, column)
            assert 0 <= low_row <= high_row < matrix.rows


@pytest.mark.parametrize(("x", "y"), [(4, 3), (6, 2), (3, 1)])
def test_tiles_within_the_limits_are_not_refused(x: int, y: int) -> None:
    refuse_outside([BOXED], tile_matrix_set("WebMercatorQuad"), 3, x, y)


@pytest.mark.parametrize(("x", "y"), [(2, 2), (7, 2), (4, 0), (4, 4)])
def test_tiles_outside_the_limits_are_refused_with_these(x: int, y: int) -> None:
    assert _limits(BOXED.bbox, "3") == (1, 3, 3, 6)
    told = f"columns 3 to 6 and rows 1 to 3, where its data are; there is no tile at column {x}, row {y}"
    with pytest.raises(NotFound, match=told):
        refuse_outside([BOXED], tile_matrix_set("WebMercatorQuad"), 3, x, y)


def test_without_an_extent_every_tile_may_be_asked_for() -> None:
    refuse_outside([GeometryColumn("geom", "Point", 4326)], tile_matrix_set("WebMercatorQuad"), 3, 7, 7)
