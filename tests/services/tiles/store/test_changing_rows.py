"""Rows change while a tile is made: it is cached under no version, as it is unknown which version it shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.in_process import Client, Services, services
from tests.services.tiles.cache import OwnRedis, keys, tier
from tests.services.tiles.conftest import Placed
from tests.services.tiles.places import decoded

TILE = "/collections/moving.seen/tiles/WebMercatorQuad/0/0/0"
_TABLES = """
CREATE SCHEMA moving; GRANT USAGE ON SCHEMA moving TO hostile_reader;
CREATE TABLE moving.places (id integer PRIMARY KEY, geom geometry(Point, 4326));
CREATE TABLE moving.gate (open boolean);
INSERT INTO moving.places VALUES (1, 'SRID=4326;POINT(1 1)'); INSERT INTO moving.gate VALUES (true);
CREATE VIEW moving.seen AS SELECT id, geom FROM moving.places, moving.gate WHERE open;
GRANT SELECT ON ALL TABLES IN SCHEMA moving TO hostile_reader;
SELECT dams.watch('moving.places'), dams.watch('moving.gate');
"""


@pytest.fixture
async def owner(placed: Placed) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(placed.owner_url)
    await connection.execute(_TABLES)
    yield connection
    await connection.execute("DROP SCHEMA moving CASCADE")
    await connection.close()


@pytest.fixture
async def started(placed: Placed, own_redis: OwnRedis, owner: asyncpg.Connection) -> AsyncIterator[Services]:
    env = {
        **placed.env,
        "DAMS_REDIS_URL": own_redis.url,
        "DAMS_COLLECTION_SCHEMAS": "moving",
        "DAMS_COLLECTIONS_CONFIG": "",
    }
    async with services() as running:
        for name in ("common", "tiles"):
            await running.start(name, env)
        yield running


async def _version(tiles: Client) -> str:
    """The tag of the tile as it would be now, without making it."""
    answer = await tiles.get(TILE, headers={"If-None-Match": "*"})
    assert answer.status == 304, answer.status
    return answer.headers["ETag"]


async def test_a_tile_whose_rows_changed_while_it_was_made_is_not_cached(
    started: Services, own_redis: OwnRedis, owner: asyncpg.Connection, placed: Placed
) -> None:
    tiles = started["tiles"]

    async def known() -> None:
        await _version(tiles)

    await eventually(known)
    before = await _version(tiles)
    barrier = await asyncpg.connect(placed.owner_url)
    try:
        # the tile waits for the gate while its places change
        closed = barrier.transaction()
        await closed.start()
        await barrier.execute("LOCK TABLE moving.gate IN ACCESS EXCLUSIVE MODE")
        waiting = asyncio.create_task(tiles.get(TILE))

        async def blocked() -> None:
            waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'moving.gate'::regclass"
            assert await owner.fetchval(waits) == 1

        await eventually(blocked)
        await owner.execute("INSERT INTO moving.places VALUES (2, 'SRID=4326;POINT(2 2)')")

        async def changed() -> None:
            assert await _version(tiles) != before

        await eventually(changed)
        await closed.rollback()
        made = await waiting
    finally:
        await barrier.close()
    assert tier(made) == "postgis"
    assert await keys(own_redis.url) == {}
    # the next is of the new version, and is cached

    async def cached() -> None:
        answer = await tiles.get(TILE)
        assert len(decoded(answer.body, "moving.seen")) == 2
        assert tier(answer) == "redis"

    await eventually(cached)
