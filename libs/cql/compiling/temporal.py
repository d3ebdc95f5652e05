"""Instants and intervals, in comparisons and in the T_ functions.

A date and a timestamp are compared by day, in UTC: `updated = DATE('2020-01-31')` is true during that day, `updated >
DATE('2020-01-31')` from the next midnight on. The standard leaves this to the server.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any, LiteralString

from pygeofilter import ast

from libs.cql.compiling.operands import NAIVE, Expr, Operand, Value, condition_on, describe
from libs.cql.errors import fault
from libs.cql.nodes import OP_NAMES, TimeIntersects, place_of
from libs.ogc.temporal import rfc3339
from libs.pg.column_types import TEMPORAL, Kind, keep_representable
from libs.pg.sql import Sql, all_of, any_of, bind, sql


@dataclass(frozen=True, slots=True)
class Open:
    """The open end of an interval."""


@dataclass(frozen=True, slots=True)
class Span:
    """An interval, closed at both ends."""

    start: Operand | Open
    end: Operand | Open


Bound = Operand | Open
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
_PYTHON: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_OPERATORS: dict[str, LiteralString] = {
    "<": "{a} < {b}",
    "<=": "{a} <= {b}",
    ">": "{a} > {b}",
    ">=": "{a} >= {b}",
    "=": "{a} = {b}",
    "<>": "{a} <> {b}",
}


def compare_values(op: str, a: Sql, b: Sql) -> Sql:
    """Return `a op b`, op being one of = <> < <= > >=."""
    return sql(_OPERATORS[op], a=a, b=b)


def compare_instants(op: str, left: Operand, right: Operand) -> Sql:
    """Compare two dates or timestamps, so that an index on either column stays usable."""
    if isinstance(left, Value) and isinstance(right, Value):
        return sql("TRUE") if _PYTHON[op](*_align(left.value, right.value)) else sql("FALSE")
    if isinstance(left, Value):
        return compare_instants(FLIPPED[op], right, left)
    if isinstance(right, Value):
        return _with_literal(op, left, right.value)
    if left.kind is right.kind:
        return compare_values(op, _to_zone(left, right), _to_zone(right, left))
    return compare_values(op, _day(left), _day(right))


def _align(a: date, b: date) -> tuple[date, date]:
    if isinstance(a, datetime) == isinstance(b, datetime):
        return a, b
    return tuple(value.date() if isinstance(value, datetime) else value for value in (a, b))  # type: ignore[return-value]


def _with_literal(op: str, column: Expr, value: date) -> Sql:
    if column.bare is None or op == "<>":
        return _relate(op, column, value)
    return keep_representable(op, _relate(op, replace(column, sql=column.bare), value), column.bare, column.sql_type)


def _relate(op: str, column: Expr, value: date) -> Sql:
    if column.kind is Kind.DATE:
        day = value.date() if isinstance(value, datetime) else value
        return compare_values(op, column.sql, bind_instant(day, "date"))
    if isinstance(value, datetime):
        return compare_values(op, column.sql, bind_instant(value, column.sql_type))
    # A day against a timestamp: compare with the ends of the day, not with the column's date, to use the index.
    start, after = _midnight(value, column.sql_type), _midnight_after(value, column.sql_type)
    if op in ("=", "<>"):
        within = all_of([compare_values(">=", column.sql, start), compare_values("<", column.sql, after)])
        return within if op == "=" else sql("NOT ({within})", within=within)
    if op in ("<", ">="):
        return compare_values(op, column.sql, start)
    return compare_values("<" if op == "<=" else ">=", column.sql, after)


def _midnight(day: date, sql_type: str) -> Sql:
    return bind_instant(datetime.combine(day, time(), UTC), sql_type)


def _midnight_after(day: date, sql_type: str) -> Sql:
    if day == date.max:
        return _as_written("10000-01-01T00:00:00Z", sql_type)
    return _midnight(day + timedelta(days=1), sql_type)


def bind_instant(value: date, sql_type: str) -> Sql:
    """Bind a date, or a datetime in UTC, as `date`, `timestamp` (UTC) or `timestamp with time zone`."""
    if sql_type == "date":
        # asyncpg sends the ends of Python's calendar as infinity.
        if value in (date.min, date.max):
            return bind(value.isoformat(), "text", cast="date")
        return bind(value, "date")
    assert isinstance(value, datetime)  # noqa: S101  # dates were widened to their ends above
    naive = value.astimezone(UTC).replace(tzinfo=None)
    if naive in (datetime.min, datetime.max):  # noqa: DTZ901  # compared as UTC
        return _as_written(rfc3339(value), sql_type)
    if sql_type == NAIVE:
        return bind(naive, "timestamp")
    return bind(value, "timestamptz")


def _as_written(text: str, sql_type: str) -> Sql:
    naive = sql_type == NAIVE
    return bind(text.removesuffix("Z") if naive else text, "text", cast="timestamp" if naive else "timestamptz")


def _to_zone(operand: Expr, other: Expr) -> Sql:
    if operand.sql_type == NAIVE != other.sql_type:
        return sql("({value} AT TIME ZONE 'UTC')", value=operand.sql)
    return operand.sql


def _day(operand: Expr) -> Sql:
    if operand.kind is Kind.DATE:
        return operand.sql
    if operand.sql_type == NAIVE:
        return sql("({value})::date", value=operand.sql)
    return sql("({value} AT TIME ZONE 'UTC')::date", value=operand.sql)


def _compare_bounds(op: str, left: tuple[Bound, bool], right: tuple[Bound, bool]) -> Sql:
    """Compare two ends of intervals; each says whether it is the later end of its interval."""
    (a, a_is_end), (b, b_is_end) = left, right
    if isinstance(a, Open) and isinstance(b, Open):
        return sql("TRUE") if _PYTHON[op](a_is_end, b_is_end) else sql("FALSE")
    if isinstance(a, Open):
        return _compare_bounds(FLIPPED[op], right, left)
    if isinstance(b, Open):
        # A comparison, not TRUE: with an unknown instant it stays unknown.
        infinity = sql("'infinity'::timestamptz") if b_is_end else sql("'-infinity'::timestamptz")
        return compare_values(op, a.sql if isinstance(a, Expr) else _bind_value(a), infinity)
    return compare_instants(op, a, b)


def _bind_value(value: Value) -> Sql:
    return bind_instant(value.value, "date" if value.kind is Kind.DATE else "timestamp with time zone")


# From OWL-Time; s and e are the start and end of the first and second operand.
_DEFINITIONS: dict[type, tuple[tuple[str, str, str], ...]] = {
    ast.TimeAfter: (("s1", ">", "e2"),),
    ast.TimeBefore: (("e1", "<", "s2"),),
    ast.TimeContains: (("s1", "<", "s2"), ("e1", ">", "e2")),
    ast.TimeDuring: (("s1", ">", "s2"), ("e1", "<", "e2")),
    ast.TimeEquals: (("s1", "=", "s2"), ("e1", "=", "e2")),
    ast.TimeEndedBy: (("s1", "<", "s2"), ("e1", "=", "e2")),
    ast.TimeEnds: (("s1", ">", "s2"), ("e1", "=", "e2")),
    TimeIntersects: (("s1", "<=", "e2"), ("e1", ">=", "s2")),
    ast.TimeMeets: (("e1", "=", "s2"),),
    ast.TimeMetBy: (("s1", "=", "e2"),),
    ast.TimeOverlappedBy: (("s1", ">", "s2"), ("s1", "<", "e2"), ("e1", ">", "e2")),
    ast.TimeOverlaps: (("s1", "<", "s2"), ("e1", ">", "s2"), ("e1", "<", "e2")),
    ast.TimeBegunBy: (("s1", "=", "s2"), ("e1", ">", "e2")),
    ast.TimeBegins: (("s1", "=", "s2"), ("e1", "<", "e2")),
}
_DISJOINT = (("e1", "<", "s2"), ("s1", ">", "e2"))
_OF_INSTANTS: dict[type, str] = {
    ast.TimeAfter: ">",
    ast.TimeBefore: "<",
    ast.TimeDisjoint: "<>",
    ast.TimeEquals: "=",
    TimeIntersects: "=",
}
TEMPORAL_NODES = (*_DEFINITIONS, ast.TimeDisjoint)


def temporal(node: ast.TemporalPredicate, left: Operand | Span, right: Operand | Span) -> Expr:
    """Compile a T_ function (/req/temporal-functions/temporal-functions). Raises CqlError for other operands."""
    left, right = (
        period(operand) if isinstance(operand, Expr) and operand.kind is Kind.PERIOD else operand
        for operand in (left, right)
    )
    spans = [_span(node, operand, index) for index, operand in enumerate((left, right))]
    if isinstance(left, Value | Expr) and isinstance(right, Value | Expr):
        return condition_on(partial(compare_instants, _OF_INSTANTS[type(node)]), left, right)

    def build(*bounds: Bound) -> Sql:
        ends = {name: (bound, name[0] == "e") for name, bound in zip(("s1", "e1", "s2", "e2"), bounds, strict=True)}
        if isinstance(node, ast.TimeDisjoint):
            return any_of(_compare_bounds(op, ends[a], ends[b]) for a, op, b in _DISJOINT)
        return all_of(_compare_bounds(op, ends[a], ends[b]) for a, op, b in _DEFINITIONS[type(node)])

    return condition_on(build, *(bound for span in spans for bound in (span.start, span.end)))


def period(column: Expr) -> Span:
    """Return a column of time ranges as intervals, closed at both ends; for an empty range, everything is unknown.

    An excluded end, usually the upper one, becomes the adjacent instant.
    """
    kind, step = _ENDS[column.sql_type]
    first = sql("lower({v}) + CASE WHEN lower_inc({v}) THEN 0 ELSE 1 END * {step}", v=column.sql, step=sql(step))
    last = sql("upper({v}) - CASE WHEN upper_inc({v}) THEN 0 ELSE 1 END * {step}", v=column.sql, step=sql(step))
    ends = [(first, sql("'-infinity'")), (last, sql("'infinity'"))]
    lower, upper = (
        sql("(CASE WHEN NOT isempty({v}) THEN coalesce({end}, {open}) END)", v=column.sql, end=end, open=unbounded)
        for end, unbounded in ends
    )
    sql_type = _SUBTYPES[column.sql_type]
    return Span(Expr(lower, kind, sql_type), Expr(upper, kind, sql_type))


def meets_period(column: Expr, start: date | None, end: date | None) -> Sql:
    """Return whether a time range meets the closed interval, in a form that an index on it serves."""
    sql_type = _SUBTYPES[column.sql_type]
    bounds = [
        sql("NULL") if bound is None else bind_instant(_day_of(bound) if sql_type == "date" else bound, sql_type)
        for bound in (start, end)
    ]
    return sql(
        "{v} && {range}({start}, {end}, '[]')",
        v=column.sql,
        range=Sql((column.sql_type,)),
        start=bounds[0],
        end=bounds[1],
    )


def _day_of(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


_SUBTYPES = {"daterange": "date", "tsrange": NAIVE, "tstzrange": "timestamp with time zone"}
_ENDS: dict[str, tuple[Kind, LiteralString]] = {
    "daterange": (Kind.DATE, "1"),
    "tsrange": (Kind.TIMESTAMP, "interval '1 microsecond'"),
    "tstzrange": (Kind.TIMESTAMP, "interval '1 microsecond'"),
}


def _span(node: ast.TemporalPredicate, operand: Operand | Span, index: int) -> Span:
    if isinstance(operand, Span):
        return operand
    name = OP_NAMES[type(node)].upper()
    if not isinstance(operand, Value | Expr) or operand.kind not in TEMPORAL:
        raise fault(
            f"{describe(operand)}, but {name} takes dates, timestamps and intervals",
            place_of(node, index),
        )
    if type(node) not in _OF_INSTANTS:
        raise fault(
            f"{describe(operand)}, but {name} takes intervals only; for an instant use T_INTERSECTS",
            place_of(node, index),
        )
    return Span(operand, operand)


def interval_bound(node: object, operand: object, index: int) -> Bound:
    """Return an end of an interval. Raises CqlError if it is not an instant."""
    if isinstance(operand, Open):
        return operand
    if not isinstance(operand, Value | Expr) or operand.kind not in TEMPORAL:
        raise fault(f"{describe(operand)}, but an interval has dates or timestamps as its ends", place_of(node, index))
    return operand
