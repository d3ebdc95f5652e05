"""Streaming replicas: which of them may be read, and a database that sends reads to them.

A replica is in the rotation while its last check showed that it had replayed everything that the primary had written
when the data versions were last read. So a server is only read under a version whose changes it has.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Self

import asyncpg
from prometheus_client import Gauge

from libs.ogc.errors import DomainError, Restarting, TooSlow, Unavailable
from libs.pg.pool import Database, PoolSettings, Statements
from libs.pg.sql import Sql, sql

_LOG = logging.getLogger("dams.pg")
_IN_ROTATION = Gauge("dams_replica_in_rotation", "Whether a replica is read, by its place in the setting", ["replica"])
_LAG = Gauge("dams_replica_lag_bytes", "What a replica had not replayed when it was last asked", ["replica"])

_LOOK_SECONDS = 1.0
"""Timeout of a replica check in seconds; limits the delay of version polling."""
_REPLAY_SECONDS = 0.25
_AGAIN_SECONDS = 0.02

# For a primary, this is the insert position: every visible commit is before it, flushed or not. A replica's control
# file may name the previous timeline for some minutes after a failover: the replica stays out of the rotation for that
# time.
_POSITION = sql("""
SELECT pg_is_in_recovery() AS replica,
    concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time()) AS server,
    concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        CASE WHEN pg_is_in_recovery() THEN
            greatest((SELECT timeline_id FROM pg_control_checkpoint()),
                     (SELECT min_recovery_end_timeline FROM pg_control_recovery()))
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer END) AS history,
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END
        - '0/0')::bigint AS written,
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END
        - '0/0')::bigint AS flushed,
    current_setting('wal_block_size')::bigint AS block,
    pg_size_bytes(current_setting('wal_segment_size')) AS segment
""")


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a server in its history."""

    server: str
    """Identifies the server and its start time, as in `DatabaseState`."""
    history: str
    """Cluster, database and timeline."""
    is_replica: bool
    lsn: int
    """Position in bytes after the last record whose effect a statement may have seen."""

    @classmethod
    def of(cls, row: Any) -> Self:
        """Return the position from a row of `_POSITION`."""
        written, flushed = row["written"], row["flushed"]
        # if the last record ends with a page, the next one starts after the next page's header. A replica never reports
        # that position, and would be waited for until something else is written
        header = 40 if flushed % row["segment"] == 0 else 24
        if flushed % row["block"] == 0 and written - flushed == header:
            written = flushed
        return cls(row["server"], row["history"], row["replica"], written)

    def covers(self, primary: Position) -> bool:
        """Return whether a replica at this position has everything that the primary had."""
        return self.is_replica and self.history == primary.history and self.lsn >= primary.lsn


async def position(database: Statements) -> Position:
    """Return the server's current position. Raises DomainError."""
    return Position.of((await database.fetch(_POSITION))[0])


class Rotation:
    """The replicas of one process; each of `watches` has one connection, used only for checks."""

    def __init__(self, watches: Sequence[Database]) -> None:
        self._watches = watches
        self._turns = itertools.count()
        self._needed: Position | None = None
        self.admitted: frozenset[int] = frozenset()
        """Replicas that may be read."""

    def choose(self) -> int | None:
        """Return the replica for the next request; None for the primary."""
        admitted = sorted(self.admitted)
        return admitted[next(self._turns) % len(admitted)] if admitted else None

    def remove(self, replica: int) -> None:
        """Remove a replica that did not answer; the next check decides whether it is back."""
        self.admit(self.admitted - {replica})

    def admit(self, replicas: frozenset[int]) -> None:
        """Read these replicas from now on."""
        if replicas != self.admitted:
            _LOG.info("replicas that are read", extra={"fields": {"replicas": sorted(replicas)}})
        self.admitted = replicas
        for number in range(len(self._watches)):
            _IN_ROTATION.labels(str(number + 1)).set(number in replicas)

    async def look(self, primary: Database, server: str) -> frozenset[int]:
        """Return the replicas that have caught up with `server`; none if another server answers.

        Call it after reading the versions from `server`. Raises DomainError if that is unavailable by now: then
        `look_alone` decides which replicas stay.
        """
        try:
            needed = await position(primary)
        except DomainError as error:
            if isinstance(error, Restarting) or await primary.passes(error):
                raise
            # the role may not read the server's history
            _LOG.warning("no replica is read", extra={"fields": {"cause": str(error)}})
            return frozenset()
        if needed.server != server:
            return frozenset()
        self._needed = needed
        return await self._find_covering(needed)

    async def look_alone(self) -> frozenset[int]:
        """Return the replicas in use that still answer and still are its replicas, while the primary is unavailable."""
        return self.admitted & await self._find_covering(self._needed) if self._needed else frozenset()

    async def _find_covering(self, needed: Position) -> frozenset[int]:
        found = await asyncio.gather(*(self._covers(number, needed) for number in range(len(self._watches))))
        return frozenset(number for number, covers in enumerate(found) if covers)

    async def _covers(self, number: int, needed: Position) -> bool:
        loop = asyncio.get_running_loop()
        until = loop.time() + _REPLAY_SECONDS
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                while True:
                    found = await position(self._watches[number])
                    _LAG.labels(str(number + 1)).set(max(0, needed.lsn - found.lsn))
                    if found.covers(needed):
                        return True
                    if loop.time() >= until or found.history != needed.history:
                        return False
                    await asyncio.sleep(_AGAIN_SECONDS)
        except (
            DomainError,
            OSError,
            asyncpg.PostgresError,
            asyncpg.InterfaceError,
            asyncpg.InternalClientError,
        ) as error:
            _LOG.warning("replica", extra={"fields": {"replica": number + 1, "cause": str(error) or "no answer"}})
            return False


@contextlib.asynccontextmanager
async def rotation(pool: PoolSettings, urls: Sequence[str]) -> AsyncIterator[Rotation | None]:
    """Yield the replicas at these addresses, all out of the rotation at first; None without addresses."""
    if not urls:
        yield None
        return
    async with contextlib.AsyncExitStack() as stack:
        watches = [Database(replace(pool.for_watching(), url=url, acquire_timeout=_LOOK_SECONDS)) for url in urls]
        await asyncio.gather(*(stack.enter_async_context(watch) for watch in watches))
        yield Rotation(watches)


@dataclass(slots=True)
class Choice:
    """The server that a request reads: the first one chosen, else the primary, which is never behind another."""

    made: bool = False
    replica: int | None = None
    began_at_replica: bool = False


_CHOICE: ContextVar[Choice | None] = ContextVar("choice of a replica", default=None)


@contextlib.contextmanager
def one_server() -> Iterator[Choice]:
    """Send all statements in the block to one server. Outside of such a block they go to the primary."""
    choice = Choice()
    token = _CHOICE.set(choice)
    try:
        yield choice
    finally:
        _CHOICE.reset(token)


class ReadDatabase(Database):
    """A database whose replicas are read in `one_server`; each server has a pool with these settings."""

    def __init__(self, settings: PoolSettings, urls: Sequence[str], rotation: Rotation) -> None:
        super().__init__(settings)
        self._rotation = rotation
        self._replicas = [Database(replace(settings, url=url)) for url in urls]
        self._open = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        await asyncio.gather(
            *(self._open.enter_async_context(each) for each in (*self._replicas,)), super().__aenter__()
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()
        await super().__aexit__()

    def connection(self, *, transaction: bool = False, snapshot: bool = False) -> Any:
        """Do the same as in `Database`, on the server that the request reads."""
        number = self._number()
        if number is None:
            return super().connection(transaction=transaction, snapshot=snapshot)
        return self._replicas[number].connection(transaction=transaction, snapshot=snapshot)

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        """Return all rows; from the primary if the replica fails. Raises like `connection`."""
        return await self._fetch(statement, None)

    def of(self, name: str) -> Statements:
        """Return the same with a share of the connections of each server."""
        return _Of(self, name)

    def _number(self) -> int | None:
        choice = _CHOICE.get()
        if choice is None:
            return None
        if not choice.made:
            choice.made, choice.replica = True, self._rotation.choose()
            choice.began_at_replica = choice.replica is not None
        elif choice.replica not in self._rotation.admitted:
            choice.replica = None
        return choice.replica

    def _statements_of(self, number: int | None, name: str | None) -> Statements:
        if number is not None:
            return self._replicas[number] if name is None else self._replicas[number].of(name)
        return _Primary(self) if name is None else super().of(name)

    async def is_lost(self, error: Unavailable) -> bool:
        """Return whether a replica does not answer; then the request continues on the primary."""
        choice = _CHOICE.get()
        return await self._is_lost(choice.replica if choice else None, error)

    async def _is_lost(self, number: int | None, error: Unavailable) -> bool:
        if number is None or isinstance(error, TooSlow) or await self._replicas[number].health() is None:
            return False
        self._rotation.remove(number)
        return True

    async def _fetch(self, statement: Sql, name: str | None) -> list[asyncpg.Record]:
        number = self._number()
        try:
            return await self._statements_of(number, name).fetch(statement)
        except Unavailable as error:
            if not await self._is_lost(number, error):
                raise
        return await self._statements_of(self._number(), name).fetch(statement)


class _Primary(Statements):
    def __init__(self, database: ReadDatabase) -> None:
        self._database = database

    def connection(self, *, transaction: bool = False) -> Any:
        return Database.connection(self._database, transaction=transaction)


class _Of(Statements):
    def __init__(self, database: ReadDatabase, name: str) -> None:
        self._database, self._name = database, name

    def connection(self, *, transaction: bool = False) -> Any:
        return self._database._statements_of(self._database._number(), self._name).connection(transaction=transaction)

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        return await self._database._fetch(statement, self._name)


def reads(settings: PoolSettings, urls: Sequence[str], rotation: Rotation | None) -> Database:
    """Return the database that requests read: only the primary if there are no replicas."""
    return Database(settings) if rotation is None else ReadDatabase(settings, urls, rotation)
