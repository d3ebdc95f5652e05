"""Areas of sources, which may be unclosed, cross themselves or lie beyond ±180°."""

from collections.abc import Sequence
from typing import Any

import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from deploy.loader.geometry.antimeridian import split_polygons

_FURTHEST = 540
"""Limit of longitudes in degrees: they may continue beyond ±180 for one turn. Latitudes are checked later."""


class GeometryError(ValueError):
    """The source's geometry contains no area; the message describes it."""


class NoAreaError(GeometryError):
    """No ring has three positions: the source drew a point or a line."""


def polygons_of(geometry: Any) -> tuple[BaseGeometry, list[str]]:
    """Return the polygons of a GeoJSON geometry (Polygon or MultiPolygon), longitude first, and the repairs made.

    Open rings are closed. The shape may still be invalid: see `repair`. Raises GeometryError for other types.
    """
    kind, coordinates = geometry.get("type"), geometry.get("coordinates")
    if kind not in {"Polygon", "MultiPolygon"}:
        raise GeometryError(f"a {kind} where an area is expected")
    unclosed = 0
    polygons: list[Polygon] = []
    for rings in [coordinates] if kind == "Polygon" else coordinates:
        closed = []
        for ring in rings:
            positions = [_position(each) for each in ring]
            unclosed += positions[0] != positions[-1] if positions else 0
            if len(set(positions)) >= 3:
                closed.append(positions)
        if closed:
            polygons.append(Polygon(closed[0], closed[1:]))
    if not polygons:
        raise NoAreaError("no ring has three positions")
    noticed = [f"{unclosed} unclosed {'ring' if unclosed == 1 else 'rings'}"] if unclosed else []
    return (polygons[0] if len(polygons) == 1 else MultiPolygon(polygons)), noticed


def _position(values: Sequence[float]) -> tuple[float, float]:
    """Return longitude and latitude. Raises GeometryError for positions beyond the world, where GEOS would overflow."""
    longitude, latitude = map(float, values[:2])
    if not (abs(latitude) <= _FURTHEST and abs(longitude) <= _FURTHEST):
        raise GeometryError(f"a position beyond the world: {longitude:g}, {latitude:g}")
    return longitude, latitude


def repair(shape: BaseGeometry) -> tuple[MultiPolygon, list[str]]:
    """Return the same area as valid polygons, split at ±180°, exterior rings anticlockwise; and the repairs made.

    `shape` is in WGS 84, longitude first; longitudes may continue beyond ±180. Raises GeometryError if no area remains.
    """
    noticed: list[str] = []
    west, south, east, north = shape.bounds if not shape.is_empty else (0.0, 0.0, 0.0, 0.0)
    if not (south >= -90 and north <= 90 and west >= -_FURTHEST and east <= _FURTHEST):
        raise GeometryError(f"positions beyond the world: {west:g}, {south:g}, {east:g}, {north:g}")
    if not shape.is_valid:
        # GEOS's sentence, such as `Self-intersection[12.5 48]`
        noticed.append(shapely.is_valid_reason(shape).partition("[")[0].lower())
        shape = shapely.make_valid(shape, method="structure", keep_collapsed=False)
    split = split_polygons(shape)
    if split.is_empty:
        raise GeometryError("no area is left of it")
    if west < -180 or east > 180:
        noticed.append("longitudes beyond ±180")
    return split, noticed
