"""A collection read to its end while others write: every row that nobody touched comes exactly once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import orjson
import pytest

from tests.conftest import MakeDatabase
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services, services

_EACH = 1000
"""Untouched rows; as many others come and go."""

_SCHEMA = """
CREATE SCHEMA found;
CREATE TABLE found.quakes (id serial PRIMARY KEY, kind text, touched boolean, geom geometry(Point, 4326));
CREATE TABLE found.kinds (kind text PRIMARY KEY, title text);
INSERT INTO found.kinds VALUES ('a', 'A'), ('b', 'B'), ('c', 'C');
INSERT INTO found.quakes (kind, touched, geom)
SELECT (ARRAY['a', 'b', 'c'])[1 + n % 3], n % 2 = 0, ST_SetSRID(ST_MakePoint(n % 170, n % 80), 4326)
FROM generate_series(1, 2000) n;
CREATE TABLE found.keyless AS SELECT * FROM found.quakes;
CREATE VIEW found.simple AS SELECT id, kind, touched, geom FROM found.quakes;
CREATE VIEW found.joined AS
    SELECT q.id AS number, k.title, q.touched, q.geom FROM found.quakes q JOIN found.kinds k USING (kind);
CREATE VIEW found.united AS SELECT id AS number, kind, touched, geom FROM found.quakes UNION ALL
    SELECT id + 1000000, kind, touched, geom FROM found.keyless;
CREATE VIEW found.grouped AS
    SELECT id % 1500 AS number, bool_or(touched) AS touched, count(*) FROM found.quakes GROUP BY 1;
CREATE VIEW found.clocked AS SELECT now() AS at, kind, touched FROM found.quakes;
CREATE VIEW found.alike AS SELECT kind, touched, geom FROM found.quakes;
CREATE VIEW found.articles AS SELECT kind AS content, touched, geom FROM found.quakes;
"""


@pytest.fixture
async def harvested(make_database: MakeDatabase) -> AsyncIterator[tuple[Services, str]]:
    """Common and features on the tables above, and the owner's address."""
    url = await make_database(found_tables)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {**HostileDatabase(url, url).env(), "COLLECTION_SCHEMAS": "found"})
        yield running, url


async def found_tables(owner: asyncpg.Connection) -> None:
    """The schema above."""
    await owner.execute(_SCHEMA)


@asynccontextmanager
async def writers(url: str) -> AsyncIterator[None]:
    """Inserts, updates and deletes rows that are marked as touched, in both tables, as long as the block lasts."""
    done = asyncio.Event()

    async def write(table: str) -> None:
        owner = await asyncpg.connect(url)
        while not done.is_set():
            await owner.execute(
                f"DELETE FROM {table} WHERE touched AND random() < 0.05;"  # noqa: S608 ours
                f"UPDATE {table} SET kind = CASE kind WHEN 'a' THEN 'b' ELSE 'a' END WHERE touched AND random() < 0.2;"
                f"INSERT INTO {table} (id, kind, touched, geom) SELECT (random() * 1e8)::int + {3 * _EACH}, 'b', true,"
                " ST_SetSRID(ST_MakePoint(random() * 170, 0), 4326) FROM generate_series(1, 150) ON CONFLICT DO NOTHING"
            )
            await asyncio.sleep(0.01)
        await owner.close()

    async with asyncio.TaskGroup() as group:
        group.create_task(write("found.quakes"))
        group.create_task(write("found.keyless"))
        yield
        done.set()


async def harvest(features: Client, name: str, limit: int, **parameters: str) -> list[dict[str, object]]:
    """The properties of all features that nobody touches, page by page."""
    path = f"/collections/found.{name}/items"
    answer = await features.get(path, {"limit": str(limit), "f": "ndjson", **parameters})
    found: list[dict[str, object]] = []
    for _ in range(2000):
        assert answer.status == 200, answer.body[:500]
        lines = answer.body.splitlines()
        assert len(lines) <= limit
        found += [properties for line in lines if not (properties := orjson.loads(line)["properties"])["touched"]]
        link = answer.headers["Link"]
        if 'rel="next"' not in link:
            return found
        following = link.partition('>; rel="next"')[0].rpartition("<")[2]
        assert "offset=" not in following
        answer = await features.get(following)
    raise AssertionError("there is no end")


@pytest.mark.parametrize(
    ("name", "column"),
    [("quakes", "id"), ("keyless", "id"), ("simple", "id"), ("joined", "number"), ("united", "number")],
)
@pytest.mark.parametrize(("limit", "sortby"), [(150, ""), (600, "-touched")])
async def test_every_row_once(harvested: tuple[Services, str], name: str, column: str, limit: int, sortby: str) -> None:
    running, url = harvested
    expected = set(range(1, 2 * _EACH, 2))
    if name == "united":
        expected |= {number + 1_000_000 for number in expected}
    parameters = {"sortby": sortby} if sortby else {}
    async with writers(url):
        found = await harvest(running["features"], name, limit, **{"geom-column": "none"}, **parameters)
    numbers = Counter(properties[column] for properties in found)
    assert numbers.total() == len(expected)
    assert set(numbers) == expected


@pytest.mark.parametrize(("name", "column"), [("alike", "kind"), ("articles", "content")])
async def test_rows_that_are_alike_are_counted(harvested: tuple[Services, str], name: str, column: str) -> None:
    """Thousands of rows of a view that show the same; a column may be called as what tells rows apart is."""
    features = harvested[0]["features"]
    for limit in (90, 700):
        found = await harvest(features, name, limit, **{"properties": f"{column},touched", "geom-column": "none"})
        assert Counter(str(properties[column]) for properties in found) == {"a": 333, "b": 334, "c": 333}


async def test_where_nothing_tells_rows_apart_the_answer_says_so(harvested: tuple[Services, str]) -> None:
    """A view that follows the clock, and has no key: its rows are other ones each time."""
    running = harvested[0]
    for parameters in ({"limit": "20"}, {"limit": "1000", "f": "csv"}, {"f": "html"}):
        answer = await running["features"].get("/collections/found.clocked/items", parameters)
        assert answer.headers["DAMS-Paging"] == "offset"
    page = await running["features"].json("/collections/found.clocked/items", limit="20")
    (following,) = [link for link in page["links"] if link["rel"] == "next"]
    assert "offset=20" in following["href"]
    assert "may repeat" in following["title"]
    assert (await running["common"].json("/collections/found.clocked"))["paging"] == "offset"
    for name in ("joined", "united", "keyless"):
        answer = await running["features"].get(f"/collections/found.{name}/items", {"limit": "20"})
        assert "DAMS-Paging" not in answer.headers
        assert "paging" not in await running["common"].json(f"/collections/found.{name}")
