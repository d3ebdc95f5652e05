"""1,100 tables, one of 1,600 columns and one of 100 million estimated rows are served like a dozen small ones.

How long it takes is measured by `python -m tools.benchmarks.catalogue`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_reader
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.conftest import PASSWORD, READER, reader_url
from tests.services.in_process import Client, Services, services
from tests.services.many_tables import COLUMNS, HUGE_ROWS, make_many_tables

TABLES = 1100
"""More than one list has."""


@pytest.fixture(scope="module")
async def many(make_database: MakeDatabase) -> AsyncIterator[tuple[Services, asyncpg.Connection]]:
    """Common and features on the many tables, and the owner's connection."""
    url = await make_database()
    owner = await asyncpg.connect(url, command_timeout=300)
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await make_many_tables(owner, TABLES)
    env = {
        "DAMS_DATABASE_URL": reader_url(url),
        "DAMS_COLLECTION_SCHEMAS": "many",
        "DAMS_CATALOGUE_REFRESH_SECONDS": "1",
    }
    async with services() as started:
        await started.start("common", env)
        await started.start("features", env)
        yield started, owner
    await owner.close()


@pytest.fixture
def common(many: tuple[Services, asyncpg.Connection]) -> Client:
    """The common service."""
    return many[0]["common"]


async def test_the_document_has_a_thousand_at_a_time(common: Client) -> None:
    first = await common.get("/collections")
    assert (first.json()["numberMatched"], first.json()["numberReturned"]) == (TABLES + 2, 1000)
    found, answer = [], first
    while True:
        found += [entry["id"] for entry in answer.json()["collections"]]
        following = answer.link("next")
        if following is None:
            break
        answer = await common.get(following)
    assert len(found) == len(set(found)) == TABLES + 2
    assert found == sorted(found)
    assert len(first.body) < 10_000_000


async def test_pages_for_people_stay_small(common: Client) -> None:
    landing = await common.get("/", {"f": "html"})
    assert landing.status == 200
    assert "All 1,102 collections" in landing.body.decode()
    page = await common.get("/collections", {"f": "html"})
    text = page.body.decode()
    assert "1 to 50 of 1,102 collections" in text
    assert "Next page" in text
    assert max(len(landing.body), len(page.body)) < 150_000
    second = (await common.get("/collections", {"f": "html", "limit": "50", "offset": "50"})).body.decode()
    assert "Previous page" in second


async def test_extents_and_estimates(common: Client) -> None:
    table = await common.json("/collections/many.table_0007")
    assert table["extent"]["temporal"]["interval"] == [["2020-01-02T00:00:00Z", "2020-01-04T00:00:00Z"]]
    assert table["extent"]["spatial"]["bbox"][0] == pytest.approx([6.5, 0.5, 7.5, 3.5], abs=0.01)
    mercator = await common.json("/collections/many.table_0010")
    assert mercator["extent"]["spatial"]["bbox"][0] == pytest.approx([9.5, 0.5, 10.5, 3.5], abs=0.01)
    huge = (await common.get("/collections/many.huge", {"f": "html"})).body.decode()
    assert f"about {HUGE_ROWS:,}" in huge


async def test_the_widest_table_there_can_be(many: tuple[Services, asyncpg.Connection]) -> None:
    running, _ = many
    queryables = await running["features"].json("/collections/many.wide/queryables")
    assert len(queryables["properties"]) == COLUMNS
    items = await running["features"].json("/collections/many.wide/items")
    assert items["features"][0]["properties"]["c1600"] == 1600
    for path in ("/collections/many.wide/items", "/collections/many.wide/queryables"):
        page = await running["features"].get(path, {"f": "html"})
        assert page.status == 200
        assert len(page.body) < 500_000
    assert (await running["common"].get("/collections/many.wide", {"f": "html"})).status == 200


async def test_one_more_table_appears_everywhere(many: tuple[Services, asyncpg.Connection]) -> None:
    running, owner = many
    await owner.execute(
        "CREATE TABLE many.zz_last (id integer PRIMARY KEY); GRANT SELECT ON many.zz_last TO dams_reader"
    )
    await eventually(lambda: running["features"].json("/collections/many.zz_last/items"))
    await owner.execute("DROP TABLE many.zz_last")
