"""Load sources until stopped, each at its rhythm.

Any number of processes may watch a source: one of them leads, by a lock that ends with its connection, and the others
try to get it from time to time. A manual `load` is possible at the same time.
"""

import asyncio
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import asyncpg

from deploy.loader.documents.fetching import FetchError, Patience
from deploy.loader.loading import Outcome, Request, load
from deploy.loader.places.packaged import SourceMissingError
from deploy.loader.schedule.metrics import (
    CHANGED,
    CHECKED,
    DELAY,
    ISSUED,
    LAST_READ,
    LAST_REJECTED,
    LEADING,
    LOADS,
    REJECTED,
    RHYTHM,
    ROWS,
    WITHHELD,
)
from deploy.loader.source import DocumentError, Source
from deploy.loader.store import bookkeeping
from deploy.loader.store.connection import connect
from deploy.loader.store.lock import BusyError, hold_lock

SHORTEST = timedelta(seconds=20)
_LONGEST_BACK_OFF = timedelta(hours=1)
_SOON = timedelta(minutes=1)
"""Pause after a first load that lacked rows of other sources."""
_CATCH_UP = timedelta(days=1)
"""Interval of catching up: then, and at the start, load all changes since the last success, including deletions."""
_OVERLAP = timedelta(days=7)
"""Age of data that publishers still revise and delete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """url: the database. say: reports each load. shortest: minimum time between two loads."""

    url: str
    say: Callable[[Source, Outcome], None]
    shortest: timedelta = SHORTEST
    patience: Patience | None = None


class _Quiet:
    def report_bytes(self, count: int, /) -> None:
        """Do nothing: there is no display."""

    def report_rows(self, rows: int, /) -> None:
        """Do nothing: there is no display."""


async def watch(sources: Sequence[Source], settings: Watch) -> None:
    """Run sources until cancelled; log failures and retry."""
    async with asyncio.TaskGroup() as tasks:
        for source in sources:
            tasks.create_task(_watch_one(source, settings), name=source.name)


async def _watch_one(source: Source, settings: Watch) -> None:
    rhythm = _rhythm(source, settings)
    RHYTHM.labels(source.name).set(rhythm.total_seconds())
    turns = _Turns()
    while True:
        try:
            async with (
                connect(settings.url, source.name) as connection,
                hold_lock(connection, f"watch {source.name}"),
            ):
                LEADING.labels(source.name).set(1)
                await _lead(connection, source, settings, turns)
        except BusyError:
            # another process leads; try again later
            turns.failures = 0
        except Exception as error:
            # a failure of one source must not end the watch of the others
            turns.report_failure(source, error)
        LEADING.labels(source.name).set(0)
        await asyncio.sleep(_pause(rhythm, turns.failures).total_seconds())


async def _lead(connection: asyncpg.Connection, source: Source, settings: Watch, turns: "_Turns") -> None:
    """Load until the connection is lost, and with it the lead."""
    rhythm = _rhythm(source, settings)
    while True:
        now = datetime.now(UTC)
        pause: timedelta | None = None
        since = now - _OVERLAP if source.catches_up and _is_due(turns.caught_up, now) else None
        try:
            outcome = await _load(connection, source, since, settings)
        except BusyError as error:
            # a manual load is running
            print(error, file=sys.stderr, flush=True)
        except (FetchError, DocumentError, SourceMissingError, asyncpg.PostgresError) as error:
            if connection.is_closed():
                raise
            turns.report_failure(source, error)
        else:
            turns.failures = 0
            turns.caught_up = now if since else turns.caught_up
            settings.say(source, outcome)
            if turns.is_first and (outcome.findings.waiting or outcome.findings.is_open):
                # all sources start together, and this one needs rows of another
                pause = min(rhythm, max(_SOON, settings.shortest))
            turns.is_first = False
        await asyncio.sleep((pause or _pause(rhythm, turns.failures)).total_seconds())


def _rhythm(source: Source, settings: Watch) -> timedelta:
    """Return how often the source is polled."""
    return max(min(source.asked or source.rhythm, source.rhythm), settings.shortest)


def _is_due(caught_up: datetime | None, now: datetime) -> bool:
    return caught_up is None or now - caught_up >= _CATCH_UP


@dataclass(slots=True)
class _Turns:
    """The results so far."""

    failures: int = 0
    is_first: bool = True
    caught_up: datetime | None = None

    def report_failure(self, source: Source, error: Exception) -> None:
        """Report and count a failure."""
        self.failures += 1
        LOADS.labels(source.name, "unreadable" if isinstance(error, DocumentError) else "failed").inc()
        print(f"{source.name}: error: {str(error) or type(error).__name__}", file=sys.stderr, flush=True)


async def _load(connection: asyncpg.Connection, source: Source, since: datetime | None, settings: Watch) -> Outcome:
    outcome = await load(connection, source, Request(since=since, patience=settings.patience), _Quiet())
    name = source.name
    LOADS.labels(name, "done" if outcome.is_modified else "unmodified").inc()
    ROWS.labels(name).inc(outcome.counts.changed)
    if outcome.is_modified:
        REJECTED.labels(name).inc(len(outcome.rejected))
        LAST_READ.labels(name).set(outcome.findings.read)
        LAST_REJECTED.labels(name).set(len(outcome.rejected))
        WITHHELD.labels(name).set(len(outcome.counts.withheld))
    state = (await bookkeeping.states(connection))[name]
    for gauge, time in ((CHECKED, state["checked"]), (CHANGED, state["changed"]), (ISSUED, state["issued"])):
        if time is not None:
            gauge.labels(name).set(time.timestamp())
    delay = bookkeeping.delay_of(state)
    if delay is not None:
        DELAY.labels(name).set(delay.total_seconds())
    return outcome


def _pause(rhythm: timedelta, failures: int) -> timedelta:
    """Return the time until the next load: a random tenth more or less spreads requests; failures double it."""
    longest = max(_LONGEST_BACK_OFF, rhythm)
    pause: timedelta = min(rhythm * 2.0 ** min(failures, 10), longest)
    return pause * random.uniform(0.9, 1.1)  # noqa: S311 - no secret
