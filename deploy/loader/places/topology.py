"""Read TopoJSON, in which neighbouring shapes share arcs of delta-encoded grid positions."""

import json
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import shapely
from shapely.geometry import LineString, MultiLineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

Position = tuple[float, float]


class Shape(NamedTuple):
    """One geometry of an object: WGS 84, longitude and latitude in degrees."""

    id: str
    name: str
    geometry: BaseGeometry


@lru_cache(maxsize=4)
def read_shapes(path: Path, layer: str) -> tuple[Shape, ...]:
    """Return the valid, non-empty geometries of the object `layer`; polygons become MultiPolygon.

    Source: the TopoJSON format specification, sections 2.1.3 (arcs) and 2.1.2 (transforms). Raises KeyError if the file
    has no such object.
    """
    topology = json.loads(path.read_text(encoding="utf-8"))
    arcs = _arcs(topology)
    shapes = []
    for geometry in topology["objects"][layer]["geometries"]:
        shape = _geometry(geometry, arcs)
        if not shape.is_empty:
            properties = geometry.get("properties") or {}
            shapes.append(Shape(str(geometry.get("id", "")), str(properties.get("name", "")), shape))
    return tuple(shapes)


def _arcs(topology: dict[str, Any]) -> list[list[Position]]:
    (scale_x, scale_y), (left, bottom) = topology["transform"]["scale"], topology["transform"]["translate"]
    return [
        [
            (x * scale_x + left, y * scale_y + bottom)
            for x, y in accumulate(arc, lambda position, step: [position[0] + step[0], position[1] + step[1]])
        ]
        for arc in topology["arcs"]
    ]


def _line(indexes: list[int], arcs: list[list[Position]]) -> list[Position]:
    """Join arcs end to end; `~index` is the arc backwards."""
    line: list[Position] = []
    for index in indexes:
        arc = arcs[index] if index >= 0 else arcs[~index][::-1]
        line.extend(arc[1:] if line else arc)
    return line


def _geometry(geometry: dict[str, Any], arcs: list[list[Position]]) -> BaseGeometry:
    match geometry["type"]:
        case "LineString":
            return LineString(_line(geometry["arcs"], arcs))
        case "MultiLineString":
            return MultiLineString([_line(line, arcs) for line in geometry["arcs"]])
        case "Polygon":
            return _polygons([geometry["arcs"]], arcs)
        case "MultiPolygon":
            return _polygons(geometry["arcs"], arcs)
        case _:
            return MultiPolygon()


def _polygons(polygons: list[list[list[int]]], arcs: list[list[Position]]) -> BaseGeometry:
    """Return valid polygons: quantisation makes some rings touch themselves, and may shrink islands to nothing."""
    parts = []
    for rings in polygons:
        lines = [line for ring in rings if len(line := _line(ring, arcs)) >= 4]
        if lines:
            parts.append(Polygon(lines[0], lines[1:]))
    return shapely.make_valid(MultiPolygon(parts), method="structure")
