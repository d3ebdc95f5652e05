"""Zones of wind of storms for which no table has any, from the positions and winds of their tracks by a model."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import asyncpg
import numpy as np
import shapely
from shapely.geometry import MultiPolygon

from deploy.loader.geometry.antimeridian import area_km2, split_polygons, unroll
from deploy.loader.geometry.wind_model import KM_PER_NAUTICAL_MILE, wind_radius_km
from deploy.loader.geometry.wind_zones import step_zones, swath

WINDS_KT = (64, 50, 34)
SOURCE = "derived from nodes"
"""What the zones say of their origin, as those of the demo data do."""
_GAP_HOURS = 12.0
"""Positions further apart are not joined."""

_NODES = """
SELECT event_id, extract(epoch FROM valid_time)::float8 / 3600 AS hours, ST_X(geom) AS longitude,
    ST_Y(geom) AS latitude, coalesce(wind_kt, 0) AS wind_kt
FROM hazard.hazard_ts_nodes WHERE kind = 'analysed' AND event_id = ANY($1::text[]) ORDER BY event_id, valid_time
"""


class ModelledZone(NamedTuple):
    """A zone of wind over the life of a storm, in WGS 84, split at ±180°."""

    event_id: str
    wind_kt: int
    km2: float
    geometry: MultiPolygon

    @property
    def wkb(self) -> bytes:
        """The geometry as EWKB."""
        encoded: bytes = shapely.to_wkb(shapely.set_srid(self.geometry, 4326), include_srid=True)
        return encoded


async def modelled_zones(connection: asyncpg.Connection, events: Sequence[str]) -> list[ModelledZone]:
    """Return the zones of these storms for each wind that they reached. Raise asyncpg.PostgresError."""
    tracks: defaultdict[str, list[asyncpg.Record]] = defaultdict(list)
    for node in await connection.fetch(_NODES, list(events)):
        tracks[node["event_id"]].append(node)
    return [zone for event, nodes in tracks.items() for zone in _zones(event, nodes)]


def _zones(event: str, nodes: Sequence[asyncpg.Record]) -> list[ModelledZone]:
    longitudes = unroll(np.array([node["longitude"] for node in nodes]))
    latitudes = np.array([node["latitude"] for node in nodes])
    joined = (np.diff([node["hours"] for node in nodes]) <= _GAP_HOURS).tolist()
    found = []
    for wind in WINDS_KT:
        radii = np.array([wind_radius_km(wind, node["wind_kt"], node["latitude"]) for node in nodes])
        if not radii.any():
            continue
        steps = step_zones(longitudes, latitudes, np.repeat(radii[:, None] / KM_PER_NAUTICAL_MILE, 4, axis=1))
        zone = split_polygons(swath(list(steps), joined))
        if not zone.is_empty:
            found.append(ModelledZone(event, wind, area_km2(zone), zone))
    return found
