"""The queries for extents: from rows for small tables and views, else only from indexes and statistics."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import LiteralString

from libs.catalogue.model import Collection, GeometryColumn, TimeColumn
from libs.geo.boxes import WORLD, Box
from libs.geo.crs_areas import boxes_in, used_area
from libs.geo.longitudes import TURN, WEB_MERCATOR, width_of_world
from libs.geo.shape_sql import in_lonlat
from libs.geo.short_ways import shift_crossing
from libs.pg.sql import EMPTY, Sql, bind, ident, join, sql

Key = tuple[str, str]
"""Collection id and column name."""
Query = Callable[[Sql], Sql]
"""Returns the statement, whose first column is the given position in a batch."""

_STORED = ("table", "materialized view")
_TABLES = (*_STORED, "partitioned table")
_FARTHEST = 1e9
"""Units of any CRS, further out than it has places."""
ANYWHERE: Box = (-_FARTHEST, -_FARTHEST, _FARTHEST, _FARTHEST)
SMALL = 8 * 1024 * 1024
"""Size in bytes up to which a table's rows are read, some milliseconds each.

So the extent of a small table is right even before ANALYZE and after a DELETE.
"""


def usable_boxes(column: GeometryColumn) -> Sequence[Box]:
    """Return boxes, in units of the column's CRS, outside of which rows are left out of the extent; the widest first.

    The extent of a narrower one is read where PROJ fails on that of the one before.
    """
    boxes = [ANYWHERE]
    if column.srid in (0, 4326, WEB_MERCATOR) or column.is_geography:
        return boxes
    for areas in ((WORLD,), used_area(column.srid)):
        placed = boxes_in(areas, column.srid)
        # a CRS that PROJ does not know may have its places anywhere
        if placed and max(map(abs, placed[0])) < _FARTHEST:
            west, south, east, north = zip(*placed, strict=True)
            boxes.append((min(west), min(south), max(east), max(north)))
    return boxes


def box_query(collection: Collection, column: GeometryColumn, usable: Box = ANYWHERE) -> Query | None:
    """West, south, east, north in degrees of the rows within `usable`, and whether others are known of; or no row.

    None where neither rows nor estimates tell.
    """
    if collection.row_security or collection.kind not in _TABLES:
        return None
    exact = _exact(collection, column, usable, sql(" WHERE is_small.yes"))
    # what the server keeps of geographies is a box in three dimensions around the Earth's centre
    estimated = (
        sql("SELECT NULL::box2d AS box, false AS beyond")
        if column.is_geography
        else sql(
            "SELECT CASE WHEN {is_usable} THEN box END AS box, NOT ({is_usable}) AS beyond"
            " FROM ({estimated}) AS known WHERE NOT is_small.yes",
            is_usable=_is_within(sql("box::geometry"), usable),
            estimated=_estimate_of(collection, column),
        )
    )
    box = sql(
        "SELECT found.* FROM (SELECT {size} <= {small} AS yes OFFSET 0) AS is_small"
        " CROSS JOIN LATERAL ({exact} UNION ALL {estimated}) AS found",
        size=_size(collection),
        small=bind(SMALL, "int8"),
        exact=exact,
        estimated=estimated,
    )
    box = _in_degrees(box, column)
    return lambda position: sql(
        "SELECT {position}, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond"
        " FROM ({box}) AS found(b, beyond) WHERE b IS NOT NULL",
        position=position,
        box=box,
    )


def mixed_box_query(collection: Collection, column: GeometryColumn) -> Query | None:
    """Return the `box_query` of a column whose rows have several SRIDs: the box of each SRID, combined in degrees.

    Tables that are not small have no row.
    """
    if collection.row_security or collection.kind not in _TABLES:
        return None
    condition = sql("(SELECT {size}) <= {small}", size=_size(collection), small=bind(SMALL, "int8"))
    box = _mixed_box(collection, column, condition)
    return lambda position: sql(
        "SELECT {position}, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond"
        " FROM ({box}) AS found(b, beyond) WHERE b IS NOT NULL",
        position=position,
        box=box,
    )


def _mixed_box(collection: Collection, column: GeometryColumn, condition: Sql = EMPTY) -> Sql:
    """Select the box of a column whose rows have several SRIDs, in degrees, and whether rows lie outside of it."""
    name = ident(column.name)
    parts = []
    for srid in column.row_srids:
        of_one = replace(column, srid=srid, row_srids=())
        usable = usable_boxes(of_one)[:2][-1]
        where = join(
            " AND ",
            [each for each in (condition, sql("ST_SRID({name}) = {srid}", name=name, srid=bind(srid, "int4"))) if each],
        )
        exact = _exact(collection, of_one, usable, sql(" WHERE {where}", where=where))
        parts.append(_in_degrees(exact, of_one))
    return sql(
        "SELECT ST_Extent(part.box::geometry) AS box, bool_or(part.beyond) AS beyond FROM ({parts}) AS part",
        parts=join(" UNION ALL ", [sql("SELECT * FROM ({part}) AS one(box, beyond)", part=part) for part in parts]),
    )


def _exact(collection: Collection, column: GeometryColumn, usable: Box, condition: Sql = EMPTY) -> Sql:
    """The box of the rows within `usable`, and whether others have a place."""
    shape = _shape(column)
    g = sql("g") if column.is_geography else shape
    return sql(
        "SELECT ST_Extent({g}) FILTER (WHERE {is_usable}) AS box,"
        " coalesce(bool_or(NOT ({is_usable}) AND NOT ST_IsEmpty({g})), false) AS beyond FROM {rows}{condition}",
        g=g,
        condition=condition,
        is_usable=_is_within(g, usable),
        rows=sql(
            "(SELECT {shape} AS g FROM {table} OFFSET 0) AS placed",
            shape=shape,
            table=ident(collection.schema, collection.name),
        )
        if column.is_geography
        else ident(collection.schema, collection.name),
    )


def _is_within(shape: Sql, box: Box) -> Sql:
    """Whether a shape lies within a box; one whose own box is made of NaN is beside it, though it is within, too."""
    west, south, east, north = box
    line = Sql((f"'LINESTRING({west!r} {south!r}, {east!r} {north!r})'::geometry",))
    return sql("{shape} @ {line} AND {shape} && {line}", shape=shape, line=line)


def _shape(column: GeometryColumn) -> Sql:
    """Return a row's part of the extent: for a geography in degrees, beyond 180 if it crosses the antimeridian."""
    shape = sql("{column}::geometry", column=ident(column.name))
    if not column.is_geography:
        return shape
    shape = in_lonlat(shape, column.srid)
    return shape if column.dimension == 0 else shift_crossing(shape)


def _size(collection: Collection) -> Sql:
    """Return the size of a table in bytes, including data stored out of line, such as geometries."""
    template: LiteralString = "pg_table_size({oid})"
    if collection.kind == "partitioned table" or len(collection.sources) > 1:
        # with its partitions or children, which contain rows of the table
        template = "(SELECT sum(pg_table_size(inhabited)) FROM unnest({oid} || {sources}) AS inhabited)"
    return sql(
        template,
        oid=bind(collection.oid, "oid"),
        sources=bind(list(collection.sources), "bigint[]", cast="oid[]"),
    )


def _estimate_of(collection: Collection, column: GeometryColumn) -> Sql:
    if collection.kind in _STORED:
        return sql(
            "SELECT ST_EstimatedExtent({schema}, {name}, {column}) AS box",
            schema=bind(collection.schema, "text"),
            name=bind(collection.name, "text"),
            column=bind(column.name, "text"),
        )
    # the server stores no box for a partitioned table; the result is NULL if a partition is not readable
    return sql(
        "SELECT CASE WHEN bool_and(has_table_privilege(c.oid, 'SELECT')) THEN"
        " ST_Extent(CASE WHEN has_table_privilege(c.oid, 'SELECT')"
        " THEN ST_EstimatedExtent(n.nspname, c.relname, {column}) END::geometry) END AS box"
        " FROM pg_partition_tree({oid}) t JOIN pg_class c ON c.oid = t.relid AND c.relkind = 'r'"
        " JOIN pg_namespace n ON n.oid = c.relnamespace",
        column=bind(column.name, "text"),
        oid=bind(collection.oid, "oid"),
    )


def _in_degrees(box: Sql, column: GeometryColumn) -> Sql:
    srid = column.srid
    if srid in (0, 4326) or column.is_geography:
        return box
    if srid == WEB_MERCATOR:
        # PROJ would move longitudes beyond ±180 back, each corner separately
        return sql(
            "SELECT ST_MakeBox2D(ST_MakePoint(ST_XMin(box) / {metres}, ST_Y({south})),"
            " ST_MakePoint(ST_XMax(box) / {metres}, ST_Y({north}))) AS box, beyond"
            " FROM ({box}) AS native WHERE box IS NOT NULL",
            metres=Sql((repr(width_of_world(srid) / TURN),)),
            south=in_lonlat(sql("ST_SetSRID(ST_MakePoint(0, ST_YMin(box)), 3857)"), srid),
            north=in_lonlat(sql("ST_SetSRID(ST_MakePoint(0, ST_YMax(box)), 3857)"), srid),
            box=box,
        )
    # the box is bent in another CRS: add positions to its edges before they are transformed
    edges = sql(
        "ST_Segmentize(ST_SetSRID(box::geometry, {srid}), greatest(ST_XMax(box) - ST_XMin(box), 1e-9) / 32)",
        srid=bind(srid, "int4"),
    )
    return sql(
        "SELECT Box2D({lonlat}) AS box, beyond FROM ({box}) AS native",
        lonlat=in_lonlat(edges, srid),
        box=box,
    )


def time_query(collection: Collection, column: TimeColumn) -> Query | None:
    """Return a query of two rows: whether it is the first moment, and the moment as timestamptz, null if open.

    A third row with nulls says that some rows have no moment. The result is empty if no index has the ends and the
    table is not small. Returns None for a column that is not supported.
    """
    property_ = collection.column(column.name)
    if property_ is None or column.is_period or collection.row_security or collection.kind not in _TABLES:
        return None
    return _ends(collection, column, nullable=not property_.not_null, small=not property_.indexed)


def view_box(view: Collection, column: GeometryColumn, usable: Box = ANYWHERE) -> Sql:
    """A position of no meaning, then the row of `box_query` for all rows of a view; or no row."""
    if column.row_srids and column.is_mixed:
        return sql(
            "SELECT 0, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond"
            " FROM ({box}) AS found(b, beyond) WHERE b IS NOT NULL",
            box=_mixed_box(view, column),
        )
    return _ends_of_box(_exact(view, column, usable), column)


def box_of_index(table: Collection, column: GeometryColumn, usable: Box = ANYWHERE) -> Sql:
    """The row of `view_box` for a table whose rows are too many to be read: those at the ends of a spatial index.

    No row without an index. Unlike the index's own box, which includes deleted rows, it shrinks.
    """
    name, relation = ident(column.name), ident(table.schema, table.name)
    # the index returns rows by the distance of their boxes from a line beside all of them
    end: LiteralString = (
        "(SELECT {name} AS g FROM {relation} WHERE {is_usable} ORDER BY {name} <#> ST_SetSRID(ST_MakeLine("
        "ST_MakePoint({x1}, {y1}), ST_MakePoint({x2}, {y2})), {srid}) LIMIT 1) AS {end}"
    )
    west, south, east, north = (sql(edge) for edge in ("x1 - 1", "y1 - 1", "x2 + 1", "y2 + 1"))
    lines = {
        "west": (west, south, west, north),
        "south": (west, south, east, south),
        "east": (east, south, east, north),
        "north": (west, north, east, north),
    }
    ends = [
        sql(
            end,
            name=name,
            relation=relation,
            is_usable=_is_within(name, usable),
            srid=bind(column.srid, "int4"),
            end=ident(side),
            **dict(zip(("x1", "y1", "x2", "y2"), line, strict=True)),
        )
        for side, line in lines.items()
    ]
    box = sql(
        "SELECT ST_MakeBox2D(ST_MakePoint(ST_XMin(west.g), ST_YMin(south.g)),"
        " ST_MakePoint(ST_XMax(east.g), ST_YMax(north.g))) AS box, beyond"
        # the lines are beside all usable rows, and near enough that distances differ
        " FROM (SELECT greatest(ST_XMin(b), {west}) AS x1, greatest(ST_YMin(b), {south}) AS y1,"
        " least(ST_XMax(b), {east}) AS x2, least(ST_YMax(b), {north}) AS y2, NOT ({is_usable}) AS beyond"
        " FROM ({estimated}) AS known(b) WHERE b IS NOT NULL AND EXISTS (SELECT FROM pg_index i"
        " JOIN pg_opclass o ON o.oid = i.indclass[0] AND o.opcname = 'gist_geometry_ops_2d'"
        " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
        " WHERE i.indrelid = {oid} AND i.indisvalid AND i.indpred IS NULL AND a.attname = {column})) AS known"
        " CROSS JOIN LATERAL {ends}",
        **{side: bind(edge, "float8") for side, edge in zip(("west", "south", "east", "north"), usable, strict=True)},
        is_usable=_is_within(sql("b::geometry"), usable),
        estimated=_estimate_of(table, column),
        oid=bind(table.oid, "oid"),
        column=bind(column.name, "text"),
        ends=join(" CROSS JOIN LATERAL ", ends),
    )
    return _ends_of_box(box, column)


def _ends_of_box(box: Sql, column: GeometryColumn) -> Sql:
    return sql(
        "SELECT 0, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond"
        " FROM ({box}) AS found(b, beyond) WHERE b IS NOT NULL",
        box=_in_degrees(box, column),
    )


def ends_of_view(view: Collection, column: TimeColumn) -> Sql:
    """Select the rows of `time_query`, however long it takes."""
    return _ends(view, column, nullable=True)(sql("0"))


def _ends(collection: Collection, column: TimeColumn, *, nullable: bool, small: bool = False) -> Query:
    name, table = ident(column.name), ident(collection.schema, collection.name)
    start, end_ = name, name
    if column.is_period:
        # infinity for a range without an end; an empty range has no time
        found: LiteralString = "CASE WHEN NOT isempty({name}) THEN coalesce({bound}({name}), {infinity}) END"
        start = sql(found, name=name, bound=sql("lower"), infinity=sql("'-infinity'"))
        end_ = sql(found, name=name, bound=sql("upper"), infinity=sql("'infinity'"))
    # PostgreSQL tests this before it reads the table
    condition = (
        sql(" AND (SELECT {size}) <= {small}", size=_size(collection), small=bind(SMALL, "int8")) if small else EMPTY
    )
    # min() and max() give the same, but take three times as long to plan
    end = (
        # infinity, and years that neither RFC 3339 nor Python supports, are open ends
        "(SELECT {position}, {first},"
        " CASE WHEN {name} >= '0001-01-02' AND {name} < '9999-12-31' THEN {name}::timestamptz END"
        " FROM {table} WHERE {name} IS NOT NULL{condition} ORDER BY {name}"
    )
    none: LiteralString = (
        " UNION ALL (SELECT {position}, NULL, NULL FROM {table} WHERE {start} IS NULL{condition} LIMIT 1)"
    )
    return lambda position: sql(
        end.replace("{name}", "{start}")
        + " LIMIT 1) UNION ALL "
        + end.replace("{first}", "{last}").replace("{name}", "{end}")
        + " DESC LIMIT 1)"
        + (none if nullable else ""),
        position=position,
        first=sql("true"),
        last=sql("false"),
        start=start,
        end=end_,
        table=table,
        condition=condition,
    )


def sampled_times(columns: Sequence[tuple[str, str, str]]) -> Sql:
    """Select the statistics of each given column.

    Columns are `schema`, `name`, `attribute`, `values` (moments as text) and `nulls` (whether rows have none).
    """
    schemas, names, attributes = zip(*columns, strict=True)
    return sql(
        "SELECT s.schemaname AS schema, s.tablename AS name, s.attname AS attribute,"
        " array_remove(ARRAY[bounds[1], bounds[array_upper(bounds, 1)]] || common, NULL) AS values,"
        " s.null_frac > 0 AS nulls"
        # join with the catalogue's columns first: the view is a join of five tables
        " FROM unnest({schemas}, {names}, {attributes}) AS wanted(schema, name, attribute)"
        " JOIN pg_stats s ON s.schemaname = wanted.schema AND s.tablename = wanted.name"
        " AND s.attname = wanted.attribute,"
        " LATERAL (SELECT s.histogram_bounds::text::text[] AS bounds, s.most_common_vals::text::text[] AS common)"
        " AS held",
        schemas=bind(list(schemas), "text[]"),
        names=bind(list(names), "text[]"),
        attributes=bind(list(attributes), "text[]"),
    )
