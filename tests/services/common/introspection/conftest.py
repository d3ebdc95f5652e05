"""A database with relations of the test's own in the schema `own`, and what the catalogue sees of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.pg.pool import Database, PoolSettings
from services.common.introspection.introspect import Introspection


@pytest.fixture
def relations() -> str:
    """Statements that make what all tests of a module want, which has a fixture of this name."""
    return ""


@pytest.fixture
async def owner(database_url: str, relations: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the owner, closed when the test ends."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"CREATE SCHEMA own; {relations}")
    yield connection
    await connection.close()


@pytest.fixture
async def introspection(owner: asyncpg.Connection, database_url: str) -> AsyncIterator[Introspection]:
    """Make an introspection of the schema `own`."""
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        yield Introspection(database, ("own",))
