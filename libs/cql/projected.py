"""Geometry literals made fit for a projected CRS before PostGIS transforms them.

A projection is only defined around its area of use (a world box in a UTM zone comes out as a line), and
straight edges in longitude and latitude become curves.
"""

from __future__ import annotations

from functools import lru_cache

import shapely
from pyproj import CRS
from pyproj.exceptions import CRSError
from shapely.geometry.base import BaseGeometry

# Cylindrical: meridians and parallels stay straight lines.
_MERCATOR = frozenset({3857, 3395, 3785, 900913, 102100, 102113})
_MARGIN = 10.0  # degrees around the area of use where data may still lie and transforming still works
_POLE = 89.99  # Mercator's poles are at infinity
_STEP = 0.5  # degrees between the points of an edge; the sagitta is then some tens of metres at most
_MOST_POINTS = 4000


@lru_cache(maxsize=256)
def _area(srid: int) -> tuple[bool, BaseGeometry | None]:
    """Whether the CRS is projected, and where it can be used, in CRS84; None for anywhere or unknown."""
    if srid in _MERCATOR:
        return True, shapely.box(-180, -_POLE, 180, _POLE)
    try:
        crs = CRS.from_epsg(srid)
    except CRSError:
        return True, None
    if not crs.is_projected:
        return False, None
    area = crs.area_of_use
    if area is None:
        return True, None
    west, east = area.west - _MARGIN, area.east + _MARGIN
    south, north = (_latitude(area.south, -_MARGIN), _latitude(area.north, _MARGIN))
    if area.west > area.east:
        sides = [shapely.box(max(west, -180), south, 180, north), shapely.box(-180, south, min(east, 180), north)]
        return True, shapely.union_all(sides)
    return True, _wrapped(west, south, east, north)


def _latitude(edge: float, margin: float) -> float:
    """An edge of the area moved outwards; a pole is only inside where the area has it."""
    if abs(edge) >= 89.999:
        return edge
    return max(-_POLE, min(_POLE, edge + margin))


def _wrapped(west: float, south: float, east: float, north: float) -> BaseGeometry:
    parts = [shapely.box(max(west, -180), south, min(east, 180), north)]
    if west < -180 and east < 180:
        parts.append(shapely.box(max(west + 360, east), south, 180, north))
    if east > 180 and west > -180:
        parts.append(shapely.box(-180, south, min(east - 360, west), north))
    return shapely.union_all(parts)


def is_projected(srid: int) -> bool:
    """Whether coordinates of this SRID are not longitudes and latitudes; unknown ones count as projected."""
    return srid not in (0, 4326) and _area(srid)[0]


def keeps_boxes(srid: int) -> bool:
    """Whether a box in longitude and latitude is a box in this CRS, too."""
    return srid in _MERCATOR or not is_projected(srid)


def fitted(shape: BaseGeometry, srid: int, *, is_box: bool) -> tuple[BaseGeometry, bool]:
    """The part of a CRS84 geometry that the CRS can hold, with points along its edges; and whether it was cut."""
    _, area = _area(srid)
    cut = area is not None and not shapely.covers(area, _corners(shape))
    if area is not None and cut:
        shape = _clipped(shape, area)
    if is_box and srid in _MERCATOR:
        return shape, cut
    step = max(_STEP, shapely.length(shape) / _MOST_POINTS)
    return shapely.segmentize(shape, step), cut


def _corners(shape: BaseGeometry) -> BaseGeometry:
    # Covering a collection is not defined everywhere; covering its corners is the same for convex areas.
    return shapely.MultiPoint(shapely.get_coordinates(shape))


def _clipped(shape: BaseGeometry, area: BaseGeometry) -> BaseGeometry:
    if isinstance(shape, shapely.GeometryCollection):
        return shapely.GeometryCollection([_clipped(member, area) for member in shape.geoms])
    return shapely.intersection(shape, area)
