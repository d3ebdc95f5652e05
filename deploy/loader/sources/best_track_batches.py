"""Batches of whole storms from their best tracks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

from deploy.loader.records import storms as tables
from deploy.loader.records.storms import StormNode
from deploy.loader.records.target import Batch, Latest, Recall, Target
from deploy.loader.source import Findings, Rejected
from deploy.loader.storms.advisories import UNDER_WAY
from deploy.loader.storms.best_tracks import BestTrack, Fix
from deploy.loader.storms.disturbances import DISTURBANCE_STATUSES, GAP_HOURS
from deploy.loader.storms.identity import is_invest, merge_gdacs, rename_aliases
from deploy.loader.storms.people import packaged_gazetteer, with_people
from deploy.loader.storms.rows import observed_zones, storm_events, storm_nodes, storm_tracks, storm_zones
from deploy.loader.storms.shores import packaged_coast
from deploy.loader.storms.winds import select_one_agency

TARGETS = (
    tables.EVENTS,
    tables.TRACKS,
    tables.NODES,
    tables.ZONES,
    tables.DISTURBANCE_EVENTS,
    tables.DISTURBANCE_TRACKS,
    tables.DISTURBANCE_NODES,
    tables.DISTURBANCE_ZONES,
    tables.ADVISORY_ZONES,
)
LATEST = (tables.TRACKS, tables.NODES, tables.ZONES)
_STORMS_AT_ONCE = 50


def batches(fixes: Iterable[Fix], findings: Findings, *, source: str) -> Iterator[Batch]:
    """Yield batches of fixes sorted by system; of fixes of one time the last counts.

    `source` is the origin of the zones.

    Earlier data of a storm are replaced, including forecasts: a best track is made after the storm has ended. If
    advisories continue a day or more after the track's end, the track is that of an active storm and changes nothing. A
    forecast issued after its end stays.
    """
    waiting: list[BestTrack] = []
    seen: set[str] = set()
    for event_id, group in groupby(fixes, key=lambda fix: fix.event_id):
        by_time: dict[Any, Fix] = {}
        for fix in group:
            if fix.time in by_time:
                findings.duplicates.append(f"{event_id} {fix.time}")
            by_time[fix.time] = fix
        if event_id in seen:
            findings.rejected += [
                Rejected(f"{event_id} {time}", "its storm came before another one") for time in by_time
            ]
            continue
        seen.add(event_id)
        waiting.append(BestTrack(event_id, select_one_agency([by_time[time] for time in sorted(by_time)])))
        if len(waiting) == _STORMS_AT_ONCE:
            yield _batch(waiting, source)
            waiting = []
    if waiting:
        yield _batch(waiting, source)


def _batch(tracks: list[BestTrack], source: str) -> Batch:
    shores = packaged_coast()
    storms = [track for track in tracks if not is_invest(track.event_id)]
    stages = [
        BestTrack(track.event_id, fixes)
        for track in tracks
        if (fixes := [fix for fix in track.fixes if fix.status in DISTURBANCE_STATUSES or is_invest(track.event_id)])
    ]
    events = list(storm_events(storms))
    made: tuple[tuple[Target, Iterable[tuple[Any, ...]]], ...] = (
        (tables.EVENTS, events),
        (tables.TRACKS, storm_tracks(storms)),
        (tables.NODES, storm_nodes(storms, shores)),
        (tables.ZONES, with_people(storm_zones(storms, source=source), packaged_gazetteer())),
        (tables.ADVISORY_ZONES, with_people(observed_zones(storms, source=source), packaged_gazetteer())),
        (tables.DISTURBANCE_EVENTS, storm_events(stages, disturbances=True)),
        (tables.DISTURBANCE_TRACKS, storm_tracks(stages, gap_hours=GAP_HOURS)),
        (tables.DISTURBANCE_NODES, storm_nodes(stages, shores)),
        (
            tables.DISTURBANCE_ZONES,
            with_people(storm_zones(stages, gap_hours=GAP_HOURS, source=source), packaged_gazetteer()),
        ),
    )
    parts: list[tuple[Target, tuple[Any, ...]]] = []
    for target in LATEST:
        parts += [(target, (track.event_id, "analysed")) for track in tracks]
    for target in (tables.DISTURBANCE_TRACKS, tables.DISTURBANCE_NODES, tables.DISTURBANCE_ZONES):
        parts += [(target, (track.event_id, "analysed")) for track in tracks]
    ends = {track.event_id: track.fixes[-1].time for track in tracks}
    of_day = {event_id: end + UNDER_WAY for event_id, end in ends.items()}
    known = Latest(frozenset(TARGETS), tables.ADVISORY_NODES, "event_id", "advisory_time", of_day)
    expected = Recall(tables.NODES, {"event_id": list(ends), "kind": ["forecast"]}, partial(_withdraw_outdated, ends))
    recalls = (expected, *([merge_gdacs(events)] if events else []))
    rows = [(target, row) for target, found in made for row in found]
    renames = rename_aliases({track.event_id: track.aliases for track in tracks})
    return Batch(rows, (), parts, (known,), recalls, renames)


def _withdraw_outdated(ends: Mapping[str, datetime], expected: Sequence[StormNode]) -> Batch:
    """Withdraw forecasts of storms that were issued before the end of their tracks."""
    over = {row.event_id for row in expected if not row.advisory_time or row.advisory_time <= ends[row.event_id]}
    return Batch((), parts=[(target, (event_id, "forecast")) for target in LATEST for event_id in sorted(over)])
