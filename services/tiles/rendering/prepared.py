"""Statements of tiles, put together once where that can be: most of what a small tile costs here is its statement."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.boxes import Box
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.sql import Slot, Sql, Template
from services.tiles.rendering.statement import tile_statement
from services.tiles.request.region import Region
from services.tiles.request.tile_request import TileRequest, whole


@dataclass(frozen=True)
class _Slotted(Region):
    """A region whose numbers are slots."""

    boxes: list[Box]

    @property
    def near(self) -> list[Box]:
        return self.boxes


_CROWDING = 20
"""How many times as many rows as were they spread evenly are near where data are dense, as a rule."""


def prepared_statement(request: TileRequest) -> Sql | None:
    """The statement of `tile_statement`; None where nothing can be in the tile."""
    boxes = request.region.near
    if not boxes:
        return None
    selection, geometry, tms = request.selection, request.geometry, request.tile_matrix_set
    matrix, rows = tms.matrix(request.z), selection.collection.rows
    hardly_full = rows is not None and rows * _CROWDING < request.limit * matrix.columns * matrix.rows
    # of points nothing in the statement but numbers depends on where the tile is
    if geometry.dimension != 0 or geometry.is_geography or selection is not whole(selection.collection, matrix.zoom):
        return tile_statement(request, hardly_full=hardly_full)
    values: list[object] = [request.limit, *request.region.bounds]
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
    tms = tile_matrix_set(tile_matrix_set_id)
    slots: list[Any] = [Slot(place) for place in range(5 + 4 * boxes)]
    places = [_box(slots, 5 + 4 * number) for number in range(boxes)]
    request = TileRequest(
        selection=whole(collection, zoom),
        geometry=geometry,
        tile_matrix_set=tms,
        z=0,
        x=0,
        y=0,
        region=_Slotted(_box(slots, 1), tms.srid, geometry.srid or 4326, places),
        limit=slots[0],
        all_properties=True,
        variant="",
    )
    return Template(tile_statement(request, hardly_full=hardly_full))


def _box(slots: list[Any], first: int) -> Box:
    return cast(Box, tuple(slots[first : first + 4]))
