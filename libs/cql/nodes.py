"""The filter as a tree: pygeofilter's nodes, four of our own, and the place of each part in the text.

pygeofilter has no nodes for `%`, `div`, `^` and T_INTERSECTS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pygeofilter import ast

from libs.cql.errors import Place
from libs.cql.guard import check_depth


class Mod(ast.Arithmetic):  # type: ignore[misc]  # untyped base
    """The remainder of a division, with the sign of the dividend."""


class IntDiv(ast.Arithmetic):  # type: ignore[misc]  # untyped base
    """A division that drops the fraction, towards zero."""


class Pow(ast.Arithmetic):  # type: ignore[misc]  # untyped base
    """The left operand raised to the power of the right one."""


class TimeIntersects(ast.TemporalPredicate):  # type: ignore[misc]  # untyped base
    """The two instants or intervals have at least one instant in common."""


COMPARISONS: dict[str, type[ast.Comparison]] = {
    "=": ast.Equal,
    "<>": ast.NotEqual,
    "<": ast.LessThan,
    "<=": ast.LessEqual,
    ">": ast.GreaterThan,
    ">=": ast.GreaterEqual,
}
ARITHMETIC: dict[str, type[ast.Arithmetic]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mul,
    "/": ast.Div,
    "%": Mod,
    "div": IntDiv,
    "^": Pow,
}
# The standard's function names, written as in CQL2 JSON, and their nodes.
SPATIAL: dict[str, type[ast.SpatialComparisonPredicate]] = {
    "s_contains": ast.GeometryContains,
    "s_crosses": ast.GeometryCrosses,
    "s_disjoint": ast.GeometryDisjoint,
    "s_equals": ast.GeometryEquals,
    "s_intersects": ast.GeometryIntersects,
    "s_overlaps": ast.GeometryOverlaps,
    "s_touches": ast.GeometryTouches,
    "s_within": ast.GeometryWithin,
}
TEMPORAL: dict[str, type[ast.TemporalPredicate]] = {
    "t_after": ast.TimeAfter,
    "t_before": ast.TimeBefore,
    "t_contains": ast.TimeContains,
    "t_disjoint": ast.TimeDisjoint,
    "t_during": ast.TimeDuring,
    "t_equals": ast.TimeEquals,
    "t_finishedBy": ast.TimeEndedBy,
    "t_finishes": ast.TimeEnds,
    "t_intersects": TimeIntersects,
    "t_meets": ast.TimeMeets,
    "t_metBy": ast.TimeMetBy,
    "t_overlappedBy": ast.TimeOverlappedBy,
    "t_overlaps": ast.TimeOverlaps,
    "t_startedBy": ast.TimeBegunBy,
    "t_starts": ast.TimeBegins,
}
ARRAY: dict[str, type[ast.ArrayPredicate]] = {
    "a_containedBy": ast.ArrayContainedBy,
    "a_contains": ast.ArrayContains,
    "a_equals": ast.ArrayEquals,
    "a_overlaps": ast.ArrayOverlaps,
}
STRING_FUNCTIONS = ("casei", "accenti")
DISTANCE_FUNCTION = "s_dwithin"
"""A function of this service, not of the standard (/req/functions/functions)."""
OP_NAMES: dict[type, str] = {
    node: name for table in (COMPARISONS, ARITHMETIC, SPATIAL, TEMPORAL, ARRAY) for name, node in table.items()
}


class Array(list[ast.AstType]):
    """An array literal; a list that remembers the places of itself and its elements."""

    places: tuple[Place, ...] = ()


class Part(NamedTuple):
    """An operand while the tree is built: its node, its place and its depth.

    `in_parentheses` distinguishes `('a')`, which is an array of one where an array is expected, from `'a'`.
    """

    value: ast.AstType
    at: Place
    depth: int = 0
    in_parentheses: bool = False


@dataclass(frozen=True, slots=True)
class Ast:
    """A parsed filter.

    `root` is pygeofilter's AST: its nodes, `values.Interval`, `values.Geometry`, `values.Envelope` (the
    last with x1 > x2 for a box across the antimeridian; elevations are dropped), and plain values: str,
    int, float, Decimal (a number that float cannot hold exactly), bool, date, datetime (UTC), list.
    """

    root: ast.AstType
    at: Place


def mark_place(node: Any, at: Place, parts: Sequence[Part] = ()) -> Part:
    """Return `node` as a part that remembers the places of itself and its operands.

    Plain values cannot carry a place, so their node does: `node.places` is its own place, followed by those of its
    operands in order. Raises CqlError if the tree gets too deep.
    """
    node.places = (at, *(part.at for part in parts))
    return Part(node, at, check_depth(1 + max((part.depth for part in parts), default=0), at))


def place_of(node: object, operand: int | None = None) -> Place | None:
    """Return the place of `node`, or of its operand with that index; None if unknown."""
    places: tuple[Place, ...] = getattr(node, "places", ())
    index = 0 if operand is None else operand + 1
    return places[index] if index < len(places) else None
