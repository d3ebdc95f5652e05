"""Prepare geometry literals for a projected CRS before PostGIS transforms them.

A projection is only defined around its area of use (in a UTM zone, a box of the world becomes a line), and straight
edges in longitude and latitude become curves.
"""

from __future__ import annotations

import shapely
from shapely.geometry.base import BaseGeometry

from libs.geo.crs_areas import area_of_use, is_mercator

_STEP = 0.5  # degrees between positions of an edge; the sagitta is then at most some tens of metres
_MOST_POINTS = 4000


def fit(shape: BaseGeometry, srid: int, *, is_box: bool) -> tuple[BaseGeometry, bool]:
    """Return the part of a CRS84 geometry in the CRS's area, with positions along edges; and whether it was clipped."""
    area = area_of_use(srid)
    if area is None or shapely.covers(area, _corners(shape)):
        return _segmentize(shape, srid, is_box=is_box), False
    return _segmentize(_clip(shape, area), srid, is_box=is_box), True


def _segmentize(shape: BaseGeometry, srid: int, *, is_box: bool) -> BaseGeometry:
    if is_box and is_mercator(srid):
        return shape
    return shapely.segmentize(shape, max(_STEP, shapely.length(shape) / _MOST_POINTS))


def _corners(shape: BaseGeometry) -> BaseGeometry:
    # Covering a collection is not always defined; covering its corners is equivalent for convex areas.
    return shapely.MultiPoint(shapely.get_coordinates(shape))


def _clip(shape: BaseGeometry, area: BaseGeometry) -> BaseGeometry:
    if isinstance(shape, shapely.GeometryCollection):
        members = [_clip(member, area) for member in shape.geoms]
        # GEOS 3.14 crashes the process when it segmentizes a collection with an empty member
        return shapely.GeometryCollection([member for member in members if not member.is_empty])
    return shapely.intersection(shape, area)
