"""Batches of systems under investigation: the disturbances before they get the number of a storm.

Centres use the numbers 90 to 99 again and again within a year, so such a system is identified by its number and the
month and day of its first position: AL902026-0728.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from deploy.loader.records import storms as tables
from deploy.loader.records.storms import StormNode
from deploy.loader.records.target import Batch, Recall
from deploy.loader.sources.advisory_batches import batches
from deploy.loader.storms.advisories import Advisory

USED_AGAIN_AFTER = timedelta(days=4)
"""Time without a position after which a number belongs to another system."""
_NUMBER = 8
"""Length of a number such as AL902026."""


def invest_batches(advisories: Iterable[Advisory], centre: str) -> Iterator[Batch]:
    """Yield a batch that identifies the systems among the stored ones, and adds positions to them."""
    by_number: dict[str, dict[datetime, Advisory]] = {}
    for advisory in advisories:
        by_number.setdefault(advisory.event_id, {})[advisory.time] = advisory
    if not by_number:
        return
    found = {number: [of_time[time] for time in sorted(of_time)] for number, of_time in by_number.items()}
    first = min(each[0].time for each in found.values())
    where: dict[str, list[Any]] = {
        "kind": ["analysed"],
        "season": sorted({each[0].season for each in found.values()}),
    }
    after = {"valid_time": first - USED_AGAIN_AFTER}
    yield Batch((), recalls=(Recall(tables.DISTURBANCE_NODES, where, partial(_identify, found, centre), after=after),))


def _identify(found: Mapping[str, list[Advisory]], centre: str, stored: Sequence[StormNode]) -> Batch:
    lives: dict[str, list[datetime]] = {}
    for node in stored:
        lives.setdefault(node.event_id, []).append(node.valid_time)
    systems: dict[str, list[Advisory]] = {}
    for number, advisories in found.items():
        own = {event_id: times for event_id, times in lives.items() if event_id[:_NUMBER] == number}
        for advisory in advisories:
            event_id = _event_of(advisory, own)
            own.setdefault(event_id, []).append(advisory.time)
            systems.setdefault(event_id, []).append(_rename(advisory, event_id))
    ordered = [advisory for event_id in sorted(systems) for advisory in systems[event_id]]
    parts = list(batches(ordered, {}, complete=False, centre=centre))
    whole = Batch((), recalls=())
    for part in parts:
        whole = whole._replace(
            rows=[*whole.rows, *part.rows], parts=[*whole.parts, *part.parts], recalls=(*whole.recalls, *part.recalls)
        )
    return whole


def _event_of(advisory: Advisory, own: Mapping[str, list[datetime]]) -> str:
    """Return the system with this number that has a position at about the time, else a new one."""
    near = [
        (abs(time - advisory.time), event_id)
        for event_id, times in own.items()
        for time in times
        if abs(time - advisory.time) <= USED_AGAIN_AFTER
    ]
    return min(near)[1] if near else f"{advisory.event_id}-{advisory.time:%m%d}"


def _rename(advisory: Advisory, event_id: str) -> Advisory:
    analysed = advisory.analysed._replace(event_id=event_id) if advisory.analysed else None
    return advisory._replace(event_id=event_id, analysed=analysed)
