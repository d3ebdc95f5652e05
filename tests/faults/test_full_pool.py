"""One collection is slow or locked, and all connections are in use: others are answered, and so are cached requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from tests.eventually import eventually
from tests.faults.places import ITEMS, TILE, environment, good, make_places, on_places
from tests.services.in_process import Answer, Client, Services
from tests.services.tiles.cache import OwnRedis, tier

pytestmark = pytest.mark.faults

OTHER_ITEMS = "/collections/places.rivers/items"
OTHER_TILE = "/collections/places.rivers/tiles/WebMercatorQuad/0/0/0"
SLOW = "/collections/places.slow/items"
SLOW_TILE = "/collections/places.slow/tiles/WebMercatorQuad/0/0"


async def cached(started: Services) -> None:
    """The tile of the towns is in Redis, and the answers of the other collection are quick."""
    assert tier(await good(started["tiles"], TILE)) == "redis"
    await good(started["features"], ITEMS)


async def still_valid(client: Client, before: Answer) -> bool:
    answer = await client.get(before.url, headers={"If-None-Match": before.headers["ETag"]})
    return answer.status == 304


async def test_a_locked_table_delays_itself_alone(database_url: str, own_redis: OwnRedis) -> None:
    await make_places(database_url)
    owner = await asyncpg.connect(database_url)
    async with on_places(
        database_url, "features", "tiles", DAMS_REDIS_URL=own_redis.url, DAMS_POOL_SIZE="4"
    ) as started:
        features, tiles = started["features"], started["tiles"]
        await eventually(lambda: cached(started))
        before = await good(features, ITEMS)
        async with owner.transaction():
            await owner.execute("LOCK TABLE places.towns IN ACCESS EXCLUSIVE MODE")
            blocked = [asyncio.create_task(features.get(f"{ITEMS}?limit={n}")) for n in range(1, 13)]
            blocked += [asyncio.create_task(tiles.get(f"{TILE}?limit={n}")) for n in range(1, 13)]
            await asyncio.sleep(0.3)
            # the lock stays for as long as all these take
            async with asyncio.timeout(20):
                for _ in range(20):
                    await good(features, OTHER_ITEMS)
                    await good(tiles, OTHER_TILE)
                    assert tier(await good(tiles, TILE)) == "redis"
                    assert await still_valid(features, before)
                    await good(features, "/internal/health")
                answers = await asyncio.gather(*blocked)
            assert {answer.status for answer in answers} == {503}
            assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers)
            assert any(b"locked" in answer.body for answer in answers)
        await good(features, f"{ITEMS}?limit=1")
        await good(tiles, f"{TILE}?limit=1")
    await owner.close()


@asynccontextmanager
async def a_slow_collection(owner: asyncpg.Connection, started: Services) -> AsyncIterator[None]:
    """`places.slow`, a table that every request waits seconds for."""
    await owner.execute(
        "CREATE FUNCTION places.wait(integer) RETURNS integer LANGUAGE plpgsql STABLE AS"
        " 'BEGIN PERFORM pg_sleep(3); RETURN $1; END';"
        "CREATE TABLE places.slow_rows (id integer, geom geometry(Point, 4326));"
        "INSERT INTO places.slow_rows VALUES (1, ST_Point(1, 1, 4326)); SELECT dams.watch('places.slow_rows');"
        "CREATE VIEW places.slow AS SELECT places.wait(id) AS id, geom FROM places.slow_rows;"
        "GRANT SELECT ON places.slow_rows, places.slow TO dams_reader"
    )

    async def known() -> None:
        await good(started["features"], "/collections/places.slow/queryables")
        await good(started["tiles"], "/collections/places.slow/tiles")

    await eventually(known)
    yield


async def test_an_expensive_address_takes_no_more_than_its_share(database_url: str, own_redis: OwnRedis) -> None:
    await make_places(database_url)
    owner = await asyncpg.connect(database_url)
    async with on_places(database_url, "features", "tiles", DAMS_REDIS_URL=own_redis.url) as started:
        await eventually(lambda: cached(started))
        async with a_slow_collection(owner, started):
            await asyncio.gather(
                *(started["features"].get(SLOW, {"filter": f"id <> {n}"}) for n in range(24)),
                *(started["tiles"].get(f"{SLOW_TILE}/0", {"filter": f"id <> {n}"}) for n in range(24)),
                others_are_answered(started),
            )
    await owner.close()


async def others_are_answered(started: Services) -> None:
    await asyncio.sleep(0.5)
    # quicker than a single one of the slow ones
    async with asyncio.timeout(2.5):
        for n in range(10):
            await good(started["features"], OTHER_ITEMS, limit=str(n + 1))
            await good(started["tiles"], OTHER_TILE, limit=str(n + 1))


async def test_all_connections_in_use_keep_nothing_that_is_cached_from_anybody(
    database_url: str, own_redis: OwnRedis
) -> None:
    await make_places(database_url)
    owner = await asyncpg.connect(database_url)
    env = environment(
        database_url, DAMS_REDIS_URL=own_redis.url, DAMS_POOL_SIZE="2", DAMS_COLLECTION_SHARE_PERCENT="100"
    )
    async with on_places(database_url, "features", "tiles", **env) as started:
        await eventually(lambda: cached(started))
        before = await good(started["features"], ITEMS)
        async with a_slow_collection(owner, started):
            slow = [(started["features"], f"{SLOW}?limit={n}") for n in range(1, 7)]
            slow += [(started["tiles"], f"{SLOW_TILE}/0?limit={n}") for n in range(1, 7)]
            busy = [asyncio.create_task(again_and_again(*request)) for request in slow]
            try:
                await asyncio.sleep(0.3)
                # longer than versions stay without a poll
                for _ in range(24):
                    await asyncio.sleep(0.25)
                    assert not any(task.done() for task in busy)
                    assert tier(await good(started["tiles"], TILE)) == "redis"
                    assert await still_valid(started["features"], before)
                    for name in ("features", "tiles"):
                        await good(started[name], "/internal/health")
            finally:
                for task in busy:
                    task.cancel()
                await asyncio.wait(busy)
    await owner.close()


async def again_and_again(client: Client, path: str) -> None:
    while True:
        await client.get(path)
