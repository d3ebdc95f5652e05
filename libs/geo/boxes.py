"""Boxes in any CRS, and their transformation. Easting (longitude) comes first, independent of the CRS's axis order."""

from collections.abc import Sequence
from functools import cache, lru_cache
from math import isfinite

from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError, ProjError

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in the units of a CRS."""

WORLD: Box = (-180.0, -90.0, 180.0, 90.0)
"""The world in degrees of longitude and latitude."""

_CACHED_BOXES = 16_384


@lru_cache(maxsize=256)
def crs_by_srid(srid: int) -> CRS:
    """Return the CRS that PostGIS has under this number. Raises CRSError if PROJ does not know it."""
    try:
        return CRS.from_epsg(srid)
    except CRSError:
        # PostGIS gives ESRI's own CRSs their ESRI codes, too
        return CRS.from_authority("ESRI", srid)


@cache
def transformer(source: int, target: int) -> Transformer:
    """Return the transformer from one SRID to another, easting first. Raises CRSError for unknown CRSs."""
    return Transformer.from_crs(crs_by_srid(source), crs_by_srid(target), always_xy=True)


def transform_places(
    x: Sequence[float], y: Sequence[float], source: int, target: int
) -> tuple[Sequence[float], Sequence[float]]:
    """Transform places between two SRIDs; infinite where that is impossible. Raises ProjError for unknown CRSs."""
    found: tuple[Sequence[float], Sequence[float]] = transformer(source, target).transform(x, y)
    return found


@lru_cache(maxsize=_CACHED_BOXES)
def transform_box(box: Box, source: int, target: int) -> Box | None:
    """Return the box around `box` in another CRS, both by SRID; None if it is not finite.

    It follows the edges only, which is wrong for boxes that go far around the Earth: use `libs.geo.crs_areas.boxes_in`
    for these. If the target is longitude and latitude, left is greater than right in a box that crosses the
    antimeridian.
    """
    if source == target:
        return box
    try:
        found = transformer(source, target).transform_bounds(*box, densify_pts=21)
    except ProjError:
        return None
    return found if all(isfinite(number) for number in found) else None


def overlap(one: Box, other: Box) -> Box | None:
    """Return the intersection of two boxes; None if it has no area."""
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    right, top = min(one[2], other[2]), min(one[3], other[3])
    return (left, bottom, right, top) if left < right and bottom < top else None
