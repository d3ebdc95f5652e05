"""Shapes that are hard to draw, around a place: each in degrees, about half a degree wide."""

from __future__ import annotations

import random
from math import cos, pi, radians, sin

import shapely
from shapely.affinity import affine_transform
from shapely.geometry import LineString, MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

_SIDE = 0.5
"""Degrees of latitude."""


def hard_shapes(longitude: float, latitude: float) -> dict[str, BaseGeometry]:
    """Shapes by what they are, with longitudes and latitudes near a place."""
    chance = random.Random(11)  # noqa: S311 - shapes, not secrets
    wide = _SIDE / cos(radians(latitude))
    shapes = {
        "mask of pixels": _mask(chance),
        "area with holes": _with_holes(chance),
        "slip in the outline": _slip(),
        "thin area": LineString([(0.02, 0.1), (0.35, 0.42), (0.6, 0.38), (0.97, 0.8)]).buffer(0.0008),
        "lake with a river": shapely.union(
            Polygon(_circle(0.3, 0.7, 0.2, 90)), LineString([(0.3, 0.7), (0.7, 0.3), (0.95, 0.25)]).buffer(0.0008)
        ),
        "parts that overlap": MultiPolygon([box(0.1, 0.1, 0.6, 0.6), box(0.4, 0.4, 0.9, 0.9)]),
        "islands": MultiPolygon(
            [
                Polygon(
                    _circle(chance.uniform(0.05, 0.95), chance.uniform(0.05, 0.95), chance.uniform(0.005, 0.03), 12)
                )
                for _ in range(25)
            ]
        ),
        "tiny area": box(0.5, 0.5, 0.5001, 0.5001),
        "diagonal line": LineString([(0.03, 0.05), (0.97, 0.91)]),
        "winding line": LineString([(n / 60, 0.5 + 0.3 * sin(n / 3)) for n in range(61)]),
        "short line": LineString([(0.2, 0.2), (0.2000001, 0.2)]),
    }
    place = [wide, 0, 0, _SIDE, longitude - wide / 2, latitude - _SIDE / 2]
    return {what: affine_transform(shape, place) for what, shape in shapes.items()}


def meant(shape: BaseGeometry) -> BaseGeometry:
    """The shape as it should look: parts that overlap are one area, and an outline that crosses itself is repaired."""
    if isinstance(shape, MultiPolygon):
        return shapely.union_all([shapely.make_valid(part) for part in shape.geoms])
    return shapely.make_valid(shape)


def _mask(chance: random.Random) -> BaseGeometry:
    side = 60
    pixels = [
        box(x / side, y / side, (x + 1) / side, (y + 1) / side)
        for x in range(side)
        for y in range(side)
        if abs(y - side / 2 - side / 5 * sin(x / 6)) < 4 or chance.random() < 0.04
    ]
    whole = shapely.union_all(pixels)
    return MultiPolygon([part for part in shapely.get_parts(whole) if isinstance(part, Polygon)])


def _with_holes(chance: random.Random) -> Polygon:
    holes = [
        _circle((x + 0.5) / 20, (y + 0.5) / 20, chance.uniform(0.003, 0.02), 8) for x in range(20) for y in range(20)
    ]
    return Polygon([(0, 0), (1, 0), (1, 1), (0, 1)], holes)


def _slip() -> Polygon:
    """An outline of 600 corners, two of them swapped."""
    corners = _circle(0.5, 0.5, 0.4, 600)
    corners[20], corners[24] = corners[24], corners[20]
    return Polygon(corners)


def jagged_shape(longitude: float, latitude: float) -> Polygon:
    """An outline of 3,000 corners, two of them swapped, with spikes that make it longer than a scribble; in degrees."""
    corners = []
    for n in range(3000):
        radius = 0.8 * (1 + 0.15 * sin(n * 0.7) + 0.1 * sin(n * 2.3))
        corners.append((longitude + radius * cos(2 * pi * n / 3000), latitude + radius * sin(2 * pi * n / 3000)))
    corners[100], corners[101] = corners[101], corners[100]
    return Polygon(corners)


def _circle(x: float, y: float, radius: float, corners: int) -> list[tuple[float, float]]:
    return [(x + radius * cos(2 * pi * n / corners), y + radius * sin(2 * pi * n / corners)) for n in range(corners)]
