"""A request has one deadline for everything that it waits for; an answer that has begun takes as long as its client
reads.
"""

from __future__ import annotations

import asyncio
import time

import asyncpg
import pytest

from gateway.nginx.caching import LOCK_SECONDS
from gateway.nginx.server import AGAIN_CONNECT_SECONDS, AGAIN_SECONDS, CONNECT_SECONDS
from gateway.settings import GatewaySettings
from libs.web.settings import WebSettings
from tests.eventually import eventually
from tests.faults.places import good, make_places, on_places
from tests.services.tiles.cache import OwnRedis

pytestmark = pytest.mark.faults

SLOW = "/collections/places.slow/items"
SLOW_TILE = "/collections/places.slow/tiles/WebMercatorQuad/0/0/0"


async def make_slow(owner: asyncpg.Connection) -> None:
    """A table of one row that takes three seconds to read."""
    await owner.execute(
        "CREATE FUNCTION places.wait(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS"
        " 'BEGIN PERFORM pg_sleep(3); RETURN $1; END';"
        "CREATE TABLE places.slow_rows (id integer, geom geometry(Point, 4326));"
        "INSERT INTO places.slow_rows VALUES (1, ST_Point(1, 1, 4326)); SELECT dams.watch('places.slow_rows');"
        "CREATE VIEW places.slow AS SELECT places.wait(id) AS id, geom FROM places.slow_rows;"
        "GRANT SELECT ON places.slow_rows, places.slow TO dams_reader"
    )


async def test_all_that_a_request_waits_for_has_one_deadline(database_url: str, own_redis: OwnRedis) -> None:
    await make_places(database_url)
    owner = await asyncpg.connect(database_url)
    await make_slow(owner)
    limits = {"DAMS_POOL_SIZE": "2", "DAMS_COLLECTION_SHARE_PERCENT": "50", "DAMS_REQUEST_TIMEOUT_SECONDS": "1.5"}
    async with on_places(database_url, "features", "tiles", DAMS_REDIS_URL=own_redis.url, **limits) as started:
        features, tiles = started["features"], started["tiles"]
        # one at a time: the last ones would have waited for the turn of others for longer than one of them takes
        waiting = [asyncio.create_task(features.get(f"{SLOW}?limit={n}")) for n in range(1, 5)]
        waiting += [asyncio.create_task(tiles.get(SLOW_TILE)), asyncio.create_task(tiles.get(f"{SLOW_TILE}?limit=9"))]
        async with asyncio.timeout(2.7):
            answers = await asyncio.gather(*waiting)
        assert {answer.status for answer in answers} == {503}
        assert all(b"took too long" in answer.body and "Retry-After" in answer.headers for answer in answers)
        # the service still makes the tile, which takes longer than a request may, for clients that ask again
        await eventually(lambda: good(tiles, SLOW_TILE))
        await good(features, "/collections/places.rivers/items")
        # the service cancels statements whose clients have left
        running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name = 'dams-features'"

        async def given_up() -> bool:
            return bool(await owner.fetchval(running) == 0)

        await eventually(given_up)
    await owner.close()


async def test_the_time_that_another_process_took_counts(database_url: str) -> None:
    await make_places(database_url)
    owner = await asyncpg.connect(database_url)
    await make_slow(owner)
    await owner.close()
    limit = str(WebSettings.variables()["DAMS_REQUEST_TIMEOUT_SECONDS"])
    async with on_places(database_url, "features", DAMS_REQUEST_TIMEOUT_SECONDS=limit) as started:
        features = started["features"]
        await eventually(lambda: good(features, "/collections/places.slow/queryables"))

        def since(seconds: float) -> dict[str, str]:
            return {"X-Request-Start": f"{time.time() - seconds:.3f}"}

        # requests that can be answered in the remaining time are
        assert (await features.get("/collections/places.rivers/items", headers=since(7))).status == 200
        answer = await features.get(SLOW, headers=since(7))
        assert (answer.status, b"took too long" in answer.body, "Retry-After" in answer.headers) == (503, True, True)
        # neither clocks that differ nor an invalid time shortens the time of a request
        for said in (since(-60), since(60), {"X-Request-Start": "t=yesterday"}, since(1)):
            assert (await features.get(SLOW, headers=said)).status == 200


async def test_a_stream_that_has_begun_has_no_deadline(database_url: str) -> None:
    await make_places(database_url)
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "INSERT INTO places.towns SELECT n, repeat('x', 900), ST_Point(1, 1, 4326) FROM generate_series(2, 9000) n"
    )
    await owner.close()
    async with on_places(database_url, "features", DAMS_REQUEST_TIMEOUT_SECONDS="1") as started:
        url = f"{started['features'].base}/collections/places.towns/items?f=csv&limit=10000"
        async with started.session.get(url) as answer:
            await asyncio.sleep(1.5)
            assert len((await answer.read()).splitlines()) == 9001


def test_another_process_is_asked_before_ten_seconds_are_over() -> None:
    gateway = GatewaySettings.variables()["DAMS_GATEWAY_TIMEOUT_SECONDS"]
    assert WebSettings.variables()["DAMS_REQUEST_TIMEOUT_SECONDS"] < gateway
    assert LOCK_SECONDS + CONNECT_SECONDS + gateway + AGAIN_CONNECT_SECONDS + AGAIN_SECONDS < 10
