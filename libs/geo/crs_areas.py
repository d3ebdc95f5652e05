"""The area of a CRS, by its SRID: where its coordinates are finite, and where they are accurate.

All areas are boxes or shapes in degrees of longitude and latitude.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import degrees, isfinite

import shapely
from pyproj import CRS
from pyproj.exceptions import CRSError
from shapely.geometry.base import BaseGeometry

from libs.geo.boxes import WORLD, Box, crs_by_srid, overlap, transform_box, transform_places

_MERCATORS = ("Mercator", "Popular Visualisation Pseudo Mercator")
_MERCATOR_END = 89.9
"""Latitude limit of Mercator projections: the poles are at infinity. Coordinates this far out are useless, but finite.
"""
_ANTIPODE = 1.0
"""Degrees around the pole that a conic or polar projection moves to infinity."""
_TRANSVERSE_REACH = 80.0
"""Degrees from its central meridian up to which a transverse Mercator works near the equator, with PROJ 9."""
_WORLDWIDE = ("Equal Area", "Equidistant")
_FAR = 30.0
"""Degrees around the area of use that still contain data of a CRS, even if its users stretch it."""
_WIDE = 5.0
"""Degrees above which a box is transformed by places all over it, not by its edges."""
_SAMPLES = 32
"""Steps from one side of a box to the other."""
_BEYOND = 0.02
"""Part of a wide box's size by which it may reach beyond these places."""

_MARGIN = 10.0
"""Degrees around the area of use where data may still lie and transforming is still accurate."""
_POLE = 89.99

_ANYWHERE: Box = (-1e30, -1e30, 1e30, 1e30)
"""The area of a CRS that PROJ does not know, but the database may."""


@lru_cache(maxsize=256)
def _crs(srid: int) -> CRS | None:
    try:
        return crs_by_srid(srid)
    except CRSError:
        return None


def is_known(srid: int) -> bool:
    """Return whether PROJ knows the CRS of this SRID."""
    return _crs(srid) is not None


@lru_cache(maxsize=256)
def _projection(srid: int) -> tuple[str, dict[str, float]]:
    """Return the name of a CRS's projection, and its angles in degrees by name; empty if none or unknown."""
    crs = _crs(srid)
    operation = crs.coordinate_operation if crs is not None and crs.is_projected else None
    if operation is None:
        return "", {}
    angles = {each.name: degrees(float(each.value) * each.unit_conversion_factor) for each in operation.params}
    return operation.method_name, {name: angle for name, angle in angles.items() if "itude" in name}


def is_projected(srid: int) -> bool:
    """Return whether coordinates of this SRID are not longitude and latitude; an unknown SRID counts as projected."""
    crs = None if srid in (0, 4326) else _crs(srid)
    return srid not in (0, 4326) and (crs is None or crs.is_projected)


def keeps_boxes(srid: int) -> bool:
    """Return whether a box in longitude and latitude is also a box in this CRS."""
    return is_mercator(srid) or not is_projected(srid)


def is_mercator(srid: int) -> bool:
    """Return whether it is a Mercator projection, cut at 180°: its meridians and parallels are straight."""
    name, angles = _projection(srid)
    return name.startswith(_MERCATORS) and angles.get("Longitude of natural origin") == 0


@lru_cache(maxsize=256)
def finite_area(srid: int) -> tuple[Box, ...]:
    """Return where the CRS has finite coordinates, as measured with PROJ 9.

    - Mercator projections do not reach the poles.
    - Transverse Mercators fail near the equator far from their central meridian.
    - Conformal conics and polar stereographics put the pole of the other hemisphere at infinity.
    - Geographic CRSs, and projections that preserve areas or distances, cover the world.
    - Other projections (oblique ones, Krovak's) have some place far away at infinity: the result is their area of use
      with a wide margin, or the world if that area is unknown.
    """
    name, angles = _projection(srid)
    west, south, east, north = WORLD
    if name.startswith(_MERCATORS):
        return ((west, -_MERCATOR_END, east, _MERCATOR_END),)
    if name.startswith("Transverse Mercator"):
        middle = angles["Longitude of natural origin"]
        return _cut_at_antimeridian(middle - _TRANSVERSE_REACH, south, middle + _TRANSVERSE_REACH, north)
    if name.startswith(("Polar Stereographic", "Lambert Conic Conformal")):
        standard = ("Latitude of standard parallel", "Latitude of 1st standard parallel", "Latitude of natural origin")
        is_northern = next((angles[each] for each in standard if each in angles), 1.0) > 0
        return ((west, south + _ANTIPODE, east, north) if is_northern else (west, south, east, north - _ANTIPODE),)
    crs = _crs(srid)
    area = crs.area_of_use if crs is not None and name and not any(word in name for word in _WORLDWIDE) else None
    if area is None or area.west > area.east:
        return (WORLD,)
    south, north = max(-90.0, area.south - _FAR), min(90.0, area.north + _FAR)
    west, east = area.west - _FAR, area.east + _FAR
    return (WORLD,) if east - west >= 360.0 else _cut_at_antimeridian(west, south, east, north)


def _cut_at_antimeridian(west: float, south: float, east: float, north: float) -> tuple[Box, ...]:
    """Return a box whose longitudes may cross ±180° as one or two boxes that do not."""
    if west < -180.0:
        return (-180.0, south, east, north), (west + 360.0, south, 180.0, north)
    if east > 180.0:
        return (west, south, 180.0, north), (-180.0, south, east - 360.0, north)
    return ((west, south, east, north),)


def clip_to_finite_area(boxes: Iterable[Box], srid: int) -> list[Box]:
    """Return the parts of boxes in longitude and latitude that have finite coordinates in a CRS."""
    parts = (overlap(box, area) for box in boxes for area in finite_area(srid))
    return [part for part in parts if part is not None]


def boxes_in(boxes: Iterable[Box], srid: int) -> list[Box]:
    """Transform boxes in longitude and latitude to a CRS: a box in its units for each part inside the CRS's area.

    For a CRS that PROJ does not know, the box is infinite.
    """
    if srid in (0, 4326):
        return list(boxes)
    if _crs(srid) is None:
        return [_ANYWHERE]
    parts = clip_to_finite_area(boxes, srid)
    found = (_enclose(part, srid) if _is_wide(part) else transform_box(part, 4326, srid) for part in parts)
    return [box for box in found if box is not None]


def _is_wide(box: Box) -> bool:
    return box[2] - box[0] > _WIDE or box[3] - box[1] > _WIDE


@lru_cache(maxsize=4096)
def _enclose(box: Box, srid: int) -> Box | None:
    """Return the box around places all over `box`, slightly enlarged; None if none of them is finite.

    The edges of a box that goes far around the Earth do not show its extent: left and right may be the same line, and
    the middle may contain the place where the projection turns inside out.
    """
    west, south, east, north = box
    steps = [each / _SAMPLES for each in range(_SAMPLES + 1)]
    longitudes = [west + (east - west) * along for _ in steps for along in steps]
    latitudes = [south + (north - south) * up for up in steps for _ in steps]
    placed = [
        place
        for place in zip(*transform_places(longitudes, latitudes, 4326, srid), strict=True)
        if all(map(isfinite, place))
    ]
    if not placed:
        return None
    x, y = zip(*placed, strict=True)
    across, up = (max(x) - min(x)) * _BEYOND, (max(y) - min(y)) * _BEYOND
    return min(x) - across, min(y) - up, max(x) + across, max(y) + up


@lru_cache(maxsize=256)
def area_of_use(srid: int) -> BaseGeometry | None:
    """Return the area of accuracy that the CRS's authority states, with a margin; None if unlimited or unknown."""
    if is_mercator(srid):
        return shapely.box(-180, -_POLE, 180, _POLE)
    return _area(srid, _MARGIN)


def _area(srid: int, margin: float) -> BaseGeometry | None:
    """The area of use of a projected CRS and some degrees around."""
    crs = _crs(srid)
    area = crs.area_of_use if crs is not None and crs.is_projected else None
    if area is None:
        return None
    west, east = area.west - margin, area.east + margin
    south, north = (_latitude(area.south, -margin), _latitude(area.north, margin))
    if area.west > area.east:
        sides = [shapely.box(max(west, -180), south, 180, north), shapely.box(-180, south, min(east, 180), north)]
        return shapely.union_all(sides)
    return _wrap(west, south, east, north)


def used_area(srid: int) -> list[Box]:
    """Return the boxes that `area_of_use` consists of: one, or two that meet at the antimeridian."""
    area = area_of_use(srid)
    return [WORLD] if area is None else [part.bounds for part in shapely.get_parts(area)]


def can_hold(boxes: Iterable[Box], srid: int) -> bool:
    """Return whether boxes of longitude and latitude lie in the area of use of a CRS, as its authority says.

    Geographic CRSs and the Mercator projections hold all of the Earth but the poles.
    """
    if keeps_boxes(srid):
        return True
    area = _area(srid, 0.0)
    return area is None or bool(shapely.covers(area, [shapely.box(*box) for box in boxes]).all())


def _latitude(edge: float, margin: float) -> float:
    """Return an edge of the area moved outwards; a pole is only included if the area includes it."""
    if abs(edge) >= 89.999:
        return edge
    return max(-_POLE, min(_POLE, edge + margin))


def _wrap(west: float, south: float, east: float, north: float) -> BaseGeometry:
    parts = [shapely.box(max(west, -180), south, min(east, 180), north)]
    if west < -180 and east < 180:
        parts.append(shapely.box(max(west + 360, east), south, 180, north))
    if east > 180 and west > -180:
        parts.append(shapely.box(-180, south, min(east - 360, west), north))
    return shapely.union_all(parts)
