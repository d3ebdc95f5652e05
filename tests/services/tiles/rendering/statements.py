"""Statements of tiles as they are sent, with what is bound in them.

`python -m tests.services.tiles.rendering.statements` writes statements.txt anew; what then differs is to be read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from libs.catalogue.model import Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.sql import Sql, sql
from services.tiles.rendering import statement, thinning
from services.tiles.rendering.heavy import lightened
from services.tiles.rendering.shape import drawn, is_near, is_nowhere, middle, projected
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.rendering.points import POINTS, tile_of_column

FILE = Path(__file__).with_name("statements.txt")
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


def _tiles() -> dict[str, Sql | None]:
    several: dict[str, Any] = {"sources": (1, 2)}
    partitions = several | {"kind": "partitioned table"}
    areas = (GeometryColumn("geom", "Polygon", 4326),)
    mixed = (GeometryColumn("geom", "Geometry", 0),)
    ordered, nothing = request(9, sortby="-size,name", where="size > 1"), sql("SELECT x")
    return {
        "few rows": statement.tile_statement(request(9, rows=10, where="size > 1")),
        "many rows": statement.tile_statement(request(9)),
        "areas": statement.tile_statement(request(9, geometries=areas)),
        "in an order": statement.tile_statement(ordered),
        "in an order without nulls": statement.tile_statement(request(9, sortby="-id")),
        "chosen of one table": statement.chosen_statement(ordered, nothing),
        "chosen of several tables": statement.chosen_statement(request(9, where="size > 1", **several), nothing, 200),
        "chosen of several tables among many": statement.chosen_statement(request(9, **several), nothing, 201),
        "chosen of partitions": statement.chosen_statement(request(9, **partitions), nothing, 201),
        "rows that are given": statement.rows_statement(request(9), nothing),
        "how many": statement.count_statement(ordered),
        "how many about": statement.estimate_statement(ordered),
        "how many are nowhere": statement.nowhere_statement(request(9, where="size > 1", geometries=mixed)),
    }


def _thinned() -> dict[str, Sql | None]:
    important: dict[str, Any] = {"importance": ("-size", "id")}
    view: dict[str, Any] = {"kind": "view", "sources": ()}
    spheres = (GeometryColumn("geom", "Polygon", 4326, is_geography=True, crosses=True),)
    of_blocks = request(where="size > 1", **important)
    return {
        "by blocks": thinning.thinned_statement(of_blocks, 400_000),
        "by rows, with a floor": thinning.thinned_statement(request(**important), 10_000, 2.5),
        "with a floor of the lowest": thinning.thinned_statement(request(limit=7, importance=("id",)), 5000, 9),
        "nothing important": thinning.thinned_statement(request(), 10_000),
        "of a view": thinning.thinned_statement(request(**view, **important), 10_000),
        "without identities": thinning.thinned_statement(request(**(view | {"key": None}), **important), 10_000),
        "without identities or importance": thinning.thinned_statement(request(**(view | {"key": None})), 10_000),
        "of several tables": thinning.thinned_statement(request(sources=(1, 2), **important), 201),
        "areas of geographies": thinning.thinned_statement(request(geometries=spheres, **important), 10_000),
        "chosen rows": thinning.chosen_rows(of_blocks, 10_000),
        "floor": thinning.floor_statement(request(limit=40_000, where="size > 1", **important), 100_000),
        "floor of the lowest": thinning.floor_statement(request(limit=40_000, importance=("id", "-size")), 100_000),
    }


def _shapes() -> dict[str, Sql | None]:
    def column(kind: str = "Polygon", srid: int = 4326, **more: Any) -> GeometryColumn:
        return GeometryColumn("geom", kind, srid, **more)

    sphere: dict[str, Any] = {"is_geography": True}
    found: dict[str, Sql | None] = {}
    for of, tms, place in (
        (column(), "WebMercatorQuad", (5, 9, 9)),
        (column("LineString", 3857, dimensions=4), "WebMercatorQuad", (5, 9, 9)),
        (column("MultiPoint", 3035), "WebMercatorQuad", (5, 16, 9)),
        (column("Point", turns=(-1, 1)), "WebMercatorQuad", (5, 9, 9)),
        (column("LineString", turns=(-1, 1)), "WebMercatorQuad", (5, 9, 9)),
        (column("Polygon", 3857, turns=(-1,)), "WebMercatorQuad", (5, 9, 9)),
        (column("Geometry", 0), "WebMercatorQuad", (5, 9, 9)),
        (column("Polygon", 0), "WorldCRS84Quad", (5, 9, 9)),
        (column("MultiSurface", 3857), "WorldCRS84Quad", (5, 9, 9)),
        (column("Tin", dimensions=3), "WorldCRS84Quad", (5, 9, 9)),
        (column("LineString"), "UPSArcticWGS84Quad", (1, 0, 0)),
        (column("LineString"), "NZTM2000Quad", (0, 0, 0)),
        (column("Point", **sphere), "WebMercatorQuad", (5, 9, 9)),
        (column("Geometry", **sphere), "WebMercatorQuad", (1, 0, 0)),
        (column("LineString", **sphere, crosses=True), "UPSArcticWGS84Quad", (5, 9, 9)),
    ):
        at = tile_of_column(of, tms, place)
        kinds = [of.type, str(of.srid), *(["sphere"] if of.is_geography else []), *(["turns"] if of.turns else [])]
        name = f"{' '.join(kinds)}, {tms}"
        found |= {f"{name}: as it is projected": projected(at), f"{name}: whether it is near": is_near(at)}
    for of, tms, place in (
        (column("MultiPolygon", 3857), "WebMercatorQuad", (0, 0, 0)),
        (column("MultiPolygon", turns=(1,)), "WebMercatorQuad", (0, 0, 0)),
        # two boxes, of which neither reaches as far as the other on all sides
        (column("MultiPolygon", 3031), "NZTM2000Quad", (1, 1, 1)),
        (column("MultiLineString", 3857), "WebMercatorQuad", (0, 0, 0)),
    ):
        found[f"{of.type} {of.srid}, {tms}: heavy"] = projected(tile_of_column(of, tms, place, large_rows=True))
    return found | {
        "as it is drawn": drawn(tile_of_column(column(), "WebMercatorQuad", (5, 9, 9)), sql("shape")),
        "nowhere": is_nowhere(column("Geometry", 0)),
        "middle": sql("{x}, {y}", **dict(zip("xy", middle(column(**sphere, crosses=True)), strict=True))),
        "lightened": lightened(sql("shape"), sql("stored"), (100.0, 50.0, 8292.0, 9000.0), clip=True),
        "lightened, not cut": lightened(sql("shape"), sql("stored"), (100.0, 50.0, 8292.0, 9000.0), clip=False),
    }


def statements() -> dict[str, str]:
    """Each by what it is for."""
    every = {"tile": _tiles(), "thinned": _thinned(), "shape": _shapes()}
    return {f"{room}: {name}": whole(made) for room, of_room in every.items() for name, made in of_room.items()}


def written(texts: dict[str, str]) -> str:
    """As they are in the file."""
    return "\n".join(f"# {name}\n{text}\n" for name, text in texts.items())


if __name__ == "__main__":
    FILE.write_text(written(statements()), encoding="utf-8")
