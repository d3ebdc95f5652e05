"""The database: read-only, limited in time and connections; it may start after the service."""

import asyncio
import contextlib
import logging
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

import asyncpg

from libs.concurrency.background import periodic
from libs.ogc.errors import DomainError, Restarting, Unavailable
from libs.pg.connections import Connections, Pooled
from libs.pg.errors import UNREACHABLE, Locked, is_restart, translate
from libs.pg.sessions import Sessions
from libs.pg.shares import Shares
from libs.pg.sql import Sql

_LOG = logging.getLogger("dams.pg")

_BEGIN = "BEGIN READ ONLY"
SWEEP_SECONDS = 60.0
"""Seconds between two searches for unused connections."""
_UNFINISHED = (asyncio.CancelledError, TimeoutError, asyncpg.InternalClientError)
"""Errors after which the server may still work, or its next reply may belong to another statement."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Limits of the pool: number of connections and timeouts."""

    url: str = field(repr=False)
    application_name: str
    size: int = 10
    statement_timeout_ms: int = 10_000
    acquire_timeout: float = 5.0
    waiting: int | None = 1000
    """Maximum number of requests that wait for a connection; further ones get Unavailable at once. None: unlimited."""
    lock_timeout_ms: int = 2000
    """Maximum time for which a statement waits for a lock, and so blocks its connection, in milliseconds."""
    share: int | None = None
    """Maximum number of concurrent connections per name passed to `Database.of`; None: unlimited."""
    parallel: bool = True
    """False disables parallel plans: starting one costs more than a small query."""

    def session(self) -> dict[str, str]:
        """Return the settings of each session."""
        settings = {
            "application_name": self.application_name,
            "timezone": "UTC",
            "default_transaction_read_only": "on",
            "statement_timeout": str(self.statement_timeout_ms),
            "lock_timeout": str(self.lock_timeout_ms),
            "idle_in_transaction_session_timeout": "30000",
            "jit": "off",
            # cursors and JSON contain values as text: the same for all defaults of servers, durations as ISO 8601
            "datestyle": "ISO",
            "intervalstyle": "iso_8601",
            "bytea_output": "hex",
            "extra_float_digits": "1",
            # the usual schemas of PostGIS, after the session's own path; schemas that do not exist are ignored
            "search_path": "public, postgis, extensions",
        }
        return settings if self.parallel else {**settings, "max_parallel_workers_per_gather": "0"}

    def for_exports(self, number: int) -> "PoolSettings":
        """Return settings for a separate pool of `number` connections, for long reads."""
        name = f"{self.application_name}-export"
        return replace(self, application_name=name, size=number, share=None, waiting=0, statement_timeout_ms=60_000)

    def for_watching(self) -> "PoolSettings":
        """Return settings for a separate pool of one connection, which is free even if all others are in use."""
        name = f"{self.application_name}-watch"
        return replace(self, application_name=name, size=1, statement_timeout_ms=4000, acquire_timeout=4.0)


class Statements(ABC):
    """Runs statements."""

    @abstractmethod
    def connection(self, *, transaction: bool = False) -> "_Use":
        """Return a context manager with a connection for a few statements.

        It converts the driver's errors to domain errors. `transaction` runs the statements in one transaction, which
        statements with local settings need. Raises Unavailable if the server cannot be reached, is too slow, or all
        connections are busy.
        """

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        """Return all rows of `statement`. Raises like `connection`."""
        text, args = statement.render()
        async with self.connection() as connection:
            rows: list[asyncpg.Record] = await connection.fetch(text, *args)
            return rows

    async def fetchrow(self, statement: Sql) -> asyncpg.Record | None:
        """Return the first row of `statement`, or None."""
        rows = await self.fetch(statement)
        return rows[0] if rows else None

    async def fetchval(self, statement: Sql) -> Any:
        """Return the first column of the first row of `statement`, or None."""
        rows = await self.fetch(statement)
        return rows[0][0] if rows else None


class Database(Statements):
    """A database server for statements. Raises Unavailable if it cannot be reached; the next request tries again."""

    def __init__(self, settings: PoolSettings) -> None:
        self._settings = settings
        self._seconds = settings.statement_timeout_ms / 1000
        self._sessions = Sessions(
            settings.url,
            settings.session(),
            command_timeout=self._seconds + 2,
            timeout=settings.acquire_timeout,
        )
        self._connections = Connections(
            self._connect,
            size=settings.size,
            wait_seconds=settings.acquire_timeout,
            most_waiting=settings.waiting,
            name=settings.application_name,
        )
        self._shares = (
            Shares(settings.share, wait_seconds=settings.acquire_timeout, most_waiting=settings.waiting)
            if settings.share is not None and settings.share < settings.size
            else None
        )
        self._background = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        # connect before the first request, if the database is up
        with contextlib.suppress(DomainError, TimeoutError):
            async with asyncio.timeout(3), self.connection():
                pass
        await self._background.enter_async_context(
            periodic(self._connections.close_unused, SWEEP_SECONDS, name="unused connections")
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._background.aclose()
        await self._connections.close()

    async def _connect(self) -> asyncpg.Connection:
        try:
            return await self._sessions.open()
        except Exception as error:
            # the driver does not document all errors of a connection that is closed while it opens
            _LOG.warning("cannot connect", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
            unavailable = Restarting if is_restart(error) else Unavailable
            raise unavailable(UNREACHABLE, cause="database") from error

    def connection(self, *, transaction: bool = False, snapshot: bool = False) -> "_Use":
        """Do the same as in `Statements`; in a snapshot, all statements see the same rows (REPEATABLE READ)."""
        return _Use(self._connections, self._seconds, transaction=transaction, snapshot=snapshot)

    def of(self, name: str) -> Statements:
        """Return the same, limited to a share of the connections for all users of this name, such as a collection.

        A caller with a connection of a name must not wait for another of that name.
        """
        return self if self._shares is None else _Share(self._connections, self._seconds, self._shares, name)

    async def passes(self, error: BaseException) -> bool:
        """Return whether the error is temporary: a lock, or an unavailable database; not a fault of the request."""
        return isinstance(error, Locked) or (isinstance(error, Unavailable) and await self.health() is not None)

    async def is_lost(self, _: Unavailable) -> bool:
        """Return whether the error means that another server must answer from now on."""
        return False

    async def health(self) -> str | None:
        """Return the fault of the database, or None."""
        try:
            async with asyncio.timeout(2), self.connection() as connection:
                await connection.execute("SELECT 1")
        except (Unavailable, TimeoutError) as error:
            return f"database: {str(error) or 'no answer within 2 s'}"
        return None


class _Share(Statements):
    """Runs statements within the share of one name."""

    __slots__ = ("_connections", "_name", "_seconds", "_shares")

    def __init__(self, connections: Connections, seconds: float, shares: Shares, name: str) -> None:
        self._connections = connections
        self._seconds = seconds
        self._shares = shares
        self._name = name

    def connection(self, *, transaction: bool = False) -> "_Use":
        return _Use(self._connections, self._seconds, self._shares, self._name, transaction=transaction)


class _Use:
    """One use of a connection. A class, because a generator would cost as much as taking the connection."""

    __slots__ = ("_began", "_connections", "_in_transaction", "_name", "_pooled", "_seconds", "_shares", "_snapshot")

    def __init__(
        self,
        connections: Connections,
        seconds: float,
        shares: Shares | None = None,
        name: str = "",
        *,
        transaction: bool = False,
        snapshot: bool = False,
    ) -> None:
        self._connections = connections
        self._seconds = seconds
        self._shares = shares
        self._name = name
        self._in_transaction = transaction or snapshot
        self._snapshot = snapshot
        self._pooled: Pooled | None = None

    async def __aenter__(self) -> asyncpg.Connection:
        if self._shares is not None:
            await self._shares.enter(self._name)
        try:
            self._pooled = await self._connections.acquire()
        except BaseException:
            if self._shares is not None:
                self._shares.leave(self._name)
            raise
        self._began = time.monotonic()
        connection = self._pooled.connection
        if self._in_transaction or connection.begin is not None:
            self._in_transaction = True
            begin = connection.begin or _BEGIN
            if self._snapshot:
                # it must come first: after another statement it is too late
                begin = begin.replace(_BEGIN, f"{_BEGIN}, ISOLATION LEVEL REPEATABLE READ", 1)
            try:
                await connection.execute(begin)
            except BaseException as error:
                await self.__aexit__(type(error), error, None)
                raise
        return connection

    async def __aexit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        if self._pooled is None:
            return
        unended = await self._end(self._pooled.connection, error) if self._in_transaction else None
        if isinstance(error, _UNFINISHED) or unended is not None:
            self._connections.discard(self._pooled)
        else:
            self._connections.release(self._pooled)
        if self._shares is not None:
            self._shares.leave(self._name)
        if isinstance(unended, asyncio.CancelledError):
            # before the error: a cancelled task that only sees a failed statement would continue forever
            raise unended
        failure = error or unended
        is_late = time.monotonic() - self._began >= self._seconds
        translated = translate(failure, is_late=is_late) if isinstance(failure, Exception) else None
        if translated is not None:
            _LOG.warning("query failed", extra={"fields": {"cause": f"{type(failure).__name__}: {failure}"}})
            raise translated from failure
        if error is None and unended is not None:
            raise unended

    async def _end(self, connection: asyncpg.Connection, error: BaseException | None) -> BaseException | None:
        """End the transaction and return an error that prevents it; None if the server may still run a statement."""
        if isinstance(error, _UNFINISHED):
            return None
        try:
            await connection.execute("COMMIT" if error is None else "ROLLBACK")
        except BaseException as failure:
            return failure
        return None
