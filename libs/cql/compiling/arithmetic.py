"""Arithmetic: of literals at once; of columns in SQL that does not fail for any row.

Numbers without floating point columns are computed as `numeric`, exactly; others as `double precision`. So 7/2 is 3.5
for integers too. A division by zero, a power that is not a real number, and a result too large for a double are unknown
(NULL) for that row only.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal
from typing import Any, LiteralString

from pygeofilter import ast

from libs.cql.compiling.operands import (
    FLOAT_TYPES,
    Expr,
    Operand,
    Value,
    as_double,
    bind_number,
    compute_once,
    describe,
    from_json,
)
from libs.cql.errors import fault
from libs.cql.nodes import IntDiv, Mod, Pow, place_of
from libs.pg.column_types import NUMERIC, Kind
from libs.pg.sql import Sql, sql

# Without traps: invalid results become NaN or infinity, and are checked afterwards.
_CONTEXT = Context(prec=60, traps=[])
# All digits that a quotient of two literals can have before its point.
_EXACT = Context(prec=1000, traps=[])
_LARGEST = Decimal("1.7e308")


def arithmetic(node: ast.Arithmetic, left: Operand, right: Operand) -> Operand:
    """Return the result of an arithmetic node. Raises CqlError for operands that are not numbers."""
    left, right = _number(node, left, 0), _number(node, right, 1)
    if isinstance(left, Value) and isinstance(right, Value):
        return _fold(node, left.value, right.value)
    types = {operand.sql_type for operand in (left, right) if isinstance(operand, Expr)}
    sql_type = "double precision" if types & FLOAT_TYPES else "numeric"
    a, b = _cast(left, sql_type), _cast(right, sql_type)
    return Expr(_SQL[type(node)](a, b, sql_type), Kind.NUMBER, sql_type)


def _number(node: ast.Arithmetic, operand: Operand, index: int) -> Operand:
    if isinstance(operand, Expr) and operand.kind is Kind.JSON:
        return from_json(operand, Kind.NUMBER)
    if not isinstance(operand, Value | Expr) or operand.kind not in NUMERIC:
        raise fault(f"{describe(operand)}: it cannot be computed with", place_of(node, index))
    return operand


def _cast(operand: Operand, sql_type: str) -> Sql:
    if isinstance(operand, Value):
        return bind_number(operand.value, sql_type)
    if operand.sql_type == sql_type:
        return operand.sql
    return as_double(operand) if sql_type == "double precision" else sql("({v})::numeric", v=operand.sql)


def _modulo(a: Sql, b: Sql, sql_type: str) -> Sql:
    if sql_type == "numeric":
        return sql("({a} % NULLIF({b}, 0))", a=a, b=b)
    return compute_once(
        "(CASE WHEN {b} <> 0 THEN CASE WHEN abs({a}) < abs({b}) THEN {a}"
        " WHEN ln(abs({a})) - ln(abs({b})) < 709 THEN {a} - {b} * trunc({a} / {b}) END END)",
        a=a,
        b=b,
    )


def _integer_division(a: Sql, b: Sql, sql_type: str) -> Sql:
    if sql_type == "numeric":
        return sql("div({a}, NULLIF({b}, 0))", a=a, b=b)
    return sql("trunc({quotient})", quotient=_quotient(a, b, sql_type))


def _power(a: Sql, b: Sql, sql_type: str) -> Sql:
    a, b = (as_double(Expr(side, Kind.NUMBER, sql_type)) for side in (a, b))
    # 709 is just below the logarithm of the largest double: above it, power() raises an error. So does a product of
    # exponent and logarithm that is itself too large or too small.
    return compute_once(
        "(CASE WHEN {a} = 0 THEN CASE WHEN {b} > 0 THEN 0 WHEN {b} = 0 THEN 1 END"
        " WHEN {a} < 0 AND {b} <> trunc({b}) THEN NULL"
        " WHEN abs({b}) < 1e-290 THEN CASE WHEN {a} IS NOT NULL THEN 1 END"
        " WHEN abs({b}) < 1e300 THEN CASE WHEN abs({b}) * abs(ln(abs({a}))) < 709 THEN power({a}, {b}) END END)",
        a=a,
        b=b,
    )


def _sum(a: Sql, b: Sql, sql_type: str) -> Sql:
    return (
        sql("({a} + {b})", a=a, b=b) if sql_type == "numeric" else compute_once(_BOUNDED + "{a} + {b} END)", a=a, b=b)
    )


def _difference(a: Sql, b: Sql, sql_type: str) -> Sql:
    return (
        sql("({a} - {b})", a=a, b=b) if sql_type == "numeric" else compute_once(_BOUNDED + "{a} - {b} END)", a=a, b=b)
    )


# Infinity raises no error; neither does NaN, which PostgreSQL sorts above Infinity.
_BOUNDED: LiteralString = (
    "(CASE WHEN (abs({a}) < 8e307 OR abs({a}) >= 'Infinity') AND (abs({b}) < 8e307 OR abs({b}) >= 'Infinity') THEN "
)


def _product(a: Sql, b: Sql, sql_type: str) -> Sql:
    return sql("({a} * {b})", a=a, b=b) if sql_type == "numeric" else _scale("{a} * {b}", "+", a, b)


def _quotient(a: Sql, b: Sql, sql_type: str) -> Sql:
    divided: LiteralString = "{a} / NULLIF({b}, 0)"
    return sql("(" + divided + ")", a=a, b=b) if sql_type == "numeric" else _scale(divided, "-", a, b)


def _scale(result: LiteralString, sign: LiteralString, a: Sql, b: Sql) -> Sql:
    """Return the product (`+`) or quotient (`-`) of two doubles: 0 if it is too small for a double."""
    logarithm: LiteralString = "ln(abs({a})) " + sign + " ln(abs({b}))"
    return compute_once(
        "(CASE WHEN {a} = 0 OR {b} = 0 OR abs({a}) >= 'Infinity' OR abs({b}) >= 'Infinity' THEN "
        + result
        + " WHEN "
        + logarithm
        + " < -744 THEN 0 WHEN "
        + logarithm
        + " < 709 THEN "
        + result
        + " END)",
        a=a,
        b=b,
    )


_SQL: dict[type, Callable[[Sql, Sql, str], Sql]] = {
    ast.Add: _sum,
    ast.Sub: _difference,
    ast.Mul: _product,
    ast.Div: _quotient,
    Mod: _modulo,
    IntDiv: _integer_division,
    Pow: _power,
}


def _fold(node: ast.Arithmetic, left: Any, right: Any) -> Value:
    """Compute arithmetic of two literals, so that `price > 2*1000` can use an index on price."""
    if left is None or right is None:
        return Value(None, Kind.NUMBER)
    result = _FOLD[type(node)](_decimal(left), _decimal(right))
    if result is None or result.is_nan():
        return Value(None, Kind.NUMBER)
    if abs(result) > _LARGEST:
        raise fault("the result of this computation is out of range", place_of(node))
    if result == result.to_integral_value():
        return Value(int(result), Kind.INTEGER)
    return Value(result, Kind.NUMBER)


def _decimal(value: Any) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _fold_power(a: Decimal, b: Decimal) -> Decimal | None:
    if not a and b <= 0:
        return None if b else Decimal(1)
    return _CONTEXT.power(a, b)


_FOLD: dict[type, Callable[[Decimal, Decimal], Decimal | None]] = {
    ast.Add: _CONTEXT.add,
    ast.Sub: _CONTEXT.subtract,
    ast.Mul: _CONTEXT.multiply,
    ast.Div: lambda a, b: _CONTEXT.divide(a, b) if b else None,
    Mod: _EXACT.remainder,
    IntDiv: lambda a, b: _CONTEXT.divide(a, b).to_integral_value(ROUND_DOWN) if b else None,
    Pow: _fold_power,
}
