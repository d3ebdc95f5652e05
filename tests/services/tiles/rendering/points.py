"""A table of points, and tiles of it, without a database."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from services.tiles.request.plain_tile import plain_tile
from services.tiles.request.tile_request import TileRequest

POINTS = Collection(
    id="s.t",
    schema="s",
    name="t",
    oid=1,
    kind="table",
    title="T",
    description=None,
    columns=(Column("id", "integer", "integer"),),
    geometries=(GeometryColumn("geom", "Point", 4326),),
    key="id",
)


def tile_of_column(column: GeometryColumn, tms: str, place: tuple[int, int, int], **of_collection: Any) -> TileRequest:
    """A tile of a table like this one with another column of geometries; `place` is zoom, column and row."""
    # what is made of a shape of a collection is remembered by it
    collection = replace(POINTS, geometries=(column,), shape=repr((column, of_collection)), **of_collection)
    return plain_tile(collection, tile_matrix_set(tms), *place, 100)
