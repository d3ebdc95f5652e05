"""Which disturbances became which storms: both were at the same place at the same time."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from deploy.loader.geometry.antimeridian import WGS84
from deploy.loader.records.storms import StormNode
from deploy.loader.storms.best_tracks import Fix
from deploy.loader.storms.identity import is_invest

APART = timedelta(hours=12)
"""Longest time between the positions of a disturbance and its storm that are compared."""
_DISTANCE_KM = 300.0
"""Longest distance between them: centres of weak systems are known to about a degree, and move in the meantime."""


def match_storms(storms: Mapping[str, Sequence[Fix]], disturbances: Sequence[StormNode]) -> dict[str, str]:
    """Return the storm of each disturbance that became one, by their identifiers; the nearest one counts."""
    nearest: dict[str, tuple[float, str]] = {}
    for node in disturbances:
        if not is_invest(node.event_id):
            continue
        for event_id, fixes in storms.items():
            for fix in fixes:
                if abs(fix.time - node.valid_time) > APART:
                    continue
                _, _, metres = WGS84.inv(fix.longitude, fix.latitude, node.geom.x, node.geom.y)
                if metres / 1000 <= _DISTANCE_KM:
                    found = (metres, event_id)
                    nearest[node.event_id] = min(nearest.get(node.event_id, found), found)
    return {event_id: storm for event_id, (_, storm) in nearest.items()}
