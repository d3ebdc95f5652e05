"""Large pages come in chunks of bounded size, whatever the collection and the direction."""

from __future__ import annotations

import asyncpg
import pytest

from services.features import items_store
from services.features.resources import STORE
from tests.services.in_process import Client, Services, eventually


@pytest.fixture
def fetched(running: Services, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of rows of all fetches of the features service."""
    numbers: list[int] = []
    database = running.apps["features"][STORE]._database
    fetch = database.fetch

    async def counted(statement: object) -> list[asyncpg.Record]:
        rows = await fetch(statement)  # type: ignore[arg-type]
        numbers.append(len(rows))
        return rows

    monkeypatch.setattr(database, "fetch", counted)
    return numbers


@pytest.mark.parametrize("kind", ["view", "keyless table", "partitioned table"])
async def test_rows_of_unknown_size_come_in_chunks(
    features: Client, owner: asyncpg.Connection, fetched: list[int], kind: str
) -> None:
    # a name that no other test has: the catalogue is a second late
    name = f"hostile.unsized_{kind.partition(' ')[0]}"
    create = {
        "view": "CREATE VIEW hostile.unsized AS SELECT g.id, h.geom FROM generate_series(1, 700) g (id)"
        " JOIN hostile.heavy h ON h.id = 1 + g.id % 400",
        "keyless table": "CREATE TABLE hostile.unsized AS SELECT g.id, h.geom FROM generate_series(1, 700) g (id)"
        " JOIN hostile.heavy h ON h.id = 1 + g.id % 400",
        "partitioned table": "CREATE TABLE hostile.unsized (id integer PRIMARY KEY, geom geometry(Polygon, 4326))"
        " PARTITION BY RANGE (id); CREATE TABLE hostile.unsized_part PARTITION OF hostile.unsized DEFAULT;"
        "INSERT INTO hostile.unsized SELECT g.id, h.geom FROM generate_series(1, 700) g (id)"
        " JOIN hostile.heavy h ON h.id = 1 + g.id % 400",
    }[kind].replace("hostile.unsized ", f"{name} ")
    await owner.execute(f"{create}; ANALYZE {name}; GRANT SELECT ON {name} TO hostile_reader")
    try:
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1", f="json"))
        fetched.clear()
        document = await features.json(f"/collections/{name}/items", limit="600", sortby="id")
        assert [feature["properties"]["id"] for feature in document["features"]] == list(range(1, 601))
        assert document["numberReturned"] == 600
        assert max(fetched) <= items_store._UNKNOWN_ROWS
        following = next(link["href"] for link in document["links"] if link["rel"] == "next")
        rest = (await features.get(following)).json()
        assert [feature["properties"]["id"] for feature in rest["features"]] == list(range(601, 701))
        assert "next" not in {link["rel"] for link in rest["links"]}
    finally:
        await owner.execute(f"DROP {kind.rpartition(' ')[2]} {name}")


async def test_large_pages_backwards_come_in_chunks_too(features: Client, fetched: list[int]) -> None:
    chunk = 2001
    first = await features.get("/collections/hostile.many/items", {"limit": "5000", "sortby": "-word"})
    second = await features.get(first.link("next") or "")
    fetched.clear()
    back = await features.get(second.link("prev") or "")
    assert max(fetched) < chunk
    assert back.json()["features"] == first.json()["features"]
    assert back.link("prev") is None
    forth = await features.get(back.link("next") or "")
    assert forth.json()["features"] == second.json()["features"]
    third = await features.get(second.link("next") or "")
    middle = await features.get(third.link("prev") or "")
    assert middle.json()["features"] == second.json()["features"]
    assert (await features.get(middle.link("prev") or "")).json()["features"] == first.json()["features"]
