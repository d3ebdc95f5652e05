"""Parse geometry literals from WKT and GeoJSON into GeoJSON geometry objects.

This checks only the rules that both languages share: number of coordinates, closed rings, finite numbers. Validity and
bounds depend on the compared column, so `spatial` checks them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from libs.cql.errors import Place, excerpt, fault, one_of
from libs.cql.guard import is_number, number

Position = tuple[float, ...]
GeoJson = dict[str, Any]

_TYPES = {
    "POINT": "Point",
    "LINESTRING": "LineString",
    "POLYGON": "Polygon",
    "MULTIPOINT": "MultiPoint",
    "MULTILINESTRING": "MultiLineString",
    "MULTIPOLYGON": "MultiPolygon",
    "GEOMETRYCOLLECTION": "GeometryCollection",
}
_LEXEME = re.compile(r"\s*(?:([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])|([A-Za-z]+)|([(),])|(\S))", re.ASCII)


def _line(points: Sequence[Position], at: Place) -> Sequence[Position]:
    if len(points) < 2:
        raise fault("a line needs at least 2 positions", at)
    return points


def _ring(points: Sequence[Position], at: Place) -> Sequence[Position]:
    if len(points) < 4:
        raise fault("a ring of a polygon needs at least 4 positions", at)
    if points[0] != points[-1]:
        raise fault("a ring of a polygon must end where it starts", at)
    return points


class _Wkt:
    """One WKT literal; `start` is its offset in the filter."""

    def __init__(self, text: str, start: int) -> None:
        self.start = start
        self.end = start + len(text)
        self.lexemes = self._lex(text)
        self.text, self.at, self.is_number = next(self.lexemes)

    def _lex(self, text: str) -> Iterator[tuple[str, int, bool]]:
        for match in _LEXEME.finditer(text):
            yield match[match.lastindex or 0], self.start + match.start(match.lastindex or 0), match.lastindex == 1
        yield "", self.end, False

    def advance(self) -> None:
        self.text, self.at, self.is_number = next(self.lexemes)

    def expect(self, *signs: str) -> str:
        found = self.text
        if found not in signs:
            wanted = one_of(tuple(f"'{sign}'" for sign in signs))
            shown = f"'{excerpt(found)}'" if found else "the end of the filter"
            raise fault(f"expected {wanted} in the geometry, found {shown}", self.at)
        self.advance()
        return found

    def position(self) -> Position:
        at = self.at
        numbers = []
        while self.is_number:
            numbers.append(float(number(self.text, self.at)))
            self.advance()
        if not numbers or (len(numbers) < 2 and self.text not in (",", ")")):
            shown = f"'{excerpt(self.text)}'" if self.text else "the end of the filter"
            raise fault(f"expected a coordinate, found {shown}", self.at)
        if len(numbers) not in (2, 3):
            raise fault(f"a position has 2 or 3 coordinates, this one has {len(numbers)}", at)
        return tuple(numbers)

    def many(self, item: Callable[[], Any]) -> list[Any]:
        self.expect("(")
        items = [item()]
        while self.expect(",", ")") == ",":
            items.append(item())
        return items

    def line(self) -> Sequence[Position]:
        at = self.at
        return _line(self.many(self.position), at)

    def ring(self) -> Sequence[Position]:
        at = self.at
        return _ring(self.many(self.position), at)

    def polygon(self) -> list[Sequence[Position]]:
        return self.many(self.ring)

    def point(self) -> Position:
        # MULTIPOINT occurs with and without parentheses around each point.
        if self.text != "(":
            return self.position()
        self.advance()
        point = self.position()
        self.expect(")")
        return point

    def geometry(self, *, collections: bool = True) -> GeoJson:
        at, name = self.at, self.text.upper()
        # POINT Z and POINTZ are the same
        name = name.removesuffix("Z") if name not in _TYPES else name
        if name not in _TYPES or (name == "GEOMETRYCOLLECTION" and not collections):
            raise fault(f"expected a type of geometry, found '{excerpt(self.text)}'", at)
        self.advance()
        if self.text.upper() == "Z":
            self.advance()
        if name == "GEOMETRYCOLLECTION":
            members = self.many(lambda: self.geometry(collections=False))
            return {"type": _TYPES[name], "geometries": members}
        if name == "POINT":
            self.expect("(")
            point = self.position()
            self.expect(")")
            return {"type": "Point", "coordinates": point}
        readers: dict[str, Callable[[], Any]] = {
            "LINESTRING": self.line,
            "POLYGON": self.polygon,
            "MULTIPOINT": lambda: self.many(self.point),
            "MULTILINESTRING": lambda: self.many(self.line),
            "MULTIPOLYGON": lambda: self.many(self.polygon),
        }
        return {"type": _TYPES[name], "coordinates": readers[name]()}


def from_wkt(text: str, start: int) -> GeoJson:
    """Return the GeoJSON geometry of a WKT literal at offset `start`. Raises CqlError."""
    # nothing follows it: the grammar ends the text at its last parenthesis
    return _Wkt(text, start).geometry()


def whole_wkt(text: str) -> GeoJson:
    """Return the GeoJSON geometry of a text that is nothing but WKT. Raises CqlError."""
    reader = _Wkt(text, 0)
    geometry = reader.geometry()
    if reader.text:
        raise fault(f"expected the end of the filter, found '{excerpt(reader.text)}'", reader.at)
    return geometry


def from_geojson(value: object, at: str, *, collections: bool = True) -> GeoJson:
    """Return a checked GeoJSON geometry object; `at` is its JSON pointer. Raises CqlError."""
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(value, dict) and kind == "GeometryCollection" and collections:
        members = _array(value.get("geometries"), f"{at}/geometries")
        inner = [
            from_geojson(member, f"{at}/geometries/{index}", collections=False) for index, member in enumerate(members)
        ]
        return {"type": kind, "geometries": inner}
    if not isinstance(value, dict) or not isinstance(kind, str) or kind not in _READERS:
        raise fault(f"'{excerpt(kind)}' is not a type of geometry", f"{at}/type")
    return {"type": kind, "coordinates": _READERS[kind](value.get("coordinates"), f"{at}/coordinates")}


def _array(value: object, at: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise fault("expected an array with at least one member", at)
    return value


def _many(item: Callable[[Any, str], Any]) -> Callable[[Any, str], list[Any]]:
    return lambda value, at: [item(member, f"{at}/{index}") for index, member in enumerate(_array(value, at))]


def _position(value: object, at: str) -> Position:
    numbers = _array(value, at)
    if len(numbers) not in (2, 3):
        raise fault(f"a position has 2 or 3 coordinates, this one has {len(numbers)}", at)
    for index, coordinate in enumerate(numbers):
        if not is_number(coordinate):
            raise fault("a coordinate must be a number", f"{at}/{index}")
    return tuple(float(coordinate) for coordinate in numbers)


_positions = _many(_position)
_polygon = _many(lambda value, at: _ring(_positions(value, at), at))
_READERS: dict[str, Callable[[Any, str], Any]] = {
    "Point": _position,
    "LineString": lambda value, at: _line(_positions(value, at), at),
    "Polygon": _polygon,
    "MultiPoint": _positions,
    "MultiLineString": _many(lambda value, at: _line(_positions(value, at), at)),
    "MultiPolygon": _many(_polygon),
}
