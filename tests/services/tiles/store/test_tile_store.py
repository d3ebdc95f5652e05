"""The shared cache: never stale, and never an error if Redis fails."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
import redis.asyncio

from tests.eventually import eventually
from tests.services.in_process import Client, Services, services
from tests.services.tiles.cache import OwnRedis, keys, only_key, tier
from tests.services.tiles.conftest import Placed
from tests.services.tiles.places import decoded

TILE = "/collections/placed.points/tiles/WebMercatorQuad/0/0/0"


async def test_the_second_request_is_answered_from_redis(cached: Services, own_redis: OwnRedis) -> None:
    first, second = await cached["tiles"].get(TILE), await cached["tiles"].get(TILE)
    assert (tier(first), tier(second)) == ("postgis", "redis")
    assert first.body == second.body
    key = await only_key(own_redis.url)
    assert key.startswith(b"dams:tile:3:t:")
    assert key.endswith(b":WebMercatorQuad:0:0:0::placed.points")


async def test_changed_rows_show(cached: Services, placed: Placed) -> None:
    tiles = cached["tiles"]
    before = await tiles.get(TILE)
    other = "/collections/placed.lines/tiles/WebMercatorQuad/0/0/0"
    await tiles.get(other)
    owner = await asyncpg.connect(placed.owner_url)
    try:
        await owner.execute("INSERT INTO placed.points VALUES (999999, 'new', 'SRID=4326;POINT(1 1)')")

        async def new() -> None:
            answer = await tiles.get(TILE)
            assert 999999 in {feature.id for feature in decoded(answer.body, "placed.points")}
            assert answer.headers["ETag"] != before.headers["ETag"]

        await eventually(new)
        # unchanged tiles stay
        assert tier(await tiles.get(other)) == "redis"
    finally:
        await owner.execute("DELETE FROM placed.points WHERE id = 999999")
        await owner.close()


@pytest.mark.parametrize("damage", [b"", b"x", b"no gzip at all, but long enough", None])
async def test_a_damaged_value_is_as_if_it_were_not_there(
    cached: Services, own_redis: OwnRedis, damage: bytes | None
) -> None:
    tiles = cached["tiles"]
    first = await tiles.get(TILE)
    key = await only_key(own_redis.url)
    value = (await keys(own_redis.url))[key]
    middle = len(value) // 2
    flipped = value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :]
    async with redis.asyncio.from_url(own_redis.url) as client:
        await client.set(key, flipped if damage is None else damage)
    for encoding in ("identity", "gzip"):
        again = await tiles.get(TILE, headers={"Accept-Encoding": encoding})
        assert again.body == first.body

    async def right() -> None:
        assert (await keys(own_redis.url))[key] == value

    await eventually(right)


async def test_a_value_of_another_type_is_as_if_it_were_not_there(cached: Services, own_redis: OwnRedis) -> None:
    first = await cached["tiles"].get(TILE)
    key = await only_key(own_redis.url)
    async with redis.asyncio.from_url(own_redis.url) as client:
        await client.delete(key)
        await client.lpush(key, b"a list")
    assert (await cached["tiles"].get(TILE)).body == first.body


async def test_without_redis_tiles_are_slower_never_an_error(cached: Services, own_redis: OwnRedis) -> None:
    tiles = cached["tiles"]
    first = await tiles.get(TILE)
    await own_redis.stop()
    for _ in range(3):
        answer = await tiles.get(TILE)
        assert (tier(answer), answer.body) == ("postgis", first.body)
    await own_redis.start()

    async def back() -> None:
        assert tier(await tiles.get(TILE)) == "redis"

    await eventually(back)


async def test_requests_at_the_same_time_share_one_query(cached: Services, placed: Placed) -> None:
    answers = await asyncio.gather(*(cached["tiles"].get(TILE) for _ in range(20)))
    assert len({answer.body for answer in answers}) == 1
    # one of them asked, the others waited for it
    assert {tier(answer) for answer in answers} <= {"postgis", "redis"}


async def test_a_restart_keeps_the_cache(cached: Services, placed: Placed, own_redis: OwnRedis) -> None:
    await cached["tiles"].get(TILE)
    async with services() as others:
        for name in ("common", "tiles"):
            await others.start(name, {**placed.env, "DAMS_REDIS_URL": own_redis.url})
        client: Client = others["tiles"]
        assert tier(await client.get(TILE)) == "redis"


async def test_other_limits_make_other_tiles(cached: Services, placed: Placed, own_redis: OwnRedis) -> None:
    # the address is in the ETag, too
    host = {"Host": "dams.example"}
    whole = await cached["tiles"].get(TILE, headers=host)
    both = "/tiles/WebMercatorQuad/0/0/0?collections=placed.points,placed.lines"
    tag = (await cached["tiles"].get(both, headers=host)).headers["ETag"]
    assert (await cached["tiles"].get(both, headers=host)).headers["ETag"] == tag
    for name, value in (("DAMS_TILE_MAX_FEATURES", "5"), ("DAMS_TILE_MAX_BYTES", "1000")):
        async with services() as others:
            for service in ("common", "tiles"):
                await others.start(service, {**placed.env, "DAMS_REDIS_URL": own_redis.url, name: value})
            answer = await others["tiles"].get(TILE, headers=host)
            assert tier(answer) == "postgis"
            assert len(decoded(answer.body, "placed.points")) < len(decoded(whole.body, "placed.points"))
            assert answer.headers["ETag"] != whole.headers["ETag"]
            assert (await others["tiles"].get(both, headers=host)).headers["ETag"] != tag
