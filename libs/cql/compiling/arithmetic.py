"""Arithmetic: of literals at once, of columns in SQL that no row can make fail by dividing.

Numbers without floating point columns are computed as `numeric`, exactly; otherwise as `double
precision`. So 7/2 is 3.5 for integers too. A division by zero, and a power that is no real number or too
large, is unknown (NULL) for that row. PostgreSQL can still raise SQLSTATE class 22 (22003) where sums and
products of floating point columns overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal
from typing import Any

from pygeofilter import ast

from libs.cql.compiling.operands import FLOAT_TYPES, Expr, Operand, Value, bind_number, describe, from_json
from libs.cql.errors import fault
from libs.cql.nodes import IntDiv, Mod, Pow, place_of
from libs.pg.column_types import NUMERIC, Kind
from libs.pg.sql import Sql, sql

# Without traps: what cannot be computed comes out as NaN or infinity and is looked at afterwards.
_CONTEXT = Context(prec=60, traps=[])
# Of all digits that a quotient of two literals can have before its point.
_EXACT = Context(prec=1000, traps=[])
_LARGEST = Decimal("1.7e308")


def arithmetic(node: ast.Arithmetic, left: Operand, right: Operand) -> Operand:
    """The result of an arithmetic node. Raises CqlError for operands that are no numbers."""
    left, right = _number(node, left, 0), _number(node, right, 1)
    if isinstance(left, Value) and isinstance(right, Value):
        return _folded(node, left.value, right.value)
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
    as_float = sql_type == "double precision"
    return sql("({v})::float8", v=operand.sql) if as_float else sql("({v})::numeric", v=operand.sql)


def _modulo(a: Sql, b: Sql, sql_type: str) -> Sql:
    if sql_type == "numeric":
        return sql("({a} % NULLIF({b}, 0))", a=a, b=b)
    return _once(sql("cql.a - cql.b * trunc(cql.a / NULLIF(cql.b, 0))"), a, b)


def _integer_division(a: Sql, b: Sql, sql_type: str) -> Sql:
    if sql_type == "numeric":
        return sql("div({a}, NULLIF({b}, 0))", a=a, b=b)
    return sql("trunc({a} / NULLIF({b}, 0))", a=a, b=b)


def _power(a: Sql, b: Sql, _: str) -> Sql:
    # 709 is just below the logarithm of the largest double: beyond, power() raises an error.
    formula = sql(
        "CASE WHEN cql.a = 0 THEN CASE WHEN cql.b > 0 THEN 0 WHEN cql.b = 0 THEN 1 END"
        " WHEN cql.a < 0 AND cql.b <> trunc(cql.b) THEN NULL"
        " WHEN abs(cql.b) * abs(ln(abs(cql.a))) < 709 THEN power(cql.a, cql.b) END"
    )
    return _once(formula, sql("({a})::float8", a=a), sql("({b})::float8", b=b))


def _once(formula: Sql, a: Sql, b: Sql) -> Sql:
    """A formula that names its operands several times; written out, nested ones would grow exponentially.

    OFFSET 0 keeps the planner from doing the same.
    """
    return sql("(SELECT {formula} FROM (SELECT {a} AS a, {b} AS b OFFSET 0) AS cql)", formula=formula, a=a, b=b)


_SQL: dict[type, Callable[[Sql, Sql, str], Sql]] = {
    ast.Add: lambda a, b, _: sql("({a} + {b})", a=a, b=b),
    ast.Sub: lambda a, b, _: sql("({a} - {b})", a=a, b=b),
    ast.Mul: lambda a, b, _: sql("({a} * {b})", a=a, b=b),
    ast.Div: lambda a, b, _: sql("({a} / NULLIF({b}, 0))", a=a, b=b),
    Mod: _modulo,
    IntDiv: _integer_division,
    Pow: _power,
}


def _folded(node: ast.Arithmetic, left: Any, right: Any) -> Value:
    """Arithmetic of two literals, so that `price > 2*1000` can use an index on price."""
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
