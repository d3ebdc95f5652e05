"""The number of rows of a collection: exact, or not there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.database_state import DatabaseState, DatabaseStates
from libs.catalogue.model import Collection
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.extents import Extents
from services.common.introspection.introspect import Introspection
from services.common.introspection.row_counts import RowCounts
from tests.conftest import MakeDatabase
from tests.eventually import eventually

_SCHEMA = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA counted;
CREATE TABLE counted.few AS SELECT n AS id FROM generate_series(1, 17) n;
CREATE TABLE counted.none (id integer PRIMARY KEY);
-- larger than what is counted together
CREATE TABLE counted.wide (id integer PRIMARY KEY, padding text);
ALTER TABLE counted.wide ALTER padding SET STORAGE EXTERNAL;
INSERT INTO counted.wide SELECT n, repeat('x', 1000000) FROM generate_series(1, 11) n;
CREATE TABLE counted.parted (id integer) PARTITION BY RANGE (id);
CREATE TABLE counted.parted_1 PARTITION OF counted.parted FOR VALUES FROM (0) TO (10);
CREATE TABLE counted.parted_2 PARTITION OF counted.parted FOR VALUES FROM (10) TO (20);
INSERT INTO counted.parted SELECT generate_series(5, 14);
CREATE VIEW counted.odd AS SELECT id FROM counted.few WHERE id % 2 = 1;
CREATE VIEW counted.slow AS SELECT few.id FROM counted.few, pg_sleep(60);
CREATE MATERIALIZED VIEW counted.kept AS SELECT id FROM counted.few;
-- what the clock changes has no number that stays right
CREATE VIEW counted.recent AS SELECT id FROM counted.few WHERE now() > '2000-01-01';
ANALYZE;
"""
_EXACT = {"few": 17, "none": 0, "wide": 11, "parted": 10, "odd": 9, "kept": 17}


@pytest.fixture
async def owner(make_database: MakeDatabase) -> AsyncIterator[tuple[asyncpg.Connection, str]]:
    """The owner's connection to a database of tables and views, and its address."""
    url = await make_database()
    connection = await asyncpg.connect(url)
    await connection.execute(_SCHEMA)
    yield connection, url
    await connection.close()


async def test_numbers_are_exact_or_absent(owner: tuple[asyncpg.Connection, str]) -> None:
    async with Database(PoolSettings(owner[1], "test")) as database:
        introspection = Introspection(database, ("counted",))

        async def counts() -> dict[str, int | None]:
            return {found.name: found.item_count for found in await introspection.collections()}

        async def known() -> dict[str, int | None]:
            found = await counts()
            assert {name: found[name] for name in _EXACT} == _EXACT
            return found

        found = await eventually(known)
        assert [found[name] for name in ("slow", "recent")] == [None, None]
        before = await introspection.collections()
        assert all(a is b for a, b in zip(before, await introspection.collections(), strict=True))

        await owner[0].execute("DELETE FROM counted.few WHERE id > 10; INSERT INTO counted.parted VALUES (19)")

        async def changed() -> None:
            now = await counts()
            # never the old number once the change is known of
            assert now["few"] in (10, 17, None)
            assert (now["few"], now["odd"], now["kept"], now["parted"]) == (10, 5, 17, 11)

        await eventually(changed)


async def test_what_is_slow_costs_little_and_an_old_number_is_not_told(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    async with Database(PoolSettings(owner[1], "test")) as database:
        extents = Extents(database)
        bare = await extents.fill_in(await Introspection(database, ("counted",)).collections())
        states = extents.counted
        assert "counted.recent" not in states
        # policies may read data whose changes are not recorded
        hiding = Extents(database)
        await hiding.fill_in(tuple(replace(collection, row_security=True) for collection in bare))
        assert not hiding.counted
        counts = RowCounts(database, statement_ms=50, least_seconds=600)
        async with asyncio.timeout(30):
            await counts.fill_in(bare, states)
            found = {collection.name: collection.item_count for collection in await counts.fill_in(bare, states)}
        assert (found["few"], found["slow"]) == (17, None)
        # rows that have changed and are not recounted yet
        other = {**states, "counted.few": "another"}
        found = {collection.name: collection.item_count for collection in await counts.fill_in(bare, other)}
        assert (found["few"], found["odd"]) == (None, 9)
        # when no time is left, no table is counted
        hasty = RowCounts(database, round_seconds=-1)
        assert {collection.item_count for collection in await hasty.fill_in(bare, states)} == {None}


class Asked(Database):
    """Counts its statements."""

    times = 0

    def connection(self, **of_it: bool) -> Any:
        self.times += 1
        return super().connection(**of_it)


@pytest.fixture
async def few(owner: tuple[asyncpg.Connection, str]) -> AsyncIterator[tuple[Asked, tuple[Collection, ...]]]:
    """A database, and a table of it, a view that takes too long and one that takes a third of a second."""
    await owner[0].execute("CREATE VIEW counted.slowly AS SELECT few.id FROM counted.few, pg_sleep(0.3)")
    async with Asked(PoolSettings(owner[1], "test")) as database:
        found = await Introspection(database, ("counted",)).collections()
        bare = tuple(replace(each, item_count=None) for each in found if each.name in ("few", "slow", "slowly"))
        database.times = 0
        yield database, bare


def _numbers(collections: tuple[Collection, ...]) -> list[int | None]:
    return [collection.item_count for collection in collections]


async def test_what_a_replica_does_not_count_has_no_number_that_stays_right(
    few: tuple[Asked, tuple[Collection, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    database, (small, *_) = few
    read = DatabaseStates.read

    async def of_a_replica(states: DatabaseStates) -> DatabaseState:
        found = await read(states)
        return replace(found, relations={**found.relations, small.oid: None})

    extents = Extents(database)
    await extents.fill_in((small,))
    assert extents.counted.keys() == {small.id}
    monkeypatch.setattr(DatabaseStates, "read", of_a_replica)
    await extents.fill_in((small,))
    assert not extents.counted
    assert extents.states.keys() == {small.id}


async def test_what_costs_much_is_counted_again_more_seldom(few: tuple[Asked, tuple[Collection, ...]]) -> None:
    database, (small, _, slowly) = few
    bare = (small, slowly)
    counts = RowCounts(database, statement_ms=60_000, least_seconds=0, round_seconds=60)
    assert _numbers(await counts.fill_in(bare, dict.fromkeys(("counted.few", "counted.slowly"), 1))) == [17, 17]
    assert database.times == 2
    # of the slow one the old number is not told, and no new one is looked for yet
    assert _numbers(await counts.fill_in(bare, dict.fromkeys(("counted.few", "counted.slowly"), 2))) == [17, None]
    assert database.times == 3
    # with equal states no statement is sent
    assert _numbers(await counts.fill_in(bare, dict.fromkeys(("counted.few", "counted.slowly"), 2))) == [17, None]
    # as it was when it was counted
    assert _numbers(await counts.fill_in(bare, {"counted.few": 2, "counted.slowly": 1})) == [17, 17]
    assert database.times == 3


async def test_what_cannot_be_counted_is_not_tried_again_and_again(few: tuple[Asked, tuple[Collection, ...]]) -> None:
    database, (small, slow, _) = few
    gone = replace(small, name="gone", id="counted.gone")
    states = {"counted.few": 1, "counted.gone": 1, "counted.slow": 1}
    counts = RowCounts(database, statement_ms=1000, least_seconds=0, round_seconds=60)
    # those that are counted together fail together, and are counted one by one the next time
    assert _numbers(await counts.fill_in((small, gone, slow), states)) == [None, None, None]
    assert _numbers(await counts.fill_in((small, gone, slow), states)) == [17, None, None]
    asked = database.times
    assert _numbers(await counts.fill_in((small, gone, slow), states)) == [17, None, None]
    assert database.times == asked
    # another state of what took too long: in a while
    assert _numbers(await counts.fill_in((small, slow), {**states, "counted.slow": 2})) == [17, None]
    assert database.times == asked


async def test_slow_count_is_repeated_later_without_a_change(
    owner: tuple[asyncpg.Connection, str], few: tuple[Asked, tuple[Collection, ...]]
) -> None:
    database, (small, *_) = few
    counts = RowCounts(database, statement_ms=100, least_seconds=0, round_seconds=60)
    async with owner[0].transaction():
        # the count waits for this lock, and is cancelled
        await owner[0].execute("LOCK TABLE counted.few")
        assert _numbers(await counts.fill_in((small,), {"counted.few": 1})) == [None]

    async def counted() -> None:
        assert _numbers(await counts.fill_in((small,), {"counted.few": 1})) == [17]

    await eventually(counted)


async def test_only_what_can_be_counted_in_time_is(few: tuple[Asked, tuple[Collection, ...]]) -> None:
    database, (small, *_) = few
    counts = RowCounts(database, statement_ms=60_000, least_seconds=0, round_seconds=60)
    states = {"counted.few": 1}
    assert _numbers(await counts.fill_in((replace(small, rows=1_000_001),), states)) == [None]
    assert _numbers(await counts.fill_in((small,), {})) == [None]
    assert _numbers(await counts.fill_in((small,), states, {"counted.few"})) == [None]
    assert database.times == 0
    assert _numbers(await counts.fill_in((replace(small, rows=1_000_000),), states)) == [17]
    # a dropped collection is forgotten, and recounted when it exists again
    await counts.fill_in((), {})
    await counts.fill_in((small,), states)
    assert database.times == 2
    patient = RowCounts(database, statement_ms=60_000, least_seconds=600, round_seconds=60)
    await patient.fill_in((small,), states)
    assert _numbers(await patient.fill_in((small,), {"counted.few": 2})) == [None]
    assert database.times == 3
    # what is known besides is that of now, and the same object where there is nothing to add
    other = replace(small, title="Others")
    assert await patient.fill_in((other,), states) == (replace(other, item_count=17),)
    assert (await counts.fill_in((other,), {}))[0] is other
    # together up to eight megabytes each
    for row_bytes, times in ((8192, 1), (8193, 2)):
        database.times, each = 0, replace(small, rows=1024, row_bytes=row_bytes)
        both = (each, replace(each, id="counted.again"))
        counts = RowCounts(database, statement_ms=60_000, round_seconds=60)
        assert _numbers(await counts.fill_in(both, {**states, "counted.again": 1})) == [17, 17]
        assert database.times == times
