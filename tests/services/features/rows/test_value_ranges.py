"""The values of columns: least and greatest, or all if they are few; read once for each version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.pg.pool import Database, PoolSettings
from services.features.rows import value_ranges
from services.features.rows.value_ranges import ValueRange, ValueRanges
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.features.conftest import Fetch
from tests.services.features.rows.set_versions import SetVersions

COLUMNS = (
    Column("whole", "integer", "integer"),
    Column("part", "numeric", "number"),
    Column("rough", "real", "number"),
    Column("price", "money", "number"),
    Column("day", "date", "string", format="date"),
    Column("at", "timestamp with time zone", "string", format="date-time"),
    Column("few", "text", "string"),
    Column("most", "text", "string"),
    Column("many", "text", "string"),
    Column("more", "text", "string"),
    Column("which", "uuid", "string", format="uuid"),
    Column("flag", "boolean", "boolean"),
    Column("own", "text", "string"),
)
TABLE = Collection("hostile.ranged", "hostile", "ranged", 1, "table", "R", None, COLUMNS, key=None, sources=(1,))
FUNCTION = Collection("hostile.none", "hostile", "none", 2, "function", "N", None, (), key=None, sources=())


@pytest.fixture(scope="module")
async def table(hostile: HostileDatabase) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection; `more` had few values when the table was last analysed."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.ranged (whole integer, part numeric, rough real, price money, day date, at timestamptz,"
        " few text, most text, many text, more text, which uuid, flag boolean,"
        " own text);"
        "INSERT INTO hostile.ranged SELECT n, n / 4.0, (n + 1) / 10.0, (-n)::numeric::money, date '2020-01-01' + n,"
        " timestamptz '2020-01-01 12:00+00' + n * interval '1 hour',"
        " CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN 'b' WHEN 2 THEN 'a' ELSE 'C' END,"
        " n % 40, n % 41, n % 10, ('00000000-0000-0000-0000-' || lpad((n % 2)::text, 12, '0'))::uuid, n % 2 = 0,"
        " 'row ' || n"
        " FROM generate_series(0, 819) n; INSERT INTO hostile.ranged (at) VALUES ('infinity');"
        "ANALYZE hostile.ranged; UPDATE hostile.ranged SET more = whole % 60;"
        "GRANT SELECT ON hostile.ranged TO hostile_reader;"
        # a table of that name, and one beside it, in which the column has few values
        "CREATE SCHEMA elsewhere; GRANT USAGE ON SCHEMA elsewhere TO hostile_reader;"
        "CREATE TABLE elsewhere.ranged AS SELECT (n % 3)::text AS own FROM generate_series(1, 99) n;"
        "CREATE TABLE hostile.beside AS TABLE elsewhere.ranged; ANALYZE elsewhere.ranged, hostile.beside;"
        "GRANT SELECT ON elsewhere.ranged, hostile.beside TO hostile_reader"
    )
    yield owner
    await owner.execute("DROP TABLE IF EXISTS hostile.ranged, hostile.beside; DROP SCHEMA elsewhere CASCADE")
    await owner.close()


@asynccontextmanager
async def started(hostile: HostileDatabase) -> AsyncIterator[tuple[ValueRanges, SetVersions]]:
    async with Database(PoolSettings(hostile.reader_url, "test-ranges", size=2)) as database:
        versions = SetVersions(database)
        ranges = ValueRanges(database, versions)
        yield ranges, versions
        await ranges.close()


async def test_ends_of_what_has_an_order_and_all_of_what_is_few(
    hostile: HostileDatabase, table: asyncpg.Connection, fetches: list[Fetch]
) -> None:
    async with started(hostile) as (ranges, _):
        found = await ranges.ranges(TABLE)
    # what nearly every row has another of is not sorted, however many rows there are
    assert not any("DISTINCT" in fetch.text and '"own"' in fetch.text for fetch in fetches)
    assert any("DISTINCT" in fetch.text and '"few"' in fetch.text for fetch in fetches)
    assert found
    assert found.pop("most").values == sorted(str(number) for number in range(40))
    collation = await table.fetchval("SELECT array_agg(v ORDER BY v) FROM unnest(ARRAY['b', 'a', 'C']) v")
    assert found == {
        "whole": ValueRange(0, 819),
        "part": ValueRange(0.0, 204.75),
        "rough": ValueRange(0.1, 82.0),
        "price": ValueRange(-819.0, 0.0),
        "day": ValueRange("2020-01-01", "2022-03-30"),
        # the last value cannot be written
        "at": ValueRange("2020-01-01T12:00:00Z", None),
        "few": ValueRange(values=collation),
    }


async def test_they_are_looked_for_once_for_each_version(
    hostile: HostileDatabase, table: asyncpg.Connection, fetches: list[Fetch]
) -> None:
    async with started(hostile) as (ranges, versions):
        assert await ranges.ranges(FUNCTION) == await ranges.recent(FUNCTION) == {}
        first, together = await asyncio.gather(ranges.ranges(TABLE), ranges.ranges(TABLE))
        assert first is together
        number = len([fetch for fetch in fetches if "pg_stats" in fetch.text])
        assert await ranges.ranges(TABLE) is first
        assert await ranges.recent(TABLE) is first
        assert len([fetch for fetch in fetches if "pg_stats" in fetch.text]) == number
        versions.token = "second"
        second = await ranges.ranges(TABLE)
        assert second is not first
        assert second == first
        assert len([fetch for fetch in fetches if "pg_stats" in fetch.text]) == number + 1


async def test_a_search_of_an_older_version_is_none_of_a_newer(
    hostile: HostileDatabase, table: asyncpg.Connection
) -> None:
    async with started(hostile) as (ranges, versions):
        async with table.transaction():
            await table.execute("LOCK TABLE hostile.ranged")
            first = asyncio.create_task(ranges.ranges(TABLE))
            await asyncio.sleep(0.01)
            versions.token = "second"
            second = asyncio.create_task(ranges.ranges(TABLE))
            await asyncio.sleep(0.01)
        assert await first == await second
        assert await first is not await second
        # without versions, suggestions use the last known values
        known = await ranges.ranges(TABLE)
        versions.token = None
        assert await ranges.recent(TABLE) is known
        assert await ranges.ranges(TABLE) == {}


async def test_suggestions_may_be_old_and_are_not_looked_for_again_at_once(
    hostile: HostileDatabase, table: asyncpg.Connection
) -> None:
    async with started(hostile) as (ranges, versions):
        # the ranges are unknown: the request waits a moment
        first = await ranges.recent(TABLE)
        assert first
        assert first["whole"] == ValueRange(0, 819)
        versions.token = "second"
        assert await ranges.recent(TABLE) is first
        await asyncio.sleep(0.3)
        assert await ranges.recent(TABLE) is first
        second = await ranges.ranges(TABLE)
        assert await ranges.recent(TABLE) is second is not first


async def test_suggestions_do_not_wait_for_a_slow_search(hostile: HostileDatabase, table: asyncpg.Connection) -> None:
    async with started(hostile) as (ranges, _):
        async with table.transaction():
            await table.execute("LOCK TABLE hostile.ranged")
            async with asyncio.timeout(3):
                assert await ranges.recent(TABLE) is None

        async def is_there() -> None:
            # the running query goes on
            assert (await ranges.recent(TABLE) or {}).get("whole") == ValueRange(0, 819)

        await eventually(is_there)


async def test_what_takes_too_long_is_unknown_and_looked_for_again(
    hostile: HostileDatabase, table: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(hostile) as (ranges, _):
        async with table.transaction():
            await table.execute("LOCK TABLE hostile.ranged")
            with monkeypatch.context() as patched:
                patched.setattr(value_ranges, "SECONDS", 0.05)
                assert await ranges.ranges(TABLE) is None
        assert (await ranges.ranges(TABLE) or {})["whole"] == ValueRange(0, 819)


async def test_what_fails_is_unknown_and_looked_for_again(hostile: HostileDatabase, table: asyncpg.Connection) -> None:
    async with started(hostile) as (ranges, _):
        await table.execute("ALTER TABLE hostile.ranged RENAME TO away")
        try:
            assert await ranges.ranges(TABLE) is None
        finally:
            await table.execute("ALTER TABLE hostile.away RENAME TO ranged")
        assert (await ranges.ranges(TABLE) or {})["whole"] == ValueRange(0, 819)


async def test_geometries_that_are_not_given_are_counted_where_there_may_be_some(
    hostile: HostileDatabase, table: asyncpg.Connection
) -> None:
    await table.execute(
        "CREATE TABLE hostile.beyond AS SELECT 'SRID=4326;POINT(0 91)'::geometry AS geom, NULL::geometry AS whole;"
        "GRANT SELECT ON hostile.beyond TO hostile_reader"
    )
    columns = (GeometryColumn("geom", "Point", 4326, partial=True), GeometryColumn("whole", "Point", 4326))
    beyond = replace(TABLE, id="hostile.beyond", name="beyond", columns=(), geometries=columns)
    try:
        async with started(hostile) as (ranges, _):
            assert await ranges.ranges(beyond) == {"geom": ValueRange(omitted=1)}
    finally:
        await table.execute("DROP TABLE hostile.beyond")
    assert ValueRange().omitted == 0


async def test_no_search_outlives_its_service(hostile: HostileDatabase, table: asyncpg.Connection) -> None:
    async with Database(PoolSettings(hostile.reader_url, "test-ranges-end", size=2)) as database:
        ranges = ValueRanges(database, SetVersions(database))
        async with table.transaction():
            await table.execute("LOCK TABLE hostile.ranged")
            assert await ranges.recent(TABLE) is None
            searching = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-ranges-end'"
            searching += " AND state = 'active'"
            assert await table.fetchval(searching) == 1
            await ranges.close()

            async def ended() -> None:
                await table.execute("SELECT pg_stat_clear_snapshot()")
                assert await table.fetchval(searching) == 0

            await eventually(ended, seconds=3)
