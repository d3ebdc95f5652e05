"""The database: read-only, bounded in time and number of connections; it may start after the service does."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import asyncpg

from libs.concurrency.background import periodic
from libs.ogc.errors import DomainError, Unavailable
from libs.pg.connections import Connections, Pooled
from libs.pg.errors import UNREACHABLE, translate
from libs.pg.sql import Sql

_LOG = logging.getLogger("dams.pg")

_SWEEP_SECONDS = 60.0
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
    """Where statements are sent. Unavailable while the server cannot be reached; the next request tries again."""

    def __init__(self, settings: PoolSettings) -> None:
        self._settings = settings
        self._connections = Connections(
            self._connect,
            size=settings.size,
            wait_seconds=settings.acquire_timeout,
            most_waiting=settings.waiting,
        )
        self._background = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        # a database that is there is connected to before the first request
        with contextlib.suppress(DomainError, TimeoutError):
            async with asyncio.timeout(3), self.connection():
                pass
        await self._background.enter_async_context(
            periodic(self._connections.close_unused, _SWEEP_SECONDS, name="unused connections")
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._background.aclose()
        await self._connections.close()

    async def _connect(self) -> asyncpg.Connection:
        try:
            return await asyncpg.connect(
                self._settings.url,
                command_timeout=self._settings.statement_timeout_ms / 1000 + 2,
                timeout=self._settings.acquire_timeout,
                statement_cache_size=512,
                max_cacheable_statement_size=64 * 1024,
                server_settings=self._settings.server_settings(),
            )
        except (OSError, TimeoutError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            _LOG.warning("cannot connect", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
            raise Unavailable(UNREACHABLE) from error

    def connection(self) -> "_Use":
        """`async with` gives a connection for a few statements; errors of the driver come out as domain errors.

        Raises Unavailable where the server cannot be reached, is too slow, or all connections are busy.
        """
        return _Use(self._connections)

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

    async def health(self) -> str | None:
        """None, or what is wrong with the database."""
        try:
            async with asyncio.timeout(2), self.connection() as connection:
                await connection.execute("SELECT 1")
        except (Unavailable, TimeoutError) as error:
            return f"database: {error or 'no answer within 2 s'}"
        return None


class _Use:
    """One use of a connection. A class, as a generator would cost as much as taking the connection."""

    __slots__ = ("_connections", "_pooled")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._pooled: Pooled | None = None

    async def __aenter__(self) -> asyncpg.Connection:
        self._pooled = await self._connections.acquire()
        return self._pooled.connection

    async def __aexit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        if self._pooled is None:
            return
        if isinstance(error, _UNFINISHED) or (error is not None and self._pooled.connection.is_in_transaction()):
            self._connections.discard(self._pooled)
        else:
            self._connections.release(self._pooled)
        translated = translate(error) if isinstance(error, Exception) else None
        if translated is not None:
            _LOG.warning("query failed", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
            raise translated from error
