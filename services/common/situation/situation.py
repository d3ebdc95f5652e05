"""Read the features at the top of the landing page: after changes of their data, and once a minute."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

import orjson

from libs.catalogue.impacts import HAS_IMPACTS
from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.concurrency.background import periodic
from libs.ogc.errors import DomainError
from libs.pg.pool import Database
from services.common.introspection.bounded import TooSlowError, rows_within
from services.common.situation.asked import Asked
from services.common.situation.statement import columns_of, newest
from services.common.situation.topic import Told, Topic, entry_of

_STATEMENT_MS = 1000
_MINUTE = 60.0
"""Seconds between reads: active features also change with the clock."""
Wanted = tuple[Collection, Asked, object]
"""A collection, its selection, and the state that its rows depend on; None if unknown."""


@dataclass(frozen=True, slots=True)
class _Read:
    collection: Collection
    asked: Asked
    state: object
    at: float
    topic: Topic | None
    """None if nothing could be read, or there is no feature."""


class Situation:
    """The topics of the landing page. No request waits for the database."""

    def __init__(self, database: Database, wanted: Callable[[], Sequence[Wanted]], *, refresh_seconds: float) -> None:
        self._database = database
        self._wanted = wanted
        self._refresh_seconds = refresh_seconds
        self._read: Mapping[str, _Read] = {}
        self._reading = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._reading.enter_async_context(periodic(self.refresh, self._refresh_seconds, name="situation"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._reading.aclose()

    @property
    def topics(self) -> list[Topic]:
        """Return the topics in the order of the collections file."""
        return [read.topic for read in self._read.values() if read.topic is not None]

    async def refresh(self) -> None:
        """Read what is due. While the database is unavailable, the last result stays."""
        present: dict[str, _Read] = {}
        for collection, asked, state in self._wanted():
            before = self._read.get(collection.id)
            now = time.monotonic()
            due = before is None or (before.asked, before.state) != (asked, state) or now - before.at > _MINUTE
            if before is not None and not due:
                present[collection.id] = before
                continue
            try:
                topic = await self._topic(collection, asked)
            except DomainError:
                return
            present[collection.id] = _Read(collection, asked, state, now, topic)
        self._read = present

    async def _topic(self, collection: Collection, asked: Asked) -> Topic | None:
        """Return the current features, or the last ones. Raises Unavailable."""
        now = datetime.now(UTC).replace(microsecond=0)
        impacts = collection.column(EVENT_KEY) is not None and await self._database.fetchval(HAS_IMPACTS)
        try:
            for only_present in (True, False):
                statement = newest(collection, asked, now, only_present=only_present, impacts=impacts)
                rows = await rows_within(self._database, statement, _STATEMENT_MS, collection.id, "no situation")
                if rows:
                    since = f"{now - timedelta(days=asked.days):%Y-%m-%d}"
                    return Topic(asked, collection, rows[0][0], _entries_of(collection, rows), since)
        except TooSlowError:
            return None
        return None


def _entries_of(collection: Collection, rows: Sequence[tuple]) -> tuple[Told, ...]:  # type: ignore[type-arg]
    names = columns_of(collection)
    entries = []
    for _, x, y, headline, *values in rows:
        place = None if x is None or y is None else ((x + 540) % 360 - 180, y)
        impact = None if headline is None else orjson.loads(headline)
        entries.append(entry_of(collection, dict(zip(names, values, strict=True)), place, impact))
    return tuple(entries)
