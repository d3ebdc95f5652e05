"""Compile pygeofilter's AST to SQL: an Evaluator whose handlers return operands, and a condition for the root.

Every value is a bind, every sub-expression is in parentheses, and three-valued logic is SQL's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, LiteralString, TypeVar, cast

from pygeofilter import ast, values
from pygeofilter.backends.evaluator import Evaluator, handle

from libs.cql.compiling import patterns, scalars
from libs.cql.compiling.arithmetic import arithmetic
from libs.cql.compiling.arrays import ArrayLiteral, array_predicate
from libs.cql.compiling.distance import METRES, within_distance
from libs.cql.compiling.geometry_literals import box_in, geometry_literal
from libs.cql.compiling.operands import Expr, Operand, Value, as_text, condition, describe, from_json, literal, negate
from libs.cql.compiling.spatial import SPATIAL_NODES, spatial
from libs.cql.compiling.temporal import TEMPORAL_NODES, Open, Span, interval_bound, temporal
from libs.cql.errors import Place, excerpt, fault, one_of
from libs.cql.nodes import ARITHMETIC, ARRAY, COMPARISONS, DISTANCE_FUNCTION, STRING_FUNCTIONS, Array, Ast, place_of
from libs.cql.queryable import Queryable, near_names
from libs.geo.crs import CRS84, Crs, box_of
from libs.pg.column_types import TEXTUAL, Kind, client_value, limits
from libs.pg.sql import Sql, ident, sql
from libs.pg.text_folding import UNTRIED, TextFolding

_LISTED = 30
_NUMBERS = {"oid": "bigint", "money": "numeric"}
"""Types that are numbers for clients, and the types that they are computed in."""


@dataclass(frozen=True, slots=True)
class Target:
    """The context of a compiled filter.

    `folding` is the database's support for CASEI and ACCENTI, `crs` is the CRS of the filter's geometries.
    """

    queryables: Mapping[str, Queryable]
    folding: TextFolding = UNTRIED
    crs: Crs = CRS84


def column_of(queryable: Queryable) -> Expr:
    """Return the operand of a queryable's column."""
    if (number := _NUMBERS.get(queryable.base_type.removesuffix("[]"))) is not None:
        # the type itself has no operators with numbers
        is_array = queryable.kind is Kind.ARRAY
        sql_type = f"{number}[]" if is_array else number
        text = sql("({column})::{sql_type}", column=ident(queryable.name), sql_type=Sql((sql_type,)))
        return Expr(text, queryable.kind, sql_type, replace(queryable, sql_type=sql_type))
    name = ident(queryable.name)
    if limits(queryable.base_type) is not None:
        return Expr(client_value(name, queryable.base_type), queryable.kind, queryable.base_type, queryable, bare=name)
    return Expr(name, queryable.kind, queryable.base_type, queryable)


def compile_ast(filter_: Ast, target: Target) -> Sql:
    """Return the boolean SQL expression of a filter. Raises CqlError."""
    compiler = _Compiler(target)
    return compiler.truth(compiler.evaluate(filter_.root), filter_.at)


Handler = TypeVar("Handler", bound=Callable[..., object])


def _handles(*classes: type) -> Callable[[Handler], Handler]:
    """Decorate like pygeofilter's `handle`, with types: the method is called for nodes of exactly these classes."""
    return cast(Callable[[Handler], Handler], handle(*classes))


class _Compiler(Evaluator):  # type: ignore[misc]  # pygeofilter is untyped
    def __init__(self, target: Target) -> None:
        self.target = target

    def truth(self, operand: object, place: Place | None) -> Sql:
        """An operand as a condition. Raises CqlError when it is none."""
        return self._predicate(operand, place).sql

    def _predicate(self, operand: object, place: Place | None) -> Expr:
        if isinstance(operand, Expr) and operand.kind is Kind.JSON:
            operand = from_json(operand, Kind.BOOLEAN)
        if isinstance(operand, Value) and operand.kind is Kind.BOOLEAN:
            return condition(sql("TRUE") if operand.value else sql("FALSE"))
        if not isinstance(operand, Expr) or operand.kind is not Kind.BOOLEAN:
            raise fault(f"{describe(operand)}, but a condition is wanted here", place)
        return operand

    @_handles(ast.And, ast.Or)
    def combination(self, node: ast.Combination, left: Operand, right: Operand) -> Expr:
        a, b = self._predicate(left, place_of(node, 0)), self._predicate(right, place_of(node, 1))
        text: LiteralString = "({a}) AND ({b})" if isinstance(node, ast.And) else "({a}) OR ({b})"
        both = condition(sql(text, a=a.sql, b=b.sql))
        if a.exact is None and b.exact is None:
            return both
        return replace(both, exact=sql(text, a=a.known, b=b.known))

    @_handles(ast.Not)
    def not_(self, node: ast.Not, operand: Operand) -> Expr:
        return negate(self._predicate(operand, place_of(node, 0)))

    @_handles(*COMPARISONS.values())
    def comparison(self, node: ast.Comparison, left: Operand, right: Operand) -> Expr:
        return scalars.comparison(node, left, right)

    @_handles(ast.Between)
    def between(self, node: ast.Between, value: Operand, low: Operand, high: Operand) -> Expr:
        return scalars.between(node, value, low, high)

    @_handles(ast.In)
    def is_in(self, node: ast.In, value: Operand, *members: Operand) -> Expr:
        return scalars.is_in(node, value, members)

    @_handles(ast.Like)
    def like(self, node: ast.Like, value: Operand) -> Expr:
        # pygeofilter does not evaluate the pattern as a sub-node.
        pattern, is_expression = patterns.searchable(node)
        return patterns.like(node, value, self.evaluate(pattern), is_expression=is_expression)

    @_handles(ast.IsNull)
    def is_null(self, node: ast.IsNull, operand: object) -> Expr:
        return scalars.is_null(node, operand)

    @_handles(*ARITHMETIC.values())
    def arithmetic(self, node: ast.Arithmetic, left: Operand, right: Operand) -> Operand:
        return arithmetic(node, left, right)

    @_handles(*SPATIAL_NODES)
    def spatial(self, node: ast.SpatialComparisonPredicate, left: object, right: object) -> Expr:
        return spatial(node, left, right)

    @_handles(*TEMPORAL_NODES)
    def temporal(self, node: ast.TemporalPredicate, left: Any, right: Any) -> Expr:
        return temporal(node, left, right)

    @_handles(*ARRAY.values())
    def array(self, node: ast.ArrayPredicate, left: object, right: object) -> Expr:
        return array_predicate(node, left, right)

    @_handles(ast.Attribute)
    def attribute(self, node: ast.Attribute) -> Expr:
        queryable = self.target.queryables.get(node.name)
        if queryable is not None:
            return column_of(queryable)
        near = near_names(node.name, self.target.queryables)
        known = ", ".join(list(self.target.queryables)[:_LISTED]) or "none"
        if node.name.lower() in METRES:
            unit = excerpt(node.name)
            raise fault(f"there is no property {_quote(node.name)}; units are quoted: '{unit}'", place_of(node))
        hint = f"; did you mean {one_of(tuple(map(_quote, near)))}?" if near else f"; there are {known}"
        raise fault(f"there is no property {_quote(node.name)}{hint}", place_of(node))

    @_handles(ast.Function)
    def function(self, node: ast.Function, *arguments: Operand) -> Expr:
        if node.name == DISTANCE_FUNCTION:
            return within_distance(node, arguments)
        if node.name not in STRING_FUNCTIONS:
            raise fault(
                f"this server has no function '{excerpt(node.name)}'",
                place_of(node),
            )
        text = self._text(node, arguments[0])
        folding = self.target.folding.case if node.name == "casei" else self.target.folding.accents
        if folding is None:
            raise fault(f"this server does not offer {node.name.upper()}: its database cannot do it", place_of(node))
        is_simple = not isinstance(node.arguments[0], ast.Function)
        return Expr(folding.of(text, is_simple=is_simple), Kind.STRING, "text")

    def _text(self, node: ast.Function, operand: Operand) -> Sql:
        if isinstance(operand, Expr) and operand.kind is Kind.JSON:
            operand = from_json(operand, Kind.STRING)
        if not isinstance(operand, Value | Expr) or operand.kind not in TEXTUAL:
            raise fault(f"{describe(operand)}, but {node.name.upper()} takes a string", place_of(node, 0))
        return as_text(operand)

    @_handles(str, bool, int, float, Decimal, date, datetime)
    def plain(self, value: Any) -> Value:
        return literal(value)

    @_handles(type(None))
    def open_end(self, _: None) -> Open:
        return Open()

    @_handles(Array)
    def members(self, value: Array) -> ArrayLiteral:
        # Lists have no sub-nodes for the Evaluator: it would return their members unchanged.
        members: list[Operand] = []
        for index, member in enumerate(value):
            operand = self.evaluate(member)
            if not isinstance(operand, Value | Expr):
                raise fault(f"{describe(operand)}, but arrays have values as their members", place_of(value, index))
            members.append(operand)
        return ArrayLiteral(tuple(members), value.places[1:])

    @_handles(values.Interval)
    def interval(self, node: values.Interval, start: object, end: object) -> Span:
        return Span(interval_bound(node, start, 0), interval_bound(node, end, 1))

    @_handles(values.Geometry)
    def geometry(self, node: values.Geometry) -> object:
        return geometry_literal(node.geometry, place_of(node), self.target.crs)

    @_handles(values.Envelope)
    def envelope(self, node: values.Envelope) -> object:
        try:
            box = box_of((node.x1, node.y1, node.x2, node.y2), self.target.crs)
        except ValueError as error:
            raise fault(f"BBOX {error}", place_of(node)) from None
        return box_in(box, place_of(node), self.target.crs)


def _quote(name: str) -> str:
    return f'"{excerpt(name)}"'
