"""Data versions: a token for each collection that changes when its committed rows do."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import blake2b
from typing import Self

from prometheus_client import Gauge

from libs.catalogue.database_state import DatabaseState, DatabaseStates
from libs.catalogue.model import Collection
from libs.concurrency.background import periodic
from libs.ogc.temporal import parse_instant
from libs.pg.pool import Database
from libs.pg.replicas import Rotation

_LOG = logging.getLogger("dams.catalogue")
_AGAIN_SECONDS = 0.2
"""Seconds between polls just after losing the database: requests wait for it."""
_MOST_WAITING = 1000
_READ = Gauge("dams_data_versions_timestamp_seconds", "When the versions of all data were last read")
_UNCOUNTED = ("function", "foreign table")


@dataclass(frozen=True, slots=True)
class DataVersion:
    """A state of a collection's rows."""

    token: str
    """Safe in an ETag, a cache key and an address."""
    since: datetime
    """Time when this process first saw it, in whole seconds, rounded up; later than that of the previous version."""
    http_date: str = ""
    """`since` in the format of `Last-Modified`."""
    exact: bool = False
    """Whether each commit that fires triggers changes the version at once.

    This holds for watched tables and materialised views. Counters are late, and so is the version after a write that
    fires no trigger. Views and policies also depend on definitions, which the catalogue follows some seconds later.
    """


class DataVersions:
    """The versions of all collections, as of the last poll: one statement per second for all requests together.

    `database` should have its own connection for polls: cached responses are served even if all others are in use. If a
    poll fails, the versions stay valid for `grace_seconds`, and not longer for any cause. With a `rotation`, a poll
    admits the replicas that have all of its changes at the moment when its versions take effect.
    """

    def __init__(
        self,
        database: Database,
        rotation: Rotation | None = None,
        *,
        poll_seconds: float = 1.0,
        grace_seconds: float = 4.0,
    ) -> None:
        self._database, self._rotation = database, rotation
        self._states = DatabaseStates(database)
        # when a collection was first seen in this shape, and when the last successful poll began
        self._shapes: dict[str, tuple[tuple[object, ...], float]] = {}
        self._polled = 0.0
        self._poll_seconds = poll_seconds
        self._trusted_seconds = poll_seconds + grace_seconds
        self._trusted_until = 0.0
        self._failed = False
        # None before the first poll
        self._state: DatabaseState | None = None
        # the versions in the state of the last poll, as far as requested
        self._current: dict[str, tuple[Collection, DataVersion | None]] = {}
        # the latest version of each collection, which remembers its first sighting
        self._latest: dict[str, DataVersion] = {}
        self._polling = AsyncExitStack()
        # futures of the requests that wait for the next poll
        self._waiting: list[asyncio.Future[bool]] = []
        self._held_up = 0

    async def __aenter__(self) -> Self:
        first = await self._polling.enter_async_context(periodic(self._poll, self._pause, name="data versions"))
        await first.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._polling.aclose()

    @property
    def server(self) -> str | None:
        """Identifies the server and its start time; None while unknown."""
        return self._state.server if self._state and time.monotonic() < self._trusted_until else None

    @property
    def _replicas_are_read(self) -> bool:
        return self._rotation is not None and bool(self._rotation.admitted)

    async def health(self) -> str | None:
        """Return the fault of the database, or None. With replicas, an unavailable primary is not a fault."""
        return None if self._replicas_are_read else await self._database.health()

    @property
    def trouble(self) -> str | None:
        """Return the fault of the primary while replicas are read, or None."""
        is_away = self._replicas_are_read and self.server is None
        return "database: no answer of the primary; replicas are read" if is_away else None

    async def look_again(self) -> bool:
        """Wait for the end of a poll that begins after this call; return whether it succeeded."""
        waiting: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return await waiting

    async def wait_for_restart(self) -> bool:
        """Wait for a database that was just lost; return whether it is back and its versions are known.

        Returns False at once if it has been unavailable for too long, or too many requests wait for it.
        """
        seconds = self._trusted_until - time.monotonic()
        if seconds <= 0 or self._held_up >= _MOST_WAITING:
            return False
        self._held_up += 1
        try:
            async with asyncio.timeout(seconds):
                while not await self.look_again():
                    pass
        except TimeoutError:
            return False
        finally:
            self._held_up -= 1
        return True

    def version(self, collection: Collection) -> DataVersion | None:
        """Return the collection's version; None if unknown (for a function; while the database is unavailable)."""
        if time.monotonic() >= self._trusted_until:
            return None
        if collection.past is not None:
            return self._past_version(collection, parse_instant(collection.past))
        return self._current_version(collection, collection.id, collection.sources)

    def is_settled(self, collection: Collection) -> bool:
        """Return whether its rows never change: those of a time before all transactions that are running."""
        if collection.past is None or self._state is None or time.monotonic() >= self._trusted_until:
            return False
        settled = self._state.settled
        return settled is not None and parse_instant(collection.past) < settled

    def of_features(self, collection: Collection) -> DataVersion | None:
        """The version of the collection's features: of its rows, and of the products that their properties lead to."""
        return self._with(collection, collection.product_source)

    def of_impacts(self, collection: Collection) -> DataVersion | None:
        """The version of the collection's features with the impacts of their events, as feeds and alerts have them."""
        return self._with(collection, collection.impact_source)

    def _with(self, collection: Collection, impacts: int | None) -> DataVersion | None:
        """The version of a collection's rows and of another relation; of its rows alone without one."""
        if impacts is None:
            return self.version(collection)
        if time.monotonic() >= self._trusted_until:
            return None
        # as no collection is called
        return self._current_version(collection, f"{collection.id}\0impacts", (*collection.sources, impacts))

    def _current_version(self, collection: Collection, name: str, sources: Sequence[int]) -> DataVersion | None:
        found = self._current.get(name)
        if found is None or found[0] is not collection:
            found = self._current[name] = (collection, self._version(collection, name, sources))
        return found[1]

    def _past_version(self, collection: Collection, moment: datetime) -> DataVersion | None:
        if self._state is None or not self.is_settled(collection):
            # like the present rows, but not exact; not cached, as each time has a collection
            return self._version(collection, f"{collection.id}\0past", collection.sources)
        text = f"{self._state.identity}:{collection.oid}:{collection.shape}:past:{self._state.software}"
        token = blake2b(text.encode(), digest_size=9).hexdigest()
        since = moment.replace(microsecond=0) + timedelta(seconds=1)
        return DataVersion(token, since, format_datetime(since, usegmt=True), exact=True)

    def _version(self, collection: Collection, name: str, sources: Sequence[int]) -> DataVersion | None:
        if self._state is None or collection.kind in _UNCOUNTED or not self._is_replayed(collection):
            return None
        # a view is among its own sources, and has no rows
        versions = [self._state.relations.get(oid, "") for oid in sources]
        if None in versions or not any(versions):
            return None
        # oids and versions are only unique within one history of one database, and caches outlive it; an upgrade of
        # PostGIS or PROJ changes the bytes made from the same rows
        text = f"{self._state.identity}:{collection.oid}:{collection.shape}:{versions}:{self._state.software}"
        token = blake2b(text.encode(), digest_size=9).hexdigest()
        latest = self._latest.get(name)
        if latest is None or latest.token != token:
            # Last-Modified counts seconds: two versions within one second must not share it
            now = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
            since = now if latest is None else max(now, latest.since + timedelta(seconds=1))
            exact = _is_exact(collection, [version for version in versions if version])
            date = format_datetime(since, usegmt=True)
            latest = self._latest[name] = DataVersion(token, since, date, exact)
        return latest

    def _is_replayed(self, collection: Collection) -> bool:
        """Return whether a definition from the catalogue existed before the poll that admitted the replicas."""
        if self._rotation is None:
            return True
        shape = (collection.oid, collection.shape)
        known = self._shapes.get(collection.id)
        if known is None or known[0] != shape:
            known = self._shapes[collection.id] = (shape, time.monotonic())
        return known[1] < self._polled

    def _pause(self) -> float:
        has_just_gone = self._failed and time.monotonic() < self._trusted_until
        return min(_AGAIN_SECONDS, self._poll_seconds) if has_just_gone else self._poll_seconds

    async def _poll(self) -> None:
        started = time.monotonic()
        waiting, self._waiting = self._waiting, []
        found = False
        try:
            state = await self._states.read()
            admitted = await self._rotation.look(self._database, state.server) if self._rotation else frozenset()
        except Exception as error:
            _LOG.warning("no data versions", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
            if self._rotation is not None:
                self._rotation.admit(await self._rotation.look_alone())
        else:
            if self._rotation is not None:
                self._rotation.admit(admitted)
            self._state, self._current = state, {}
            self._polled = started
            self._trusted_until = started + self._trusted_seconds
            found = True
            _READ.set_to_current_time()
        finally:
            self._failed = not found
            for each in waiting:
                if not each.done():
                    each.set_result(found)


def _is_exact(collection: Collection, versions: Sequence[str]) -> bool:
    if collection.kind == "materialized view":
        # only REFRESH changes its rows, and that rewrites its catalogue entry, which is part of the version
        return True
    # in database_state.py, versions of watched relations begin with a w
    are_watched = all(version.startswith("w") for version in versions)
    return are_watched and collection.kind in ("table", "partitioned table") and not collection.row_security
