"""A CRS that a client names: its axis order, and the conversion of its shapes to CRS84."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from libs.geo.boxes import WORLD, crs_by_srid, transformer
from libs.geo.crs_areas import finite_area, is_mercator
from libs.geo.longitudes import TURN
from libs.ogc import crs as identifiers
from libs.ogc.bbox import BBox, bbox_of

_PIECES = 64
"""Pieces of the longer side of a projected shape: its edges are straight in its CRS, not in longitude and latitude."""
_MOST_POSITIONS = 4000
_PROBE = (3.25, 47.5)
_FARTHEST = 1e9
"""Maximum coordinate of any CRS, in any unit of length; beyond it, PostGIS loses rows within a box."""
_WIDE = 5e6
"""Size in units of a projected CRS, mostly metres, up to which a converted shape is not verified."""
_PROBE_STEP = 5
"""Degrees between the places that verify a converted shape."""
_NEAR_EDGE = 2.0
"""Degrees from an edge within which a difference is accepted: edges are not straight in longitude and latitude."""


@dataclass(frozen=True, slots=True)
class Crs:
    """A CRS in the form that clients use."""

    uri: str
    srid: int
    """SRID in PostGIS, where easting and longitude always come first."""
    northing_first: bool
    """Whether its authority puts northing or latitude first."""
    in_degrees: bool
    """Whether its coordinates are longitude and latitude."""


CRS84 = Crs(identifiers.CRS84, 4326, northing_first=False, in_degrees=True)
CRS84H = Crs(identifiers.CRS84H, 4326, northing_first=False, in_degrees=True)


@lru_cache(maxsize=256)
def crs_of(uri: str) -> Crs | None:
    """Return the CRS with that identifier of `libs.ogc.crs`; None if PROJ does not know it."""
    if uri == identifiers.CRS84:
        return CRS84
    if uri == identifiers.CRS84H:
        return CRS84H
    authority, _, code = uri.removeprefix("http://www.opengis.net/def/crs/").partition("/0/")
    try:
        crs = CRS.from_authority(authority, code)
    except CRSError:
        return None
    if len(crs.axis_info) != 2:
        return None
    return Crs(uri, int(code), _is_northing_first(crs), crs.is_geographic)


def _is_northing_first(crs: CRS) -> bool:
    # compare with PROJ's own axis order: names and directions of polar axes do not help
    area = crs.area_of_use
    # a place whose longitude differs from its latitude
    place = _PROBE if area is None else ((area.west + area.east) / 2 + 0.1, (area.south + area.north) / 2 + 0.27)
    plain = Transformer.from_crs(4326, crs, always_xy=True).transform(*place)
    ordered = Transformer.from_crs(4326, crs).transform(place[1], place[0])
    return bool(abs(plain[0] - ordered[1]) < abs(plain[0] - ordered[0]))


def projjson(crs: Crs) -> dict[str, object]:
    """Return the definition of the CRS in PROJJSON."""
    return dict(crs_by_srid(crs.srid).to_json_dict())


def box_of(numbers: Sequence[float], crs: Crs) -> BBox:
    """Return the box, in easting and northing, of 4 or 6 numbers in the CRS's axis order.

    Raises ValueError with a sentence for the client (/req/crs/fc-bbox-crs-action).
    """
    if crs.northing_first and len(numbers) in (4, 6):
        second = len(numbers) // 2
        numbers = [*numbers[1::-1], *numbers[2:second], *numbers[second + 1 : second - 1 : -1], *numbers[second + 2 :]]
    if crs.srid == CRS84.srid:
        return bbox_of(numbers)
    if len(numbers) not in (4, 6):
        raise ValueError(f"must have 4 or 6 numbers, has {len(numbers)}")
    if not all(isfinite(number) for number in numbers):
        raise ValueError("must have finite numbers only")
    second = len(numbers) // 2
    west, south, east, north = numbers[0], numbers[1], numbers[second], numbers[second + 1]
    if west > east or south > north or (len(numbers) == 6 and numbers[2] > numbers[5]):
        raise ValueError("has a least coordinate that is greater than the greatest")
    return BBox(*(max(-_FARTHEST, min(_FARTHEST, each)) for each in (west, south, east, north)))


def as_easting_northing(shape: BaseGeometry, crs: Crs) -> BaseGeometry:
    """Convert a shape from the CRS's axis order to PostGIS's."""
    return shapely.transform(shape, lambda places: places[:, ::-1]) if crs.northing_first else shape


def in_crs84(shape: BaseGeometry, crs: Crs) -> BaseGeometry:
    """Convert a shape of easting, northing to longitude, latitude within ±180, cut at the antimeridian.

    Edges of projected shapes get additional positions; an area around a pole is extended to the edge of the world.
    Raises ValueError, with the end of a sentence about the shape, if a position is not on Earth, or if the shape
    reaches so far beyond the CRS that its inside is undefined.
    """
    if crs.in_degrees:
        return shape if crs.srid == 4326 else _transform(shape, crs)
    if shape.is_empty:
        return shape
    west, south, east, north = shape.bounds
    longest = max(max(east - west, north - south) / _PIECES, shape.length / _MOST_POSITIONS)
    # the inside of an area is left of its edges, which shows on which side of them a pole is
    placed = _transform(shapely.orient_polygons(shapely.segmentize(shape, longest) if longest > 0 else shape), crs)
    found = _cut(_unroll(placed))
    if max(east - west, north - south) > _WIDE and not is_mercator(crs.srid) and not _agree(shape, found, crs):
        raise ValueError(f"reaches too far out of where {crs.uri} can be used")
    return found


def _agree(shape: BaseGeometry, placed: BaseGeometry, crs: Crs) -> bool:
    """Return whether places all over the Earth, except near edges, are inside both the shape and its conversion.

    Far out, and near the place where a conic projection joins two edges of its map, one step of an edge goes around
    half the Earth. Then the converted shape may be the outside of the original.
    """
    places = _probes(crs.srid)
    if not len(places):
        return True
    longitudes, latitudes, x, y = places.T
    inside, expected = shapely.intersects_xy(placed, longitudes, latitudes), shapely.intersects_xy(shape, x, y)
    differing = inside != expected
    if not differing.any():
        return True
    edges = shapely.boundary(placed) if shapely.get_dimensions(placed) == 2 else placed
    away = shapely.distance(shapely.points(longitudes[differing], latitudes[differing]), edges)
    return bool((away < _NEAR_EDGE).all())


@lru_cache(maxsize=256)
def _probes(srid: int) -> NDArray[np.float64]:
    """Return places all over the area with finite coordinates: longitude, latitude, easting, northing, (n, 4)."""
    middles = (np.indices((360 // _PROBE_STEP, 180 // _PROBE_STEP)).reshape(2, -1).T + 0.5) * _PROBE_STEP - (180, 90)
    longitudes, latitudes = middles.T
    known = shapely.union_all([shapely.box(*area) for area in finite_area(srid)])
    x, y = transformer(4326, srid).transform(longitudes, latitudes)
    usable = shapely.intersects_xy(known, longitudes, latitudes) & np.isfinite(x) & np.isfinite(y)
    places: NDArray[np.float64] = np.column_stack([longitudes, latitudes, x, y])[usable]
    return places


def _transform(shape: BaseGeometry, crs: Crs) -> BaseGeometry:
    def transform(places: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.column_stack(transformer(crs.srid, 4326).transform(*places.T))
        # before making a ring: one that begins and ends with NaN is not closed
        if not np.isfinite(found).all():
            raise ValueError(f"is outside of where {crs.uri} can be used")
        return found

    return shapely.transform(shape, transform)


def _unroll(shape: BaseGeometry) -> BaseGeometry:
    """Return the shape with longitudes that continue beyond ±180 instead of jumping there."""
    if isinstance(shape, shapely.Polygon):
        rings = [_ring(shape.exterior.coords), *(_ring(hole.coords[::-1]) for hole in shape.interiors)]
        outer: BaseGeometry = shapely.Polygon(rings[0])
        for ring in rings[1:]:
            # a hole may have gone around the Earth in the other direction
            hole = shapely.union_all([translate(shapely.Polygon(ring), turn * TURN) for turn in (-1, 0, 1)])
            outer = shapely.difference(outer, hole)
        return shapely.make_valid(outer)
    if isinstance(shape, shapely.LineString):
        return shapely.LineString(_unroll_places(shape.coords))
    if isinstance(shape, shapely.Point):
        return shape
    members = [_unroll(member) for member in shapely.get_parts(shape)]
    return (
        shapely.GeometryCollection(members) if shape.geom_type == "GeometryCollection" else shapely.union_all(members)
    )


def _unroll_places(places: Iterable[Sequence[float]]) -> list[tuple[float, float]]:
    followed: list[tuple[float, float]] = []
    for longitude, latitude in places:
        if followed:
            longitude += TURN * round((followed[-1][0] - longitude) / TURN)  # noqa: PLW2901
        followed.append((longitude, latitude))
    return followed


def _ring(places: Iterable[Sequence[float]]) -> list[tuple[float, float]]:
    followed = _unroll_places(places)
    if abs(followed[-1][0] - followed[0][0]) < TURN / 2:
        return followed
    # once around the Earth: eastwards, the north is on the left
    pole = WORLD[3] if followed[-1][0] > followed[0][0] else WORLD[1]
    return [*followed, (followed[-1][0], pole), (followed[0][0], pole)]


def _cut(shape: BaseGeometry) -> BaseGeometry:
    west, _, east, _ = shape.bounds
    if west >= -180 and east <= 180:
        return shape
    if shape.geom_type == "GeometryCollection":
        return shapely.GeometryCollection([_cut(member) for member in shapely.get_parts(shape)])
    world = shapely.box(*WORLD)
    return shapely.union_all([translate(shape, turn * TURN).intersection(world) for turn in (-2, -1, 0, 1, 2)])
