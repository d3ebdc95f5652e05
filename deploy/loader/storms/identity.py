"""Which storms of several sources are the same, and which belong to the collections of disturbances.

Precedence: a best track, an advisory of a warning centre, GDACS. GDACS takes its storms from the warning centres, so it
only adds storms that no other source has.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import timedelta
from typing import Any

from deploy.loader.records import storms as tables
from deploy.loader.records.storms import StormEvent
from deploy.loader.records.target import Batch, Recall, Rename, Target
from deploy.loader.storms.best_tracks import Fix

GDACS = "GDACS"
STORM_TABLES = (tables.EVENTS, tables.TRACKS, tables.NODES, tables.ZONES)
DISTURBANCE_TABLES = (
    tables.DISTURBANCE_EVENTS,
    tables.DISTURBANCE_TRACKS,
    tables.DISTURBANCE_NODES,
    tables.DISTURBANCE_ZONES,
)
ALL_TABLES = (
    *STORM_TABLES,
    *DISTURBANCE_TABLES,
    tables.ADVISORY_TRACKS,
    tables.ADVISORY_NODES,
    tables.ADVISORY_ZONES,
)
POTENTIAL = "Potential Tropical Cyclone"
"""Status of a system that threatens land before it is a tropical cyclone."""
_Row = tuple[Target, tuple[Any, ...]]
_APART = timedelta(days=2)
"""Longest time between the lives of the same storm in two sources."""
_INVEST = re.compile(r"[A-Z]{2}9\d\d{4}(?:-\d{4})?\Z")
DISTURBANCE = "Disturbance"
"""First word of the status of a position of a system under investigation."""


def is_invest(event_id: str) -> bool:
    """Return whether an identifier is that of a system under investigation: 90 to 99, such as AL902017-0728."""
    return _INVEST.match(event_id) is not None


def is_disturbance(fix: Fix) -> bool:
    """Return whether a system is not, or not yet, a storm at a fix of an advisory."""
    status = (fix.status or "").casefold()
    return is_invest(fix.event_id) or status == POTENTIAL.casefold() or status.startswith(DISTURBANCE.casefold())


def is_same(one: StormEvent, other: StormEvent) -> bool:
    """Return whether two events are the same storm: same name and season, and lives at most two days apart."""
    return (
        one.name is not None
        and other.name is not None
        and one.name.casefold() == other.name.casefold()
        and one.season == other.season
        and one.start_date <= other.end_date + _APART
        and other.start_date <= one.end_date + _APART
    )


def merge_gdacs(events: Sequence[StormEvent]) -> Recall:
    """Return the recall that merges events of GDACS with the same storms of another source."""

    def merge(found: Sequence[StormEvent]) -> Batch:
        renames = [
            Rename(ALL_TABLES, old.event_id, event.event_id)
            for old in found
            for event in events
            if old.event_id != event.event_id and is_same(old, event)
        ]
        return Batch((), renames=renames)

    seasons = sorted({event.season for event in events})
    return Recall(tables.EVENTS, {"source": [GDACS], "season": seasons}, merge)


def rename_aliases(aliases: Mapping[str, Iterable[str]]) -> list[Rename]:
    """Return the renames of other identifiers, by event."""
    return [
        Rename((*STORM_TABLES, *DISTURBANCE_TABLES), alias, event_id)
        for event_id, others in aliases.items()
        for alias in others
    ]


def as_disturbances(rows: Iterable[_Row]) -> list[_Row]:
    """Return rows of storms as rows of the tables of disturbances, which have the same columns."""
    tables_of = dict(zip(STORM_TABLES, DISTURBANCE_TABLES, strict=True))
    return [(tables_of.get(target, target), values) for target, values in rows]


def rows_of_storms(rows: Iterable[_Row], disturbances: Set[str]) -> Iterator[_Row]:
    """Yield rows of storms, those of some events as rows of the tables of disturbances."""
    for target, values in rows:
        yield from as_disturbances([(target, values)]) if values[0] in disturbances else [(target, values)]
