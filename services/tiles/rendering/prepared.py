"""Statements of tiles, put together once where that can be: most of what a small tile costs here is its statement."""

from functools import lru_cache
from typing import Any, cast

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import Box, tile_matrix_set
from libs.pg.sql import Slot, Sql, Template
from services.tiles.rendering.region import near
from services.tiles.rendering.statement import tile_statement
from services.tiles.request.tile_request import TileRequest, whole

_CROWDING = 20
"""How many times as many rows as were they spread evenly are near where data are dense, as a rule."""


def prepared_statement(request: TileRequest) -> Sql | None:
    """The statement of `tile_statement`; None where nothing can be in the tile."""
    boxes = near(request)
    if not boxes:
        return None
    selection, geometry, tms = request.selection, request.geometry, request.tile_matrix_set
    matrix, rows = tms.matrix(request.z), selection.collection.rows
    hardly_full = rows is not None and rows * _CROWDING < request.limit * matrix.columns * matrix.rows
    # of points nothing in the statement but numbers depends on where the tile is
    if geometry.dimension != 0 or geometry.is_geography or selection is not whole(selection.collection, matrix.zoom):
        return tile_statement(request, boxes, hardly_full=hardly_full)
    values: list[object] = [request.limit, *request.bounds]
    for box in boxes:
        values += box
    return _template(selection.collection, geometry, tms.id, matrix.zoom, len(boxes), hardly_full).fill(values)


@lru_cache(maxsize=1024)
def _template(  # noqa: PLR0917 what the text of the statement depends on
    collection: Collection,
    geometry: GeometryColumn,
    tile_matrix_set_id: str,
    zoom: float,
    boxes: int,
    hardly_full: bool,
) -> Template:
    slots: list[Any] = [Slot(place) for place in range(5 + 4 * boxes)]
    request = TileRequest(
        selection=whole(collection, zoom),
        geometry=geometry,
        tile_matrix_set=tile_matrix_set(tile_matrix_set_id),
        z=0,
        x=0,
        y=0,
        bounds=_box(slots, 1),
        limit=slots[0],
        all_properties=True,
        variant="",
    )
    places = [_box(slots, 5 + 4 * number) for number in range(boxes)]
    return Template(tile_statement(request, places, hardly_full=hardly_full))


def _box(slots: list[Any], first: int) -> Box:
    return cast(Box, tuple(slots[first : first + 4]))
