"""A table of points, of which statements of tiles are made without a database, and what is bound in these."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.sql import Sql
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


def bound(statement: Sql, pattern: str) -> list[Any]:
    """Return the values bound at each `#` of the pattern, at its first place; empty if the statement has none."""
    text, args = statement.render()
    found = re.search(re.escape(pattern).replace(r"\#", r"\$(\d+)::\w+"), text)
    return [args[int(number) - 1] for number in found.groups()] if found else []
