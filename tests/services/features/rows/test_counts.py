"""How many counts run at once, what becomes of the others, and which are remembered."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import asyncpg
import pytest
from prometheus_client import REGISTRY

from libs.catalogue.versions import DataVersions
from libs.pg.pool import Database, PoolSettings, Statements
from libs.pg.sql import sql
from libs.selection.selection import Selection
from services.features.resources import CATALOGUE
from services.features.rows.counts import Counts
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.features.rows.set_versions import SetVersions
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
        assert await counts.count(quick, "quick") == 10
        assert await asyncio.gather(*(counts.count(slow, f"slow {n}") for n in range(8))) == [None] * 8
        active = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-counts' AND state = 'active'"
        assert await owner.fetchval(active) == 2
        async with asyncio.timeout(1):
            assert await database.fetchval(sql("SELECT 1")) == 1


async def test_slow_counts_leave_turns_for_other_collections(running: Services, hostile: HostileDatabase) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    slow = Selection(collection, None, (sql("pg_sleep(60) IS NULL"),), (), ())
    quick = replace(slow, conditions=(sql("id < 11"),))
    elsewhere = replace(quick, collection=replace(collection, id="elsewhere.events"))
    async with Database(PoolSettings(hostile.reader_url, "test-turns", size=4)) as database:
        counts = Counts(database, SetVersions(database), seconds=0.3, at_once=2, of_collection=1)
        try:
            # it goes on
            assert await counts.count(slow, "slow") is None
            assert await counts.count(elsewhere, "elsewhere") == 10
            assert await counts.count(quick, "quick") is None
        finally:
            await counts.close()


async def test_slow_counts_of_several_collections_leave_connections_for_pages(
    running: Services, hostile: HostileDatabase
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    slow = Selection(collection, None, (sql("pg_sleep(60) IS NULL"),), (), ())
    elsewhere = replace(slow, collection=replace(collection, id="elsewhere.events"), conditions=(sql("id < 11"),))
    async with Database(PoolSettings(hostile.reader_url, "test-several", size=4)) as database:
        counts = Counts(database, SetVersions(database), seconds=0.3, at_once=1)
        try:
            # it goes on
            assert await counts.count(slow, "slow") is None
            assert await counts.count(elsewhere, "elsewhere") is None
        finally:
            await counts.close()


async def test_what_the_database_gives_up_is_a_number_that_is_not_known(
    running: Services, hostile: HostileDatabase
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    slow = Selection(collection, None, (sql("pg_sleep(60) IS NULL"),), (), ())
    settings = PoolSettings(hostile.reader_url, "test-given-up", size=1, statement_timeout_ms=100)
    async with Database(settings) as database:
        counts = Counts(database, SetVersions(database), seconds=30, at_once=1)
        assert await counts.count(slow, "slow") is None


async def test_no_count_outlives_its_service(
    running: Services, hostile: HostileDatabase, owner: asyncpg.Connection
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    slow = Selection(collection, None, (sql("pg_sleep(60) IS NULL"),), (), ())
    async with Database(PoolSettings(hostile.reader_url, "test-end", size=2)) as database:
        counts = Counts(database, SetVersions(database), seconds=0.1, at_once=2)
        assert await counts.count(slow, "slow") is None
        await counts.close()

        async def ended() -> None:
            active = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-end' AND state = 'active'"
            assert await owner.fetchval(active) == 0

        await eventually(ended, seconds=3)


async def test_a_count_of_rows_that_changed_meanwhile_is_not_remembered(
    running: Services, hostile: HostileDatabase, owner: asyncpg.Connection
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    selection = Selection(collection, None, (sql("id < 11"),), (), ())
    async with Database(PoolSettings(hostile.reader_url, "test-counts", size=4)) as database:
        versions = SetVersions(database)
        counts = Counts(database, versions, seconds=10, at_once=2)
        assert await counts.count(selection, "quiet") == 10
        assert counts.recall(selection, "quiet") == 10
        async with owner.transaction():
            await owner.execute("LOCK TABLE hostile.events")
            counting = asyncio.create_task(counts.count(selection, "meanwhile"))
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-counts'"
            waiting += " AND wait_event_type = 'Lock'"
            async with asyncio.timeout(10):
                while not await owner.fetchval(waiting):
                    await owner.execute("SELECT pg_sleep(0.05), pg_stat_clear_snapshot()")
            versions.token = "second"
        assert await counting == 10
        assert counts.recall(selection, "meanwhile") is None
        versions.token = "first"
        assert counts.recall(selection, "meanwhile") is None
        assert counts.recall(selection, "quiet") == 10
        # without a version it is unknown when the data change
        versions.token = None
        assert await counts.count(selection, "unversioned") == 10
        assert counts.recall(selection, "unversioned") is None


async def test_known_and_unknown_counts_are_counted_themselves(running: Services, hostile: HostileDatabase) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    selection = Selection(collection, None, (sql("id < 11"),), (), ())

    def looked_up() -> list[float]:
        name = "dams_count_cache_lookups_total"
        return [REGISTRY.get_sample_value(name, {"result": result}) or 0.0 for result in ("hit", "miss")]

    hits, misses = looked_up()
    async with Database(PoolSettings(hostile.reader_url, "test-lookups", size=1)) as database:
        counts = Counts(database, SetVersions(database), seconds=10, at_once=1)
        assert [await counts.count(selection, "same") for _ in range(3)] == [10, 10, 10]
    assert looked_up() == [hits + 2, misses + 1]


@pytest.mark.parametrize("turns", [(1, 2), (2, 1)], ids=["of all", "of its collection"])
async def test_a_count_that_finds_no_turn_in_time_is_not_made(
    running: Services,
    hostile: HostileDatabase,
    owner: asyncpg.Connection,
    counting: list[str],
    turns: tuple[int, int],
) -> None:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    first, second = (Selection(collection, None, (sql(f"id < {n} AND id > -77"),), (), ()) for n in (11, 12))
    async with Database(PoolSettings(hostile.reader_url, "test-turn", size=2, lock_timeout_ms=9000)) as database:
        counts = Counts(database, SetVersions(database), seconds=0.1, at_once=turns[0], of_collection=turns[1])
        async with owner.transaction():
            await owner.execute("LOCK TABLE hostile.events")
            assert await asyncio.gather(*(counts.count(one, repr(one)) for one in (first, second))) == [None, None]
            # callers with a shorter wait have left
            await asyncio.sleep(0.1)

        async def is_known() -> None:
            assert counts.recall(first, repr(first)) == 10

        await eventually(is_known)
        await asyncio.sleep(0.05)
        await counts.close()
    assert [text for text in counting if "-77" in text] == [
        f'SELECT count(*) FROM "hostile"."events" WHERE {first.where.render()[0]}'  # noqa: S608
    ]


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that count rows from now on."""
    made: list[str] = []
    count = Statements.fetchval

    async def noted(database: Statements, statement: Any) -> Any:
        if (text := statement.render()[0]).startswith("SELECT count(*) FROM"):
            made.append(text)
        return await count(database, statement)

    monkeypatch.setattr(Statements, "fetchval", noted)
    return made


async def test_rows_that_were_all_seen_are_not_counted(running: Services, counting: list[str]) -> None:
    items = "/collections/hostile.events/items"
    whole = {"filter": "id < 11 AND id > -7", "f": "geojson"}
    last = await running["features"].json(items, **whole, limit="4", offset="8")
    assert (len(last["features"]), last["numberMatched"]) == (2, 10)
    # known from now on
    first = await running["features"].json(items, **whole, limit="4")
    assert (len(first["features"]), first["numberMatched"], counting) == (4, 10, [])
    # a page behind the end says nothing about the rows before it; a full page says nothing about those after it
    for parameters in ({"offset": "20"}, {"limit": "4"}):
        asked = {"filter": f"id < 11 AND id > -{8 + len(counting)}", "f": "geojson", **parameters}
        assert (await running["features"].json(items, **asked))["numberMatched"] == 10
        assert [text for text in counting if "hostile" in text] == counting != []
    assert len(counting) == 2
    # a page of many chunks
    csv = await running["features"].get(f"{items}?filter=id>-12&limit=10000&f=csv")
    assert csv.headers["OGC-NumberMatched"] == str(len(csv.body.splitlines()) - 1)
    assert len(counting) == 2


async def test_a_page_that_follows_a_cursor_is_counted(running: Services, counting: list[str]) -> None:
    items = "/collections/hostile.events/items"
    page = await running["features"].json(items, filter="id < 11 AND id > -9.5", limit="6", numberMatched="false")
    [following] = [link["href"] for link in page["links"] if link["rel"] == "next"]
    assert "numberMatched=false" in following
    path = following.replace("&numberMatched=false", "").replace("numberMatched=false&", "")
    rest = await running["features"].json(path[path.index("/collections") :])
    assert (len(rest["features"]), rest["numberMatched"], len(counting)) == (4, 10, 1)


async def test_a_client_that_wants_no_number_costs_no_count(running: Services, counting: list[str]) -> None:
    items = "/collections/hostile.events/items"
    asked = {"filter": "id < 11 AND id > -8.5", "limit": "4", "numberMatched": "false"}
    paths = [f"{items}?{urlencode({**asked, 'f': name})}" for name in ("geojson", "csv", "json", "html")]
    answers = [await running["features"].get(path) for path in paths]
    assert [answer.status for answer in answers] == [200] * 4
    assert counting == []
    assert "numberMatched" not in answers[0].json()
    for answer in answers:
        assert "OGC-NumberMatched" not in answer.headers
        # no header is missing that a later answer has
        assert "ETag" in answer.headers
    wrong = await running["features"].get(f"{items}?numberMatched=maybe")
    assert (wrong.status, wrong.json()["detail"][0]["loc"]) == (422, ["query", "numberMatched"])
