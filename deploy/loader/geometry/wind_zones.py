"""Wind zones: around a position from radii by quadrant, and between the steps of a track."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry import MultiPolygon
from shapely.geometry.base import BaseGeometry

from deploy.loader.geometry.antimeridian import GRID_DEGREES, WGS84, Degrees, split_polygons

Shapes = npt.NDArray[np.object_]

METRES_PER_NAUTICAL_MILE = 1852.0

_PER_QUADRANT = 9
# Quadrants in the order of sources: north-east, south-east, south-west, north-west, each with both of its ends.
_BEARINGS = np.concatenate([start + np.linspace(0, 90, _PER_QUADRANT) for start in (0, 90, 180, 270)])
_TOLERANCE_DEGREES = 0.01


def step_zones(longitudes: Degrees, latitudes: Degrees, radii_nm: Degrees) -> Shapes:
    """Return the zone around each position, in unrolled degrees, from radii of shape (n, 4) in nautical miles.

    Quadrants are north-east, south-east, south-west, north-west. A radius of 0 or NaN omits its quadrant; a position
    without radii has an empty zone.

    Computed along geodesics: each corner is a quadrant's radius away from the centre. Source: NHC, wind radii are the
    largest extent of a wind speed in each quadrant.
    """
    zones = np.full(len(longitudes), shapely.Polygon(), dtype=object)
    inside = np.nan_to_num(radii_nm).any(axis=1)
    count, per_zone = int(inside.sum()), len(_BEARINGS)
    if not count:
        return zones
    metres = np.repeat(np.nan_to_num(radii_nm[inside]) * METRES_PER_NAUTICAL_MILE, _PER_QUADRANT, axis=1)
    centres = np.repeat(longitudes[inside], per_zone)
    east, north, _ = WGS84.fwd(
        centres, np.repeat(latitudes[inside], per_zone), np.tile(_BEARINGS, count), metres.ravel()
    )
    # within half a turn of the centre
    east = centres + (np.asarray(east) - centres + 180.0) % 360.0 - 180.0
    corners = np.stack([east, np.asarray(north)], axis=-1).reshape(count, per_zone, 2)
    made = np.asarray(shapely.polygons(corners), dtype=object)
    # two opposite quadrants touch only at the centre
    broken = ~shapely.is_valid(made)
    made[broken] = shapely.make_valid(made[broken])
    zones[inside] = made
    return zones


def swath(zones: Sequence[BaseGeometry], joined: Sequence[bool]) -> BaseGeometry:
    """Return the union of zones and of the areas between neighbours, in unrolled degrees.

    joined: for each zone but the last, whether the wind is assumed to blow from it to the next; never if one is empty.
    """
    pairs = [
        place for place, both in enumerate(joined) if both and not (zones[place].is_empty or zones[place + 1].is_empty)
    ]
    # zones inside a hull add nothing
    covered = {place + offset for place in pairs for offset in (0, 1)}
    parts = [zone for place, zone in enumerate(zones) if place not in covered]
    if pairs:
        both = np.array([[zones[place], zones[place + 1]] for place in pairs], dtype=object)
        parts += list(np.asarray(shapely.convex_hull(shapely.geometrycollections(both)), dtype=object))
    return shapely.make_valid(shapely.simplify(shapely.union_all(parts), _TOLERANCE_DEGREES))


def to_stored(zones: Shapes) -> list[MultiPolygon]:
    """Return the zones for storage: valid, on a 1 m grid, split at ±180°, exterior rings anticlockwise."""
    bounds = shapely.bounds(zones)
    plain = (bounds[:, 0] >= -180) & (bounds[:, 2] <= 180)
    gridded = shapely.orient_polygons(shapely.set_precision(zones, GRID_DEGREES))
    return [
        (zone if isinstance(zone, MultiPolygon) else MultiPolygon([zone]))
        if whole and _is_area(zone)
        else split_polygons(raw)
        for zone, raw, whole in zip(gridded, zones, plain, strict=True)
    ]


def _is_area(shape: BaseGeometry) -> bool:
    return shape.geom_type in {"Polygon", "MultiPolygon"}
