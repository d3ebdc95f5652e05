"""No tile looks for its features in too small a part of the world."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing
import pytest

from libs.geo.boxes import WORLD, Box
from libs.geo.crs_areas import within_finite_area
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from services.tiles.request.region import Region
from tests.services.tiles.places import transformer

LONGITUDES, LATITUDES = (
    grid.ravel() for grid in np.meshgrid(np.arange(-180.0, 180.1, 5.0), np.arange(-90.0, 90.1, 5.0))
)
PROJECTED = (2154, 2263, 3035, 3413, 3857, 5514, 25832, 27700, 28992, 32633)
"""CRSs of columns: conic, azimuthal, polar, oblique and transverse ones, in metres and in feet."""

Places = np.typing.NDArray[np.float64]
Chosen = np.typing.NDArray[np.bool_]


def _within(boxes: list[Box], x: Places, y: Places, slack: float = 0.0) -> Chosen:
    found = np.zeros(len(x), dtype=bool)
    for left, bottom, right, top in boxes:
        found |= (left - slack <= x) & (right + slack >= x) & (bottom - slack <= y) & (top + slack >= y)
    return found


def _finite(srid: int) -> tuple[Places, Places, Chosen]:
    """The places of the grid in a CRS, and which of them lie where it is finite."""
    x, y = transformer(srid).transform(LONGITUDES, LATITUDES)
    area = _within(within_finite_area([WORLD], srid), LONGITUDES, LATITUDES)
    assert np.isfinite(x[area]).all()
    assert np.isfinite(y[area]).all()
    return x, y, area


@pytest.mark.parametrize("identifier", IDS)
def test_every_place_in_a_tile_is_in_its_region(identifier: str) -> None:
    tms = tile_matrix_set(identifier)
    x, y, area = _finite(tms.srid)
    for z in sorted(tms.matrices)[:3]:
        matrix = tms.matrices[z]
        for column, row in list(product(range(matrix.columns), range(matrix.rows)))[:400]:
            bounds = tms.tile_bounds(z, column, row)
            inside = area & _within([bounds], x, y)
            near = Region(bounds, tms.srid, 4326).near
            assert not (inside & ~_within(near, LONGITUDES, LATITUDES, 1e-9)).any(), (z, column, row)


@pytest.mark.parametrize("srid", PROJECTED)
def test_every_place_in_a_tile_is_in_its_region_of_a_projected_column(srid: int) -> None:
    here_x, here_y, here = _finite(srid)
    for identifier in ("WebMercatorQuad", "WorldCRS84Quad", "EuropeanETRS89_LAEAQuad", "CanadianNAD83_LCC"):
        tms = tile_matrix_set(identifier)
        x, y, area = _finite(tms.srid)
        for z in range(5):
            matrix = tms.matrices[z]
            for column, row in list(product(range(matrix.columns), range(matrix.rows)))[:60]:
                bounds = tms.tile_bounds(z, column, row)
                inside = area & here & _within([bounds], x, y)
                near = Region(bounds, tms.srid, srid).near
                assert not (inside & ~_within(near, here_x, here_y, 1.0)).any(), (identifier, z, column, row)
