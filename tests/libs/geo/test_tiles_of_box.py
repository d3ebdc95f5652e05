from __future__ import annotations

import warnings

import morecantile
import pytest

from libs.geo.boxes import WORLD
from libs.geo.crs_areas import boxes_in
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.tiles_of_box import number_in, tile_ranges, tiles_in
from libs.geo.zooms import IDS

CYLINDRICAL = ("WebMercatorQuad", "WorldCRS84Quad", "WGS1984Quad", "WorldMercatorWGS84Quad")


@pytest.mark.parametrize("identifier", IDS)
def test_boxes_of_tiles_are_those_of_the_library(identifier: str) -> None:
    tms, library = tile_matrix_set(identifier), morecantile.tms.get(identifier)
    for z, matrix in tms.matrices.items():
        for x, y in ((0, 0), (matrix.columns // 2, matrix.rows // 3), (matrix.columns - 1, matrix.rows - 1)):
            box = tms.tile_bounds(z, x, y)
            assert box == pytest.approx(library.xy_bounds(morecantile.Tile(x, y, z)), abs=matrix.tile_width * 1e-7)


@pytest.mark.parametrize("identifier", CYLINDRICAL)
@pytest.mark.parametrize("box", [(-10.3, 30.1, 20.7, 60.2), (100.1, -41.7, 179.5, 5.5), (12.01, 3.02, 12.02, 3.03)])
def test_tiles_are_those_of_the_library_where_parallels_are_straight(
    identifier: str, box: tuple[float, float, float, float]
) -> None:
    tms, library = tile_matrix_set(identifier), morecantile.tms.get(identifier)
    (placed,) = boxes_in([box], tms.srid)
    for z in (0, 3, 7):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = {(tile.x, tile.y) for tile in library.tiles(*box, zooms=[z])}
        found = list(tiles_in(tms.matrix(z), placed))
        # boxes wider than some degrees are a little larger than what they hold
        assert expected <= set(found)
        assert len(found) == len(set(found)) == number_in(tms.matrix(z), placed)
        if box[2] - box[0] < 1:
            assert set(found) == expected


def test_every_tile_of_a_matrix() -> None:
    matrix = tile_matrix_set("WorldCRS84Quad").matrix(1)
    assert list(tiles_in(matrix, None)) == [(x, y) for y in range(2) for x in range(4)]
    assert number_in(matrix, None) == 8


def test_columns_that_make_one_tile_are_named_by_the_first() -> None:
    # twelve columns are one tile at the poles
    matrix = tile_matrix_set("CDB1GlobalGrid").matrix(-10)
    assert list(tiles_in(matrix, (-170.5, 89.2, -155.5, 89.8))) == [(0, 0), (12, 0), (24, 0)][:3]
    assert number_in(matrix, (-170.5, 89.2, -155.5, 89.8)) == 3
    # and at the equator each is a separate tile
    assert list(tiles_in(matrix, (10.5, 0.2, 12.5, 0.8))) == [(190, 89), (191, 89), (192, 89)]


@pytest.mark.parametrize(
    ("box", "columns", "rows"),
    [
        ((-180, -90, 180, 90), range(8), range(4)),
        # edges belong to the tiles on both sides
        ((0, 0, 45, 45), range(4, 6), range(1, 3)),
        ((1, 1, 44, 44), range(4, 5), range(1, 2)),
        ((-500, -10, -400, 10), range(0, -4), range(1, 3)),
        ((170, 100, 190, 200), range(7, 8), range(0, -1)),
    ],
)
def test_ranges(box: tuple[float, float, float, float], columns: range, rows: range) -> None:
    assert tile_ranges(tile_matrix_set("WorldCRS84Quad").matrix(2), box) == (columns, rows)


def test_the_whole_world_in_another_crs_has_every_tile_in_it() -> None:
    for identifier in IDS:
        tms = tile_matrix_set(identifier)
        z = min(tms.matrices)
        found = {place for box in boxes_in([WORLD], tms.srid) for place in tiles_in(tms.matrix(z), box)}
        assert found == set(tiles_in(tms.matrix(z), None)), identifier
