"""The predicates of the `bbox`, `datetime` and property parameters, the same as in filters."""

from __future__ import annotations

from dataclasses import replace

from pygeofilter import ast

from libs.cql.compiling.compiler import column_of
from libs.cql.compiling.geometry_literals import box_in
from libs.cql.compiling.operands import Expr, Value, literal
from libs.cql.compiling.scalars import compare
from libs.cql.compiling.spatial import relation
from libs.cql.compiling.temporal import compare_instants, meets_period
from libs.cql.errors import CqlError, excerpt
from libs.cql.guard import number
from libs.cql.parsing.instants import date_literal, timestamp_literal
from libs.cql.queryable import Queryable
from libs.geo.crs import CRS84, Crs
from libs.ogc.bbox import BBox
from libs.ogc.numbers import NUMBER
from libs.ogc.temporal import Interval
from libs.pg.column_types import NUMERIC, TEMPORAL, TEXTUAL, Kind
from libs.pg.sql import Sql, all_of, bind, sql


def bbox_predicate(queryable: Queryable, box: BBox, crs: Crs = CRS84, *, not_null: bool = False) -> Sql:
    """Return a condition for rows whose geometry intersects the box of easting and northing in `crs`.

    In degrees, `west > east` crosses the antimeridian. Rows without a geometry match (/req/core/fc-bbox-response C);
    `not_null` says that all rows have one. Raises CqlError if the box is not on Earth.
    """
    column = column_of(queryable)
    return _or_null(relation(ast.GeometryIntersects, column, box_in(box, None, crs)), column.sql, not_null=not_null)


def height_predicate(queryable: Queryable, low: float, high: float) -> Sql:
    """Return the condition that heights reach into a closed interval, in the unit in which they are stored.

    Rows without heights match, as do those with one that is NaN or infinite, and those without a geometry.
    """
    return sql(
        "{g} IS NULL OR ST_Zmflag({g}) < 2 OR NOT (abs(ST_ZMin({g})) < 'Infinity' AND abs(ST_ZMax({g})) < 'Infinity')"
        # ZMin and ZMax do not show every NaN in between, a length does
        " OR ST_3DLength({g}) + ST_3DPerimeter({g}) >= 'Infinity'"
        " OR (ST_ZMin({g}) <= {high} AND ST_ZMax({g}) >= {low})",
        g=sql("{name}::geometry", name=column_of(queryable).sql)
        if queryable.is_geography
        else column_of(queryable).sql,
        low=bind(low, "float8"),
        high=bind(high, "float8"),
    )


def datetime_predicate(queryable: Queryable, interval: Interval, *, not_null: bool = False) -> Sql:
    """Return a condition for rows whose date or timestamp is in the closed interval, or whose time range meets it.

    A date column is compared by day, in UTC. Rows without a time match (/req/core/fc-time-response C); `not_null` says
    that all rows have one. Raises ValueError for a column of another type.
    """
    column = column_of(queryable)
    if queryable.kind is Kind.PERIOD:
        return _or_null(meets_period(column, interval.start, interval.end), column.sql, not_null=not_null)
    if queryable.kind not in TEMPORAL:
        raise ValueError(f"{queryable.name} is not a date or timestamp")
    column = _as_stored(column)
    bounds = ((">=", interval.start), ("<=", interval.end))
    inside = all_of(
        [compare_instants(op, column, Value(bound, Kind.TIMESTAMP)) for op, bound in bounds if bound is not None]
    )
    return _or_null(inside, column.sql, not_null=not_null)


def _as_stored(column: Expr) -> Expr:
    """Return the column with its infinite times, which `datetime` takes as the open ends of features."""
    return column if column.bare is None else replace(column, sql=column.bare, bare=None)


def _or_null(condition: Sql, column: Sql, *, not_null: bool) -> Sql:
    # an index serves both conditions, and the planner combines the results
    return condition if not_null else sql("{condition} OR {column} IS NULL", condition=condition, column=column)


def lasting_predicate(
    start: Queryable,
    end: Queryable,
    interval: Interval,
    *,
    start_not_null: bool = False,
    end_not_null: bool = False,
) -> Sql:
    """Return a condition for rows that last from `start` to `end`, both included, and meet the closed interval.

    A row without an end continues, one without a start has always existed; a row with neither always matches. A date is
    a whole day in UTC. If a column is known to have no nulls, these are not tested. Raises ValueError for columns of
    another type.
    """
    for queryable in (start, end):
        if queryable.kind not in TEMPORAL:
            raise ValueError(f"{queryable.name} is not a date or timestamp")
    starts, ends = _as_stored(column_of(start)), _as_stored(column_of(end))
    conditions = []
    # one condition per column: an index on either can be used, and both together
    for op, column, bound, not_null in (
        ("<=", starts, interval.end, start_not_null),
        (">=", ends, interval.start, end_not_null),
    ):
        if bound is not None:
            meets = compare_instants(op, column, Value(bound, Kind.TIMESTAMP))
            conditions.append(_or_null(meets, column.sql, not_null=not_null))
    return all_of(conditions)


def value_predicate(queryable: Queryable, text: str) -> Sql:
    """Return a condition for rows whose property equals `text`, the value of the query parameter with its name.

    Strings are compared unchanged; numbers, `true`/`false`, dates and timestamps are parsed as in a filter. Raises
    CqlError if the text does not have the property's type, or the type cannot be compared.
    """
    value = literal(_read(queryable, text))
    return compare(None, "=", column_of(queryable), value)


def _read(queryable: Queryable, text: str) -> object:
    if "\0" in text:
        raise CqlError("a value may not contain the NUL character", text.index("\0"))
    if queryable.kind in NUMERIC:
        if not NUMBER.match(text):
            raise CqlError(f"'{excerpt(text)}' is not a number", 0)
        return number(text, 0)
    if queryable.kind is Kind.BOOLEAN:
        if text.lower() not in ("true", "false"):
            raise CqlError(f"'{excerpt(text)}' is not true or false", 0)
        return text.lower() == "true"
    if queryable.kind in TEMPORAL:
        return date_literal(text, 0) if len(text) == 10 else timestamp_literal(text, 0)
    if queryable.kind in TEXTUAL or queryable.kind is Kind.JSON:
        return text
    raise CqlError(f"a property of type {queryable.kind} cannot be compared with a value")
