"""Databases with the schema applied."""

from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from tests.conftest import MakeDatabase

Connect = Callable[[], Awaitable[asyncpg.Connection]]


@pytest.fixture(scope="session")
async def schema(make_database: MakeDatabase) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection to a database with the schema, for tests that only read."""
    connection = await asyncpg.connect(await make_database())
    await apply_schema(connection)
    yield connection
    connection.terminate()


@pytest.fixture
async def connect(database_url: str) -> AsyncIterator[Connect]:
    """Yield a function that opens further connections as owner, closed when the test ends."""
    opened: list[asyncpg.Connection] = []

    async def new_connection() -> asyncpg.Connection:
        opened.append(await asyncpg.connect(database_url))
        return opened[-1]

    yield new_connection
    for connection in opened:
        connection.terminate()


@pytest.fixture
async def owner(connect: Connect) -> asyncpg.Connection:
    """Return a connection to a database with the schema."""
    connection = await connect()
    await apply_schema(connection)
    return connection
