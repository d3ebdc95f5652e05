"""Number of rows of collections: counted after changes, within limits, never guessed."""

import time
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace

from libs.catalogue.model import Collection
from libs.pg.pool import Database
from libs.pg.sql import bind, ident, join, sql
from services.common.introspection.bounded import TooSlowError, pause_after, rows_within
from services.common.introspection.extents_sql import SMALL

_BATCH = 100
_MANY = 1_000_000
"""Number of rows of a table that can usually be counted in a quarter of a second."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """A count, made in the given state of the collection's relations or later."""

    state: object
    at: float
    seconds: float
    number: int | None
    """None if it took too long, or failed."""
    failures: int = 0
    """Number of its own counts in a row that gave no number."""


class RowCounts:
    """Counts rows of collections that have change tracking.

    Small ones are counted together, others separately. A count that exceeds `statement_ms` has no result. After
    `round_seconds` no further count starts; the others follow in the next round.
    """

    def __init__(
        self,
        database: Database,
        *,
        statement_ms: int = 250,
        round_seconds: float = 0.25,
        least_seconds: float = 3.0,
    ) -> None:
        self._database = database
        self._statement_ms = statement_ms
        self._round_seconds = round_seconds
        self._least_seconds = least_seconds
        self._known: dict[str, _Counted] = {}
        # by id: the original, and the collection with its count
        self._filled: dict[str, tuple[Collection, Collection]] = {}

    async def fill_in(
        self, collections: tuple[Collection, ...], states: Mapping[str, object], locked: Set[str] = frozenset()
    ) -> tuple[Collection, ...]:
        """Return the collections with `item_count`, None if unknown. Raises Unavailable.

        `states` has by id the state that the rows depend on, for collections with known changes; for others, no count
        would stay right. Collections with an id in `locked` cannot be read.
        """
        counted = {collection.id: collection for collection in collections if collection.id in states}
        self._known = {identifier: known for identifier, known in self._known.items() if identifier in counted}
        started = time.monotonic()
        due = [
            collection
            for collection in counted.values()
            if collection.id not in locked and self._is_due(collection, states[collection.id], started)
        ]
        # never-counted collections first, then the least recently counted
        due.sort(key=lambda collection: known.at if (known := self._known.get(collection.id)) else float("-inf"))
        small = [collection for collection in due if self._is_small(collection)]
        batches = [small[start : start + _BATCH] for start in range(0, len(small), _BATCH)]
        batches += [[collection] for collection in due if not self._is_small(collection)]
        for batch in batches:
            if time.monotonic() - started > self._round_seconds:
                break
            await self._count(batch, states)
        self._filled = {collection.id: self._with(collection, states.get(collection.id)) for collection in collections}
        return tuple(self._filled[collection.id][-1] for collection in collections)

    def _is_due(self, collection: Collection, state: object, now: float) -> bool:
        if (collection.rows or 0) > _MANY:
            return False
        known = self._known.get(collection.id)
        if known is None:
            return True
        pause = pause_after(known.seconds, known.failures, self._least_seconds)
        return (known.state != state or known.number is None) and now - known.at > pause

    def _is_small(self, collection: Collection) -> bool:
        known = self._known.get(collection.id)
        failed = known is not None and known.number is None
        is_table = collection.kind in ("table", "materialized view", "partitioned table")
        return is_table and not failed and (collection.rows or 0) * (collection.row_bytes or 0) <= SMALL

    async def _count(self, batch: Sequence[Collection], states: Mapping[str, object]) -> None:
        union = join(
            " UNION ALL ",
            [
                sql(
                    "SELECT {at}, count(*) FROM {table}",
                    at=bind(at, "int4"),
                    table=ident(collection.schema, collection.name),
                )
                for at, collection in enumerate(batch)
            ],
        )
        begun = time.monotonic()
        numbers: dict[int, int | None] = {}
        # if a batch fails, each of its collections is counted separately in the next round
        with suppress(TooSlowError):
            numbers = dict(await rows_within(self._database, union, self._statement_ms, batch[0].id, "no count"))
        ended = time.monotonic()
        seconds = ended - begun if len(batch) == 1 else 0.0
        for at, collection in enumerate(batch):
            state = states[collection.id] if len(batch) == 1 or numbers else None
            before = self._known.get(collection.id)
            failures = (before.failures if before else 0) + 1 if len(batch) == 1 and not numbers else 0
            self._known[collection.id] = _Counted(state, ended, seconds, numbers.get(at), failures)

    def _with(self, collection: Collection, state: object) -> tuple[Collection, Collection]:
        known = self._known.get(collection.id)
        # a count of another state would be wrong
        number = known.number if known is not None and known.state == state else None
        before = self._filled.get(collection.id)
        if before is not None and before[0] is collection and before[1].item_count == number:
            # the same object until a count changes
            return before
        return collection, collection if collection.item_count == number else replace(collection, item_count=number)
