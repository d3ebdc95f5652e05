"""Redis that hangs, or that says nothing at all: tiles are made without it, and with it again when it is back."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.eventually import eventually
from tests.faults.places import good, make_places, on_places
from tests.services.in_process import Client, Services
from tests.services.tiles.cache import OwnRedis, metric, tier

pytestmark = pytest.mark.faults

MOST_SECONDS = 10
"""For all answers together. Each used to wait for as long as a connection may: more than that alone."""


async def tiers(tiles: Client, zoom: int) -> list[str]:
    """Return which tier answered for each tile of a zoom; the tiles of a row are requested at the same time."""

    async def one(x: int, y: int) -> str:
        return tier(await good(tiles, f"/collections/places.towns/tiles/WebMercatorQuad/{zoom}/{y}/{x}"))

    numbers = range(2**zoom)
    return [found for y in numbers for found in await asyncio.gather(*(one(x, y) for x in numbers))]


async def says_that_redis_is_away(started: Services) -> None:
    answer = await good(started["tiles"], "/internal/health")
    assert "tile cache" in answer.json()["detail"][0]
    assert await metric(started["tiles"], "dams_tile_cache_available") == 0


async def has_redis(started: Services) -> None:
    assert (await good(started["tiles"], "/internal/health")).json() == {"status": "ok"}
    assert await metric(started["tiles"], "dams_tile_cache_available") == 1


async def test_a_redis_that_hangs_delays_no_tile(database_url: str, own_redis: OwnRedis) -> None:
    await make_places(database_url)
    async with on_places(database_url, "tiles", DAMS_REDIS_URL=own_redis.url) as started:
        await eventually(lambda: has_redis(started))
        assert "postgis" in await tiers(started["tiles"], 1)
        os.kill(own_redis.pid, signal.SIGSTOP)
        try:
            async with asyncio.timeout(MOST_SECONDS):
                assert set(await tiers(started["tiles"], 3)) == {"postgis"}
            await says_that_redis_is_away(started)
        finally:
            os.kill(own_redis.pid, signal.SIGCONT)
        await eventually(lambda: has_redis(started))
        await tiers(started["tiles"], 2)
        assert set(await tiers(started["tiles"], 2)) == {"redis"}


@asynccontextmanager
async def silent_server() -> AsyncIterator[str]:
    """The address of a Redis that takes connections and answers nothing."""
    open_until_the_end = asyncio.Event()

    async def say_nothing(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await open_until_the_end.wait()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    try:
        # AUTH is the first that gets no reply
        yield f"redis://:password@127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        open_until_the_end.set()
        server.close()


async def test_an_address_that_says_nothing_delays_no_tile(database_url: str) -> None:
    await make_places(database_url)
    async with silent_server() as url, on_places(database_url, "tiles", DAMS_REDIS_URL=url) as started:
        async with asyncio.timeout(MOST_SECONDS):
            assert set(await tiers(started["tiles"], 3)) == {"postgis"}
        await says_that_redis_is_away(started)
