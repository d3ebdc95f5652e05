"""The connection pool: read-only, bounded in time and number, and able to start before the database does."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import asyncpg

from libs.ogc.errors import Unavailable
from libs.pg.errors import translate
from libs.pg.sql import Sql

_LOG = logging.getLogger("dams.pg")


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

    async def __aenter__(self) -> Self:
        self._connecting = asyncio.create_task(self._connect())
        # a database that is there is connected to before the first request
        await asyncio.wait([self._connecting], timeout=3)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._connecting:
            self._connecting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._connecting
        if self._pool:
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
                    max_inactive_connection_lifetime=300,
                    command_timeout=self._settings.statement_timeout_ms / 1000 + 2,
                    timeout=10,
                    statement_cache_size=512,
                    max_cacheable_statement_size=64 * 1024,
                    server_settings=self._settings.server_settings(),
                    connection_class=_Connection,
                )
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
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
        if self._pool is None:
            raise Unavailable("The database cannot be reached at the moment; try again.")
        try:
            async with self._pool.acquire(timeout=self._settings.acquire_timeout) as connection:
                yield connection
        except Exception as error:
            translated = translate(error)
            if translated is None:
                raise
            _LOG.warning("query failed", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
            raise translated from error

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        """All rows of `statement`."""
        text, args = statement.render()
        async with self.connection() as connection:
            return await connection.fetch(text, *args)  # type: ignore[no-any-return]

    async def fetchrow(self, statement: Sql) -> asyncpg.Record | None:
        """The first row of `statement`, or None."""
        text, args = statement.render()
        async with self.connection() as connection:
            return await connection.fetchrow(text, *args)

    async def fetchval(self, statement: Sql) -> Any:
        """The first column of the first row of `statement`, or None."""
        text, args = statement.render()
        async with self.connection() as connection:
            return await connection.fetchval(text, *args)

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
            return {"open": 0, "idle": 0}
        return {"open": self._pool.get_size(), "idle": self._pool.get_idle_size()}
