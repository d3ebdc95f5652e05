"""Many statements that see the same rows: one transaction, read only, REPEATABLE READ."""

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
    """Statements on the one connection of a snapshot; one that fails leaves it as it was."""

    _connection: asyncpg.Connection

    def of(self, _: str) -> Snapshot:
        """As a `Database` gives the share of a collection: a snapshot has one connection for all."""
        return self

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        """All rows of `statement`. Raises Unavailable, or the error that the statement is at fault for."""
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
        """The rows of `statement`, so many at a time, by a cursor: one at a time. Raises as `fetch` does."""
        text, args = statement.render()
        # a name of its own: the driver remembers what columns a statement of the same text had
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
    """A snapshot of the database. Raises Unavailable where it cannot be reached, or all connections are busy."""
    async with database.connection(snapshot=True) as connection:
        yield Snapshot(connection)
