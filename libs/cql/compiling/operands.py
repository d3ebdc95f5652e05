"""The operands of a compiled filter, and their descriptions for the client.

A literal stays a Python value until the other operand is known, because it must be bound with that column's type:
`int_column = $1::float8` would be a sequential scan, while `$1::int8` uses the index.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, LiteralString

from libs.cql.errors import CqlError, excerpt, fault
from libs.cql.nodes import place_of
from libs.cql.queryable import Queryable
from libs.pg.column_types import NUMERIC, Kind, types_where
from libs.pg.sql import Sql, bind, join, sql


@dataclass(frozen=True, slots=True)
class Value:
    """A literal: str, bool, int, float, Decimal, date, datetime (UTC), or None for an unknown number."""

    value: Any
    kind: Kind


@dataclass(frozen=True, slots=True)
class Expr:
    """A column or an expression of columns, safe to embed; `sql_type` has no modifier."""

    sql: Sql
    kind: Kind
    sql_type: str
    queryable: Queryable | None = None
    bare: Sql | None = None
    """Of a column whose rows may hold what clients see as null, such as NaN: the column as an index has it."""
    exact: Sql | None = None
    """Of a condition: the same where such a row makes it unknown rather than false. Needed below NOT alone."""

    @property
    def known(self) -> Sql:
        """The condition in the form that NOT may negate."""
        return self.sql if self.exact is None else self.exact


Operand = Value | Expr

INTEGER_TYPES = types_where(Kind.INTEGER)
FLOAT_TYPES = types_where(floating=True)
BUILTIN_TEXT = types_where(Kind.STRING, extension=False)
NAIVE = "timestamp without time zone"
"""A timestamp that is interpreted as UTC."""
_INT8 = 2**63


def literal(value: Any) -> Value:
    """Return the operand of a plain value of the AST."""
    return Value(value, _KINDS[type(value)])


_KINDS: dict[type, Kind] = {
    bool: Kind.BOOLEAN,
    int: Kind.INTEGER,
    float: Kind.NUMBER,
    Decimal: Kind.NUMBER,
    str: Kind.STRING,
    date: Kind.DATE,
    datetime: Kind.TIMESTAMP,
    type(None): Kind.NUMBER,
}


def condition(text: Sql) -> Expr:
    """Return the operand of a predicate."""
    return Expr(text, Kind.BOOLEAN, "boolean")


def condition_on(build: Callable[..., Sql], *operands: Any) -> Expr:
    """Return a predicate of operands, and its exact form where they are columns that may hold NaN or the like."""
    text = build(*operands)
    if not any(isinstance(operand, Expr) and operand.bare is not None for operand in operands):
        return condition(text)
    plain = [replace(operand, bare=None) if isinstance(operand, Expr) else operand for operand in operands]
    return replace(condition(text), exact=build(*plain))


def negate(operand: Expr) -> Expr:
    """Return NOT a predicate."""
    return condition(sql("NOT ({a})", a=operand.known))


def describe(operand: object) -> str:
    """Return the operand with its type, for a message: `the property "mag" is a number`."""
    kind = getattr(operand, "kind", None)
    word = str(kind) if kind is not None else "interval"
    article = "an" if word[0] in "aeio" else "a"
    if isinstance(operand, Value) and operand.value is not None:
        shown = f"'{excerpt(operand.value)}'" if operand.kind is Kind.STRING else excerpt(operand.value)
        return f"{shown} is {article} {word}"
    if isinstance(operand, Expr) and operand.queryable is not None:
        return f'the property "{excerpt(operand.queryable.name)}" is {article} {word}'
    return f"this is {article} {word}"


def mismatch(node: object, left: object, right: object, operand: int) -> CqlError:
    """Return the error for two operands of different kinds; its place is that of the literal among them.

    `operand` is the index of `right` among the operands of `node`.
    """
    is_left = isinstance(left, Value) and not isinstance(right, Value)
    blamed, other, index = (left, right, 0) if is_left else (right, left, operand)
    return fault(
        f"{describe(other)}, but {describe(blamed)}: they cannot be compared{_hint(blamed, other)}",
        place_of(node, index),
    )


def _hint(blamed: object, other: object) -> str:
    wanted = getattr(other, "kind", None)
    if isinstance(blamed, Value) and blamed.kind is Kind.STRING:
        if wanted is Kind.TIMESTAMP:
            return "; write TIMESTAMP('2020-01-31T12:00:00Z')"
        if wanted is Kind.DATE:
            return "; write DATE('2020-01-31')"
        if wanted in NUMERIC:
            return "; write the number without quotes"
    return ""


def is_whole(value: Any) -> bool:
    """Return whether a number has no fraction."""
    return isinstance(value, int) or bool(value == int(value))


def number_type(sibling: str, values: list[Any]) -> str:
    """Return the type to bind numbers with, so that a column of type `sibling` keeps its index and its meaning."""
    if sibling in INTEGER_TYPES and all(is_whole(value) and -_INT8 <= value < _INT8 for value in values):
        # The B-tree operators of integer types accept mixed sizes.
        return "int8"
    if sibling == "real" and all(map(_fits_real, values)):
        # As wide as the column: 0.1 in a real column differs from 0.1 in double precision.
        return "float4"
    return "float8" if sibling in FLOAT_TYPES else "numeric"


def _fits_real(value: Any) -> bool:
    try:
        return bool(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return False


def number_value(value: Any, sql_type: str) -> Any:
    """Return a number in the driver's type for `sql_type` (a result of `number_type`)."""
    if sql_type == "int8":
        return int(value)
    if sql_type == "numeric":
        return value if isinstance(value, Decimal) else Decimal(repr(value))
    return float(value)


def bind_number(value: Any, sibling: str) -> Sql:
    """Return a number bound for a sibling of type `sibling`; an unknown number is NULL."""
    if value is None:
        return sql("NULL::numeric")
    sql_type = number_type(sibling, [value])
    return bind(number_value(value, sql_type), sql_type)


def as_double(operand: Expr) -> Sql:
    """Return a number as `double precision`; infinite or 0 for a `numeric` out of range, where a cast would fail."""
    if operand.sql_type in FLOAT_TYPES or operand.sql_type in INTEGER_TYPES:
        return sql("({v})::float8", v=operand.sql)
    return compute_once(
        "(CASE WHEN abs({v}) < 1e-307 THEN 0 WHEN abs({v}) < 1.7e308 OR {v} = 'NaN' THEN {v}::float8"
        " ELSE sign({v})::float8 * 'Infinity' END)",
        v=operand.sql,
    )


def compute_once(template: LiteralString, /, **operands: Sql) -> Sql:
    """Return a formula that uses its operands repeatedly, but computes each once per row.

    Written out, nested formulas would grow exponentially. OFFSET 0 stops the planner from expanding them. A column or a
    literal is written out each time.
    """
    if all(len(operand.parts) == 1 for operand in operands.values()):
        return sql(template, **operands)
    columns = {name: Sql((f"cql.{name}",)) for name in operands}
    given = join(", ", [operand + Sql((f" AS {name}",)) for name, operand in operands.items()])
    return sql(
        "(SELECT {formula} FROM (SELECT {given} OFFSET 0) AS cql)", formula=sql(template, **columns), given=given
    )


def as_text(operand: Operand) -> Sql:
    """Return a textual operand as `text`, for any type of column."""
    if isinstance(operand, Value):
        return bind(operand.value, "text")
    if operand.sql_type == "text":
        return operand.sql
    return sql("({value})::text", value=operand.sql)


def from_json(operand: Expr, kind: Kind) -> Expr:
    """Return a JSON column as a value of `kind`, or NULL for rows with another kind; so no row can raise an error."""
    prefix = sql("json") if operand.sql_type == "json" else sql("jsonb")
    value = sql("({value} #>> '{{}}')", value=operand.sql)
    if kind in NUMERIC:
        return Expr(_check_type(prefix, operand, sql("'number'"), sql("{v}::numeric", v=value)), Kind.NUMBER, "numeric")
    if kind is Kind.BOOLEAN:
        return Expr(_check_type(prefix, operand, sql("'boolean'"), sql("{v}::boolean", v=value)), kind, "boolean")
    return Expr(_check_type(prefix, operand, sql("'string'"), value), Kind.STRING, "text")


def _check_type(prefix: Sql, operand: Expr, type_name: Sql, value: Sql) -> Sql:
    return sql(
        "(CASE {prefix}_typeof({column}) WHEN {type_name} THEN {value} END)",
        prefix=prefix,
        column=operand.sql,
        type_name=type_name,
        value=value,
    )
