"""LIKE and its patterns: matching takes time proportional to the text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from pygeofilter import ast

from libs.cql.compiling.operands import Expr, Operand, Value, as_text, condition, describe, from_json
from libs.cql.errors import fault
from libs.cql.guard import MAX_WITH_UNDERSCORE, check_pattern
from libs.cql.nodes import place_of
from libs.pg.column_types import TEXTUAL, Kind
from libs.pg.sql import sql

_LONG = 16
"""Characters after a `%`; PostgreSQL tries LIKE at each position of the text, with this many steps each."""
_SIGN = re.compile(r"\\(.)|(.)", re.DOTALL)
_META = frozenset(r".*+?^$|()[]{}\\")


def searchable(node: ast.Like) -> tuple[object, bool]:
    """Return the pattern to evaluate, possibly within CASEI or ACCENTI, and whether it is a regular expression.

    PostgreSQL's regular expressions read a text once. LIKE reads it once per character after a `%`: 12 s for 20 texts
    of 1 MB. Short patterns stay LIKE. Raises CqlError.
    """
    place = place_of(node, 1)
    written = node.pattern
    while isinstance(written, ast.Function) and written.name in ("casei", "accenti"):
        written = written.arguments[0]
    if not isinstance(written, str):
        raise fault("the pattern of LIKE is a string, perhaps in CASEI() or ACCENTI()", place)
    check_pattern(written, place)
    if (len(written) - len(written.rstrip("\\"))) % 2:
        raise fault("the pattern ends with a backslash that escapes nothing", place)
    # the part before the first % is compared once, at the start of the text
    searched = _parts(written)[1:]
    if all(len(part) <= _LONG for part in searched):
        return node.pattern, False
    if any(("_", False) in part for part in searched):
        # a regular expression would be even slower here
        if (longest := max(map(len, searched))) > MAX_WITH_UNDERSCORE:
            raise fault(
                f"where a pattern has _ after a %, a part after a % may have {MAX_WITH_UNDERSCORE} characters, this one"
                f" has {longest}; write \\_ for an underscore",
                place,
            )
        return node.pattern, False
    return _with_literal(node.pattern, _regular_expression(written)), True


def _parts(pattern: str) -> list[list[tuple[str, bool]]]:
    """Return the parts between `%`: characters, each with whether it was escaped."""
    parts: list[list[tuple[str, bool]]] = [[]]
    for escaped, plain in _SIGN.findall(pattern):
        if plain == "%":
            parts.append([])
        else:
            parts[-1].append((escaped or plain, bool(escaped)))
    return parts


def _regular_expression(pattern: str) -> str:
    """Return the same as a PostgreSQL regular expression, in which `.` matches any character, also a line break."""
    return "^" + ".*".join("".join(_sign(*sign) for sign in part) for part in _parts(pattern)) + "$"


def _sign(character: str, is_escaped: bool) -> str:
    if character == "_" and not is_escaped:
        return "."
    return f"\\{character}" if character in _META else character


def _with_literal(pattern: object, literal: str) -> object:
    """Return the pattern with another literal within its CASEI and ACCENTI, which keep the operators of expressions."""
    if not isinstance(pattern, ast.Function):
        return literal
    function = cast("ast.Function", pattern)
    return replace(function, arguments=[_with_literal(function.arguments[0], literal)])


def like(node: ast.Like, value: Operand, pattern: Operand, *, is_expression: bool) -> Expr:
    """Return LIKE with the pattern from `searchable`. Raises CqlError."""
    if isinstance(value, Expr) and value.kind is Kind.JSON:
        value = from_json(value, Kind.STRING)
    if not isinstance(value, Value | Expr) or value.kind not in TEXTUAL:
        raise fault(f"{describe(value)}, but LIKE takes a string", place_of(node, 0))
    sides = {"value": as_text(value), "pattern": as_text(pattern)}
    matches = sql("{value} ~ {pattern}", **sides) if is_expression else sql("{value} LIKE {pattern}", **sides)
    return condition(sql("NOT ({matches})", matches=matches) if node.not_ else matches)
