"""Data versions: a token for each collection that changes when its committed rows do."""

import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import blake2b
from typing import Self

from libs.catalogue.model import Collection
from libs.concurrency.background import periodic
from libs.pg.pool import Database
from libs.pg.sql import sql

_LOG = logging.getLogger("dams.catalogue")

# Relations that are watched have their changes counted, exactly and transactionally, by triggers; the others
# fall back to the server's counters, which lag while the writing connection idles, and to the file number,
# which a TRUNCATE changes.
_COUNTERS = """
SELECT c.oid::bigint,
    concat_ws(
        '.', c.relfilenode, epoch.began,
        -- the functions, not the view: it computes much more, and this runs once a second
        pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid)
    ) AS version
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
    -- a crash or pg_stat_reset() sets the counters back: the same number must not come to mean other rows
    (SELECT concat_ws('.', extract(epoch FROM pg_postmaster_start_time()), extract(epoch FROM stats_reset)) AS began
     FROM pg_stat_database WHERE datname = current_database()) epoch
WHERE c.relkind IN ('r', 'm', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
"""
_WATCHED = "SELECT relation::bigint, version::text FROM dams.data_versions()"
_HAS_WATCHED = """
SELECT EXISTS (
    SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'dams' AND p.proname = 'data_versions'
      AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
)
"""
_SERVER = "SELECT concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time())"
_UNCOUNTED = ("function", "foreign table")


@dataclass(frozen=True, slots=True)
class DataVersion:
    """A state of a collection's rows."""

    token: str
    """Safe in an ETag, a cache key and an address."""
    since: datetime
    """When this process first knew of it, in whole seconds, rounded up; later than that of the version before."""
    http_date: str = ""
    """`since` as in `Last-Modified`."""


class DataVersions:
    """Polls the versions of all relations, once a second, for all requests together."""

    def __init__(self, database: Database, *, poll_seconds: float = 1.0) -> None:
        self._database = database
        self._poll_seconds = poll_seconds
        self._relations: Mapping[int, str] = {}
        self._known: dict[str, DataVersion] = {}
        self.server: str | None = None
        """Which server it is and since when it runs; None while that is unknown."""
        # answers since the last poll
        self._told: dict[str, tuple[Collection, DataVersion | None]] = {}
        self._polling = AsyncExitStack()

    async def __aenter__(self) -> Self:
        first = await self._polling.enter_async_context(periodic(self._poll, self._poll_seconds, name="versions"))
        await first.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._polling.aclose()

    def version(self, collection: Collection) -> DataVersion | None:
        """The collection's version, or None where it cannot be told (a function; the database is away)."""
        found = self._told.get(collection.id)
        if found is None or found[0] is not collection:
            found = self._told[collection.id] = (collection, self._version(collection))
        return found[1]

    def _version(self, collection: Collection) -> DataVersion | None:
        versions = [self._relations.get(oid) for oid in collection.sources]
        if collection.kind in _UNCOUNTED or not any(versions):
            return None
        text = f"{collection.oid}:{collection.shape}:{versions}"
        token = blake2b(text.encode(), digest_size=9).hexdigest()
        known = self._known.get(collection.id)
        if known is None or known.token != token:
            # Last-Modified counts seconds: two versions within one must not share it
            now = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
            since = now if known is None else max(now, known.since + timedelta(seconds=1))
            known = self._known[collection.id] = DataVersion(token, since, format_datetime(since, usegmt=True))
        return known

    async def _poll(self) -> None:
        try:
            self._relations, self._told = await relation_versions(self._database), {}
            self.server = await self._database.fetchval(sql(_SERVER))
        except Exception as error:
            # a version that may be old must not vouch for cached answers, whatever went wrong
            self._relations, self._told, self.server = {}, {}, None
            _LOG.warning("no data versions", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})


async def relation_versions(database: Database) -> dict[int, str]:
    """A text for each relation (oid) that changes when its rows do. Raises Unavailable."""
    relations = {row[0]: row[1] for row in await database.fetch(sql(_COUNTERS))}
    if await database.fetchval(sql(_HAS_WATCHED)):
        relations |= {row[0]: f"w{row[1]}" for row in await database.fetch(sql(_WATCHED))}
    return relations
