"""Run several statements that see the same rows: one transaction, read only, REPEATABLE READ."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from itertools import count

import asyncpg

from libs.pg.errors import translate
from libs.pg.pool import Database
from libs.pg.sql import Sql

_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Statements on the only connection of a snapshot; a failing one does not end the snapshot."""

    _connection: asyncpg.Connection

    def of(self, _: str) -> Snapshot:
        """Return the snapshot itself: it has one connection for all collections."""
        return self

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        """Return all rows of `statement`. Raises Unavailable, or the error that the statement causes."""
        text, args = statement.render()
        await self._connection.execute("SAVEPOINT step")
        try:
            rows: list[asyncpg.Record] = await self._connection.fetch(text, *args)
        except asyncpg.PostgresError as error:
            await self._connection.execute("ROLLBACK TO SAVEPOINT step")
            raise translate(error) or error from error
        await self._connection.execute("RELEASE SAVEPOINT step")
        return rows

    async def walk(self, statement: Sql, number: int) -> AsyncGenerator[list[asyncpg.Record]]:
        """Yield the rows of `statement` in lists of `number`, by a cursor; only one at a time. Raises like `fetch`."""
        text, args = statement.render()
        # a unique name: the driver caches the columns of a statement by its text
        cursor = f"rows_{next(_NUMBERS)}"
        try:
            await self._connection.execute(f"DECLARE {cursor} NO SCROLL CURSOR FOR {text}", *args)
            while rows := await self._connection.fetch(f"FETCH {number:d} FROM {cursor}"):
                yield rows
            await self._connection.execute(f"CLOSE {cursor}")
        except asyncpg.PostgresError as error:
            raise translate(error) or error from error


@contextlib.asynccontextmanager
async def snapshot(database: Database) -> AsyncIterator[Snapshot]:
    """Open a snapshot of the database. Raises Unavailable if it cannot be reached, or all connections are busy."""
    async with database.connection(snapshot=True) as connection:
        yield Snapshot(connection)
