"""Large pages are read in chunks of bounded size, for every collection and in both directions."""

from __future__ import annotations

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.features.conftest import Fetch
from tests.services.in_process import Client


@pytest.mark.parametrize("kind", ["view", "keyless table", "partitioned table"])
async def test_rows_of_unknown_size_come_in_chunks(
    features: Client, owner: asyncpg.Connection, fetches: list[Fetch], kind: str
) -> None:
    # a name that no other test has: the catalogue is a second late
    name = f"hostile.unsized_{kind.partition(' ')[0]}"
    create = {
        "view": "CREATE VIEW hostile.unsized AS SELECT g.id, ST_Envelope(h.geom) AS geom"
        " FROM generate_series(1, 350) g (id) JOIN hostile.heavy h ON h.id = 1 + g.id % 400",
        "keyless table": "CREATE TABLE hostile.unsized AS SELECT g.id, h.geom FROM generate_series(1, 350) g (id)"
        " JOIN hostile.heavy h ON h.id = 1 + g.id % 400",
        "partitioned table": "CREATE TABLE hostile.unsized (id integer PRIMARY KEY, geom geometry(Polygon, 4326))"
        " PARTITION BY RANGE (id); CREATE TABLE hostile.unsized_part PARTITION OF hostile.unsized DEFAULT;"
        "INSERT INTO hostile.unsized SELECT g.id, ST_Envelope(h.geom) FROM generate_series(1, 350) g (id)"
        " JOIN hostile.heavy h ON h.id = 1 + g.id % 400",
    }[kind].replace("hostile.unsized ", f"{name} ")
    await owner.execute(f"{create}; ANALYZE {name}; GRANT SELECT ON {name} TO hostile_reader")
    try:
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1"))
        fetches.clear()
        document = await features.json(f"/collections/{name}/items", limit="300", sortby="id")
        assert [feature["properties"]["id"] for feature in document["features"]] == list(range(1, 301))
        assert document["numberReturned"] == 300
        assert max(fetch.rows for fetch in fetches if name.partition(".")[2] in fetch.text) <= 200
        following = next(link["href"] for link in document["links"] if link["rel"] == "next")
        rest = (await features.get(following)).json()
        assert [feature["properties"]["id"] for feature in rest["features"]] == list(range(301, 351))
        assert "next" not in {link["rel"] for link in rest["links"]}
        preceding = next(link["href"] for link in rest["links"] if link["rel"] == "prev")
        assert (await features.get(preceding)).json()["features"] == document["features"]
    finally:
        await owner.execute(f"DROP {kind.rpartition(' ')[2]} {name}")


async def test_large_pages_backwards_come_in_chunks_too(features: Client, fetches: list[Fetch]) -> None:
    chunk = 2001
    first = await features.get("/collections/hostile.many/items", {"limit": "5000", "sortby": "-word"})
    second = await features.get(first.link("next") or "")
    fetches.clear()
    back = await features.get(second.link("prev") or "")
    assert max(fetch.rows for fetch in fetches if '"many"' in fetch.text) < chunk
    assert back.json()["features"] == first.json()["features"]
    assert back.link("prev") is None
    forth = await features.get(back.link("next") or "")
    assert forth.json()["features"] == second.json()["features"]
    third = await features.get(second.link("next") or "")
    middle = await features.get(third.link("prev") or "")
    assert middle.json()["features"] == second.json()["features"]
    assert (await features.get(middle.link("prev") or "")).json()["features"] == first.json()["features"]


async def test_page_of_identical_rows_respects_the_limit(features: Client, owner: asyncpg.Connection) -> None:
    # those of a function; a chunk of rows of unknown size and a few rows more
    name = "hostile.unnamed"
    await owner.execute(
        "CREATE FUNCTION hostile.unnamed() RETURNS TABLE (number integer) LANGUAGE sql STABLE"
        " AS 'SELECT * FROM generate_series(1, 700)'"
    )
    try:
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1"))
        for limit in (203, 207):
            document = await features.json(f"/collections/{name}/items", limit=str(limit))
            assert len(document["features"]) == document["numberReturned"] == limit
    finally:
        await owner.execute("DROP FUNCTION hostile.unnamed")
