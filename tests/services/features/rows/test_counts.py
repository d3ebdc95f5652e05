"""How many counts run at once, and what becomes of the others."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import asyncpg

from libs.catalogue.versions import DataVersions
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from libs.selection.selection import Selection
from services.features.resources import CATALOGUE
from services.features.rows.counts import Counts
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services


async def test_slow_counts_leave_connections_for_pages(
    running: Services, hostile: HostileDatabase, owner: asyncpg.Connection
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    slow = Selection(collection, None, (sql("pg_sleep(2) IS NULL"),), (), ())
    quick = replace(slow, conditions=(sql("id < 11"),))
    async with (
        Database(PoolSettings(hostile.reader_url, "test-counts", size=4, statement_timeout_ms=3000)) as database,
        DataVersions(database, poll_seconds=60) as versions,
    ):
        counts = Counts(database, versions, seconds=0.3, at_once=2)
        assert await counts.matched(quick, "quick") == 10
        assert await asyncio.gather(*(counts.matched(slow, f"slow {n}") for n in range(8))) == [None] * 8
        active = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-counts' AND state = 'active'"
        assert await owner.fetchval(active) == 2
        async with asyncio.timeout(1):
            assert await database.fetchval(sql("SELECT 1")) == 1
