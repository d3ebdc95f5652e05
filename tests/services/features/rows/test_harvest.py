"""A collection is read to its end while others write: every row that no writer touches is returned exactly once."""

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
CREATE TABLE found.papers AS
    SELECT n, repeat('x', 20000) || md5((n % 40)::text) AS body,
        ('{"a": "' || repeat('x', 600) || '", "n": ' || 100 + n || '}')::json AS document
    FROM generate_series(1, 120) n;
CREATE VIEW found.documents AS SELECT document, false AS touched FROM found.papers;
CREATE VIEW found.bodies AS SELECT n, body, false AS touched FROM found.papers;
CREATE VIEW found.articles AS SELECT kind AS content, touched, geom FROM found.quakes;
"""


@pytest.fixture
async def harvested(make_database: MakeDatabase) -> AsyncIterator[tuple[Services, str]]:
    """Common and features on the tables above, and the owner's address."""
    url = await make_database(found_tables)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {**HostileDatabase(url, url).env(), "DAMS_COLLECTION_SCHEMAS": "found"})
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
    """Return the properties of all features that no writer touches, page by page."""
    path = f"/collections/found.{name}/items"
    answer = await features.get(path, {"limit": str(limit), "f": "ndjson", **parameters})
    found: list[dict[str, object]] = []
    for _ in range(2000):
        assert answer.status == 200, answer.body[:500]
        lines = answer.body.splitlines()
        assert len(lines) <= limit
        found += [properties for line in lines if not (properties := orjson.loads(line))["touched"]]
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


async def test_what_is_no_text_tells_rows_apart_to_its_end(harvested: tuple[Services, str]) -> None:
    """JSON has no order in which rows with an equal beginning could be numbered."""
    running, url = harvested
    owner = await asyncpg.connect(url)
    found = []
    answer = await running["features"].get("/collections/found.documents/items", {"limit": "50"})
    while True:
        page = answer.json()
        found += [feature["properties"]["document"]["n"] for feature in page["features"]]
        following = next((link["href"] for link in page["links"] if link["rel"] == "next"), None)
        if following is None:
            break
        # rows have other positions, and are found in another order
        await owner.execute("UPDATE found.papers SET n = n WHERE n % 3 = 0")
        answer = await running["features"].get(following)
    await owner.close()
    assert sorted(found) == list(range(101, 221))


@pytest.mark.parametrize("name", ["papers", "bodies"])
@pytest.mark.parametrize("sortby", ["body", "-body"])
async def test_pages_in_the_order_of_long_texts(harvested: tuple[Services, str], name: str, sortby: str) -> None:
    """Cursors hold digests of them; where the row that one starts behind has changed, that is said."""
    running, url = harvested
    features, path = running["features"], f"/collections/found.{name}/items"
    parameters = {"limit": "50", "sortby": sortby, "properties": "n"}
    whole = [
        feature["properties"]["n"]
        for feature in (await features.json(path, **parameters | {"limit": "200"}))["features"]
    ]
    found, address = [], None
    for _ in range(3):
        page = await (features.json(address) if address else features.json(path, **parameters))
        found += [feature["properties"]["n"] for feature in page["features"]]
        links = {link["rel"]: link["href"] for link in page["links"]}
        address = links.get("next")
        assert address is None or len(address) < 700
    assert sorted(found) == list(range(1, 121))
    assert found == whole
    back = await features.json(links["prev"])
    assert [feature["properties"]["n"] for feature in back["features"]] == whole[50:100]
    owner = await asyncpg.connect(url)
    await owner.execute("UPDATE found.papers SET body = body || 'y'")
    await owner.close()
    answer = await features.get(links["prev"])
    assert answer.status == 422
    assert answer.json()["detail"][0]["loc"] == ["query", "cursor"]
    assert b"behind a row that has changed or is gone" in answer.body


@pytest.mark.usefixtures("empty_files")
async def test_where_nothing_tells_rows_apart_the_answer_says_so(harvested: tuple[Services, str]) -> None:
    """The view depends on the clock and has no key: its rows differ each time."""
    running = harvested[0]
    for parameters in ({"limit": "20"}, {"limit": "1000", "f": "csv"}, {"f": "html"}, {"f": "fgb"}):
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
