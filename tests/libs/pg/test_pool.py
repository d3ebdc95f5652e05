"""Connections: those that are cut, those that are cancelled, those that wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A pool of four."""
    async with Database(PoolSettings(database_url, "pool-test", size=4, waiting=6, acquire_timeout=5)) as pool:
        yield pool


async def test_connections_that_the_server_closed_cost_no_request(database: Database, database_url: str) -> None:
    await asyncio.gather(*(database.fetchval(sql("SELECT pg_sleep(0.1)")) for _ in range(4)))
    owner = await asyncpg.connect(database_url)
    await owner.fetch("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pool-test'")
    await asyncio.sleep(0.2)
    for _ in range(6):
        assert await database.fetchval(sql("SELECT 1")) == 1
    await owner.close()


async def test_cancelled_requests_leave_no_connection_behind(database: Database) -> None:
    for _ in range(12):
        task = asyncio.create_task(database.fetchval(sql("SELECT pg_sleep(5)")))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await asyncio.gather(*(database.fetchval(sql("SELECT 1")) for _ in range(8))) == [1] * 8
    assert database.gauges()["open"] <= 4


async def test_more_than_may_wait_are_told_at_once(database: Database) -> None:
    running = [asyncio.create_task(database.fetchval(sql("SELECT pg_sleep(1)"))) for _ in range(10)]
    await asyncio.sleep(0.3)
    with pytest.raises(Unavailable, match="busy"):
        await asyncio.wait_for(database.fetchval(sql("SELECT 1")), 0.5)
    await asyncio.gather(*running)
