"""Areas as sources draw them, which may be unclosed, cross themselves or lie beyond ±180°."""

from collections.abc import Sequence
from typing import Any

import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from deploy.loader.geometry.antimeridian import split_polygons

_FURTHEST = 540
"""Degrees; longitudes may run on beyond ±180 for a turn. Latitudes are looked at as a whole, later."""


class GeometryError(ValueError):
    """There is no area in what a source gave; the message says what was there."""


class NoAreaError(GeometryError):
    """No ring has three positions: an area that was drawn as a point or a line."""


def polygons_of(geometry: Any) -> tuple[BaseGeometry, list[str]]:
    """The polygons of a GeoJSON geometry (Polygon or MultiPolygon), longitude first, and what was mended on the way.

    Rings that do not end where they begin are closed. The shape may still be invalid: see `repaired`.
    Raises GeometryError for anything that is no polygon.
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
    """Longitude and latitude. Raises GeometryError for what lies beyond the world, where GEOS would overflow."""
    longitude, latitude = map(float, values[:2])
    if not (abs(latitude) <= _FURTHEST and abs(longitude) <= _FURTHEST):
        raise GeometryError(f"a position beyond the world: {longitude:g}, {latitude:g}")
    return longitude, latitude


def repaired(shape: BaseGeometry) -> tuple[MultiPolygon, list[str]]:
    """The same area as valid polygons, split at ±180°, exterior rings anticlockwise; and what was mended.

    `shape` is in WGS 84, longitude first; longitudes may run on beyond ±180 where the area crosses it.
    Raises GeometryError where no area is left.
    """
    noticed: list[str] = []
    west, south, east, north = shape.bounds if not shape.is_empty else (0.0, 0.0, 0.0, 0.0)
    if not (south >= -90 and north <= 90 and west >= -_FURTHEST and east <= _FURTHEST):
        raise GeometryError(f"positions beyond the world: {west:g}, {south:g}, {east:g}, {north:g}")
    if not shape.is_valid:
        # the sentence of GEOS, such as `Self-intersection[12.5 48]`
        noticed.append(shapely.is_valid_reason(shape).partition("[")[0].lower())
        shape = shapely.make_valid(shape, method="structure", keep_collapsed=False)
    split = split_polygons(shape)
    if split.is_empty:
        raise GeometryError("no area is left of it")
    if west < -180 or east > 180:
        noticed.append("longitudes beyond ±180")
    return split, noticed
