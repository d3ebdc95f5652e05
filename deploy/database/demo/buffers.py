"""Wind zones derived from nodes with a simple radius model; the packages contain no observed radii."""

from collections.abc import Iterable, Iterator

import numpy as np

from deploy.loader.geometry.antimeridian import split_polygons
from deploy.loader.geometry.wind_model import KM_PER_NAUTICAL_MILE, wind_radius_km
from deploy.loader.geometry.wind_zones import step_zones, swath
from deploy.loader.records.storms import StormZone
from deploy.loader.storms.best_tracks import BestTrack
from deploy.loader.storms.rows import zone_of

DISTURBANCE_WINDS_KT = (15, 25)


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
            steps = step_zones(longitudes, latitudes, np.repeat(radii[:, None] / KM_PER_NAUTICAL_MILE, 4, axis=1))
            zone = split_polygons(swath(list(steps), (np.diff(hours) <= gap_hours).tolist()))
            first, last = track.fixes[inside[0]], track.fixes[inside[-1]]
            yield zone_of(track, wind, first, last, source="derived from nodes", zone=zone)
