"""The database: read-only, bounded in time and number of connections; it may start after the service does."""

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
"""Between two looks for connections that nobody needs."""
_UNFINISHED = (asyncio.CancelledError, TimeoutError, asyncpg.InternalClientError)
"""Errors after which the server may still be at work, or its next answer may be that to another statement."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How many connections, and how long they may take."""

    url: str = field(repr=False)
    application_name: str
    size: int = 10
    statement_timeout_ms: int = 10_000
    acquire_timeout: float = 5.0
    waiting: int | None = 1000
    """How many requests may wait for a connection; one more gets Unavailable at once. None: no bound."""
    lock_timeout_ms: int = 2000
    """How long a statement may wait for a lock, with a connection that others could use."""
    share: int | None = None
    """How many connections those may have at once who ask through `Database.of` by one name; None: all."""
    parallel: bool = True
    """False forbids parallel plans, whose start costs more than a small query takes."""

    def session(self) -> dict[str, str]:
        """The settings of each session."""
        settings = {
            "application_name": self.application_name,
            "timezone": "UTC",
            "default_transaction_read_only": "on",
            "statement_timeout": str(self.statement_timeout_ms),
            "lock_timeout": str(self.lock_timeout_ms),
            "idle_in_transaction_session_timeout": "30000",
            "jit": "off",
            # values travel as text in cursors and JSON: the same whatever the server's defaults, durations as ISO 8601
            "datestyle": "ISO",
            "intervalstyle": "iso_8601",
            "bytea_output": "hex",
            "extra_float_digits": "1",
            # where PostGIS usually lives, behind the path that the session has anyhow; schemas that do not exist are
            # passed over
            "search_path": "public, postgis, extensions",
        }
        return settings if self.parallel else {**settings, "max_parallel_workers_per_gather": "0"}

    def for_exports(self, number: int) -> "PoolSettings":
        """Of as many connections beside the others, on which much is read for long."""
        name = f"{self.application_name}-export"
        return replace(self, application_name=name, size=number, share=None, waiting=0, statement_timeout_ms=60_000)

    def for_watching(self) -> "PoolSettings":
        """Of one connection beside the others, which is there when these are all in use."""
        name = f"{self.application_name}-watch"
        return replace(self, application_name=name, size=1, statement_timeout_ms=4000, acquire_timeout=4.0)


class Statements(ABC):
    """What runs statements."""

    @abstractmethod
    def connection(self, *, transaction: bool = False) -> "_Use":
        """`async with` gives a connection for a few statements; errors of the driver come out as domain errors.

        `transaction` makes one of them, as statements with settings of their own need. Raises Unavailable where the
        server cannot be reached, is too slow, or all connections are busy.
        """

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        """All rows of `statement`. Raises as `connection` does."""
        text, args = statement.render()
        async with self.connection() as connection:
            rows: list[asyncpg.Record] = await connection.fetch(text, *args)
            return rows

    async def fetchrow(self, statement: Sql) -> asyncpg.Record | None:
        """The first row of `statement`, or None."""
        rows = await self.fetch(statement)
        return rows[0] if rows else None

    async def fetchval(self, statement: Sql) -> Any:
        """The first column of the first row of `statement`, or None."""
        rows = await self.fetch(statement)
        return rows[0][0] if rows else None


class Database(Statements):
    """Where statements are sent. Unavailable while the server cannot be reached; the next request tries again."""

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
        # a database that is there is connected to before the first request
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
            # the driver has no list of what a connection may raise that closes while it opens
            _LOG.warning("cannot connect", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
            unavailable = Restarting if is_restart(error) else Unavailable
            raise unavailable(UNREACHABLE, cause="database") from error

    def connection(self, *, transaction: bool = False, snapshot: bool = False) -> "_Use":
        """As any `Statements` give it; in a snapshot all statements see the same rows (REPEATABLE READ)."""
        return _Use(self._connections, self._seconds, transaction=transaction, snapshot=snapshot)

    def of(self, name: str) -> Statements:
        """The same, with no more than a share of the connections for all who name the same, such as a collection.

        Whoever has a connection of a name must not wait for another of that name.
        """
        return self if self._shares is None else _Share(self._connections, self._seconds, self._shares, name)

    async def passes(self, error: BaseException) -> bool:
        """Whether the error is one of the moment: a lock, or no database; not of what was asked for."""
        return isinstance(error, Locked) or (isinstance(error, Unavailable) and await self.health() is not None)

    async def is_lost(self, _: Unavailable) -> bool:
        """Whether the error is of a server whose requests another one answers from now on."""
        return False

    async def health(self) -> str | None:
        """None, or what is wrong with the database."""
        try:
            async with asyncio.timeout(2), self.connection() as connection:
                await connection.execute("SELECT 1")
        except (Unavailable, TimeoutError) as error:
            return f"database: {str(error) or 'no answer within 2 s'}"
        return None


class _Share(Statements):
    """Statements of those who name the same."""

    __slots__ = ("_connections", "_name", "_seconds", "_shares")

    def __init__(self, connections: Connections, seconds: float, shares: Shares, name: str) -> None:
        self._connections = connections
        self._seconds = seconds
        self._shares = shares
        self._name = name

    def connection(self, *, transaction: bool = False) -> "_Use":
        return _Use(self._connections, self._seconds, self._shares, self._name, transaction=transaction)


class _Use:
    """One use of a connection. A class, as a generator would cost as much as taking the connection."""

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
                # first of all: after any other statement it is too late
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
            # before the error: who is cancelled and hears of a failed statement alone goes on for ever
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
        """What keeps the transaction from ending; None after a statement at which the server may still be."""
        if isinstance(error, _UNFINISHED):
            return None
        try:
            await connection.execute("COMMIT" if error is None else "ROLLBACK")
        except BaseException as failure:
            return failure
        return None
