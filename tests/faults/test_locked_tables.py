"""A session locks a table exclusively: other requests continue, and the services keep what they know of the table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import asyncpg
import pytest

from tests.eventually import eventually
from tests.faults.places import good, make_places, on_places
from tests.services.in_process import Answer, Client

pytestmark = pytest.mark.faults

VIEW = "/collections/places.some_towns/items"
OFFERED = ["places.rivers", "places.some_towns", "places.towns"]


async def listed(common: Client) -> dict[str, Any]:
    return {entry["id"]: entry for entry in (await common.json("/collections", limit="100"))["collections"]}


async def with_extents(common: Client) -> dict[str, Any]:
    found = await listed(common)
    assert sorted(found) == OFFERED
    assert all("spatial" in entry.get("extent", {}) for entry in found.values())
    return found


async def with_etag(features: Client) -> Answer:
    answer = await good(features, VIEW)
    assert "ETag" in answer.headers
    return answer


def extents(found: dict[str, Any]) -> dict[str, Any]:
    return {name: found[name].get("extent") for name in OFFERED}


@asynccontextmanager
async def locked(url: str, *, waits: bool) -> AsyncIterator[None]:
    """Lock the table of towns exclusively. With `waits` the lock waits for a reader, and blocks all later sessions."""
    reader, owner = await asyncpg.connect(url), await asyncpg.connect(url)
    if waits:
        await reader.execute("BEGIN; LOCK TABLE places.towns IN ACCESS SHARE MODE")
    alone = asyncio.create_task(owner.execute("BEGIN; LOCK TABLE places.towns IN ACCESS EXCLUSIVE MODE"))
    try:
        await asyncio.wait([alone], timeout=0.5)
        assert alone.done() == (not waits)
        yield
    finally:
        await reader.execute("ROLLBACK")
        await alone
        for connection in (reader, owner):
            await connection.close()


@pytest.mark.parametrize("waits", [False, True])
async def test_a_locked_table_does_not_hold_up_the_list_of_collections(database_url: str, waits: bool) -> None:
    await make_places(database_url)
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "ALTER TABLE places.towns ADD at timestamptz DEFAULT '2020-01-01'; CREATE INDEX ON places.towns (at);"
        "CREATE VIEW places.some_towns AS SELECT id, name, geom FROM places.towns WHERE id < 100;"
        "CREATE INDEX ON places.towns USING gist (geom); CREATE INDEX ON places.rivers USING gist (geom);"
        "GRANT SELECT ON places.some_towns TO dams_reader; ANALYZE"
    )
    async with on_places(database_url, "features") as running, AsyncExitStack() as later:
        before = await eventually(lambda: with_extents(running["common"]))
        view = await eventually(lambda: with_etag(running["features"]))
        async with locked(database_url, waits=waits):
            await owner.execute(
                "CREATE TABLE places.lakes (id integer PRIMARY KEY); GRANT SELECT ON places.lakes TO dams_reader"
            )

            async def lakes_are_there() -> dict[str, Any]:
                found = await listed(running["common"])
                assert "places.lakes" in found
                return found

            during = await eventually(lakes_are_there)
            assert {name: during[name] for name in OFFERED} == before
            # so responses with rows of the table are still valid, although the list was read in between
            await eventually(lambda: good(running["features"], "/collections/places.lakes/queryables"))
            asked = await running["features"].get(VIEW, headers={"If-None-Match": view.headers["ETag"]})
            assert (asked.status, asked.headers["ETag"]) == (304, view.headers["ETag"])
            # one that starts now says what can be known
            started = await later.enter_async_context(on_places(database_url, "features"))
            found = await listed(started["common"])
            assert sorted(found) == sorted([*OFFERED, "places.lakes"])
            assert found["places.rivers"]["extent"] == before["places.rivers"]["extent"]
            features = started["features"]
            assert (await features.get("/collections/places.rivers/items")).status == 200
            queryables = await features.json("/collections/places.some_towns/queryables")
            assert {"id", "name", "geom"} <= set(queryables["properties"])

        async def nothing_is_locked() -> None:
            assert extents(await listed(started["common"])) == extents(before)
            # the view's definition determines its rows and when they change
            await with_etag(features)

        await eventually(nothing_is_locked)
        assert (await with_etag(running["features"])).headers["ETag"] == view.headers["ETag"]
        assert extents(await listed(running["common"])) == extents(before)
    await owner.close()
