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
    NAIVE,
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
    """An array as written in the filter; its members are operands."""

    members: tuple[Operand, ...]
    places: tuple[Place, ...]
    kind = Kind.ARRAY

    @property
    def is_plain(self) -> bool:
        """Whether all members are known values."""
        return all(isinstance(member, Value) and member.value is not None for member in self.members)


Side = Expr | ArrayLiteral
_FLIPPED = {ast.ArrayContains: ast.ArrayContainedBy, ast.ArrayContainedBy: ast.ArrayContains}


def array_predicate(node: ast.ArrayPredicate, left: object, right: object) -> Expr:
    """Compile A_EQUALS, A_CONTAINS, A_CONTAINEDBY or A_OVERLAPS. Raises CqlError for operands that are not arrays."""
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


@dataclass(frozen=True, slots=True)
class _Side:
    """An array in SQL; `is_known` says that no member can be null."""

    text: Sql
    is_known: bool = False


@dataclass(frozen=True, slots=True)
class _Dialect:
    """SQL to test an array for unknown members, to select its known members, and to test for any members."""

    has_unknown: LiteralString
    known: LiteralString
    has_members: LiteralString


# Arrays of any number of dimensions.
_NATIVE = _Dialect(
    "(SELECT count(*) > count(member) FROM unnest({v}) AS member)",
    "ARRAY(SELECT member FROM unnest({v}) AS member WHERE member IS NOT NULL)",
    "cardinality({v}) > 0",
)
_IN_JSON = _Dialect("{v} @> '[null]'", "jsonb_path_query_array({v}, '$[*] ? (@ != null)')", "{v} <> '[]'")


def _sets(kind: type, a: _Side, b: _Side, dialect: _Dialect = _NATIVE) -> Sql:
    """Return the predicate in three-valued logic: comparing an unknown member gives unknown.

    The condition for unknown is separate from the condition for true, so that the planner can drop it: in a WHERE
    without NOT, unknown is false, and an index serves the rest.
    """
    if kind is ast.ArrayEquals:
        return all_of(_sets(each, a, b, dialect) for each in (ast.ArrayContains, ast.ArrayContainedBy))
    if kind is ast.ArrayContainedBy:
        return _sets_of(
            _exclude_unknown(sql("{a} <@ {b}", a=a.text, b=b.text), a, dialect), _maybe_containing(b, a, dialect)
        )
    if kind is ast.ArrayContains:
        return _sets_of(
            _exclude_unknown(sql("{a} @> {b}", a=a.text, b=b.text), b, dialect), _maybe_containing(a, b, dialect)
        )
    return _sets_of(sql("{a} && {b}", a=a.text, b=b.text), _maybe_overlapping(a, b, dialect))


def _exclude_unknown(holds: Sql, part: _Side, dialect: _Dialect) -> Sql:
    """Return the condition for JSON, where null is a member like any other and equals itself."""
    if part.is_known or dialect is _NATIVE:
        return holds
    return sql("({holds} AND NOT {unknown})", holds=holds, unknown=sql(dialect.has_unknown, v=part.text))


def _maybe_overlapping(a: _Side, b: _Side, dialect: _Dialect) -> list[Sql]:
    return [
        sql(
            "{unknown} AND {some}",
            unknown=sql(dialect.has_unknown, v=one.text),
            some=sql(dialect.has_members, v=other.text),
        )
        for one, other in ((a, b), (b, a))
        if not one.is_known
    ]


def _sets_of(holds: Sql, unknown: Sequence[Sql]) -> Sql:
    if not unknown:
        return holds
    return sql("{holds} OR (({unknown}) AND NULL)", holds=holds, unknown=any_of(unknown))


def _maybe_containing(whole: _Side, part: _Side, dialect: _Dialect) -> list[Sql]:
    """Return when it is unknown whether `whole` contains `part`, given that it does not surely contain it."""
    unknown = [] if whole.is_known else [sql(dialect.has_unknown, v=whole.text)]
    if not part.is_known:
        unknown.append(
            sql(
                "{has_unknown} AND {has_members} AND {whole} @> {known}",
                has_unknown=sql(dialect.has_unknown, v=part.text),
                has_members=sql(dialect.has_members, v=whole.text),
                whole=whole.text,
                known=sql(dialect.known, v=part.text),
            )
        )
    return unknown


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
    text, sql_type = _bind_array(element, array)
    matches = element.base_type == sql_type
    value = column.sql if matches else sql("({column})::{cast}[]", column=column.sql, cast=Sql((sql_type,)))
    return _sets(kind, _Side(value), _Side(text, array.is_plain))


def _fits(element: Kind, member: Kind) -> bool:
    families = (NUMERIC, TEXTUAL, {Kind.BOOLEAN}, {Kind.DATE}, {Kind.TIMESTAMP})
    return any(element in family and member in family for family in families)


def _bind_array(element: Queryable, array: ArrayLiteral) -> tuple[Sql, str]:
    """Return the literal as an array, and its element type: the column's, or a wider one that holds all members."""
    sql_type = element.base_type
    if element.kind in TEMPORAL or not array.is_plain:
        wide = _wide(element)
        written = join(", ", [_member(member, wide) for member in array.members])
        return sql("ARRAY[{members}]::{cast}[]", members=written, cast=Sql((wide,))), wide
    values = [member.value for member in array.members if isinstance(member, Value)]
    converted = _convert(element, values)
    if converted is not None:
        return bind(converted, f"{sql_type}[]"), sql_type
    if element.kind in NUMERIC:
        return bind([number_value(value, "numeric") for value in values], "numeric[]"), "numeric"
    if element.kind is Kind.STRING or all(value in (element.enum or ()) for value in values):
        return bind(values, "text[]", f"{sql_type}[]"), sql_type
    return bind(values, "text[]"), "text"


def _convert(element: Queryable, values: list[Any]) -> list[Any] | None:
    """Return the values in the driver's type for the column's elements; None if they do not fit it."""
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
    if member.value is None:
        return sql("NULL")
    if isinstance(member.value, date):
        return bind_instant(member.value, sql_type)
    return bind(number_value(member.value, "numeric") if sql_type == "numeric" else member.value, sql_type)


def _with_json(kind: type, column: Expr, array: ArrayLiteral) -> Sql:
    """Return the predicate for a JSON column of arrays; unknown for rows with other values."""
    value = sql("({v})::jsonb", v=column.sql)
    if kind is ast.ArrayOverlaps and array.is_plain:
        # one containment per member, which an index serves
        members = [ArrayLiteral((member,), ()) for member in array.members]
        meets = any_of(sql("{v} @> {one}", v=value, one=_json(one)) for one in members)
        holds = _sets_of(meets, _maybe_overlapping(_Side(value), _Side(_json(array), is_known=True), _IN_JSON))
    else:
        holds = _json_sets(kind, value, _json(array), is_known=array.is_plain)
    return _of_arrays(holds, [value])


def _of_arrays(holds: Sql, values: Sequence[Sql]) -> Sql:
    are = all_of(sql("jsonb_typeof({v}) = 'array'", v=value) for value in values)
    return sql("(({holds}) AND {are}) OR (NOT ({are}) AND NULL)", holds=holds, are=are)


def _json_sets(kind: type, a: Sql, b: Sql, *, is_known: bool = False) -> Sql:
    """Return the predicate for two JSON arrays; `is_known` says that no member of `b` can be null."""
    if kind is not ast.ArrayOverlaps:
        return _sets(kind, _Side(a), _Side(b, is_known), _IN_JSON)
    # jsonb has no operator for overlap
    meets = sql(
        "jsonb_path_exists({a}, '$[*] ? (@ != null && @ == $other[*])', jsonb_build_object('other', {b}))", a=a, b=b
    )
    return _sets_of(meets, _maybe_overlapping(_Side(a), _Side(b, is_known), _IN_JSON))


def _json(array: ArrayLiteral) -> Sql:
    if array.is_plain:
        values = [_plain(member.value) for member in array.members if isinstance(member, Value)]
        # Only the default hook's text keeps all digits of a Decimal.
        return bind(json.dumps(values, ensure_ascii=False, default=float), "text", cast="jsonb")
    return sql("jsonb_build_array({members})", members=join(", ", [_json_member(member) for member in array.members]))


def _json_member(member: Operand) -> Sql:
    if isinstance(member, Expr):
        if member.kind is Kind.TIMESTAMP:
            zone = sql(" AT TIME ZONE 'UTC'") if member.sql_type != NAIVE else sql("")
            moment = sql("({v}){zone}", v=member.sql, zone=zone)
            return sql('to_char({moment}, \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\')', moment=moment)
        return member.sql
    if isinstance(member.value, datetime):
        return bind(f"{member.value.replace(tzinfo=None).isoformat(timespec='microseconds')}Z", "text")
    return bind(json.dumps(_plain(member.value), ensure_ascii=False, default=float), "text", cast="jsonb")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value)
    return value.isoformat() if isinstance(value, date) else value


def _of_columns(node: ast.ArrayPredicate, a: Expr, b: Expr) -> Sql:
    if a.kind is Kind.JSON and b.kind is Kind.JSON:
        first, second = (sql("({v})::jsonb", v=side.sql) for side in (a, b))
        return _of_arrays(_json_sets(type(node), first, second), [first, second])
    elements = [side.queryable and side.queryable.element for side in (a, b)]
    kinds = [element.kind if element is not None else Kind.JSON for element in elements]
    if a.sql_type == b.sql_type:
        return _sets(type(node), _Side(a.sql), _Side(b.sql))
    cast = "numeric" if set(kinds) <= NUMERIC else "text" if set(kinds) <= TEXTUAL else None
    if cast is None:
        raise fault(
            f"{describe(a)} of {kinds[0]}s, {describe(b)} of {kinds[1]}s: they cannot be compared", place_of(node)
        )
    casts = [_Side(sql("({v})::{cast}[]", v=side.sql, cast=Sql((cast,)))) for side in (a, b)]
    return _sets(type(node), casts[0], casts[1])


def _of_literals(kind: type, a: ArrayLiteral, b: ArrayLiteral) -> Sql:
    """Compare two literals in Python, unless one names a property or has an unknown member."""
    if not (a.is_plain and b.is_plain):
        return _json_sets(kind, _json(a), _json(b), is_known=b.is_plain)
    # in Python, True equals 1
    first, second = ({(m.kind in NUMERIC, m.value) for m in s.members if isinstance(m, Value)} for s in (a, b))
    holds = {
        ast.ArrayContains: first >= second,
        ast.ArrayContainedBy: first <= second,
        ast.ArrayEquals: first == second,
        ast.ArrayOverlaps: bool(first & second),
    }[kind]
    return sql("TRUE") if holds else sql("FALSE")
