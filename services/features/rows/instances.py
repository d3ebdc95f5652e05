"""Instances of a collection (OGC API EDR): its features by event and issue time, such as the advisories of storms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from libs.catalogue.model import Column, GeometryColumn, TimeColumn
from libs.geo.longitudes import wrap_longitude
from libs.geo.shape_sql import in_lonlat
from libs.pg.pool import Database
from libs.pg.sql import Sql, all_of, bind, ident, join, sql
from libs.selection.selection import Selection

# with the digits of the second that are not zero: several issues can be within one second
_UTC: LiteralString = (
    "regexp_replace(to_char({time} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US'), '[.]?0*$', '') || 'Z'"
)
# of both ways around the Earth, the shorter one
_EDGES: LiteralString = (
    "ST_XMin(ST_Extent({g})) AS west, ST_XMax(ST_Extent({g})) AS east, ST_YMin(ST_Extent({g})) AS south,"
    " ST_YMax(ST_Extent({g})) AS north, ST_XMin(ST_Extent(ST_ShiftLongitude({g}))) AS other_west,"
    " ST_XMax(ST_Extent(ST_ShiftLongitude({g}))) AS other_east"
)


@dataclass(frozen=True, slots=True)
class Instance:
    """The features of an event that were issued at one time."""

    event: str
    issued: str
    """RFC 3339, UTC."""
    features: int
    bbox: tuple[float, float, float, float] | None
    """West, south, east, north; west is greater across the antimeridian."""
    start: str | None
    end: str | None


async def read_instances(
    database: Database, selection: Selection, columns: tuple[Column, Column], *, limit: int, offset: int
) -> tuple[Sequence[Instance], int]:
    """Return a page of instances, the newest first, and the number of all. Raises Unavailable."""
    (event, issued), collection = columns, selection.collection
    period, time = collection.period_columns(), collection.time()
    start, end = period or (time, time)
    named = join(", ", [ident(event.name), ident(issued.name)])
    # in ORDER BY a bare name is a column of the result; in an expression it is one of the table
    statement = sql(
        "SELECT {event}::text AS event, {issued} AS issued, count(*) AS features, count(*) OVER () AS matched,"
        " {start} AS start, {end} AS end, {edges} FROM {table} WHERE {where} GROUP BY {named}"
        " ORDER BY max({time}) DESC, min({event}) LIMIT {limit} OFFSET {offset}",
        event=ident(event.name),
        time=ident(issued.name),
        issued=sql(_UTC, time=ident(issued.name)),
        start=_moment("min({time})", start),
        end=_moment("max({time})", end),
        edges=_edges(collection.geometry()),
        table=selection.table,
        where=all_of([*selection.conditions, sql("({named}) IS NOT NULL", named=named)]),
        named=named,
        limit=bind(limit, "int8"),
        offset=bind(offset, "int8"),
    )
    rows = await database.fetch(statement)
    found = [
        Instance(row["event"], row["issued"], row["features"], _box(row), row["start"], row["end"]) for row in rows
    ]
    return found, rows[0]["matched"] if rows else 0


def _moment(outermost: LiteralString, column: TimeColumn | None) -> Sql:
    if column is None or column.is_period:
        return sql("NULL")
    return sql(_UTC, time=sql(outermost, time=ident(column.name)))


def _edges(geometry: GeometryColumn | None) -> Sql:
    if geometry is None:
        return sql("NULL::float8 AS west")
    shape = sql("{name}::geometry", name=ident(geometry.name))
    return sql(_EDGES, g=in_lonlat(shape, geometry.srid or None))


def _box(row: Any) -> tuple[float, float, float, float] | None:
    if row["west"] is None:
        return None
    west, east = row["west"], row["east"]
    if row["other_east"] - row["other_west"] < east - west:
        west, east = (wrap_longitude(row[name]) for name in ("other_west", "other_east"))
    return (west, row["south"], east, row["north"])
