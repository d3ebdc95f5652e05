"""The features that changed, if the program that changed them records their names: the live data loader does."""

import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions
from libs.ogc.errors import DomainError
from libs.pg.pool import Database
from libs.pg.sql import bind, sql

MOST_ITEMS = 100
"""Maximum number of features in an event; if more changed, the event says that it is incomplete."""

_LOG = logging.getLogger("dams.changes")
_PAUSE_SECONDS = 60.0
_KEY = "id"
"""Column of recorded tables whose values are the ids of the changed features."""
_HAS = sql(
    "SELECT count(*) > 0 AS has FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
    "WHERE n.nspname = 'dams' AND p.proname = 'changed_items' "
    "AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')"
)
_LOOK = """
WITH named AS (
    SELECT * FROM dams.changed_items(coalesce({since}::pg_snapshot, pg_current_snapshot()))
), of_each AS (
    SELECT relation, count(DISTINCT txid) AS transactions, bool_or(item IS NULL) AS unnamed,
        (array_agg(item) FILTER (WHERE item IS NOT NULL))[:{most}] AS items,
        (array_agg(action) FILTER (WHERE item IS NOT NULL))[:{most}] AS actions
    FROM named GROUP BY relation
)
SELECT pg_current_snapshot()::text AS snapshot, v.relation::bigint AS oid, v.version,
    coalesce(e.transactions, 0) AS transactions, coalesce(e.unnamed, false) AS unnamed,
    coalesce(e.items, '{{}}') AS items, coalesce(e.actions, '{{}}') AS actions
FROM dams.data_versions() v LEFT JOIN of_each e USING (relation)
"""


@dataclass(frozen=True, slots=True)
class Items:
    """Ids of features with their kind of change (create, update, delete); all changes, or some of them."""

    actions: tuple[tuple[str, str], ...]
    is_complete: bool


class ChangedItems:
    """The changes between two reads.

    A read is one statement, so that all of it is from one moment: versions, names, and the snapshot where the next
    starts.
    """

    def __init__(self, database: Database, versions: DataVersions) -> None:
        self._database, self._versions = database, versions
        # from the last read: its snapshot and the versions of relations; None before the first
        self._snapshot: str | None = None
        self._known: Mapping[int, int] = {}
        self._ask_again = 0.0

    @property
    def has_begun(self) -> bool:
        """Whether changes from now on can be reported."""
        return self._snapshot is not None

    async def begin(self) -> None:
        """Read for the first time, if the database records names; this is checked each minute.

        `versions` read after this call are at least as new as this read.
        """
        if time.monotonic() < self._ask_again:
            return
        self._ask_again = time.monotonic() + _PAUSE_SECONDS
        try:
            (found,) = await self._database.fetch(_HAS)
            if found["has"]:
                await self._look()
                if not await self._versions.look_again():
                    self._snapshot = None
        except DomainError as error:
            self._forget(error)

    async def read(self, changed: Iterable[Collection]) -> dict[str, Items]:
        """Return the known changes in these collections since the last read, by collection."""
        if self._snapshot is None:
            return {}
        before = self._known
        try:
            rows = await self._look()
        except DomainError as error:
            self._forget(error)
            return {}
        return {
            collection.id: items
            for collection in changed
            if collection.kind == "table" and collection.key == _KEY and collection.sources == (collection.oid,)
            if (items := _items(rows.get(collection.oid), before.get(collection.oid))) is not None
        }

    async def _look(self) -> dict[int, Any]:
        since = self._snapshot
        rows = await self._database.fetch(sql(_LOOK, since=bind(since, "text"), most=bind(MOST_ITEMS + 1, "integer")))
        self._snapshot = rows[0]["snapshot"] if rows else None
        self._known = {row["oid"]: row["version"] for row in rows}
        return {row["oid"]: row for row in rows}

    def _forget(self, error: Exception) -> None:
        _LOG.warning("changed features are not named", extra={"fields": {"cause": str(error)}})
        self._snapshot = None


def _items(row: Any, before: int | None) -> Items | None:
    if row is None or before is None or not row["transactions"]:
        return None
    # each transaction that changes a table adds one to its version, whether it records names or not
    is_complete = (
        row["version"] - before == row["transactions"] and not row["unnamed"] and len(row["items"]) <= MOST_ITEMS
    )
    actions = tuple(zip(row["items"][:MOST_ITEMS], row["actions"], strict=False))
    return Items(actions, is_complete) if actions else None
