"""Wind zones derived from nodes with a simple radius model; the packages contain no observed radii."""

from collections.abc import Iterable, Iterator

import numpy as np

from deploy.loader.geometry.antimeridian import split_polygons
from deploy.loader.geometry.wind_zones import step_zones, swath
from deploy.loader.records.storms import StormZone
from deploy.loader.storms.best_tracks import BestTrack
from deploy.loader.storms.rows import zone_of

DISTURBANCE_WINDS_KT = (15, 25)

_KM_PER_NAUTICAL_MILE = 1.852


def wind_radius_km(wind_speed_kt: float, max_wind_kt: float, latitude: float) -> float:
    """Return the distance from the centre at which the wind reaches `wind_speed_kt`, in km; 0 if it never does.

    A modified Rankine vortex, v = vmax (rmax / r) ** 0.5, around a radius of maximum wind of 46.4 exp(-0.0155 vmax +
    0.0169 |latitude|) km with vmax in m/s. Sources: Depperman 1947 (vortex); Willoughby, Darling and Rahn 2006,
    equation 7a (radius).
    """
    if max_wind_kt < wind_speed_kt:
        return 0.0
    radius = 46.4 * np.exp(-0.0155 * max_wind_kt * 0.514444 + 0.0169 * abs(latitude))
    return float(radius * (max_wind_kt / wind_speed_kt) ** 2)


def wind_buffers(
    tracks: Iterable[BestTrack], winds_kt: tuple[int, ...], *, gap_hours: float = 12.0
) -> Iterator[StormZone]:
    """Yield a row per system and wind speed that it reached: the swath between nodes up to `gap_hours` apart."""
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
            steps = step_zones(longitudes, latitudes, np.repeat(radii[:, None] / _KM_PER_NAUTICAL_MILE, 4, axis=1))
            zone = split_polygons(swath(list(steps), (np.diff(hours) <= gap_hours).tolist()))
            first, last = track.fixes[inside[0]], track.fixes[inside[-1]]
            yield zone_of(track, wind, first, last, source="derived from nodes", zone=zone)
