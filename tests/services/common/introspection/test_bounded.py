"""Statements that may take so long and no longer, and what the log says of those that took longer."""

from __future__ import annotations

import pytest

from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import bind, sql
from services.common.introspection.bounded import TooSlowError, rows_within

_LIMIT = sql("SELECT current_setting('statement_timeout')")


async def test_a_statement_has_its_time_and_the_next_one_another(database_url: str) -> None:
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        before = await database.fetchval(_LIMIT)
        assert await rows_within(database, _LIMIT, 7000, "a.b", "no extent") == [("7s",)]
        assert await database.fetchval(_LIMIT) == before
        rows = sql("SELECT n, {more}::text FROM generate_series(1, 2) n", more=bind("x", "text"))
        assert await rows_within(database, rows, 7000, "a.b", "no extent") == [(1, "x"), (2, "x")]


@pytest.mark.parametrize("statement", ["SELECT pg_sleep(60)", "SELECT FROM nowhere"])
async def test_what_takes_longer_or_is_broken_costs_only_itself(database_url: str, statement: str) -> None:
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        with pytest.raises(TooSlowError):
            await rows_within(database, sql(statement), 50, "a.b", "no count")


async def test_without_a_database_nothing_is_known_of_a_statement() -> None:
    nowhere = PoolSettings("postgresql://nobody@127.0.0.1:9/nothing", "test", size=1)
    with pytest.raises(Unavailable):
        await rows_within(Database(nowhere), _LIMIT, 50, "a.b", "no count")
