"""Shapes on the sphere: unrolled longitudes for computing, split at ±180° for storing.

The antimeridian library was tried: it fails on holes that cross 180°, and leaves lines of one repeated position if a
line ends there. So shapes are computed unrolled and cut here.
"""

from math import ceil, floor

import numpy as np
import numpy.typing as npt
import shapely
from pyproj import Geod
from shapely import affinity
from shapely.geometry import LineString, MultiLineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

WGS84 = Geod(ellps="WGS84")

GRID_DEGREES = 1e-5

Degrees = npt.NDArray[np.float64]


def normalise(longitude: float) -> float:
    """Return a longitude within [-180, 180) degrees, rounded against binary noise."""
    return round((longitude + 180.0) % 360.0 - 180.0, 6)


def unroll(longitudes: Degrees) -> Degrees:
    """Return longitudes in degrees without jumps: each within 180 of the previous one, beyond ±180 if necessary."""
    return np.round(np.unwrap(longitudes, period=360.0), 6)


def split_lines(lines: BaseGeometry) -> MultiLineString:
    """Return lines with unrolled longitudes, cut at ±180° at the interpolated latitude; may be empty."""
    return MultiLineString([part for part in _parts(lines) if isinstance(part, LineString)])


def split_polygons(polygons: BaseGeometry) -> MultiPolygon:
    """Return valid polygons with unrolled longitudes, cut at ±180°, exterior rings anticlockwise; may be empty."""
    # The grid (about a metre) keeps responses short; 180 lies on it, so the cut stays straight.
    cut = MultiPolygon([part for part in _parts(polygons) if isinstance(part, Polygon)])
    gridded = shapely.get_parts(shapely.set_precision(cut, GRID_DEGREES))
    return shapely.orient_polygons(MultiPolygon([part for part in gridded if isinstance(part, Polygon)]))


def area_km2(polygons: BaseGeometry) -> float:
    """Return the geodesic area of polygons with anticlockwise exterior rings, in km²."""
    area, _ = WGS84.geometry_area_perimeter(polygons)
    return round(float(area) / 1e6, 1)


def _parts(geometry: BaseGeometry) -> list[BaseGeometry]:
    if geometry.is_empty:
        return []
    west, _, east, _ = geometry.bounds
    worlds = range(floor((west + 180) / 360), max(ceil((east + 180) / 360), floor((west + 180) / 360) + 1))
    parts: list[BaseGeometry] = []
    for world in worlds:
        piece = geometry
        if len(worlds) > 1:
            piece = shapely.intersection(geometry, shapely.box(360 * world - 180, -90, 360 * world + 180, 90))
        if world:
            piece = affinity.translate(piece, -360 * world)
        # Shapes that only touch the edge become points or lines among the parts.
        parts += [part for part in shapely.get_parts(piece) if not part.is_empty]
    return parts
