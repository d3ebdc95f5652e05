"""Wind zones derived from nodes with a simple model of the radius; no observed radii are packaged."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

import numpy as np
import shapely
from shapely.geometry import MultiPoint, MultiPolygon
from shapely.geometry.base import BaseGeometry

from deploy.database.demo.antimeridian import WGS84, Degrees, area_km2, split_polygons, unroll
from deploy.database.demo.best_tracks import BestTrack

STORM_WINDS_KT = (34, 50, 64)
DISTURBANCE_WINDS_KT = (15, 25)

_BEARINGS = np.linspace(0.0, 360.0, 36, endpoint=False)
_TOLERANCE_DEGREES = 0.01


class WindBuffer(NamedTuple):
    """A row of hazard.hazard_ts_buffers: kt, km², UTC; geom WGS 84, split at ±180°."""

    event_id: str
    basin: str
    season: int
    wind_speed_kt: int
    kind: str
    start_date: datetime
    end_date: datetime
    area_km2: float
    source: str
    geom: MultiPolygon


def wind_radius_km(wind_speed_kt: float, max_wind_kt: float, latitude: float) -> float:
    """How far from the centre `wind_speed_kt` blows, in km; 0 where it does nowhere.

    A modified Rankine vortex, v = vmax (rmax / r) ** 0.5, around a radius of maximum wind of
    46.4 exp(-0.0155 vmax + 0.0169 |latitude|) km with vmax in m/s.
    Sources: Depperman 1947 (vortex); Willoughby, Darling and Rahn 2006, equation 7a (radius).
    """
    if max_wind_kt < wind_speed_kt:
        return 0.0
    radius = 46.4 * np.exp(-0.0155 * max_wind_kt * 0.514444 + 0.0169 * abs(latitude))
    return float(radius * (max_wind_kt / wind_speed_kt) ** 2)


def wind_buffers(
    tracks: Iterable[BestTrack], winds_kt: tuple[int, ...], *, gap_hours: float = 12.0
) -> Iterator[WindBuffer]:
    """A row per system and wind speed that it reached: the swath between nodes up to `gap_hours` apart."""
    for track in tracks:
        longitudes, latitudes = track.longitudes, track.latitudes
        for wind in winds_kt:
            radii = np.array(
                [wind_radius_km(wind, fix.wind_kt or 0, fix.latitude) for fix in track.fixes], dtype=np.float64
            )
            inside = np.flatnonzero(radii)
            if not inside.size:
                continue
            hours = np.array([fix.time.timestamp() / 3600 for fix in track.fixes])
            zone = split_polygons(_swath(longitudes, latitudes, radii, hours, gap_hours))
            yield WindBuffer(
                event_id=track.event_id,
                basin=track.fixes[0].basin,
                season=track.fixes[0].season,
                wind_speed_kt=wind,
                kind="analysed",
                start_date=track.fixes[inside[0]].time,
                end_date=track.fixes[inside[-1]].time,
                area_km2=area_km2(zone),
                source="derived from nodes",
                geom=zone,
            )


def _swath(longitudes: Degrees, latitudes: Degrees, radii: Degrees, hours: Degrees, gap_hours: float) -> BaseGeometry:
    """The union of geodesic circles around nodes and of what lies between successive ones, unrolled degrees."""
    circles = {
        int(index): _circle(longitudes[index], latitudes[index], radii[index]) for index in np.flatnonzero(radii)
    }
    joined = [index for index in circles if index + 1 in circles and hours[index + 1] - hours[index] <= gap_hours]
    rings = [np.vstack([circles[index], circles[index + 1]]) for index in joined]
    alone = set(circles) - set(joined) - {index + 1 for index in joined}
    rings += [circles[index] for index in alone]
    hulls = [MultiPoint(ring).convex_hull for ring in rings]
    return shapely.make_valid(shapely.simplify(shapely.union_all(hulls), _TOLERANCE_DEGREES))


def _circle(longitude: float, latitude: float, radius_km: float) -> Degrees:
    """Positions at `radius_km` along the geodesics, shape (36, 2), longitudes unrolled near the centre's."""
    count = len(_BEARINGS)
    east, north, _ = WGS84.fwd(
        np.full(count, longitude), np.full(count, latitude), _BEARINGS, np.full(count, radius_km * 1000)
    )
    unrolled = unroll(np.concatenate([[longitude], np.asarray(east)]))[1:]
    return np.column_stack([unrolled, np.asarray(north)])
