"""After a change the low zooms are there before anybody asks."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.web.settings import SettingsError
from services.tiles.settings import Settings
from tests.eventually import eventually
from tests.services.in_process import Services, services
from tests.services.tiles.cache import OwnRedis, keys, metric, tier
from tests.services.tiles.conftest import Placed
from tests.services.tiles.places import decoded

WARMED = 2 * (1 + 4 + 2)
"""Tiles of zooms 0 and 1, and of zoom 0 of a set that begins with two: as our map asks for them, and as others do."""

_MADE = 'dams_warm_up_tiles_total{tier="postgis"}'


@pytest.fixture
async def owner(placed: Placed) -> AsyncIterator[asyncpg.Connection]:
    """Two small tables of the test's own, in a schema of their own."""
    connection = await asyncpg.connect(placed.owner_url)
    await connection.execute("CREATE SCHEMA warm; GRANT USAGE ON SCHEMA warm TO hostile_reader")
    for name in ("changing", "steady"):
        await connection.execute(
            f"CREATE TABLE warm.{name} (id integer PRIMARY KEY, geom geometry(Point, 4326), size real);"
            f"GRANT SELECT ON warm.{name} TO hostile_reader; SELECT dams.watch('warm.{name}')"
        )
        await connection.execute(
            f"INSERT INTO warm.{name} SELECT n, ST_SetSRID(ST_Point(x, y), 4326)"  # noqa: S608 - our own names
            " FROM (VALUES (1, 10, 10), (2, -10, 10), (3, 10, -10), (4, -10, -10)) AS points (n, x, y)"
        )
    yield connection
    await connection.execute("DROP SCHEMA warm CASCADE")
    await connection.close()


@pytest.fixture
async def warm(placed: Placed, own_redis: OwnRedis, owner: asyncpg.Connection) -> AsyncIterator[tuple[Services, float]]:
    """Common and two replicas of tiles, the second as "replica"; and the number of tiles that were made before."""
    # they do without Redis no sooner than they must: the machine may have other work
    settings = {"DAMS_REDIS_URL": own_redis.url, "DAMS_COLLECTION_SCHEMAS": "warm", "DAMS_REDIS_TIMEOUT_SECONDS": "10"}
    env = {**placed.env, **settings, "DAMS_TILE_MAX_FEATURES": "4"}
    async with services() as one, services() as other:
        for started in (one, other):
            await started.start("common", env)
        # all services share this process, hence its metrics
        before = await metric(one["common"], _MADE)
        for started in (one, other):
            await started.start("tiles", {**env, "DAMS_TILE_WARM_UP": "WebMercatorQuad/0-1,WorldCRS84Quad/0"})
        one.clients["replica"] = other["tiles"]
        yield one, before


async def tiles_of(own_redis: OwnRedis, table: str) -> set[bytes]:
    return {key for key in await keys(own_redis.url) if key.endswith(b":warm." + table.encode()) and b":t:" in key}


async def all_there(own_redis: OwnRedis, table: str, number: int) -> set[bytes]:
    async def there() -> set[bytes]:
        found = await tiles_of(own_redis, table)
        assert len(found) == number
        return found

    return await eventually(there)


async def test_low_zooms_are_made_once_for_all_replicas_and_again_after_a_change(
    warm: tuple[Services, float], own_redis: OwnRedis, owner: asyncpg.Connection
) -> None:
    started, before = warm
    steady = await all_there(own_redis, "steady", WARMED)
    await all_there(own_redis, "changing", WARMED)
    for replica in ("tiles", "replica"):
        for z, x, y in ((0, 0, 0), (1, 1, 0), (1, 0, 1)):
            for query in ("", "?style-only=true"):
                address = f"/collections/warm.changing/tiles/WebMercatorQuad/{z}/{x}/{y}{query}"
                assert tier(await started[replica].get(address)) == "redis"
    assert await metric(started["tiles"], _MADE) - before == 2 * WARMED

    await owner.execute("INSERT INTO warm.changing VALUES (99, 'SRID=4326;POINT(50 50)')")
    await all_there(own_redis, "changing", 2 * WARMED)
    assert await metric(started["tiles"], _MADE) - before == 3 * WARMED
    answer = await started["tiles"].get("/collections/warm.changing/tiles/WebMercatorQuad/0/0/0")
    assert tier(answer) == "redis"
    # as many of the five as the operator lets a tile have
    assert (len(decoded(answer.body, "warm.changing")), answer.headers["DAMS-Features-Omitted"]) == (4, "1")
    # unchanged collections were left alone
    assert await tiles_of(own_redis, "steady") == steady


async def test_without_redis_nothing_is_warmed(placed: Placed, owner: asyncpg.Connection) -> None:
    env = {
        **placed.env,
        "DAMS_REDIS_URL": "",
        "DAMS_COLLECTION_SCHEMAS": "warm",
        "DAMS_TILE_WARM_UP": "WebMercatorQuad/0-1",
    }
    async with services() as started:
        await started.start("common", env)
        tiles = await started.start("tiles", env)
        before = await metric(tiles, "dams_warm_up_tiles_total")

        async def ready() -> None:
            assert (await tiles.get("/collections/warm.steady/tiles/WebMercatorQuad/0/0/0")).status == 200

        await eventually(ready)
        assert await metric(tiles, "dams_warm_up_tiles_total") == before


def test_what_is_warmed_is_a_setting() -> None:
    env = {"DAMS_DATABASE_URL": "postgresql://nobody@127.0.0.1/nothing"}
    assert Settings.from_env(env).tile_warm_up == tuple(("WebMercatorQuad", zoom) for zoom in range(3))
    assert Settings.from_env({**env, "DAMS_TILE_WARM_UP": "none"}).tile_warm_up == ()
    chosen = Settings.from_env({**env, "DAMS_TILE_WARM_UP": "WorldCRS84Quad/0, CDB1GlobalGrid/-10--9"}).tile_warm_up
    assert chosen == (("WorldCRS84Quad", 0), ("CDB1GlobalGrid", -10), ("CDB1GlobalGrid", -9))
    for wrong in ("WebMercatorQuad", "Nowhere/0", "WebMercatorQuad/2-1", "WebMercatorQuad/0-99", "UTM31WGS84Quad/0"):
        with pytest.raises(SettingsError, match="DAMS_TILE_WARM_UP"):
            Settings.from_env({**env, "DAMS_TILE_WARM_UP": wrong})
