"""How many counts run at once, what becomes of the others, and which are remembered."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import asyncpg

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from libs.selection.selection import Selection
from services.features.resources import CATALOGUE
from services.features.rows.counts import Counts
from tests.eventually import eventually
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


async def test_no_count_outlives_its_service(
    running: Services, hostile: HostileDatabase, owner: asyncpg.Connection
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    slow = Selection(collection, None, (sql("pg_sleep(60) IS NULL"),), (), ())
    async with Database(PoolSettings(hostile.reader_url, "test-end", size=2)) as database:
        counts = Counts(database, SetVersions(database), seconds=0.1, at_once=2)
        assert await counts.matched(slow, "slow") is None
        await counts.close()

        async def ended() -> None:
            active = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-end' AND state = 'active'"
            assert await owner.fetchval(active) == 0

        await eventually(ended, seconds=3)


class SetVersions(DataVersions):
    """Versions that are what the test says."""

    current = DataVersion("old", datetime(2024, 1, 1, tzinfo=UTC))

    def version(self, collection: Collection) -> DataVersion | None:
        return self.current


async def test_a_count_of_rows_that_changed_meanwhile_is_not_remembered(
    running: Services, hostile: HostileDatabase, owner: asyncpg.Connection
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    selection = Selection(collection, None, (sql("id < 11"),), (), ())
    old, new = SetVersions.current, DataVersion("new", datetime(2024, 1, 2, tzinfo=UTC))
    async with Database(PoolSettings(hostile.reader_url, "test-counts", size=4)) as database:
        versions = SetVersions(database)
        counts = Counts(database, versions, seconds=10, at_once=2)
        assert await counts.matched(selection, "quiet") == 10
        assert counts.known(selection, "quiet") == 10
        async with owner.transaction():
            await owner.execute("LOCK TABLE hostile.events")
            counting = asyncio.create_task(counts.matched(selection, "meanwhile"))
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-counts'"
            waiting += " AND wait_event_type = 'Lock'"
            async with asyncio.timeout(10):
                while not await owner.fetchval(waiting):
                    await owner.execute("SELECT pg_sleep(0.05), pg_stat_clear_snapshot()")
            versions.current = new
        assert await counting == 10
        assert counts.known(selection, "meanwhile") is None
        versions.current = old
        assert counts.known(selection, "meanwhile") is None
        assert counts.known(selection, "quiet") == 10
