"""A small map of a page's features: an SVG drawing over the land, without scripts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import orjson

from libs.geo.longitudes import stretch, wrap_longitude

_NARROWEST = 40.0
"""Minimum width of the map in degrees of longitude, so that a single feature has surroundings."""
_WIDEST = 359.9
"""Maximum width of the map in degrees: the world once."""
_ASPECT = 2.2
_PIXELS = 900


@dataclass(frozen=True, slots=True)
class Shape:
    """A feature on the map, in degrees, latitude downwards as in SVG; a width or height of zero is a point.

    `line` and `area` are SVG paths of its shape; without them the map draws its box.
    """

    id: Any
    x: float
    y: float
    width: float
    height: float
    line: str = ""
    area: str = ""

    @property
    def is_box(self) -> bool:
        """Whether the map draws a box around the feature."""
        return bool(self.width or self.height) and not (self.line or self.area)


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell with matching features that are not on the page: its centre, count and opacity."""

    x: float
    y: float
    count: int
    strength: float


@dataclass(frozen=True, slots=True)
class Preview:
    """The map: its part of the world, its shapes, and spots with more features."""

    left: float
    top: float
    width: float
    height: float
    shapes: tuple[Shape, ...]
    boxes: int
    """Number of features drawn as boxes."""
    stretch: float = 1.0
    """Length of a degree of longitude, relative to one of latitude."""
    spots: tuple[Spot, ...] = ()

    @property
    def radius(self) -> float:
        """Radius of a point, in degrees of longitude."""
        return self.width / 110

    @property
    def bbox(self) -> str:
        """West, south, east, north of the basemap below, in degrees, within the poles."""
        west = wrap_longitude(self.left)
        east = west + self.width
        return (
            f"{west:.4f},{max(-90, -self.bottom):.4f},{east - 360 if east > 180 else east:.4f},{min(90, -self.top):.4f}"
        )

    @property
    def box(self) -> tuple[float, float, float, float] | None:
        """West, south, east, north of the shapes, in degrees; None if there are only spots."""
        if not self.shapes:
            return None
        return (
            min(each.x for each in self.shapes),
            -max(each.y + each.height for each in self.shapes),
            max(each.x + each.width for each in self.shapes),
            -min(each.y for each in self.shapes),
        )

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def scale(self) -> tuple[float, float]:
        """Pixels per degree of longitude and of latitude, on a drawing 900 pixels wide."""
        return _PIXELS / self.width, _PIXELS / self.width / self.stretch


def preview(features: Iterable[dict[str, Any]], cells: Sequence[Mapping[str, Any]] = ()) -> Preview | None:
    """Return a map of features whose geometries are boxes or points (`bbox-only`), and of `cells` with all matches.

    Returns None if there are neither.
    """
    return _frame([tuple(_boxes_of(feature)) for feature in features], tuple(_spots(cells)))


def _spots(cells: Sequence[Mapping[str, Any]]) -> Iterable[Spot]:
    most = max((cell["count"] for cell in cells), default=1)
    for cell in cells:
        x, y = cell["centre"]
        # the square root keeps small counts visible beside large ones
        yield Spot(x, -y, cell["count"], round(0.3 + 0.6 * sqrt(cell["count"] / most), 2))


def drawing(feature: dict[str, Any]) -> Preview | None:
    """Return a map of one feature in its shape; None if it has no geometry."""
    return drawings([feature])


def drawings(features: Iterable[dict[str, Any]]) -> Preview | None:
    """Return a map of features in their shapes; None if none has a geometry."""
    shapes = [(each.get("id"), each["geometry"]) for each in features if each["geometry"] is not None]
    return _frame([tuple(_shapes(id_, orjson.loads(orjson.dumps(geometry)))) for id_, geometry in shapes])


def _frame(features: list[tuple[Shape, ...]], spots: tuple[Spot, ...] = ()) -> Preview | None:
    shapes = tuple(shape for feature in features for shape in feature)
    if not shapes and not spots:
        return None
    left = min([shape.x for shape in shapes] + [spot.x for spot in spots])
    right = max([shape.x + shape.width for shape in shapes] + [spot.x for spot in spots])
    top = min([shape.y for shape in shapes] + [spot.y for spot in spots])
    bottom = max([shape.y + shape.height for shape in shapes] + [spot.y for spot in spots])
    narrow = stretch(-bottom, -top)
    width = max((right - left) * 1.2, (bottom - top) * 1.2 * _ASPECT / narrow, _NARROWEST)
    if width > _WIDEST:
        width, narrow = _WIDEST, max(1.0, (bottom - top) * 1.2 * _ASPECT / _WIDEST)
    height = width * narrow / _ASPECT
    boxes = sum(any(shape.is_box for shape in feature) for feature in features)
    return Preview((left + right - width) / 2, (top + bottom - height) / 2, width, height, shapes, boxes, narrow, spots)


def _boxes_of(feature: dict[str, Any]) -> Iterable[Shape]:
    """Yield the box, or two halves if it crosses the antimeridian."""
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
            yield _box_around(feature.get("id"), positions)


def _shapes(identifier: Any, geometry: dict[str, Any]) -> Iterable[Shape]:
    """Yield one shape per part, so that a map can show the extent of each."""
    kind = geometry["type"]
    if kind == "GeometryCollection":
        for member in geometry["geometries"]:
            yield from _shapes(identifier, member)
        return
    for part in geometry["coordinates"] if kind.startswith("Multi") else [geometry["coordinates"]]:
        positions = list(_positions(part))
        if not positions:
            continue
        shape = _box_around(identifier, positions)
        if kind.endswith("LineString"):
            yield replace(shape, line=_path(part))
        elif kind.endswith("Polygon") and not _is_rectangle(part):
            yield replace(shape, area=" ".join(f"{_path(ring)}Z" for ring in part if ring))
        else:
            yield shape


def _is_rectangle(rings: list[Any]) -> bool:
    """Return whether the geometry is a box: one that replaces too many positions, or a real one."""
    if len(rings) != 1 or len(rings[0]) != 5:
        return False
    return len({x for x, *_ in rings[0]}) <= 2 and len({y for _, y, *_ in rings[0]}) <= 2


def _path(positions: list[list[float]]) -> str:
    return "M" + "L".join(f"{x:.6g} {-y:.6g}" for x, y, *_ in positions)


def _box_around(identifier: Any, positions: list[list[float]]) -> Shape:
    west, east = min(position[0] for position in positions), max(position[0] for position in positions)
    south, north = min(position[1] for position in positions), max(position[1] for position in positions)
    return Shape(identifier, west, -north, east - west, north - south)


def _positions(coordinates: Any) -> Iterable[list[float]]:
    """Yield the positions of a point, line or polygon, the types that an envelope can have."""
    if not isinstance(coordinates, list) or not coordinates:
        return
    if isinstance(coordinates[0], int | float):
        yield coordinates
        return
    for part in coordinates:
        yield from _positions(part)
