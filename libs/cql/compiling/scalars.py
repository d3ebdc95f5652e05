"""Comparisons, BETWEEN, IN and IS NULL, typed by their column."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pygeofilter import ast

from libs.cql.compiling.operands import (
    BUILTIN_TEXT,
    FLOAT_TYPES,
    INTEGER_TYPES,
    NAIVE,
    Expr,
    Operand,
    Value,
    as_double,
    as_text,
    bind_number,
    condition,
    condition_on,
    describe,
    from_json,
    is_whole,
    mismatch,
    negate,
    number_type,
    number_value,
)
from libs.cql.compiling.temporal import FLIPPED, Span, compare_instants, compare_values
from libs.cql.errors import fault
from libs.cql.nodes import place_of
from libs.pg.column_types import NUMERIC, TEMPORAL, TEXTUAL, Kind, keep_representable
from libs.pg.sql import Sql, all_of, any_of, bind, join, sql

_IN_JSON = NUMERIC | TEXTUAL | {Kind.BOOLEAN}


def comparison(node: ast.Comparison, left: Operand, right: Operand) -> Expr:
    """One of = <> < <= > >=. Raises CqlError for operands of different kinds."""
    return condition_on(lambda left, right: compare(node, node.op.value, left, right), left, right)


def between(node: ast.Between, value: Operand, low: Operand, high: Operand) -> Expr:
    """Both ends included; as two comparisons, so that dates and strings work as well as numbers."""
    within = condition_on(
        lambda value, low, high: all_of([compare(node, ">=", value, low), compare(node, "<=", value, high, operand=2)]),
        value,
        low,
        high,
    )
    return negate(within) if node.not_ else within


def compare(node: object, op: str, left: Operand, right: Operand, operand: int = 1) -> Sql:
    """Compare two operands; `operand` is the index of the right one, for the message."""
    if not isinstance(left, Value | Expr) or not isinstance(right, Value | Expr):
        raise mismatch(node, left, right, operand)
    left, right = _unpack(left, right)
    kinds = {left.kind, right.kind}
    if kinds <= NUMERIC:
        return _numbers(op, left, right)
    if kinds <= TEMPORAL:
        return compare_instants(op, left, right)
    if Kind.DURATION in kinds and kinds <= {Kind.DURATION, Kind.STRING}:
        return compare_values(op, _duration(node, left, 0), _duration(node, right, operand))
    if kinds <= TEXTUAL:
        return _texts(op, left, right)
    if kinds == {Kind.BOOLEAN}:
        return compare_values(op, _boolean(left), _boolean(right))
    if kinds == {Kind.JSON} and op in ("=", "<>"):
        assert isinstance(left, Expr)  # noqa: S101  # literals are never JSON
        assert isinstance(right, Expr)  # noqa: S101
        return compare_values(op, sql("({v})::jsonb", v=left.sql), sql("({v})::jsonb", v=right.sql))
    raise mismatch(node, left, right, operand)


def _unpack(left: Operand, right: Operand) -> tuple[Operand, Operand]:
    """Convert a JSON operand to the kind of its sibling."""
    if isinstance(left, Expr) and left.kind is Kind.JSON and right.kind in _IN_JSON:
        return from_json(left, right.kind), right
    if isinstance(right, Expr) and right.kind is Kind.JSON and left.kind in _IN_JSON:
        return left, from_json(right, left.kind)
    return left, right


_DURATION = re.compile(
    r"-?P(?=.)(-?\d+Y)?(-?\d+M)?(-?\d+W)?(-?\d+D)?(T(?=.)(-?\d+H)?(-?\d+M)?(-?\d+(\.\d+)?S)?)?\Z"
    # durations in PostgreSQL's format
    r"|(?=.)(-?\d+ (year|mon|month|week|day|hour|min|minute|sec|second)s?(?: (?=.)|\Z))*"
    r"(-?\d+:\d\d(:\d\d(\.\d+)?)?)?\Z",
    re.ASCII,
)


def _duration(node: object, operand: Operand, index: int) -> Sql:
    """Return a duration in which one day equals 24 hours."""
    if isinstance(operand, Expr) and operand.kind is Kind.DURATION:
        return operand.sql
    if not isinstance(operand, Value) or not _DURATION.match(operand.value):
        raise fault(f"{describe(operand)}, but no duration such as P1DT2H30M", place_of(node, index))
    return bind(operand.value, "text", cast="interval")


def _boolean(operand: Operand) -> Sql:
    if isinstance(operand, Value):
        return bind(operand.value, "boolean")
    return sql("({v})", v=operand.known)


def _numbers(op: str, left: Operand, right: Operand) -> Sql:
    if isinstance(left, Expr) and isinstance(right, Value) and right.value is not None:
        op, value = _compare_with_integer(op, left, right.value)
        literal = bind_number(value, left.sql_type)
        if left.bare is None or op == "<>" or not _is_finite(value):
            return compare_values(op, left.sql, literal)
        return keep_representable(op, compare_values(op, left.bare, literal), left.bare, left.sql_type)
    if isinstance(right, Expr) and isinstance(left, Value):
        return _numbers(FLIPPED[op], right, left)
    doubles = (
        {left.sql_type, right.sql_type} & FLOAT_TYPES if isinstance(left, Expr) and isinstance(right, Expr) else ()
    )
    return compare_values(op, *(_number(side, is_double=bool(doubles)) for side in (left, right)))


def _is_finite(value: Any) -> bool:
    """Return whether a literal is among the doubles."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _compare_with_integer(op: str, column: Expr, value: Any) -> tuple[str, Any]:
    """Convert `count > 5.5` to `count > 5`: an integer column keeps its index if the literal has a fraction."""
    if column.sql_type not in INTEGER_TYPES or op in ("=", "<>") or is_whole(value):
        return op, value
    return (">" if op in (">", ">=") else "<="), math.floor(value)


def _number(operand: Operand, *, is_double: bool) -> Sql:
    """Return a number for a comparison; a `numeric` beside a double is converted safely: the plain cast may fail."""
    if isinstance(operand, Expr):
        return as_double(operand) if is_double and operand.sql_type == "numeric" else operand.sql
    return bind_number(operand.value, "numeric")


def _texts(op: str, left: Operand, right: Operand) -> Sql:
    if isinstance(right, Value) and isinstance(left, Expr):
        if op in ("=", "<>"):
            return compare_values(op, *_equal_texts(left, right.value))
    elif isinstance(left, Value) and isinstance(right, Expr):
        return _texts(FLIPPED[op], right, left)
    # Compare by code point, independent of the columns' collations: every client can reproduce this.
    collated = [sql('({text}) COLLATE "C"', text=as_text(operand)) for operand in (left, right)]
    return compare_values(op, *collated)


def _equal_texts(column: Expr, value: str) -> tuple[Sql, Sql]:
    """Return column and literal in the column's own type, so that its index is used."""
    typed = _in_type_of(column, [value])
    if typed is None:
        return as_text(column), bind(value, "text")
    values, sql_type, cast = typed
    return column.sql, bind(values[0], sql_type, cast)


def _in_type_of(column: Expr, values: Sequence[str]) -> tuple[list[Any], str, str | None] | None:
    """Return strings as values of the column's type; None if one of them has another type: compare as text then."""
    if column.kind is Kind.STRING:
        sql_type = "bpchar" if column.sql_type == "bpchar" else "text"
        is_builtin = column.sql_type in BUILTIN_TEXT
        return list(values), sql_type, None if is_builtin else column.sql_type
    if column.kind is Kind.UUID:
        try:
            return [UUID(value) for value in values], "uuid", None
        except ValueError:
            return None
    labels = column.queryable.enum if column.queryable is not None else None
    if labels is not None and all(value in labels for value in values):
        return list(values), "text", column.sql_type
    return None


def is_in(node: ast.In, value: Operand, members: Sequence[Operand]) -> Expr:
    """IN a list: one parameter for all literals, `= ANY($1)`, which an index can serve."""

    def build(value: Operand, *members: Operand) -> Sql:
        text = _any(value, members) if isinstance(value, Expr) else None
        return text or any_of(compare(node, "=", value, member, index) for index, member in enumerate(members, start=1))

    found = condition_on(build, value, *members)
    return negate(found) if node.not_ else found


def _any(column: Expr, members: Sequence[Operand]) -> Sql | None:
    """Return `column = ANY(...)`, or None if the members have several kinds or are computed."""
    kinds = {getattr(member, "kind", None) for member in members}
    if column.kind is Kind.JSON and kinds in ({Kind.STRING}, {Kind.INTEGER}, {Kind.NUMBER}):
        column = from_json(column, *kinds)
    if column.kind is Kind.DURATION:
        return None
    if kinds == {Kind.STRING} and column.kind in TEXTUAL:
        if all(isinstance(member, Value) for member in members):
            return _any_text(column, [member.value for member in members if isinstance(member, Value)])
        # For the planner, CASEI('a') and the like are constants.
        expressions = join(", ", [as_text(member) for member in members])
        return sql("{column} IN ({members})", column=as_text(column), members=expressions)
    if not all(isinstance(member, Value) and member.value is not None for member in members):
        return None
    values = [member.value for member in members if isinstance(member, Value)]
    if column.kind in NUMERIC and kinds <= NUMERIC:
        sql_type = number_type(column.sql_type, values)
        name = column.bare if column.bare is not None and all(map(_is_finite, values)) else column.sql
        return _equals_any(name, [number_value(value, sql_type) for value in values], sql_type)
    return _any_instant(column, values) if kinds == {column.kind} and column.kind in TEMPORAL else None


def _any_instant(column: Expr, values: Sequence[date]) -> Sql | None:
    days = {value.date() if isinstance(value, datetime) else value for value in values}
    # asyncpg sends the first and last date of Python's calendar as infinity.
    if {date.min, date.max} & days:
        return None
    name = column.sql if column.bare is None else column.bare
    if column.sql_type == NAIVE:
        naive = [value.replace(tzinfo=None) for value in values if isinstance(value, datetime)]
        return _equals_any(name, naive, "timestamp")
    return _equals_any(name, list(values), "date" if column.kind is Kind.DATE else "timestamptz")


def _any_text(column: Expr, values: Sequence[str]) -> Sql:
    typed = _in_type_of(column, values)
    if typed is None:
        return _equals_any(as_text(column), list(values), "text")
    converted, sql_type, cast = typed
    return _equals_any(column.sql, converted, sql_type, cast)


def _equals_any(column: Sql, values: list[Any], sql_type: str, cast: str | None = None) -> Sql:
    array = bind(values, f"{sql_type}[]", f"{cast}[]" if cast else None)
    return sql("{column} = ANY({array})", column=column, array=array)


def is_null(node: ast.IsNull, operand: object) -> Expr:
    """Compile IS NULL; false for a literal; true for an interval if one of its ends is null."""
    if isinstance(operand, Span):
        ends = [end.sql for end in (operand.start, operand.end) if isinstance(end, Expr)]
        text = any_of(sql("{end} IS NULL", end=end) for end in ends)
        return condition(sql("NOT ({text})", text=text) if node.not_ else text)
    if not isinstance(operand, Expr):
        known = not isinstance(operand, Value) or operand.value is not None
        return condition(sql("TRUE") if known is node.not_ else sql("FALSE"))
    text = sql("({value}) IS NULL", value=operand.sql)
    if operand.kind is Kind.JSON:
        # For a client, JSON's own null is null, too.
        text = sql("{text} OR ({value})::text = 'null'", text=text, value=operand.sql)
    return condition(sql("NOT ({text})", text=text) if node.not_ else text)
