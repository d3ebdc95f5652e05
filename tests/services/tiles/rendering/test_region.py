"""No tile looks for its features in too small a part of the world."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing
import pytest

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import WORLD, tile_matrix_set, within_domain
from libs.geo.zooms import IDS
from libs.selection.selection import Selection
from services.tiles.rendering.region import near
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.places import transformer

LONGITUDES, LATITUDES = (
    grid.ravel() for grid in np.meshgrid(np.arange(-180.0, 180.1, 5.0), np.arange(-90.0, 90.1, 5.0))
)
GEOMETRY = GeometryColumn("geom", "Point", 4326)
COLLECTION = Collection("a.b", "a", "b", 1, "table", "B", None, (), (GEOMETRY,))


def _within(boxes: list[tuple[float, float, float, float]], slack: float = 0.0) -> np.typing.NDArray[np.bool_]:
    found = np.zeros(len(LONGITUDES), dtype=bool)
    for west, south, east, north in boxes:
        along = (west - slack <= LONGITUDES) & (east + slack >= LONGITUDES)
        found |= along & (south - slack <= LATITUDES) & (north + slack >= LATITUDES)
    return found


def _request(identifier: str, z: int, x: int, y: int) -> TileRequest:
    tms = tile_matrix_set(identifier)
    selection = Selection(COLLECTION, GEOMETRY, (), (), ())
    return TileRequest(selection, GEOMETRY, tms, z, x, y, tms.tile_bounds(z, x, y), 1, True, "")


@pytest.mark.parametrize("identifier", IDS)
def test_every_place_in_a_tile_is_in_its_region(identifier: str) -> None:
    tms = tile_matrix_set(identifier)
    x, y = transformer(tms.srid).transform(LONGITUDES, LATITUDES)
    domain = _within(within_domain(list(WORLD), tms.srid))
    assert np.isfinite(x[domain]).all()
    assert np.isfinite(y[domain]).all()
    for z in sorted(tms.matrices)[:3]:
        matrix = tms.matrices[z]
        for column, row in list(product(range(matrix.columns), range(matrix.rows)))[:400]:
            left, bottom, right, top = tms.tile_bounds(z, column, row)
            inside = domain & (x >= left) & (x <= right) & (y >= bottom) & (y <= top)
            assert not (inside & ~_within(near(_request(identifier, z, column, row)), 1e-9)).any(), (z, column, row)
