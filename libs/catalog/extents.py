"""Extents of collections at a cost that does not grow with their rows."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from datetime import time as clock

from libs.catalog.model import Collection, GeometryColumn, TimeColumn
from libs.ogc.errors import Unavailable
from libs.ogc.temporal import rfc3339
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind, ident, join, sql

_LOG = logging.getLogger("dams.catalog")
_BATCH = 100
_TABLES = ("table", "materialized view")

BBox4 = tuple[float, float, float, float]


async def with_extents(database: Database, collections: tuple[Collection, ...]) -> tuple[Collection, ...]:
    """The collections with the extents of their geometry and datetime columns filled in.

    Boxes come from the root of the GiST index or from statistics (ST_EstimatedExtent), times from the two ends
    of a btree index, else from statistics. What is not known stays None.
    """
    boxes = await _each(database, _box_queries(collections))
    times = await _each(database, _time_queries(collections))
    return tuple(
        replace(
            collection,
            geometries=tuple(
                replace(column, bbox=_box(boxes.get((collection.id, column.name)), column.srid))
                for column in collection.geometries
            ),
            times=tuple(_with_ends(column, times.get((collection.id, column.name))) for column in collection.times),
        )
        for collection in collections
    )


Key = tuple[str, str]


async def _each(database: Database, queries: Sequence[tuple[Key, Sql]]) -> dict[Key, tuple[object, ...]]:
    """Run many one-row queries as a few; where a batch fails, one by one, so that one bad table costs only itself."""
    found: dict[Key, tuple[object, ...]] = {}
    for start in range(0, len(queries), _BATCH):
        batch = queries[start : start + _BATCH]
        try:
            found.update(await _run(database, batch))
        except Exception:
            for query in batch:
                try:
                    found.update(await _run(database, [query]))
                except Exception as error:
                    # a slow or broken table costs only itself; without the database the last catalogue is better
                    if isinstance(error, Unavailable) and await database.health():
                        raise
                    _LOG.warning("no extent", extra={"fields": {"collection": query[0][0], "cause": str(error)}})
    return found


async def _run(database: Database, batch: Sequence[tuple[Key, Sql]]) -> dict[Key, tuple[object, ...]]:
    union = join(
        " UNION ALL ",
        [
            sql("(SELECT {position}, q.* FROM ({query}) AS q)", position=bind(position, "int4"), query=query)
            for position, (_, query) in enumerate(batch)
        ],
    )
    return {batch[row[0]][0]: tuple(row)[1:] for row in await database.fetch(union)}


def _box_queries(collections: Iterable[Collection]) -> list[tuple[Key, Sql]]:
    template = (
        "SELECT ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b) FROM (SELECT {box} AS b) AS found WHERE b IS NOT NULL"
    )
    return [
        ((collection.id, column.name), sql(template, box=_box_expression(collection, column)))
        for collection in collections
        if collection.kind in _TABLES
        for column in collection.geometries
        # what the server keeps of geographies is a box in three dimensions around the Earth's centre
        if not column.is_geography
    ]


def _box_expression(collection: Collection, column: GeometryColumn) -> Sql:
    estimated = sql(
        "ST_EstimatedExtent({schema}, {name}, {column})",
        schema=bind(collection.schema, "text"),
        name=bind(collection.name, "text"),
        column=bind(column.name, "text"),
    )
    if column.srid in (0, 4326):
        return estimated
    # the box is bent in another CRS: densify its edges before they are transformed
    return sql(
        "Box2D(ST_Transform(ST_Segmentize(ST_SetSRID({box}::geometry, {srid}),"
        " greatest(ST_XMax({box}) - ST_XMin({box}), 1e-9) / 32), 4326))",
        box=estimated,
        srid=bind(column.srid, "int4"),
    )


def _time_queries(collections: Iterable[Collection]) -> list[tuple[Key, Sql]]:
    queries = []
    for collection in collections:
        for column in collection.times:
            property_ = collection.column(column.name)
            if property_ is None or collection.kind == "view":
                continue
            template = (
                "SELECT min({column})::timestamptz AS low, max({column})::timestamptz AS high FROM {table}"
                if property_.indexed and collection.kind in _TABLES
                else "SELECT (bounds)[1]::timestamptz AS low, (bounds)[array_upper(bounds, 1)]::timestamptz AS high"
                " FROM (SELECT histogram_bounds::text::text[] AS bounds FROM pg_stats"
                " WHERE schemaname = {schema} AND tablename = {name} AND attname = {attribute} LIMIT 1) AS stats"
            )
            queries.append(
                (
                    (collection.id, column.name),
                    sql(
                        # infinity, and years that neither RFC 3339 nor Python knows, are open ends
                        "SELECT CASE WHEN low >= '0001-01-02' AND low < '9999-12-31' THEN low END,"
                        " CASE WHEN high >= '0001-01-02' AND high < '9999-12-31' THEN high END"
                        " FROM ({ends}) AS ends",
                        ends=sql(
                            template,
                            column=ident(column.name),
                            table=ident(collection.schema, collection.name),
                            schema=bind(collection.schema, "text"),
                            name=bind(collection.name, "text"),
                            attribute=bind(column.name, "text"),
                        ),
                    ),
                )
            )
    return queries


def _box(row: tuple[object, ...] | None, srid: int) -> BBox4 | None:
    if row is None or any(not isinstance(value, float) for value in row):
        return None
    west, south, east, north = (float(value) for value in row)  # type: ignore[arg-type]
    if not (west <= 180 and east >= -180 and south <= 90 and north >= -90):
        return None
    # without a declared SRID the rows may be in any: only a box that fits degrees is one
    if srid == 0 and not (west >= -181 and east <= 181 and south >= -91 and north <= 91):
        return None
    # index boxes are rounded outwards to float4
    return (
        max(-180.0, round(west, 5)),
        max(-90.0, round(south, 5)),
        min(180.0, round(east, 5)),
        min(90.0, round(north, 5)),
    )


def _with_ends(column: TimeColumn, row: tuple[object, ...] | None) -> TimeColumn:
    if row is None:
        return column
    start, end = (_moment(value) for value in row)
    return replace(column, start=start, end=end)


def _moment(value: object) -> str | None:
    if isinstance(value, datetime):
        # infinity comes back as the last or first moment that Python knows: an open end
        if value.year in (1, 9999):
            return None
        return rfc3339(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, date):
        return rfc3339(datetime.combine(value, clock(), UTC))
    return None
