"""The zooms at which clients request tiles of a collection: as configured, else from extent and precision. Pure."""

from math import cos, log2, radians

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import TileMatrixSet

_DEEPEST = 15
"""Default of the last zoom; clients enlarge its tiles for deeper zooms.

One unit is 30 cm at the equator, the size of a CSS pixel at zoom 18: rounding to units stays below one pixel there,
for any data.
"""
_LEAST_VISIBLE = 1 / 256
"""Part of a tile's width: one pixel of the smallest tiles."""
_DEGREE = 111_319.5
_EQUATOR = 360 * _DEGREE


def zoom_range(collection: Collection, geometry: GeometryColumn, tms: TileMatrixSet) -> tuple[int, int]:
    """Return first and last useful tile matrix of `tms`; clients enlarge the last one beyond it."""
    first = _first_zoom(geometry) if collection.minzoom is None else collection.minzoom
    last = _DEEPEST if collection.maxzoom is None else collection.maxzoom
    # a configured end moves the other one, if necessary
    if collection.maxzoom is None:
        last = max(first, last)
    else:
        first = min(first, last)
    low, high = tms.levels(first, last)
    if collection.minzoom is None and not first:
        # all data fit a tile of zoom 0, and one of the coarsest matrix of any set
        low = min(tms.matrices)
    return low, max(low, high)


def _first_zoom(geometry: GeometryColumn) -> int:
    """Return the first zoom at which the extent is at least one pixel; points are drawn at any zoom."""
    size = _size(geometry)
    if size is None or geometry.dimension == 0:
        return 0
    widest = max(size)
    return _DEEPEST if not widest else max(0, min(_DEEPEST, int(log2(_EQUATOR / widest * _LEAST_VISIBLE))))


def _size(geometry: GeometryColumn) -> tuple[float, float] | None:
    """Return approximate width and height of the extent in metres; None if unknown."""
    if geometry.bbox is None:
        return None
    west, south, east, north = geometry.bbox
    wide = east - west if east >= west else east - west + 360
    return wide * _DEGREE * cos(radians((south + north) / 2)), (north - south) * _DEGREE
