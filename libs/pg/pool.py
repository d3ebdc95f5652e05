"""The connection pool: read-only, bounded in time and number, and able to start before the database does."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import asyncpg

from libs.ogc.errors import DomainError, Unavailable
from libs.pg.errors import translate
from libs.pg.sql import Sql

_LOG = logging.getLogger("dams.pg")

_IDLE_SECONDS = 300.0
"""After which a connection that nobody needs is closed."""
_BUSY = "All database connections are busy; try again."


class _Connection(asyncpg.Connection):  # type: ignore[misc]
    def get_reset_query(self) -> str:
        # nothing here changes a session, and the reset would cost a round trip per request
        return ""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How many connections, and how long they may take."""

    url: str = field(repr=False)
    application_name: str
    size: int = 10
    statement_timeout_ms: int = 10_000
    acquire_timeout: float = 5.0
    waiting: int | None = 1000
    """How many requests may wait for a connection; one more is told at once that there is none. None: no bound."""
    parallel: bool = True
    """False forbids parallel plans, whose start costs more than a small query takes."""

    def server_settings(self) -> dict[str, str]:
        """The session of each connection."""
        settings = {
            "application_name": self.application_name,
            "timezone": "UTC",
            "default_transaction_read_only": "on",
            "statement_timeout": str(self.statement_timeout_ms),
            "idle_in_transaction_session_timeout": "30000",
            "jit": "off",
            # values travel as text in cursors and JSON: the same whatever the server's defaults, durations as ISO 8601
            "datestyle": "ISO",
            "intervalstyle": "iso_8601",
            "bytea_output": "hex",
            "extra_float_digits": "1",
            # where PostGIS usually lives; schemas that do not exist are passed over
            "search_path": "public, postgis, extensions",
        }
        return settings if self.parallel else {**settings, "max_parallel_workers_per_gather": "0"}


class Database:
    """A pool that connects in the background; until then, and when the server is gone, it is Unavailable."""

    def __init__(self, settings: PoolSettings) -> None:
        self._settings = settings
        self._pool: asyncpg.Pool | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._returning: asyncio.Task[None] | None = None
        # connections of the pool that are at hand: taking and giving one back through the pool costs a task and
        # a timer each time, as much as a small query
        self._idle: list[asyncpg.Connection] = []
        self._waiting = 0
        self._busy = 0

    async def __aenter__(self) -> Self:
        self._connecting = asyncio.create_task(self._connect())
        self._returning = asyncio.create_task(self._return_idle())
        # a database that is there is connected to before the first request
        await asyncio.wait([self._connecting], timeout=3)
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in (self._connecting, self._returning):
            if task:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        if self._pool:
            while self._idle:
                with contextlib.suppress(Exception):
                    await self._pool.release(self._idle.pop())
            try:
                await asyncio.wait_for(self._pool.close(), timeout=5)
            except TimeoutError:
                self._pool.terminate()

    async def _connect(self) -> None:
        delay = 0.2
        while True:
            try:
                self._pool = await asyncpg.create_pool(
                    self._settings.url,
                    min_size=1,
                    max_size=self._settings.size,
                    max_inactive_connection_lifetime=_IDLE_SECONDS,
                    command_timeout=self._settings.statement_timeout_ms / 1000 + 2,
                    timeout=10,
                    statement_cache_size=512,
                    max_cacheable_statement_size=64 * 1024,
                    server_settings=self._settings.server_settings(),
                    connection_class=_Connection,
                )
            except (OSError, TimeoutError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                _LOG.warning("cannot connect", extra={"fields": {"cause": str(error)}})
                await asyncio.sleep(delay)
                delay = min(delay * 2, 5)
            else:
                return

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """A connection for a few statements; driver errors come out as domain errors.

        Raises Unavailable where the server cannot be reached, is too slow, or all connections are busy.
        """
        connection = None
        try:
            connection = await self._taken()
            yield connection
        except BaseException as error:
            told = await self._failed(connection, error)
            if told is None:
                raise
            raise told from error
        await self._given_back(connection)

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        """All rows of `statement`."""
        text, args = statement.render()
        # what `connection` does, without the generator, which costs as much as taking a connection
        connection = None
        try:
            connection = await self._taken()
            rows: list[asyncpg.Record] = await connection.fetch(text, *args)
        except BaseException as error:
            told = await self._failed(connection, error)
            if told is None:
                raise
            raise told from error
        await self._given_back(connection)
        return rows

    async def fetchrow(self, statement: Sql) -> asyncpg.Record | None:
        """The first row of `statement`, or None."""
        rows = await self.fetch(statement)
        return rows[0] if rows else None

    async def fetchval(self, statement: Sql) -> Any:
        """The first column of the first row of `statement`, or None."""
        rows = await self.fetch(statement)
        return rows[0][0] if rows else None

    async def _taken(self) -> asyncpg.Connection:
        """A connection that is idle, else one of the pool's, in time."""
        if self._pool is None:
            raise Unavailable("The database cannot be reached at the moment; try again.")
        while self._idle:
            connection = self._idle.pop()
            with contextlib.suppress(asyncpg.InterfaceError):
                # one that the server closed is the pool's again already, and says so
                if not connection.is_closed():
                    self._busy += 1
                    return connection
                await self._pool.release(connection)
        bound = self._settings.waiting
        if bound is not None and self._busy + self._waiting >= self._settings.size + bound:
            raise Unavailable(_BUSY)
        self._waiting += 1
        try:
            connection = await self._pool.acquire(timeout=self._settings.acquire_timeout)
        except TimeoutError:
            if self._pool.get_size() < self._settings.size:
                raise
            raise Unavailable(_BUSY) from None
        finally:
            self._waiting -= 1
        self._busy += 1
        return connection

    async def _given_back(self, connection: asyncpg.Connection) -> None:
        self._busy -= 1
        if self._waiting and self._pool is not None:
            await self._pool.release(connection)
        else:
            self._idle.append(connection)

    async def _failed(self, connection: asyncpg.Connection | None, error: BaseException) -> DomainError | None:
        """The domain error to raise, if it is one; the pool waits for what is cancelled and closes what is broken."""
        if connection is not None and self._pool is not None:
            self._busy -= 1
            # what went wrong first is what is told
            with contextlib.suppress(Exception):
                await self._pool.release(connection)
        return _told(error)

    async def _return_idle(self) -> None:
        """Give idle connections to the pool from time to time, which closes those that nobody needs."""
        while True:
            await asyncio.sleep(_IDLE_SECONDS / 5)
            while self._idle and self._pool is not None:
                with contextlib.suppress(Exception):
                    await self._pool.release(self._idle.pop())

    async def health(self) -> str | None:
        """None, or what is wrong with the database."""
        try:
            async with asyncio.timeout(2), self.connection() as connection:
                await connection.execute("SELECT 1")
        except (Unavailable, TimeoutError) as error:
            return f"database: {error or 'no answer within 2 s'}"
        return None

    def gauges(self) -> Mapping[str, int]:
        """Connections open and idle, for metrics."""
        if self._pool is None:
            return {"open": 0, "idle": 0, "waiting": 0}
        idle = self._pool.get_idle_size() + len(self._idle)
        return {"open": self._pool.get_size(), "idle": idle, "waiting": self._waiting}


def _told(error: BaseException) -> DomainError | None:
    """The domain error that an error of the driver's means."""
    translated = translate(error) if isinstance(error, Exception) else None
    if translated is not None:
        _LOG.warning("query failed", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
    return translated
