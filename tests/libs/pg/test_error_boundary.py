"""Every error class of asyncpg, at every await of a connection, is an error that the services can report."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import asyncpg
import pytest

from libs.ogc.errors import InvalidParameters, Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.sessions import Sessions
from libs.pg.snapshot import snapshot
from libs.pg.sql import sql


def _classes(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _classes(below)


ERRORS = sorted(
    {
        *_classes(asyncpg.PostgresError),
        *_classes(asyncpg.InterfaceError),
        *_classes(asyncpg.InternalClientError),
        OSError,
        ConnectionResetError,
        TimeoutError,
        asyncio.IncompleteReadError,
    },
    key=lambda kind: kind.__name__,
)


def _error(kind: type[Exception]) -> Exception:
    return kind(b"", 1) if kind is asyncio.IncompleteReadError else kind("broken on purpose")


class Broken:
    """A connection that works until the statement that begins with a text."""

    begin = None

    def __init__(self, at: str, error: Exception) -> None:
        self._at, self._error = at, error

    async def execute(self, text: str, *_: object) -> str:
        if text.startswith(self._at):
            raise self._error
        return ""

    async def fetch(self, text: str, *_: object) -> list[tuple[int]]:
        await self.execute(text)
        return [(1,)] if text.startswith("SELECT") else []

    async def close(self, **_: object) -> None:
        return None

    def terminate(self) -> None:
        return None

    def is_closed(self) -> bool:
        return False


async def _fetch(database: Database) -> None:
    await database.fetch(sql("SELECT 1"))


async def _transaction(database: Database) -> None:
    async with database.connection(transaction=True) as connection:
        await connection.fetch("SELECT 1")


async def _failed_transaction(database: Database) -> None:
    async with database.connection(transaction=True):
        raise Unavailable("ours")


async def _snapshot(database: Database) -> None:
    async with snapshot(database) as rows:
        await rows.fetch(sql("SELECT 1"))


async def _walk(database: Database) -> None:
    async with snapshot(database) as rows:
        async for _ in rows.walk(sql("SELECT 1"), 10):
            pass


@pytest.fixture
def broken_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Exception], Database]:
    """Makes a database whose connections break at a statement, or while they open."""

    def make(at: str, error: Exception) -> Database:
        async def opened(_: Sessions) -> Any:
            if at == "open":
                raise error
            return Broken(at, error)

        monkeypatch.setattr(Sessions, "open", opened)
        return Database(PoolSettings("postgresql://nowhere", "boundary-test", size=1))

    return make


PLACES: list[tuple[str, Callable[[Database], Awaitable[None]]]] = [
    ("open", _fetch),
    ("open", _snapshot),
    ("SELECT", _fetch),
    ("BEGIN", _transaction),
    ("SELECT", _transaction),
    ("COMMIT", _transaction),
    ("ROLLBACK", _failed_transaction),
    ("BEGIN", _snapshot),
    ("SAVEPOINT", _snapshot),
    ("SELECT", _snapshot),
    ("RELEASE", _snapshot),
    ("COMMIT", _snapshot),
    ("DECLARE", _walk),
    ("FETCH", _walk),
    ("CLOSE", _walk),
]


@pytest.mark.parametrize(("place", "use"), PLACES)
async def test_each_error_at_each_await_can_be_reported(
    broken_at: Callable[[str, Exception], Database], place: str, use: Callable[[Database], Awaitable[None]]
) -> None:
    for kind in ERRORS:
        # the request may be at fault for a value or a function, but not before a statement is sent
        reported = Unavailable if place == "open" else (Unavailable, InvalidParameters)
        with pytest.raises(reported) as raised:
            await use(broken_at(place, _error(kind)))
        assert not isinstance(raised.value, Unavailable) or raised.value.retry_after > 0
