"""Expensive, slow and many tiles: made once, given up in time, refused rather than piled up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.geo.tile_matrix_sets import tile_matrix_set
from services.tiles.request.plain_tile import plain_tile
from services.tiles.resources import CATALOGUE, STORE
from tests.eventually import eventually
from tests.services.in_process import Answer, Client, Services, services
from tests.services.tiles.cache import OwnRedis, metric, tier
from tests.services.tiles.conftest import Placed

MANY = "/collections/heavy.many/tiles/WebMercatorQuad"
POSTGIS = 'dams_tiles_total{tier="postgis"}'


@pytest.fixture(scope="module")
async def heavy(placed: Placed) -> AsyncIterator[asyncpg.Connection]:
    """A table of 30,000 points in a schema of its own."""
    connection = await asyncpg.connect(placed.owner_url)
    await connection.execute(
        "CREATE SCHEMA heavy; GRANT USAGE ON SCHEMA heavy TO hostile_reader;"
        "CREATE TABLE heavy.many (id integer PRIMARY KEY, geom geometry(Point, 4326));"
        "INSERT INTO heavy.many SELECT n, ST_SetSRID(ST_Point(n % 340 - 170, n % 161 - 80), 4326)"
        " FROM generate_series(1, 30000) AS n;"
        "CREATE INDEX ON heavy.many USING gist (geom); ANALYZE heavy.many;"
        "GRANT SELECT ON heavy.many TO hostile_reader; SELECT dams.watch('heavy.many')"
    )
    yield connection
    await connection.execute("DROP SCHEMA heavy CASCADE")
    await connection.close()


@pytest.fixture
def env(placed: Placed, own_redis: OwnRedis, heavy: asyncpg.Connection) -> dict[str, str]:
    """Of services on that table."""
    return {
        **placed.env,
        "REDIS_URL": own_redis.url,
        "COLLECTION_SCHEMAS": "heavy",
        "POOL_SIZE": "2",
        "TILE_QUEUE": "3",
        "TILE_TIMEOUT_SECONDS": "1",
        # one collection stands for all of them
        "COLLECTION_SHARE": "100",
    }


@pytest.fixture
async def started(env: dict[str, str]) -> AsyncIterator[Services]:
    """Common and one replica of tiles, ready."""
    async with services() as running:
        for name in ("common", "tiles"):
            await running.start(name, env)
        await ready(running["tiles"])
        yield running


async def ready(tiles: Client) -> None:
    """Knows the collection and the version of its data."""

    async def known() -> None:
        assert "ETag" in (await tiles.get(f"{MANY}/20/0/0")).headers

    await eventually(known)


def claim(running: Services) -> str:
    """The name in Redis of the right to make tile 0/0/0."""
    collection = running.apps["tiles"][CATALOGUE].collection("heavy.many")
    request = plain_tile(collection, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, 10_000)
    return f"dams:tile:3:c:{running.apps['tiles'][STORE].key(request)}"


async def test_replicas_make_an_expensive_tile_once(started: Services, env: dict[str, str]) -> None:
    async with services() as others:
        for name in ("common", "tiles"):
            await others.start(name, env)
        await ready(others["tiles"])
        before = await metric(started["tiles"], POSTGIS)
        answers = await asyncio.gather(*(client.get(f"{MANY}/0/0/0") for client in (started["tiles"], others["tiles"])))
        assert answers[0].body == answers[1].body != b""
        assert sorted(map(tier, answers)) == ["postgis", "redis"]
        assert await metric(started["tiles"], POSTGIS) == before + 1


async def test_nobody_waits_long_for_a_replica_that_died(started: Services, own_redis: OwnRedis) -> None:
    async with own_redis.client() as client:
        await client.set(claim(started), b"", px=600_000)
    async with asyncio.timeout(60):
        waiting = asyncio.create_task(started["tiles"].get(f"{MANY}/0/0/0"))
        await asyncio.sleep(0.5)
        assert not waiting.done()
        assert tier(await waiting) == "postgis"


async def test_a_claim_that_ends_without_a_tile_goes_to_the_next(started: Services, own_redis: OwnRedis) -> None:
    async with own_redis.client() as client:
        await client.set(claim(started), b"", px=600_000)
        waiting = asyncio.create_task(started["tiles"].get(f"{MANY}/0/0/0"))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        await client.delete(claim(started))
        assert tier(await waiting) == "postgis"

        async def claims_are_gone() -> bool:
            return await client.keys("dams:tile:3:c:*") == []

        # nobody waits for the end of a claim to be written
        await eventually(claims_are_gone)


async def test_a_tile_that_the_server_does_not_stop_making_is_not_tried_again_at_once(
    started: Services, heavy: asyncpg.Connection
) -> None:
    tiles, path = started["tiles"], "/collections/heavy.stubborn/tiles/WebMercatorQuad/9/0/0"
    await heavy.execute(
        # as PostGIS within GEOS, it does not end when it is cancelled
        "CREATE FUNCTION heavy.ignore(seconds integer) RETURNS boolean STABLE LANGUAGE plpgsql AS $$ BEGIN"
        " PERFORM pg_sleep(30); RETURN true;"
        " EXCEPTION WHEN query_canceled THEN PERFORM pg_sleep(seconds); RETURN true; END $$;"
        "CREATE VIEW heavy.stubborn AS SELECT id, geom FROM heavy.many WHERE (SELECT heavy.ignore(4));"
        "GRANT SELECT ON heavy.stubborn TO hostile_reader; SELECT dams.watch('heavy.many')"
    )

    try:
        await eventually(lambda: tiles.json("/collections/heavy.stubborn/tiles"))
        first = await tiles.get(path)
        assert (first.status, b"took too long" in first.body) == (503, True), first.body
        again = await tiles.get(path)
        assert (again.status, again.headers["Retry-After"]) == (503, "30"), again.body
        assert b"a moment ago" in again.body
    finally:
        await heavy.execute("DROP VIEW heavy.stubborn; DROP FUNCTION heavy.ignore")


async def test_a_slow_tile_is_given_up_and_others_are_refused_at_once(
    started: Services, placed: Placed, heavy: asyncpg.Connection
) -> None:
    tiles = started["tiles"]

    answered: list[Answer] = []

    async def ask(path: str) -> None:
        answered.append(await tiles.get(path))

    async with heavy.transaction():
        await heavy.execute("LOCK TABLE heavy.many IN ACCESS EXCLUSIVE MODE")
        async with asyncio.timeout(60):
            await asyncio.gather(*(ask(f"{MANY}/6/{column}/20") for column in range(12)))
        assert {answer.status for answer in answered} == {503}
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in answered)
        # two are being made and three wait; the others have their answers before any of these
        refused = [b"Too many tiles" in answer.body for answer in answered]
        assert refused == [True] * (12 - 5) + [False] * 5
        assert any(b"took too long" in answer.body for answer in answered)
    # afterwards everything is as it was
    for answer in await asyncio.gather(*(tiles.get(f"{MANY}/6/{column}/20") for column in range(5))):
        assert answer.status == 200


async def test_a_small_tile_waits_for_nobody(started: Services, own_redis: OwnRedis) -> None:
    """Claims are for expensive tiles only."""
    await started["tiles"].get(f"{MANY}/3/1/2")
    async with own_redis.client() as client:
        statistics = await client.info("commandstats")
        assert statistics["cmdstat_set"]["calls"] <= 3
        assert "cmdstat_unlink" not in statistics
