"""Tiles with parameters: one key for one meaning, and no room for tiles requested only once."""

from __future__ import annotations

import pytest

from services.tiles.store.admission import Admission
from tests.eventually import eventually
from tests.services.in_process import Client, Services, services
from tests.services.tiles.cache import OwnRedis, keys, tier
from tests.services.tiles.conftest import Placed
from tests.services.tiles.places import decoded

TILE = "/collections/placed.points/tiles/WebMercatorQuad/0/0/0"


async def ask_until_kept(tiles: Client, parameters: dict[str, str]) -> None:
    """Twice, and until the cache has it."""
    assert tier(await tiles.get(TILE, parameters)) == "postgis"

    async def is_cached() -> None:
        assert tier(await tiles.get(TILE, parameters)) == "redis"

    await eventually(is_cached)


async def test_what_is_asked_for_once_is_not_kept(cached: Services, own_redis: OwnRedis) -> None:
    for number in range(50):
        assert tier(await cached["tiles"].get(TILE, {"ids": str(number)})) == "postgis"
    assert await keys(own_redis.url) == {}


async def test_what_is_asked_for_twice_is_kept_for_half_an_hour(cached: Services, own_redis: OwnRedis) -> None:
    tiles = cached["tiles"]
    first, second = await tiles.get(TILE, {"ids": "1"}), await tiles.get(TILE, {"ids": "1"})
    assert (tier(first), tier(second)) == ("postgis", "postgis")

    async def is_cached() -> None:
        third = await tiles.get(TILE, {"ids": "1"})
        assert (tier(third), third.body) == ("redis", first.body)

    await eventually(is_cached)
    assert tier(await tiles.get(TILE, {"ids": "2"})) == "postgis"
    async with own_redis.client() as client:
        (key,) = await client.keys("dams:tile:3:t:*")
        assert 1700 < await client.ttl(key) <= 1800


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"limit": "10000"}, {}),
        ({"filter": "id = 1 AND name LIKE 'p%'"}, {"filter": "(id=1)  and  (name like 'p%')"}),
        ({"properties": "name,id"}, {"properties": "id,name"}),
        ({"filter": "id=1", "filter-lang": "cql2-text"}, {"filter": "id=1"}),
    ],
)
async def test_the_same_question_has_one_key(
    cached: Services, own_redis: OwnRedis, one: dict[str, str], other: dict[str, str]
) -> None:
    tiles = cached["tiles"]
    asked, again = await tiles.get(TILE, one), await tiles.get(TILE, other)
    assert decoded(asked.body, "placed.points") == decoded(again.body, "placed.points")

    async def is_cached() -> None:
        assert len([name for name in await keys(own_redis.url) if b":t:" in name]) == 1

    await eventually(is_cached)
    assert [tier(await tiles.get(TILE, parameters)) for parameters in (one, other)] == ["redis", "redis"]
    assert tier(await tiles.get(TILE, {"filter": "id=2"})) == "postgis"


async def test_all_of_them_together_have_a_bounded_share(placed: Placed, own_redis: OwnRedis) -> None:
    async with services() as started:
        await started.start("common", placed.env)
        env = {**placed.env, "DAMS_REDIS_URL": own_redis.url}
        tiles = await started.start("tiles", {**env, "DAMS_TILE_CACHE_FILTERED_BYTES": "1000000"})
        await ask_until_kept(tiles, {"ids": "1"})
        async with own_redis.client() as client:
            (account,) = await client.keys("dams:tile:3:share:*")
            assert 50 < int(await client.get(account) or 0) < 2000
            assert 3000 < await client.ttl(account) <= 3600
            # half of the share, as if others had filled it
            await client.set(account, 2**19)
        for _ in range(5):
            assert tier(await tiles.get(TILE, {"ids": "2"})) == "postgis"
        # plain tiles are as welcome as ever
        await tiles.get(TILE)
        assert tier(await tiles.get(TILE)) == "redis"


def test_memory_of_what_was_asked_is_bounded_in_time_and_number() -> None:
    asked = Admission(seconds=300, most=10)
    assert not asked.admits("a")
    assert asked.admits("a")
    for number in range(20):
        asked.admits(f"junk {number}")
    assert not asked.admits("a")
    forgetful = Admission(seconds=0)
    assert [forgetful.admits("a") for _ in range(2)] == [False, True]
    forgetful.admits("b")
    forgetful.admits("c")
    assert not forgetful.admits("a")


def test_what_was_asked_is_remembered_from_one_time_to_the_end_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("services.tiles.store.admission.time.monotonic", lambda: now)
    asked = Admission(seconds=300, most=10)
    found = []
    for seconds, key in ((0, "a"), (300, "b"), (301, "a"), (302, "b"), (601, "b"), (602, "b"), (602, "a"), (903, "c")):
        now = 1000.0 + seconds
        found.append(asked.admits(key))
    # each time is as long as the first, so that the last request of one is remembered in the next
    assert found == [False, False, True, True, True, True, True, False]
    assert [asked.admits(key) for key in ("b", "a", "d")] == [True, True, False]
