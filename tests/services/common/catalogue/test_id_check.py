"""The check for repeated ids follows the collection's definition, and does not run without need."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from services.common.catalogue.id_check import IdCheck
from services.common.introspection.introspect import Introspection
from tests.services.common.introspection.asking import Asking, Slow

_TABLES = """
CREATE SCHEMA own; CREATE TABLE own.codes (id integer, code integer, "Name" text);
INSERT INTO own.codes VALUES (1, 7, 'a'), (2, 8, NULL), (3, 8, NULL);
CREATE VIEW own.bounded AS SELECT current_setting('statement_timeout') AS code FROM own.codes;
CREATE VIEW own.endless AS SELECT few.code FROM own.codes few, pg_sleep(60);
"""


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Asking]:
    owner = await asyncpg.connect(database_url)
    await owner.execute(_TABLES)
    await owner.close()
    async with Asking(PoolSettings(database_url, "test", size=1)) as asking:
        # without the statements of its opening
        asking.times = 0
        yield asking


def of(name: str, key: str | None) -> Collection:
    """A collection whose ids nothing vouches for."""
    return Collection(f"own.{name}", "own", name, 1, "table", name, None, (), key=key, key_repeats=True)


async def test_a_view_that_is_defined_anew_is_checked_at_once(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        check = IdCheck(database, trusted_seconds=3600)
        found = []
        await owner.execute("CREATE SCHEMA own")
        for code in ("n", "n / 2", "n + 1"):
            await owner.execute(
                f"CREATE OR REPLACE VIEW own.seen AS SELECT n, {code} AS code FROM generate_series(1, 4) AS n"  # noqa: S608 ours
            )
            (collection,) = await Introspection(database, ("own",)).collections()
            found.append(await check.repeats(replace(collection, key="code", key_repeats=True)))
        assert found == [False, True, False]
    await owner.close()


async def test_nulls_are_no_ids_and_known_results_are_used_again(database: Asking) -> None:
    check = IdCheck(database)
    assert [await check.repeats(of("codes", key)) for key in ("id", "Name")] == [False, False]
    codes = of("codes", "code")
    database.times = 0
    assert [await check.repeats(codes) for _ in range(2)] == [True, True]
    # a known result is not checked again so soon
    assert database.times == 1
    # of another shape, and of another relation, it is looked at again
    assert await check.repeats(replace(codes, shape="another"))
    assert await check.repeats(replace(codes, oid=2))
    assert database.times == 3
    assert not await check.repeats(replace(codes, key="id", shape="third"))
    assert await check.repeats(replace(codes, shape="third"))


async def test_what_takes_too_long_stays_unknown_and_is_left_alone(database: Asking) -> None:
    check = IdCheck(database, statement_ms=50, trusted_seconds=0)
    assert not await check.repeats(of("endless", "code"))
    database.times = 0
    assert not await check.repeats(of("endless", "code"))
    assert database.times == 0
    assert not await IdCheck(database, statement_ms=2000).repeats(of("gone", "code"))


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(("takes", "pause"), [(0.0, 60.0), (0.05, 60.0), (0.5, 500.0)])
async def test_ids_are_read_again_after_a_minute_or_later_if_slow(
    database_url: str, monkeypatch: pytest.MonkeyPatch, takes: float, pause: float
) -> None:
    async with Slow(PoolSettings(database_url, "test", size=1)) as slow:
        monkeypatch.setattr("services.common.catalogue.id_check.time", slow.clock)
        slow.takes, slow.times, check = takes, 0, IdCheck(slow)
        asked = []
        for seconds in (0, pause - 1, 2):
            slow.now += seconds
            assert not await check.repeats(of("codes", "id"))
            asked.append(slow.times)
    assert asked == [1, 1, 2]


async def test_what_vouches_for_its_ids_is_not_asked(database: Asking) -> None:
    codes, check = of("codes", "code"), IdCheck(database)
    database.times = 0
    for sure in (replace(codes, key=None), replace(codes, key_repeats=False), replace(codes, kind="function")):
        assert not await check.repeats(sure)
    assert database.times == 0


async def test_a_database_that_is_away_tells_nothing_of_ids() -> None:
    nowhere = PoolSettings("postgresql://nobody@127.0.0.1:9/nothing", "test", size=1)
    with pytest.raises(Unavailable):
        await IdCheck(Database(nowhere)).repeats(of("codes", "code"))
