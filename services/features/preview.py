"""A small map of the features on a page: an SVG drawing over the land, no script needed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

_NARROWEST = 40.0
"""Degrees of longitude that the map shows at least, so that one feature has surroundings."""
_ASPECT = 2.2


@dataclass(frozen=True, slots=True)
class Mark:
    """A feature on the map, in degrees, latitude downwards as SVG counts; no width or height is a point."""

    id: Any
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Preview:
    """The map: the part of the world that it shows, and its marks."""

    left: float
    top: float
    width: float
    height: float
    marks: tuple[Mark, ...]

    @property
    def radius(self) -> float:
        """Of a point, in degrees."""
        return self.width / 110


def preview(features: Iterable[dict[str, Any]]) -> Preview | None:
    """A map of features whose geometries are boxes or points (`bbox-only`); None where none has a geometry."""
    marks = tuple(mark for feature in features for mark in _marks(feature))
    if not marks:
        return None
    left, right = min(mark.x for mark in marks), max(mark.x + mark.width for mark in marks)
    top, bottom = min(mark.y for mark in marks), max(mark.y + mark.height for mark in marks)
    width = max((right - left) * 1.2, (bottom - top) * 1.2 * _ASPECT, _NARROWEST)
    height = width / _ASPECT
    return Preview((left + right - width) / 2, (top + bottom - height) / 2, width, height, marks)


def _marks(feature: dict[str, Any]) -> Iterable[Mark]:
    """One, or the two halves of a box that is cut at the antimeridian."""
    if feature["geometry"] is None:
        return
    geometry = orjson.loads(orjson.dumps(feature["geometry"]))
    if geometry["type"] == "GeometryCollection":
        parts = [part["coordinates"] for part in geometry["geometries"]]
    else:
        parts = geometry["coordinates"] if geometry["type"].startswith("Multi") else [geometry["coordinates"]]
    for part in parts:
        positions = list(_positions(part))
        if positions:
            yield _mark(feature.get("id"), positions)


def _mark(identifier: Any, positions: list[list[float]]) -> Mark:
    west, east = min(position[0] for position in positions), max(position[0] for position in positions)
    south, north = min(position[1] for position in positions), max(position[1] for position in positions)
    return Mark(identifier, west, -north, east - west, north - south)


def _positions(coordinates: Any) -> Iterable[list[float]]:
    """The positions of a point, a line or a polygon: what an envelope can be."""
    if not isinstance(coordinates, list) or not coordinates:
        return
    if isinstance(coordinates[0], int | float):
        yield coordinates
        return
    for part in coordinates:
        yield from _positions(part)
