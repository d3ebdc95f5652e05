"""Requests for tiles of a large table of points, and the text of their statements."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from libs.catalogue.model import Column
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.sql import Sql
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.rendering.points import POINTS

_CLAUSES = re.compile(r" (?=(?:FROM|WHERE|UNION ALL|ORDER BY|CASE|WHEN|AND|OR|CROSS JOIN|ELSE) )")
_COLLECTION = replace(
    POINTS,
    columns=(
        Column("id", "integer", "integer", not_null=True),
        Column("size", "real", "number"),
        Column("name", "text", "string"),
    ),
    rows=10_000_000,
    sources=(1,),
)


def whole(statement: Sql | None) -> str:
    """The text with a clause on each line, and each value in its place with its type."""
    if statement is None:
        return "none"
    text, args = statement.render()

    def value(found: re.Match[str]) -> str:
        bound = args[int(found[1]) - 1]
        return f"<{bound:.10g} {found[2]}>" if isinstance(bound, float) else f"<{bound!r} {found[2]}>"

    return _CLAUSES.sub("\n", re.sub(r"\$(\d+)::(\w+)", value, text))


def request(z: int = 0, limit: int = 100, sortby: str = "", where: str = "", **of_collection: Any) -> TileRequest:
    """A tile of WebMercatorQuad of a large table of points."""
    collection = replace(_COLLECTION, shape=repr(of_collection), **of_collection)
    pairs = [(name, text) for name, text in (("sortby", sortby), ("filter", where)) if text]
    place = 1 if z else 0
    return tile_of(collection, tile_matrix_set("WebMercatorQuad"), z, place, place, limit, pairs)
