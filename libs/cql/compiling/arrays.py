"""The A_ functions. Arrays are compared as sets (/req/array-functions/array-predicates)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, LiteralString
from uuid import UUID

from pygeofilter import ast

from libs.cql.compiling.operands import (
    BUILTIN_TEXT,
    Expr,
    Operand,
    Value,
    condition,
    describe,
    is_whole,
    number_value,
)
from libs.cql.compiling.temporal import bind_instant
from libs.cql.errors import Place, fault
from libs.cql.nodes import OP_NAMES, place_of
from libs.cql.queryable import Queryable
from libs.ogc.temporal import rfc3339
from libs.pg.column_types import NUMERIC, TEMPORAL, TEXTUAL, Kind, column_type
from libs.pg.sql import Sql, all_of, any_of, bind, join, sql


@dataclass(frozen=True, slots=True)
class ArrayLiteral:
    """An array as written; its members are operands."""

    members: tuple[Operand, ...]
    places: tuple[Place, ...]
    kind = Kind.ARRAY


Side = Expr | ArrayLiteral
_SETS: dict[type, tuple[LiteralString, ...]] = {
    ast.ArrayContains: ("{a} @> {b}",),
    ast.ArrayContainedBy: ("{a} <@ {b}",),
    ast.ArrayEquals: ("{a} @> {b}", "{a} <@ {b}"),
    ast.ArrayOverlaps: ("{a} && {b}",),
}
_FLIPPED = {ast.ArrayContains: ast.ArrayContainedBy, ast.ArrayContainedBy: ast.ArrayContains}


def array_predicate(node: ast.ArrayPredicate, left: object, right: object) -> Expr:
    """A_EQUALS, A_CONTAINS, A_CONTAINEDBY or A_OVERLAPS. Raises CqlError for what is no array."""
    a, b = _side(node, left, 0), _side(node, right, 1)
    kind = type(node)
    if isinstance(a, ArrayLiteral) and isinstance(b, ArrayLiteral):
        return condition(_of_literals(kind, a, b))
    if isinstance(a, ArrayLiteral):
        return condition(_with_literal(node, _FLIPPED.get(kind, kind), _expr(b), a))
    if isinstance(b, ArrayLiteral):
        return condition(_with_literal(node, kind, a, b))
    return condition(_of_columns(node, a, b))


def _expr(side: Side) -> Expr:
    assert isinstance(side, Expr)  # noqa: S101  # the caller has ruled literals out
    return side


def _side(node: ast.ArrayPredicate, operand: object, index: int) -> Side:
    if isinstance(operand, ArrayLiteral):
        return operand
    if isinstance(operand, Expr) and operand.kind in (Kind.ARRAY, Kind.JSON):
        return operand
    name = OP_NAMES[type(node)].upper()
    raise fault(f"{describe(operand)}, but {name} takes arrays", place_of(node, index))


def _sets(kind: type, a: Sql, b: Sql) -> Sql:
    return all_of(sql(template, a=a, b=b) for template in _SETS[kind])


def _with_literal(node: ast.ArrayPredicate, kind: type, column: Expr, array: ArrayLiteral) -> Sql:
    if column.kind is Kind.JSON:
        return _with_json(kind, column, array)
    assert column.queryable is not None  # noqa: S101  # every array is a column
    element = column.queryable.element
    assert element is not None  # noqa: S101
    for index, member in enumerate(array.members):
        if not _fits(element.kind, member.kind):
            raise fault(
                f'{describe(member)}, but the property "{column.queryable.name}" is an array of {element.kind}s',
                array.places[index],
            )
    text, sql_type = _typed(element, array.members)
    matches = element.base_type == sql_type
    value = column.sql if matches else sql("({column})::{cast}[]", column=column.sql, cast=Sql((sql_type,)))
    return _sets(kind, value, text)


def _fits(element: Kind, member: Kind) -> bool:
    families = (NUMERIC, TEXTUAL, {Kind.BOOLEAN}, {Kind.DATE}, {Kind.TIMESTAMP})
    return any(element in family and member in family for family in families)


def _typed(element: Queryable, members: Sequence[Operand]) -> tuple[Sql, str]:
    """The literal as an array and its element type: the column's, or a wider one that holds all members."""
    sql_type = element.base_type
    if element.kind in TEMPORAL or not all(isinstance(member, Value) for member in members):
        wide = _wide(element)
        written = join(", ", [_member(member, wide) for member in members])
        return sql("ARRAY[{members}]::{cast}[]", members=written, cast=Sql((wide,))), wide
    values = [member.value for member in members if isinstance(member, Value)]
    converted = _converted(element, values)
    if converted is not None:
        return bind(converted, f"{sql_type}[]"), sql_type
    if element.kind in NUMERIC:
        return bind([number_value(value, "numeric") for value in values], "numeric[]"), "numeric"
    if element.kind is Kind.STRING or all(value in (element.enum or ()) for value in values):
        return bind(values, "text[]", f"{sql_type}[]"), sql_type
    return bind(values, "text[]"), "text"


def _converted(element: Queryable, values: list[Any]) -> list[Any] | None:
    """The values as asyncpg takes them for the column's element type; None when they do not fit it."""
    sql_type = element.base_type
    if element.kind in NUMERIC:
        return _numbers(sql_type, values)
    if element.kind is Kind.UUID:
        try:
            return [UUID(value) for value in values]
        except ValueError:
            return None
    plain = element.kind is Kind.BOOLEAN or sql_type in BUILTIN_TEXT
    return values if plain else None


def _numbers(sql_type: str, values: list[Any]) -> list[Any] | None:
    bits = column_type(sql_type).bits
    if bits is not None:
        limit = 1 << (bits - 1)
        fit = all(is_whole(value) and -limit <= value < limit for value in values)
        return [int(value) for value in values] if fit else None
    return [float(value) for value in values] if sql_type == "double precision" else None


def _wide(element: Queryable) -> str:
    if element.kind in NUMERIC:
        return "numeric"
    return "text" if element.kind in TEXTUAL else element.base_type


def _member(member: Operand, sql_type: str) -> Sql:
    if isinstance(member, Expr):
        return sql("({value})::{cast}", value=member.sql, cast=Sql((sql_type,)))
    if isinstance(member.value, date):
        return bind_instant(member.value, sql_type)
    return bind(number_value(member.value, "numeric") if sql_type == "numeric" else member.value, sql_type)


def _with_json(kind: type, column: Expr, array: ArrayLiteral) -> Sql:
    """A JSON column that holds arrays; a row that holds something else matches nothing."""
    value = sql("({v})::jsonb", v=column.sql)
    if kind is ast.ArrayOverlaps:
        text = any_of(sql("{v} @> {one}", v=value, one=_json([member])) for member in array.members)
    else:
        text = _sets(kind, value, _json(array.members))
    return all_of([text, _is_array(value)])


def _is_array(value: Sql) -> Sql:
    return sql("jsonb_typeof({v}) = 'array'", v=value)


def _json(members: Sequence[Operand]) -> Sql:
    if all(isinstance(member, Value) for member in members):
        values = [_plain(member.value) for member in members if isinstance(member, Value)]
        # Digits of a Decimal survive as they are only through the default hook's text.
        return bind(json.dumps(values, ensure_ascii=False, default=float), "text", cast="jsonb")
    written = [member.sql if isinstance(member, Expr) else _json_value(member) for member in members]
    return sql("jsonb_build_array({members})", members=join(", ", written))


def _json_value(member: Value) -> Sql:
    return bind(json.dumps(_plain(member.value), ensure_ascii=False, default=float), "text", cast="jsonb")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value)
    return value.isoformat() if isinstance(value, date) else value


def _of_columns(node: ast.ArrayPredicate, a: Expr, b: Expr) -> Sql:
    if a.kind is Kind.JSON and b.kind is Kind.JSON:
        if isinstance(node, ast.ArrayOverlaps):
            raise fault("A_OVERLAPS of two JSON properties is not offered", place_of(node))
        first, second = (sql("({v})::jsonb", v=side.sql) for side in (a, b))
        return all_of([_sets(type(node), first, second), _is_array(first), _is_array(second)])
    elements = [side.queryable and side.queryable.element for side in (a, b)]
    kinds = [element.kind if element is not None else Kind.JSON for element in elements]
    if a.sql_type == b.sql_type:
        return _sets(type(node), a.sql, b.sql)
    cast = "numeric" if set(kinds) <= NUMERIC else "text" if set(kinds) <= TEXTUAL else None
    if cast is None:
        raise fault(
            f"{describe(a)} of {kinds[0]}s, {describe(b)} of {kinds[1]}s: they cannot be compared", place_of(node)
        )
    casts = [sql("({v})::{cast}[]", v=side.sql, cast=Sql((cast,))) for side in (a, b)]
    return _sets(type(node), *casts)


def _of_literals(kind: type, a: ArrayLiteral, b: ArrayLiteral) -> Sql:
    """Two literals need no database, unless one names a property."""
    if any(not isinstance(member, Value) for member in (*a.members, *b.members)):
        left, right = _json(a.members), _json(b.members)
        if kind is not ast.ArrayOverlaps:
            return _sets(kind, left, right)
        return any_of(sql("{a} @> {one}", a=left, one=_json([member])) for member in b.members)
    first, second = (
        {(m.kind in NUMERIC, type(m.value) is bool, m.value) for m in s.members if isinstance(m, Value)} for s in (a, b)
    )
    holds = {
        ast.ArrayContains: first >= second,
        ast.ArrayContainedBy: first <= second,
        ast.ArrayEquals: first == second,
        ast.ArrayOverlaps: bool(first & second),
    }[kind]
    return sql("TRUE") if holds else sql("FALSE")
