"""Rows and columns of each matrix that can hold data."""

from __future__ import annotations

import pytest

from libs.catalogue.model import GeometryColumn
from libs.geo.boxes import Box
from libs.geo.tile_matrix_sets import tile_matrix_set
from services.tiles.metadata.limits import limits

NAMES = ("minTileRow", "maxTileRow", "minTileCol", "maxTileCol")


def _limits(bbox: Box | None, matrix: str, tms: str = "WebMercatorQuad") -> tuple[int, ...]:
    found = limits(GeometryColumn("geom", "Point", 4326, bbox=bbox), tile_matrix_set(tms))
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
