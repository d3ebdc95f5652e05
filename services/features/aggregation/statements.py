"""Build the SELECTs that count the rows of a selection by facet. Pure."""

from collections.abc import Sequence
from datetime import datetime

from libs.catalogue.model import Column, GeometryColumn
from libs.pg.column_types import TEMPORAL, Kind, base_type, column_type
from libs.pg.sql import EMPTY, Sql, bind, ident, sql
from libs.selection.columns import column_queryable
from libs.selection.selection import Selection
from services.features.aggregation.facet import LONGEST_TERM, MOST_CELLS, PlaceFacet, TermFacet, TimeFacet
from services.features.rows.geometry_sql import lonlat_shape

_ORDERS = {
    "value_asc": sql("v"),
    "value_desc": sql("v DESC"),
    "count_asc": sql("n, v"),
    "count_desc": sql("n DESC, v"),
}
_ANYWHERE = sql("'SRID=4326;LINESTRING(-540 -90, 540 90)'::geometry")


def value_of(column: Column) -> Sql:
    """Return a column's value as features show it: NULL for numbers and times that JSON cannot represent."""
    name, known = ident(column.name), column_type(column.sql_type)
    if known.by_numeric:
        name = sql("{name}::numeric", name=name)
    if known.internal == "numeric":
        return sql(
            "CASE WHEN {name} BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN {name} END", name=name
        )
    if known.kind is Kind.NUMBER and not known.by_numeric:
        return sql("CASE WHEN {name} > '-Infinity' AND {name} < 'Infinity' THEN {name} END", name=name)
    if known.kind in TEMPORAL:
        return sql("CASE WHEN {name} >= '0001-01-01' AND {name} < '10000-01-01' THEN {name} END", name=name)
    return name


def moment_of(column: Column, *, is_end: bool = False) -> Sql:
    """Return a date or timestamp as a moment; a date starts at midnight UTC and ends with its last microsecond."""
    value = value_of(column)
    if column_queryable(column).kind is Kind.DATE:
        midnight = sql("({value})::timestamp AT TIME ZONE 'UTC'", value=value)
        return sql("({midnight} + interval '86399.999999 s')", midnight=midnight) if is_end else midnight
    zoned = column_type(column.sql_type).internal == "timestamptz"
    return value if zoned else sql("({value}) AT TIME ZONE 'UTC'", value=value)


def _each(selection: Selection, columns: Sql) -> Sql:
    return sql(
        "SELECT {columns} FROM {table} WHERE {where}", columns=columns, table=selection.table, where=selection.where
    )


def _text_of_term(column: Column) -> Sql:
    """Return a term in the form in which the driver fetches it."""
    kind = column_queryable(column).kind
    if kind is Kind.INTEGER and base_type(column.sql_type) != "oid":
        return sql("v")
    if kind is Kind.BOOLEAN:
        return sql("v")
    # one character more than is shown, to see whether the text is longer
    return sql("left(v::text, {longest})", longest=bind(LONGEST_TERM + 1, "int4"))


def terms(selection: Selection, facet: TermFacet) -> Sql:
    """Select rows of (value, number, distinct values, rows with a value, rows without); the last three repeat.

    The first rows are the values to show. If there are none, one row still has the sums.
    """
    return sql(
        "SELECT {shown}, n, count(v) OVER (), coalesce(sum(n) FILTER (WHERE v IS NOT NULL) OVER (), 0)::int8,"
        " coalesce(sum(n) FILTER (WHERE v IS NULL) OVER (), 0)::int8"
        " FROM (SELECT v, count(*) AS n FROM ({rows}) AS rows GROUP BY v) AS terms"
        " ORDER BY v IS NULL, n < {least}, {order} LIMIT {size}",
        shown=_text_of_term(facet.column),
        rows=_each(selection, sql("{value} AS v", value=value_of(facet.column))),
        least=bind(facet.least, "int8"),
        order=_ORDERS[facet.sorting],
        size=bind(facet.size, "int8"),
    )


def number_ends(selection: Selection, column: Column) -> Sql:
    """Select the minimum and maximum value, as text."""
    value = sql("{value} AS v", value=value_of(column))
    return sql("SELECT min(v)::text, max(v)::text FROM ({rows}) AS rows", rows=_each(selection, value))


def number_quantiles(selection: Selection, column: Column, number: int) -> Sql:
    """Select the values that start each of `number` parts with equally many rows, and the maximum, as text."""
    return _quantiles(selection, value_of(column), number, sql("::text[]"))


def time_quantiles(selection: Selection, facet: TimeFacet, number: int) -> Sql:
    """Select the same for moments."""
    return _quantiles(selection, moment_of(facet.column), number, sql(""))


def _quantiles(selection: Selection, value: Sql, number: int, cast: Sql) -> Sql:
    return sql(
        "SELECT (percentile_disc({parts}) WITHIN GROUP (ORDER BY v)){cast} FROM ({rows}) AS rows",
        parts=bind([step / number for step in range(number + 1)], "float8[]"),
        cast=cast,
        rows=_each(selection, sql("{value} AS v", value=value)),
    )


def numbers(selection: Selection, column: Column, thresholds: Sequence[str]) -> Sql:
    """Select (index of a range, number of rows): 0 is below the first threshold, NULL without a value."""
    kind, plain = column_queryable(column).kind, base_type(column.sql_type)
    # compare integers with fractions as numeric; compare other types in the width of their column
    wide = kind is Kind.INTEGER or column_type(column.sql_type).by_numeric
    of_type = "numeric" if wide else plain
    value = sql("({value})::{of_type}", value=value_of(column), of_type=Sql((of_type,)))
    edges = bind(list(thresholds), "text[]", cast=f"{of_type}[]")
    return _ranges(selection, value, edges)


def times(selection: Selection, column: Column, thresholds: Sequence[datetime]) -> Sql:
    """Select the same for moments."""
    return _ranges(selection, moment_of(column), bind(list(thresholds), "timestamptz[]"))


def _ranges(selection: Selection, value: Sql, edges: Sql) -> Sql:
    return sql(
        "SELECT width_bucket(v, {edges}), count(*) FROM ({rows}) AS rows GROUP BY 1",
        edges=edges,
        rows=_each(selection, sql("{value} AS v", value=value)),
    )


def time_ends(selection: Selection, facet: TimeFacet) -> Sql:
    """Select the first and the last moment."""
    start = moment_of(facet.column)
    end = start if facet.end is None else moment_of(facet.end, is_end=True)
    columns = sql("{start} AS s, {end} AS e", start=start, end=end)
    return sql("SELECT min(least(s, e)), max(greatest(s, e)) FROM ({rows}) AS rows", rows=_each(selection, columns))


def period_statement(selection: Selection, start: Column, end: Column, thresholds: Sequence[datetime]) -> Sql:
    """Select (range of the start, range of the end, number of features); NULL is an open start or end."""
    return sql(
        "SELECT width_bucket(s, {edges}), width_bucket(e, {edges}), count(*) FROM ({rows}) AS rows GROUP BY 1, 2",
        edges=bind(list(thresholds), "timestamptz[]"),
        rows=_each(selection, sql("{s} AS s, {e} AS e", s=moment_of(start), e=moment_of(end, is_end=True))),
    )


def places(selection: Selection, facet: PlaceFacet) -> Sql:
    """Select (column, row, number) of each cell with features; column and row are NULL for rows without a place."""
    return sql(
        "SELECT i, j, count(*) FROM ({rows} OFFSET 0) AS rows CROSS JOIN LATERAL"
        " (SELECT ST_X(p) - 360 * floor((ST_X(p) + 180) / 360) AS x, ST_Y(p) AS y, {size} AS s) AS lonlat"
        " {cell} GROUP BY i, j LIMIT {most}",
        cell=_HEXAGON if facet.hexagons else _SQUARE,
        size=bind(facet.size, "float8"),
        rows=_each(
            selection,
            sql(
                "{point} AS p" if facet.placed is None else "CASE WHEN {placed} THEN {point} END AS p",
                point=_point(facet.geometry),
                placed=facet.placed or EMPTY,
            ),
        ),
        # one row more than the limit, and one for rows without a place
        most=bind(MOST_CELLS + 2, "int8"),
    )


def is_placed(geometry: GeometryColumn) -> Sql:
    """True for each row; raises an error for rows whose place the database cannot compute."""
    return sql("coalesce(ST_X({point}), 0) > '-Infinity'", point=_point(geometry))


def _point(geometry: GeometryColumn) -> Sql:
    """Return the point that a feature counts at, in CRS84 degrees; NULL if it lies outside the world."""
    shape = lonlat_shape(geometry)
    if geometry.type == "Point":
        drawn, size = sql("shape.g"), sql("ST_X(shape.g) + ST_Y(shape.g)")
    else:
        # GEOS loops forever on NaN and infinity. Points have no length, and PostGIS 3.5 moves NaN to 0 0: add bounds.
        size = sql("ST_Length(shape.g) + ST_Perimeter(shape.g) + ST_XMax(shape.g) + ST_YMax(shape.g)")
        drawn = sql("ST_PointOnSurface(shape.g)")
    # PostgreSQL sorts NaN after infinity
    return sql(
        "(SELECT CASE WHEN shape.g @ {anywhere} AND {size} < 'Infinity' THEN {drawn} END"
        " FROM (SELECT {shape} AS g OFFSET 0) AS shape)",
        anywhere=_ANYWHERE,
        size=size,
        drawn=drawn,
        shape=shape,
    )


_SQUARE = sql(
    # least and greatest ignore NULL
    "CROSS JOIN LATERAL (SELECT CASE WHEN x IS NOT NULL THEN least(floor((x + 180) / s), ceil(360 / s) - 1)::int"
    " END AS i, CASE WHEN x IS NOT NULL THEN greatest(0, least(floor((y + 90) / s), ceil(180 / s) - 1))::int"
    " END AS j) AS cell"
)
# The centres of hexagons lie on two lattices of rectangles: one of the even columns, one of the odd columns. The
# nearest centre of both is that of the cell. Cells are numbered as by ST_HexagonGrid.
_HEXAGON = sql(
    "CROSS JOIN LATERAL (SELECT 3 * s AS w, sqrt(3) * s AS h) AS lattice"
    " CROSS JOIN LATERAL (SELECT round(x / w) AS a, round(y / h) AS b, floor(x / w) AS c, floor(y / h) AS d) AS near"
    " CROSS JOIN LATERAL (SELECT (x - w * a) ^ 2 + (y - h * b) ^ 2"
    " <= (x - w * (c + 0.5)) ^ 2 + (y - h * (d + 0.5)) ^ 2 AS even) AS nearest"
    " CROSS JOIN LATERAL (SELECT (CASE WHEN even THEN 2 * a ELSE 2 * c + 1 END)::int AS i,"
    " (CASE WHEN even THEN b ELSE d END)::int AS j) AS cell"
)
