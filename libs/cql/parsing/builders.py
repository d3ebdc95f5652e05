"""Build the tree for both languages, so that one filter gives the same tree in either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from pygeofilter import ast, values

from libs.cql.errors import ELSEWHERE, CqlError, Place, excerpt, fault
from libs.cql.guard import check_list, is_number
from libs.cql.nodes import (
    ARITHMETIC,
    ARRAY,
    COMPARISONS,
    DISTANCE_FUNCTION,
    SPATIAL,
    STRING_FUNCTIONS,
    TEMPORAL,
    Array,
    Part,
    mark_place,
)
from libs.cql.parsing.geometry_literals import GeoJson
from libs.cql.parsing.instants import date_literal, interval, timestamp_literal

_PREDICATES: dict[str, Callable[..., ast.Node]] = {
    name.casefold(): node for table in (SPATIAL, TEMPORAL, ARRAY) for name, node in table.items()
}


def combine(node: type[ast.Combination], parts: Sequence[Part]) -> Part:
    """Return a balanced tree of ANDs or ORs: a chain of 500 would be 500 levels deep."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    pair = (combine(node, parts[:middle]), combine(node, parts[middle:]))
    return mark_place(node(pair[0].value, pair[1].value), parts[0].at, pair)


def negate(part: Part, at: Place) -> Part:
    """Return NOT; for a predicate with its own NOT form, that form."""
    node = part.value
    if isinstance(node, ast.Like | ast.Between | ast.In | ast.IsNull) and not node.not_:
        node.not_ = True
        return part
    return mark_place(ast.Not(node), at, (part,))


def comparison(op: str, left: Part, right: Part) -> Part:
    """Return one of = <> < <= > >=."""
    return mark_place(COMPARISONS[op](left.value, right.value), left.at, (left, right))


def arithmetic(op: str, left: Part, right: Part) -> Part:
    """Return one of + - * / % div ^."""
    return mark_place(ARITHMETIC[op](left.value, right.value), left.at, (left, right))


def negative(part: Part, at: Place) -> Part:
    """Apply a sign: to a number it makes a literal, to anything else a product."""
    value = part.value
    if is_number(value):
        # the operator would round to the precision of computations
        return Part(value.copy_negate() if isinstance(value, Decimal) else -value, at)
    return mark_place(ast.Mul(-1, value), at, (part, part))


def like(value: Part, pattern: Part, *, negated: bool = False) -> Part:
    """Return LIKE with the standard's wildcards and escape (/req/advanced-comparison-operators/like-predicate)."""
    node = ast.Like(value.value, pattern.value, False, "%", "_", "\\", negated)
    return mark_place(node, value.at, (value, pattern))


def between(value: Part, low: Part, high: Part, *, negated: bool = False) -> Part:
    """Return BETWEEN, both ends included."""
    return mark_place(ast.Between(value.value, low.value, high.value, negated), value.at, (value, low, high))


def is_in(value: Part, members: Sequence[Part], *, negated: bool = False) -> Part:
    """Return IN. Raises CqlError if the list is too long."""
    check_list(len(members), value.at)
    node = ast.In(value.value, [member.value for member in members], negated)
    return mark_place(node, value.at, (value, *members))


def is_null(value: Part, *, negated: bool = False) -> Part:
    """Return IS NULL."""
    return mark_place(ast.IsNull(value.value, negated), value.at, (value,))


def array(members: Sequence[Part], at: Place) -> Part:
    """Return an array literal. Raises CqlError if it is too long."""
    check_list(len(members), at)
    return mark_place(Array(member.value for member in members), at, members)


def geometry(geojson: GeoJson, at: Place) -> Part:
    """Return a geometry literal."""
    return mark_place(values.Geometry(geojson), at)


def call(name: str, arguments: Sequence[Part], at: Place) -> Part:
    """Return a call of a function, of the standard or another one. Raises CqlError for wrong arguments."""
    folded = name.casefold()
    if folded in _PREDICATES:
        _check_count(name, arguments, (2,), at)
        if folded.startswith("a_"):
            arguments = [_as_array(argument) for argument in arguments]
        node = _PREDICATES[folded](*(argument.value for argument in arguments))
        return mark_place(node, at, arguments)
    if folded in ("date", "timestamp"):
        _check_count(name, arguments, (1,), at)
        read = date_literal if folded == "date" else timestamp_literal
        return Part(read(arguments[0].value, arguments[0].at), at)
    if folded == "interval":
        _check_count(name, arguments, (2,), at)
        return interval(arguments[0], arguments[1], at)
    if folded == "bbox":
        return envelope(arguments, at)
    if folded in ELSEWHERE:
        raise fault(ELSEWHERE[folded], at)
    if folded in STRING_FUNCTIONS:
        _check_count(name, arguments, (1,), at)
        name = folded
    if folded == DISTANCE_FUNCTION:
        _check_count(name, arguments, (3, 4), at)
        name = folded
    check_list(len(arguments), at)
    return mark_place(ast.Function(name, [argument.value for argument in arguments]), at, arguments)


def envelope(numbers: Sequence[Part], at: Place) -> Part:
    """Return a box from its corners of smallest and largest coordinates; with 6 numbers, heights are ignored.

    The axes are in the order of the filter's CRS, which is unknown here.
    """
    _check_count("BBOX", numbers, (4, 6), at)
    for part in numbers:
        if not is_number(part.value):
            raise fault("BBOX takes numbers only", part.at)
    corners = [float(part.value) for part in numbers]
    second = len(corners) // 2
    if second == 3 and corners[2] > corners[5]:
        raise fault(f"BBOX minimum height {corners[2]:g} is above maximum height {corners[5]:g}", at)
    return mark_place(values.Envelope(corners[0], corners[second], corners[1], corners[second + 1]), at)


def _as_array(argument: Part) -> Part:
    """Return `('a')` as an array of one: elsewhere it is a string in parentheses."""
    if argument.in_parentheses and not isinstance(argument.value, list):
        return array([argument], argument.at)
    return argument


def _check_count(name: str, arguments: Sequence[Part], counts: tuple[int, ...], at: Place) -> None:
    if len(arguments) in counts:
        return
    wanted = " or ".join(map(str, counts))
    plural = "" if counts == (1,) else "s"
    raise fault(f"{excerpt(name)} takes {wanted} argument{plural}, {len(arguments)} given", at)


def unknown_operation(name: object, at: Place) -> CqlError:
    """Return the error for an operator that the language does not have."""
    return fault(f"'{excerpt(name)}' is not an operator or function of CQL2", at)
