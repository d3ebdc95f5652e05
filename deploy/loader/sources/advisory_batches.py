"""Batches of storms from their advisories: all advisories, and the latest forecast."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from deploy.loader.records import storms as tables
from deploy.loader.records.storms import AdvisoryNode, StormNode, StormTrack
from deploy.loader.records.target import Batch, Latest, Recall, Rename, Target
from deploy.loader.storms.advisories import (
    Advisory,
    advisory_nodes,
    advisory_tracks,
    advisory_zones,
    forecast_nodes,
    forecast_tracks,
    forecast_zones,
)
from deploy.loader.storms.best_tracks import BestTrack, Fix, twelve
from deploy.loader.storms.development import APART, match_storms
from deploy.loader.storms.identity import (
    ALL_TABLES,
    DISTURBANCE_TABLES,
    GDACS,
    STORM_TABLES,
    as_disturbances,
    is_disturbance,
    is_invest,
    merge_gdacs,
    rows_of_storms,
)
from deploy.loader.storms.people import packaged_gazetteer, with_people
from deploy.loader.storms.rows import storm_events, storm_nodes, storm_tracks, storm_zones
from deploy.loader.storms.shores import packaged_coast

ADVISED = (tables.ADVISORY_TRACKS, tables.ADVISORY_NODES, tables.ADVISORY_ZONES)
LATEST = (tables.TRACKS, tables.NODES, tables.ZONES)
_DISTURBANCES_LATEST = DISTURBANCE_TABLES[1:]
_ALL_LATEST = frozenset({*STORM_TABLES, *DISTURBANCE_TABLES})
_ADVISORIES_AT_ONCE = 500
"""Advisories per transaction, about 10,000 rows: the fixed cost of a transaction is small compared with them."""


class Storm(NamedTuple):
    """A storm and its advisories, in order of time."""

    event_id: str
    advisories: list[Advisory]


def batches(
    ordered: Iterable[Advisory], newest: Mapping[str, Advisory], *, complete: bool, centre: str
) -> Iterator[Batch]:
    """Yield batches of whole storms from advisories by storm and time; `newest` has those of active storms by id.

    complete: whether these are all advisories of their storms; else stored ones are part of their tracks.
    centre: the warning centre, as the source of zones.
    """
    waiting: list[Storm] = []
    for event_id, group in groupby(ordered, key=lambda advisory: advisory.event_id):
        waiting.append(Storm(event_id, list(group)))
        if sum(len(storm.advisories) for storm in waiting) >= _ADVISORIES_AT_ONCE:
            yield _batch(waiting, newest, complete=complete, centre=centre)
            waiting = []
    if waiting:
        yield _batch(waiting, newest, complete=complete, centre=centre)


def _batch(storms: Sequence[Storm], newest: Mapping[str, Advisory], *, complete: bool, centre: str) -> Batch:
    shores = packaged_coast()
    advisories = [advisory for storm in storms for advisory in storm.advisories]
    ahead = [newest[storm.event_id] for storm in storms if storm.event_id in newest]
    made: tuple[tuple[Target, Iterable[tuple[Any, ...]]], ...] = (
        (tables.ADVISORY_TRACKS, advisory_tracks(advisories)),
        (tables.ADVISORY_NODES, advisory_nodes(advisories, shores)),
        (tables.ADVISORY_ZONES, with_people(advisory_zones(advisories), packaged_gazetteer())),
        (tables.TRACKS, forecast_tracks(ahead)),
        (tables.NODES, forecast_nodes(ahead, shores)),
        (tables.ZONES, with_people(forecast_zones(ahead), packaged_gazetteer())),
    )
    rows = [(target, row) for target, found in made for row in found]
    potential = {each.event_id for each in ahead if each.analysed and is_disturbance(each.analysed)}
    rows = [*rows_of_storms(rows, potential)]
    parts: list[tuple[Target, tuple[Any, ...]]] = [
        (target, (advisory.event_id, advisory.time)) for target in ADVISED for advisory in advisories
    ]
    parts += [(target, (storm.event_id, "forecast")) for target in (*LATEST, *_DISTURBANCES_LATEST) for storm in storms]
    lives = {storm.event_id: _life(storm, ()) for storm in storms}
    recalls: tuple[Recall, ...] = ()
    if complete:
        life = _lives((fixes for event_id, fixes in lives.items() if event_id in newest), centre)
        rows += life.rows
        parts += life.parts
    else:
        recalls = (_recall_disturbances(storms, centre),)
    issued = {storm.event_id: max(advisory.time for advisory in storm.advisories) for storm in storms}
    known = (Latest(_ALL_LATEST, tables.ADVISORY_NODES, "event_id", "advisory_time", issued), _skip_known(issued))
    return Batch(rows, (), parts, known, recalls)


def _life(storm: Storm, kept: Iterable[Fix]) -> list[Fix]:
    """Return the positions of a storm in order of time: those of its advisories, then kept ones, then past ones."""
    fixes = [fix for advisory in storm.advisories for fix in advisory.past]
    fixes += kept
    fixes += [advisory.analysed for advisory in storm.advisories if advisory.analysed]
    by_time = {fix.time: fix for fix in fixes}
    return [by_time[time] for time in sorted(by_time)]


def _recall_disturbances(storms: Sequence[Storm], centre: str) -> Recall:
    """Return the recall that finds the disturbances from which storms developed, and then their stored positions."""
    times = [fix.time for storm in storms for fix in _life(storm, ())]
    seasons = sorted({advisory.season for storm in storms for advisory in storm.advisories})
    after = {"valid_time": min(times, default=datetime.max.replace(tzinfo=UTC)) - APART}
    where: dict[str, list[Any]] = {"kind": ["analysed"], "season": seasons}
    return Recall(tables.DISTURBANCE_NODES, where, partial(_rename_disturbances, storms, centre), after=after)


def _rename_disturbances(storms: Sequence[Storm], centre: str, found: Sequence[StormNode]) -> Batch:
    """Give disturbances the numbers of their storms; their old identifiers lead to these."""
    numbered = {storm.event_id: _life(storm, ()) for storm in storms if not is_invest(storm.event_id)}
    became = match_storms(numbered, found)
    renames = [Rename(ALL_TABLES, old, new) for old, new in became.items()]
    where = {"event_id": [*(storm.event_id for storm in storms), *became], "kind": ["analysed"]}
    recalls = (Recall(tables.ADVISORY_NODES, where, partial(_merge_stored_fixes, storms, centre, became)),)
    return Batch((), renames=renames, recalls=recalls)


def _merge_stored_fixes(
    storms: Sequence[Storm], centre: str, became: Mapping[str, str], kept: Sequence[AdvisoryNode]
) -> Batch:
    """Merge the fixes of storms that got new advisories with the stored ones."""
    before: dict[str, list[Fix]] = {}
    for node in kept:
        if node.source == GDACS:
            # positions of GDACS, from before both were identified as the same storm
            continue
        event_id = became.get(node.event_id, node.event_id)
        before.setdefault(event_id, []).append(_fix(node)._replace(event_id=event_id))
    return _lives((_life(storm, before.get(storm.event_id, ())) for storm in storms), centre)


def _fix(node: AdvisoryNode) -> Fix:
    radii = [getattr(node, f"{quadrant}{wind}_nm") for wind in (34, 50, 64) for quadrant in ("ne", "se", "sw", "nw")]
    return Fix(
        event_id=node.event_id,
        season=node.season,
        basin=node.basin,
        time=node.valid_time,
        longitude=node.geom.x,
        latitude=node.geom.y,
        wind_kt=node.wind_kt,
        pressure_hpa=node.pressure_hpa,
        status=node.status,
        # the centre, without the number and time of the advisory
        source=node.source.partition(",")[0],
        name=node.name,
        gust_kt=node.gust_kt,
        radii=twelve(radii),
        wind_minutes=node.wind_minutes,
        wind_agency=node.wind_agency,
    )


def _lives(fixes: Iterable[list[Fix]], centre: str) -> Batch:
    """Return the rows of storms with these positions, and what they replace, unless a best track is longer."""
    lives = [BestTrack(each[0].event_id, each) for each in fixes if each]
    storms = [life for life in lives if not all(map(is_disturbance, life.fixes))]
    stages = [BestTrack(life.event_id, early) for life in lives if (early := [*filter(is_disturbance, life.fixes)])]
    events = list(storm_events(storms))
    rows: list[tuple[Target, tuple[Any, ...]]] = [(tables.EVENTS, event) for event in events]
    rows += _rows_of_lives(storms, centre)
    rows += [(tables.DISTURBANCE_EVENTS, event) for event in storm_events(stages, disturbances=True)]
    rows += as_disturbances(_rows_of_lives(stages, centre))
    parts = [(target, (life.event_id, "analysed")) for target in (*LATEST, *_DISTURBANCES_LATEST) for life in lives]
    until = _skip_known({life.event_id: life.fixes[-1].time for life in lives})
    return Batch(rows, parts=parts, latest=(until,), recalls=(merge_gdacs(events),) if events else ())


def _rows_of_lives(lives: Sequence[BestTrack], centre: str) -> list[tuple[Target, tuple[Any, ...]]]:
    """Return the rows of tracks, nodes and zones."""
    made: tuple[tuple[Target, Iterable[tuple[Any, ...]]], ...] = (
        (tables.TRACKS, storm_tracks(lives)),
        (tables.NODES, storm_nodes(lives, packaged_coast())),
        (
            tables.ZONES,
            with_people(storm_zones(lives, source=f"{centre}, derived from wind radii"), packaged_gazetteer()),
        ),
    )
    return [(target, row) for target, found in made for row in found]


def _skip_known(times: Mapping[str, datetime]) -> Latest:
    """Return the rule that skips a storm whose known track continues after its time: then a best track has more."""
    return Latest(_ALL_LATEST, tables.EVENTS, "event_id", "end_date", times)


def withdraw_inactive(active: frozenset[str], centre: str) -> Batch:
    """Withdraw the centre's forecasts of storms that are no longer active."""

    def withdraw(expected: Sequence[StormTrack]) -> Batch:
        ended = {row.event_id for row in expected if row.source.startswith(centre)} - active
        targets = (*LATEST, *_DISTURBANCES_LATEST)
        return Batch((), parts=[(target, (event_id, "forecast")) for target in targets for event_id in sorted(ended)])

    forecast = {"kind": ["forecast"]}
    tracks = (tables.TRACKS, tables.DISTURBANCE_TRACKS)
    return Batch((), recalls=tuple(Recall(target, forecast, withdraw, absence=True) for target in tracks))
