"""Disturbances: the stages of IBTrACS systems in which they were not, or not yet, storms."""

from collections.abc import Iterable

from deploy.loader.storms.best_tracks import BestTrack, Fix, best_tracks

# IBTrACS, column USA_STATUS: disturbance, low, tropical wave, monsoon depression.
DISTURBANCE_STATUSES = frozenset({"DB", "LO", "WV", "MD"})

# Fixes are six hours apart; in a longer gap the system was a storm.
GAP_HOURS = 6.0


def disturbance_tracks(fixes: Iterable[Fix]) -> list[BestTrack]:
    """Return the disturbance stages of each system, under the system's own event_id."""
    return best_tracks(fix for fix in fixes if fix.status in DISTURBANCE_STATUSES)
