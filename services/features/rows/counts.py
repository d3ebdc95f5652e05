"""Exact numbers of matching rows, counted once per data version and filter."""

import asyncio

from cachetools import LRUCache
from prometheus_client import Counter

from libs.catalogue.versions import DataVersions
from libs.concurrency.single_flight import SingleFlight
from libs.ogc.errors import DomainError
from libs.pg.pool import Database
from libs.pg.shares import Shares
from libs.selection.selection import Selection
from services.features.rows.items_sql import count_statement

_MOST_CACHED = 4096
_LOOKUPS = Counter(
    "dams_count_cache_lookups_total", "Counts of features looked for in the memory of the process", ["result"]
)


class Counts:
    """Counts selections within a time budget."""

    def __init__(
        self, database: Database, versions: DataVersions, *, seconds: float, at_once: int, of_collection: int = 0
    ) -> None:
        """`seconds` is the budget. `at_once` limits concurrent counts, so that connections are left for pages.

        `of_collection` limits the concurrent counts of one collection.
        """
        self._database = database
        self._versions = versions
        self._seconds = seconds
        self._turns = asyncio.Semaphore(at_once)
        self._turns_of = Shares(of_collection or at_once, wait_seconds=seconds)
        self._known: LRUCache[str, int] = LRUCache(_MOST_CACHED)
        self._counting: SingleFlight[int] = SingleFlight()

    async def close(self) -> None:
        """Cancel running counts."""
        await self._counting.close()

    def recall(self, selection: Selection, fingerprint: str) -> int | None:
        """Return the number of rows if it is known for this data version."""
        return self._known.get(self.key(selection, fingerprint))

    def learn(self, selection: Selection, fingerprint: str, key: str, number: int) -> None:
        """Store a number found by reading all rows; `key` is the count's key from before the read."""
        version = self._versions.version(selection.collection)
        # do not store it if the rows changed during or before the read
        if version is not None and self.key(selection, fingerprint) == key:
            self._known[key] = number

    async def count(self, selection: Selection, fingerprint: str) -> int | None:
        """Return the number of rows; None if counting exceeds the budget.

        A count that exceeds the budget continues, and serves later requests.
        """
        known = self.recall(selection, fingerprint)
        _LOOKUPS.labels("miss" if known is None else "hit").inc()
        if known is not None:
            return known
        key = self.key(selection, fingerprint)
        try:
            async with asyncio.timeout(self._seconds):
                return await self._counting.do(key, lambda: self._count(selection, fingerprint, key))
        except (TimeoutError, DomainError):
            return None

    def key(self, selection: Selection, fingerprint: str) -> str:
        """Return the key of the number at this data version."""
        version = self._versions.version(selection.collection)
        return f"{version.token if version else ''}:{fingerprint}"

    async def _count(self, selection: Selection, fingerprint: str, key: str) -> int:
        # a count that gets no turn within the budget is dropped: its request no longer waits
        collection = selection.collection.id
        await self._turns_of.enter(collection)
        try:
            async with asyncio.timeout(self._seconds):
                await self._turns.acquire()
            try:
                number = int(await self._database.of(collection).fetchval(count_statement(selection)))
            finally:
                self._turns.release()
        finally:
            self._turns_of.leave(collection)
        self.learn(selection, fingerprint, key, number)
        return number
