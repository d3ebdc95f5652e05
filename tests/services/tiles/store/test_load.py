"""Expensive, slow and many tiles: made once, given up in time, refused rather than piled up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.cache.tile_cache import TileCache
from libs.geo.tile_matrix_sets import tile_matrix_set
from services.tiles.request.plain_tile import plain_tile
from services.tiles.resources import CATALOGUE, STORE
from tests.eventually import eventually
from tests.services.in_process import Answer, Client, Services, services
from tests.services.tiles.cache import OwnRedis, keys, metric, tier
from tests.services.tiles.conftest import Placed

MANY = "/collections/heavy.many/tiles/WebMercatorQuad"
POSTGIS = 'dams_tiles_total{tier="postgis"}'


@pytest.fixture(scope="module")
async def heavy(placed: Placed) -> AsyncIterator[asyncpg.Connection]:
    """Make a table of 6,000 points in a separate schema. A tile of all of them is expensive."""
    connection = await asyncpg.connect(placed.owner_url)
    await connection.execute(
        "CREATE SCHEMA heavy; GRANT USAGE ON SCHEMA heavy TO hostile_reader;"
        "CREATE TABLE heavy.many (id integer PRIMARY KEY, geom geometry(Point, 4326));"
        "INSERT INTO heavy.many SELECT n, ST_SetSRID(ST_Point(n % 340 - 170, n % 161 - 80), 4326)"
        " FROM generate_series(1, 6000) AS n;"
        "CREATE INDEX ON heavy.many USING gist (geom); ANALYZE heavy.many;"
        "GRANT SELECT ON heavy.many TO hostile_reader; SELECT dams.watch('heavy.many')"
    )
    yield connection
    await connection.execute("DROP SCHEMA heavy CASCADE")
    await connection.close()


@pytest.fixture
def env(placed: Placed, own_redis: OwnRedis, heavy: asyncpg.Connection) -> dict[str, str]:
    """Return the environment of services on that table."""
    return {
        **placed.env,
        "DAMS_REDIS_URL": own_redis.url,
        "DAMS_COLLECTION_SCHEMAS": "heavy",
        "DAMS_POOL_SIZE": "2",
        "DAMS_TILE_QUEUE": "3",
        "DAMS_TILE_TIMEOUT_SECONDS": "1",
        # one collection stands for all of them
        "DAMS_COLLECTION_SHARE_PERCENT": "100",
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


@pytest.fixture
async def replicas(env: dict[str, str]) -> AsyncIterator[tuple[Client, Client]]:
    """Two of tiles, which do without Redis no sooner than they must, and have time: the machine may have other work."""
    patient = {**env, "DAMS_REDIS_TIMEOUT_SECONDS": "10", "DAMS_TILE_TIMEOUT_SECONDS": "30"}
    async with services() as one, services() as other:
        for running in (one, other):
            for name in ("common", "tiles"):
                await running.start(name, patient)
            await ready(running["tiles"])
        yield one["tiles"], other["tiles"]


async def test_replicas_make_an_expensive_tile_once(replicas: tuple[Client, Client]) -> None:
    before = await metric(replicas[0], POSTGIS)
    answers = await asyncio.gather(*(client.get(f"{MANY}/0/0/0") for client in replicas))
    assert answers[0].body == answers[1].body != b""
    assert sorted(map(tier, answers)) == ["postgis", "redis"]
    assert await metric(replicas[0], POSTGIS) == before + 1


async def test_what_a_replica_has_just_made_is_not_made_again(
    replicas: tuple[Client, Client], own_redis: OwnRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_claim() -> None:
        assert not [key for key in await keys(own_redis.url) if key.startswith(b"dams:tile:3:c:")]

    before = await metric(replicas[0], POSTGIS)
    claim = TileCache.claim
    made: list[str] = []

    async def late(cache: TileCache, name: str, *, seconds: float) -> bool | None:
        # between the look into the cache and the claim another one makes the tile, and gives its claim back
        if name.startswith("c:") and not made:
            made.append(name)
            made.append(tier(await replicas[1].get(f"{MANY}/0/0/0")))
            await eventually(no_claim)
        return await claim(cache, name, seconds=seconds)

    monkeypatch.setattr(TileCache, "claim", late)
    answer = await replicas[0].get(f"{MANY}/0/0/0")
    assert (made[1:], tier(answer)) == (["postgis"], "redis")
    assert await metric(replicas[0], POSTGIS) == before + 1


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

        # no request waits until the end of a claim is written
        await eventually(claims_are_gone)


async def test_tile_that_cannot_be_cancelled_is_not_retried_at_once(
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


async def test_a_tile_that_nobody_waits_for_any_more_is_not_made(
    env: dict[str, str], heavy: asyncpg.Connection
) -> None:
    path = "/collections/heavy.asleep/tiles/WebMercatorQuad/9/0/0"
    await heavy.execute(
        # an immutable function has a version, and one making serves all waiting requests; with a constant argument,
        # planning would call it
        "CREATE FUNCTION heavy.sleep(id bigint) RETURNS boolean IMMUTABLE LANGUAGE plpgsql"
        " AS $$ BEGIN PERFORM pg_sleep(20); RETURN true; END $$;"
        "CREATE VIEW heavy.asleep AS"
        " SELECT id, geom FROM heavy.many WHERE (SELECT heavy.sleep(max(m.id)) FROM heavy.many m);"
        "GRANT SELECT ON heavy.asleep TO hostile_reader; SELECT dams.watch('heavy.many')"
    )

    async def active() -> int:
        text = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE state = 'active' AND wait_event = 'PgSleep' AND query LIKE '%asleep%'"
        )
        return int(await heavy.fetchval(text))

    async def is_made(*, wanted: int) -> None:
        assert await active() == wanted

    try:
        async with services() as running:
            for name in ("common", "tiles"):
                tiles = await running.start(name, {**env, "DAMS_TILE_TIMEOUT_SECONDS": "25"})
            await eventually(lambda: tiles.json("/collections/heavy.asleep/tiles"))
            clients = [asyncio.create_task(tiles.get(path)) for _ in range(2)]
            await eventually(lambda: is_made(wanted=1))
            clients[0].cancel()
            await asyncio.sleep(1)
            # for the other
            assert await active() == 1
            clients[1].cancel()
            await eventually(lambda: is_made(wanted=0), seconds=5)
    finally:
        await heavy.execute("DROP VIEW heavy.asleep; DROP FUNCTION heavy.sleep")


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


async def test_a_small_tile_and_one_with_parameters_wait_for_nobody(started: Services, own_redis: OwnRedis) -> None:
    """Claims are for expensive tiles only."""
    await started["tiles"].get(f"{MANY}/3/1/2")
    # no request waits for a tile that may not be kept, however expensive it is
    await started["tiles"].get(f"{MANY}/0/0/0", {"limit": "5"})
    async with own_redis.client() as client:
        statistics = await client.info("commandstats")
        assert statistics["cmdstat_set"]["calls"] <= 3
        assert "cmdstat_unlink" not in statistics
