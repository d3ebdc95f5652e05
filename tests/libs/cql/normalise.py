"""One text for all spellings of a filter, to compare trees with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pygeofilter import ast, values

from libs.cql.nodes import OP_NAMES, Ast
from libs.ogc.temporal import rfc3339

Json = Any
_DIGITS = re.compile(r'"\\u0000([^"\\]*)\\u0000"')


def normalise(filter_: Ast) -> str:
    """The filter as compact CQL2 JSON.

    Equal for filters that differ in language, white space, case of keywords, redundant parentheses or
    the way a number or time is written; parses back to the same filter. Different texts may still mean
    the same: operands keep their order.
    """
    text = json.dumps(_json(filter_.root), ensure_ascii=False, separators=(",", ":"))
    return _DIGITS.sub(r"\1", text)


def _json(value: Any) -> Json:
    """CQL2 JSON of a node or literal."""
    writer = _WRITERS.get(type(value))
    if writer is not None:
        return writer(value)
    if isinstance(value, list):
        return [_json(member) for member in value]
    op = OP_NAMES.get(type(value))
    if op is None:
        raise TypeError(f"not a part of a filter: {value!r}")
    return _op(op, value.lhs, value.rhs)


def _op(name: str, *operands: Any) -> Json:
    return {"op": name, "args": [_json(operand) for operand in operands]}


def _negated(node: Any, written: Json) -> Json:
    return {"op": "not", "args": [written]} if node.not_ else written


def _chain(node: ast.Combination) -> Json:
    """A balanced tree back into the chain it was."""
    kind = type(node)
    operands: list[Json] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if type(current) is kind:
            waiting += [current.rhs, current.lhs]
        else:
            operands.append(_json(current))
    return {"op": kind.op.value.lower(), "args": operands}


def _float(value: float) -> Json:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _decimal(value: Decimal) -> Json:
    # json writes no Decimal. NUL cannot occur in a filter, so it marks digits to be freed of their quotes.
    return f"\0{value.normalize()}\0"


def _instant(value: date) -> Json:
    return {"timestamp": rfc3339(value)} if isinstance(value, datetime) else {"date": value.isoformat()}


def _bound(value: Any) -> Json:
    if value is None:
        return ".."
    written = _json(value)
    return next(iter(_instant(value).values())) if isinstance(value, date) else written


def _coordinates(value: Any) -> Json:
    if isinstance(value, Sequence):
        return [_coordinates(member) for member in value]
    return _float(float(value))


def _geometry(geojson: dict[str, Any]) -> Json:
    if "geometries" in geojson:
        return {"type": geojson["type"], "geometries": [_geometry(member) for member in geojson["geometries"]]}
    return {"type": geojson["type"], "coordinates": _coordinates(geojson["coordinates"])}


_WRITERS: dict[type, Callable[[Any], Json]] = {
    bool: lambda value: value,
    int: lambda value: value,
    str: lambda value: value,
    float: _float,
    Decimal: _decimal,
    date: _instant,
    datetime: _instant,
    ast.And: _chain,
    ast.Or: _chain,
    ast.Not: lambda node: _op("not", node.sub_node),
    ast.Attribute: lambda node: {"property": node.name},
    ast.Function: lambda node: _op(node.name, *node.arguments),
    ast.IsNull: lambda node: _negated(node, _op("isNull", node.lhs)),
    ast.Like: lambda node: _negated(node, _op("like", node.lhs, node.pattern)),
    ast.Between: lambda node: _negated(node, _op("between", node.lhs, node.low, node.high)),
    ast.In: lambda node: _negated(node, _op("in", node.lhs, list(node.sub_nodes))),
    values.Interval: lambda node: {"interval": [_bound(node.start), _bound(node.end)]},
    values.Geometry: lambda node: _geometry(node.geometry),
    values.Envelope: lambda node: {"bbox": [_float(edge) for edge in (node.x1, node.y1, node.x2, node.y2)]},
}
