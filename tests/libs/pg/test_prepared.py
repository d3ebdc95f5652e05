"""Which statements a session keeps prepared, and the memory that it takes for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from inspect import signature

import pytest

from libs.pg.pool import Database, PoolSettings
from libs.pg.prepared import Recurring
from libs.pg.sql import Sql, bind, sql

PREPARED = sql(
    "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%filter%' AND statement NOT LIKE '%pg_prepared%'"
)
MEMORY = sql("SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts")


@pytest.fixture
async def session(database_url: str) -> AsyncIterator[Database]:
    """A pool of one connection."""
    async with Database(PoolSettings(database_url, "prepared-test", size=1)) as database:
        yield database


def of_shape(number: int) -> Sql:
    """A statement like no other: with a condition on each bit of the number."""
    bits = [f" AND 'filter' {'=' if number >> place & 1 else '<>'} oid::text" for place in range(12)]
    return Sql(("SELECT relname FROM pg_class WHERE oid = ",)) + bind(1, "int8") + Sql(tuple(bits))


@pytest.mark.faults
async def test_statements_that_come_once_are_not_kept_and_take_no_memory(session: Database) -> None:
    for number in range(100):
        await session.fetch(of_shape(number))
    before = await session.fetchval(MEMORY)
    for number in range(100, 1100):
        await session.fetch(of_shape(number))
    assert await session.fetchval(PREPARED) == 0
    assert await session.fetchval(MEMORY) < before + 1_000_000


async def test_a_statement_that_comes_again_is_kept(session: Database) -> None:
    for _ in range(3):
        assert await session.fetch(of_shape(7)) == []
    assert await session.fetchval(PREPARED) == 1
    # but for a very long one
    for length, kept in ((8 * 1024, 2), (8 * 1024 + 1, 2)):
        long = Sql(("SELECT 'filter' AS a LIMIT 0".ljust(length),))
        for _ in range(3):
            assert await session.fetch(long) == []
        assert await session.fetchval(PREPARED) == kept


async def test_no_more_are_kept_than_fit(session: Database) -> None:
    for number in range(300):
        for _ in range(2):
            await session.fetch(of_shape(number))
    assert await session.fetchval(PREPARED) <= 100


def test_what_came_long_ago_is_forgotten() -> None:
    assert signature(Recurring).parameters["most"].default == 2000
    recurring = Recurring(most=10)
    assert "first" not in recurring
    assert "first" in recurring
    for number in range(10):
        assert str(number) not in recurring
    assert "first" in recurring
    for number in range(100, 130):
        assert str(number) not in recurring
    assert "first" not in recurring
