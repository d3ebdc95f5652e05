"""The collections of a database, read from its system catalogues and indexes."""

import json
import logging
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from libs.catalog.column_types import GEOMETRIES, TIMES, argument_of, column_of
from libs.catalog.extents import with_extents
from libs.catalog.model import Collection, GeometryColumn, TimeColumn
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind

_LOG = logging.getLogger("dams.catalog")
_RELATIONS = (Path(__file__).parent / "introspect.sql").read_text(encoding="utf-8")
_FUNCTIONS = (Path(__file__).parent / "introspect_functions.sql").read_text(encoding="utf-8")
_KINDS = {"r": "table", "p": "partitioned table", "v": "view", "m": "materialized view", "f": "foreign table"}

_GEOMETRY_TYPE = {
    name.upper(): name
    for name in [
        "Geometry",
        "Point",
        "LineString",
        "Polygon",
        "MultiPoint",
        "MultiLineString",
        "MultiPolygon",
        "GeometryCollection",
        "CircularString",
        "CompoundCurve",
        "CurvePolygon",
        "MultiCurve",
        "MultiSurface",
        "PolyhedralSurface",
        "Triangle",
        "Tin",
    ]
}


async def introspect(database: Database, schemas: tuple[str, ...]) -> tuple[Collection, ...]:
    """Every collection in `schemas`, with extents, ordered by id.

    Raises Unavailable where the database cannot be reached.
    """
    relations = [_relation(dict(row)) for row in await database.fetch(_statement(_RELATIONS, schemas))]
    functions = [_function(dict(row)) for row in await database.fetch(_statement(_FUNCTIONS, schemas))]
    # a table keeps its name where a function has the same
    found = {collection.id: collection for collection in [*functions, *relations]}
    return await with_extents(database, tuple(found[identifier] for identifier in sorted(found)))


def _statement(text: str, schemas: tuple[str, ...]) -> Sql:
    before, after = text.split("$1::text[]")
    return Sql((before,)) + bind(list(schemas), "text[]") + Sql((after,))


def _relation(row: dict[str, Any]) -> Collection:
    kind = row["kind"].decode() if isinstance(row["kind"], bytes) else row["kind"]
    return replace(
        _collection(row, _KINDS[kind]), key=row["key"], row_bytes=row["row_bytes"], sources=tuple(row["sources"])
    )


def _function(row: dict[str, Any]) -> Collection:
    return replace(
        _collection(row, "function"),
        arguments=tuple(argument_of(entry) for entry in json.loads(row["arguments"])),
    )


def _collection(row: dict[str, Any], kind: str) -> Collection:
    entries = json.loads(row["columns"])
    title, _, description = (row["comment"] or "").strip().partition("\n")
    times = (entry for entry in entries if entry["base_type"] in TIMES)
    return Collection(
        id=f"{row['schema']}.{row['name']}",
        schema=row["schema"],
        name=row["name"],
        oid=row["oid"],
        kind=kind,
        title=title.strip() or row["name"].replace("_", " "),
        description=description.strip() or None,
        columns=tuple(column_of(entry) for entry in entries if entry["base_type"] not in GEOMETRIES),
        geometries=tuple(_geometry(entry) for entry in entries if entry["base_type"] in GEOMETRIES),
        times=tuple(TimeColumn(entry["name"], entry["sql_type"]) for entry in times),
        rows=row["rows"],
        shape=blake2b(f"{row['columns']}{row.get('key')}".encode(), digest_size=6).hexdigest(),
    )


def _geometry(entry: dict[str, Any]) -> GeometryColumn:
    """Type and SRID from the typmod, as PostGIS packs them (gserialized_typmod.c): SRID, type, Z, M."""
    typmod = entry["typmod"]
    geography = entry["base_type"] == "geography"
    declared = entry["sql_type"]
    if typmod < 0:
        return GeometryColumn(entry["name"], "Geometry", 4326 if geography else 0, geography)
    inside = declared[declared.index("(") + 1 : declared.index(")")].split(",") if "(" in declared else ["Geometry"]
    word = inside[0].upper()
    srid = int(inside[1]) if len(inside) > 1 else (4326 if geography else 0)
    has_z, has_m = bool(typmod & 2), bool(typmod & 1)
    for suffix in ("ZM", "Z", "M"):
        if word not in _GEOMETRY_TYPE and word.endswith(suffix):
            word = word.removesuffix(suffix)
    return GeometryColumn(entry["name"], _GEOMETRY_TYPE[word], srid, geography, 2 + has_z + has_m)
