"""Parse CQL2 JSON into pygeofilter's AST."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NoReturn

from pygeofilter import ast

from libs.cql.errors import CqlError, excerpt, fault
from libs.cql.guard import check_json_depth, check_source, check_text, number
from libs.cql.nodes import ARITHMETIC, ARRAY, COMPARISONS, SPATIAL, STRING_FUNCTIONS, TEMPORAL, Ast, Part, mark_place
from libs.cql.parsing import builders
from libs.cql.parsing.geometry_literals import from_geojson
from libs.cql.parsing.instants import date_literal, interval, timestamp_literal

_FUNCTIONS = (*SPATIAL, *TEMPORAL, *ARRAY, *STRING_FUNCTIONS)
_CANONICAL = {name.casefold(): name for name in _FUNCTIONS}


def parse_json(text: str) -> Ast:
    """Return the AST of a CQL2 JSON filter. Raises CqlError with the pointer of the first fault.

    Invalid JSON is reported by character position.
    """
    check_source(text)
    check_json_depth(text)
    try:
        document = json.loads(
            text,
            parse_int=_number,
            parse_float=_number,
            parse_constant=_no_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        raise CqlError(f"not JSON: {error.msg}", error.pos) from None
    part = _expression(document, "")
    return Ast(part.value, part.at)


def _number(digits: str) -> int | float | Decimal:
    return number(digits, "")


def _no_constant(name: str) -> NoReturn:
    raise fault(f"{name} is not a number of JSON", "")


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise fault(f"an object of the filter has a member twice: {excerpt(', '.join(key for key, _ in pairs))}", "")
    return members


def _expression(value: Any, at: str) -> Part:
    """Parse any operand."""
    if isinstance(value, str):
        return Part(check_text(value, at), at)
    if isinstance(value, list):
        return builders.array(_each(value, at), at)
    if value is None:
        raise fault("null is not a value; use the operator isNull", at)
    if not isinstance(value, dict):
        return Part(value, at)
    for member, read in _OBJECTS.items():
        if member in value:
            return read(value, at)
    raise fault(
        f"an object with {excerpt(', '.join(value) or 'no members')} is not allowed in a filter",
        at,
    )


def _property(value: dict[str, Any], at: str) -> Part:
    name = value["property"]
    if not isinstance(name, str) or not name:
        raise fault("the name of a property must be a string", f"{at}/property")
    return mark_place(ast.Attribute(check_text(name, f"{at}/property")), at)


def _interval(value: dict[str, Any], at: str) -> Part:
    bounds = _members(value["interval"], f"{at}/interval")
    if len(bounds) != 2:
        raise fault(f"an interval has 2 ends, this one has {len(bounds)}", f"{at}/interval")
    start, end = _each(bounds, f"{at}/interval")
    return interval(start, end, at)


def _members(value: object, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise fault("expected an array", at)
    return value


def _each(values: Sequence[Any], at: str) -> list[Part]:
    return [_expression(value, f"{at}/{index}") for index, value in enumerate(values)]


def _operation(value: dict[str, Any], at: str) -> Part:
    op = value["op"]
    if not isinstance(op, str):
        raise fault("the operator must be a string", f"{at}/op")
    arguments = _members(value.get("args"), f"{at}/args")
    name = op.casefold()
    if name == "in":
        return _in(arguments, f"{at}/args", at)
    parts = _each(arguments, f"{at}/args")
    if name in ("and", "or"):
        if len(parts) < 2:
            raise fault(f"{name} takes at least 2 arguments, {len(parts)} given", f"{at}/args")
        return builders.combine(ast.And if name == "and" else ast.Or, parts)
    if name in _COUNTS:
        _check_count(op, _COUNTS[name], parts, at)
        return _operator(name, parts, at)
    # Without letters it is meant as an operator: functions have names with letters.
    if not any(char.isalpha() for char in op):
        raise builders.unknown_operation(op, f"{at}/op")
    if name in ("date", "timestamp", "interval", "bbox"):
        raise fault(f'{name} is written {{"{name}": ...}} in CQL2 JSON', f"{at}/op")
    return builders.call(_CANONICAL.get(name, check_text(op, f"{at}/op")), parts, at)


_COUNTS = {"not": 1, "isnull": 1, "between": 3, "like": 2} | dict.fromkeys((*COMPARISONS, *ARITHMETIC), 2)


def _check_count(op: str, wanted: int, parts: Sequence[Part], at: str) -> None:
    if len(parts) != wanted:
        plural = "" if wanted == 1 else "s"
        raise fault(f"{op} takes {wanted} argument{plural}, {len(parts)} given", f"{at}/args")


def _operator(name: str, parts: Sequence[Part], at: str) -> Part:
    if name == "not":
        return builders.negate(parts[0], at)
    if name == "isnull":
        return builders.is_null(parts[0])
    if name == "between":
        return builders.between(*parts)
    if name == "like":
        return builders.like(*parts)
    if name in COMPARISONS:
        return builders.comparison(name, *parts)
    return builders.arithmetic(name, *parts)


_OBJECTS: dict[str, Callable[[dict[str, Any], str], Part]] = {
    "op": _operation,
    "property": _property,
    "type": lambda value, at: builders.geometry(from_geojson(value, at), at),
    "date": lambda value, at: Part(date_literal(value["date"], f"{at}/date"), at),
    "timestamp": lambda value, at: Part(timestamp_literal(value["timestamp"], f"{at}/timestamp"), at),
    "interval": _interval,
    "bbox": lambda value, at: builders.envelope(_each(_members(value["bbox"], f"{at}/bbox"), f"{at}/bbox"), at),
}


def _in(arguments: Sequence[Any], args_at: str, at: str) -> Part:
    if len(arguments) != 2:
        raise fault(f"in takes 2 arguments, {len(arguments)} given", args_at)
    members = _members(arguments[1], f"{args_at}/1")
    if not members:
        raise fault("in needs at least one value", f"{args_at}/1")
    value = _expression(arguments[0], f"{args_at}/0")
    return builders.is_in(value, _each(members, f"{args_at}/1"))
