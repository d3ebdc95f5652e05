"""Earthquakes that two networks report: the USGS has precedence, and the EMSC adds those that it does not list."""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from deploy.loader.geometry.antimeridian import WGS84
from deploy.loader.records.earthquakes import EVENTS, SECOND_EVENTS, EarthquakeEvent, SecondEvent
from deploy.loader.records.target import Batch, Recall, Rename, Withdrawal

FIRST = "USGS"
SECOND = "EMSC"
APART = timedelta(seconds=16)
"""Longest time between two reports of one earthquake."""
_DISTANCE_KM = 100.0
"""Longest distance between them. Aftershocks within both limits count as the same one if they are nearest."""


class Same(NamedTuple):
    """The number of an earthquake of the EMSC, and that of the USGS."""

    second: str
    first: str


def same(first: Iterable[EarthquakeEvent], second: Iterable[SecondEvent]) -> list[Same]:
    """Return the earthquakes of both networks, each at most once; nearest in time first."""
    others = sorted(second, key=lambda event: event.event_date)
    pairs = []
    for event in first:
        if event.withdrawn is not None:
            continue
        for other in others:
            apart = abs(event.event_date - other.event_date)
            if apart <= APART:
                _, _, metres = WGS84.inv(event.geom.x, event.geom.y, other.geom.x, other.geom.y)
                if metres / 1000 <= _DISTANCE_KM:
                    pairs.append((apart, metres, Same(other.event_id, event.event_id)))
    found: dict[str, Same] = {}
    taken: set[str] = set()
    for _, _, pair in sorted(pairs):
        if pair.second not in found and pair.first not in taken:
            found[pair.second] = pair
            taken.add(pair.first)
    return list(found.values())


def leave_to_first(pairs: Iterable[Same]) -> Batch:
    """Return the batch that withdraws earthquakes of the EMSC, whose identifiers then lead to those of the USGS."""
    known = list(pairs)
    withdrawn = [Withdrawal(SECOND_EVENTS, (SECOND, pair.second)) for pair in known]
    return Batch((), withdrawn, renames=[Rename((), pair.second, pair.first) for pair in known])


def of_second(events: list[EarthquakeEvent]) -> Recall | None:
    """Return the recall that leaves earthquakes of the EMSC to these of the USGS; None without any."""
    if not events:
        return None
    since = min(event.event_date for event in events) - APART

    def merge(found: list[SecondEvent]) -> Batch:
        return leave_to_first(same(events, found))

    return Recall(SECOND_EVENTS, {"source": [SECOND]}, merge, after={"event_date": since})


def exclude_known(rows: list[SecondEvent]) -> Batch:
    """Return the batch of earthquakes of the EMSC, without those that the USGS lists."""
    since = min(row.event_date for row in rows) - APART
    return Batch(
        (), recalls=(Recall(EVENTS, {"source": [FIRST]}, partial(_exclude, rows), after={"event_date": since}),)
    )


def _exclude(rows: list[SecondEvent], found: list[EarthquakeEvent]) -> Batch:
    pairs = same(found, rows)
    known = {pair.second for pair in pairs}
    batch = leave_to_first(pairs)
    return batch._replace(rows=[(SECOND_EVENTS, row) for row in rows if row.event_id not in known])
