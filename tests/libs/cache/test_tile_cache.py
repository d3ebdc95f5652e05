"""Redis as it is: restarts, hangs, errors, and many requests at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from libs.cache.commands import CacheAway
from libs.cache.tile_cache import TileCache
from tests.eventually import eventually
from tests.services.tiles.cache import OwnRedis


async def test_what_was_posted_is_sent_before_the_end(server: OwnRedis) -> None:
    async with TileCache(server.url) as cache:
        for number in range(500):
            cache.put(f"k{number}", b"x" * 1000)
        cache.put_some("some", b"y")
    async with server.client() as client:
        assert await client.dbsize() == 500 + 1 + 1


@pytest.mark.parametrize(("size", "is_kept"), [(491, True), (492, False)])
async def test_an_entry_may_take_half_of_the_share(server: OwnRedis, size: int, is_kept: bool) -> None:
    """The share has two halves: entries of the previous half hour are kept too."""
    async with TileCache(server.url, share_bytes=1000) as cache:
        # together with its name and four more bytes
        cache.put_some("small", b"y" * size)
        cache.put_some("too much", b"y" * 100)
        async with server.client() as client:

            async def counted() -> None:
                (account,) = await client.keys("*share:*")
                assert int(await client.get(account) or 0) > 550
                # longer than what it counts
                assert 1800 < await client.ttl(account) <= 3600

            await eventually(counted)
        assert [value is not None for value in await cache.get("small", "too much")] == [is_kept, False]


@pytest.mark.parametrize("share_bytes", [0, 1000])
async def test_nothing_is_kept_for_ever(server: OwnRedis, share_bytes: int) -> None:
    async with TileCache(server.url, share_bytes=share_bytes) as cache:
        cache.put("tile", b"x")
        cache.put_some("some", b"y")
    async with server.client() as client:
        names = await client.keys()
        assert len(names) == (2 if share_bytes == 0 else 3)
        assert all([await client.ttl(name) > 0 for name in names])


async def test_it_says_what_the_trouble_is_and_nothing_where_there_is_none(server: OwnRedis, tmp_path: Path) -> None:
    async with TileCache(server.url) as cache, TileCache(f"unix://{tmp_path}/nowhere") as away, TileCache(None) as none:
        assert await cache.get("a") == await away.get("a") == await none.get("a") == [None]
        assert cache.trouble is none.trouble is None
        assert away.trouble is not None
        assert "nowhere" in away.trouble


async def test_an_end_without_a_server_is_quick(tmp_path: Path) -> None:
    async with asyncio.timeout(20), TileCache(f"unix://{tmp_path}/nowhere") as cache:
        cache.put("a", b"b")
        assert await cache.get("a", "b") == [None, None]
        assert await cache.claim("c", seconds=1) is None
    async with TileCache(None) as none:
        none.put("a", b"b")
        assert await none.get("a") == [None]
        assert await none.claim("c", seconds=1) is None


async def test_claims_belong_to_one_and_end(server: OwnRedis) -> None:
    async with TileCache(server.url) as one, TileCache(server.url) as other:
        assert await one.claim("c", seconds=10) is True
        assert await other.claim("c", seconds=10) is False
        one.put("tile", b"x")
        one.release("c")
        while not await other.claim("c", seconds=0.2):
            pass
        # a process that sees the end of the claim also sees what was stored before it
        assert await other.get("tile") == [b"x"]
        await asyncio.sleep(0.3)
        assert await one.claim("c", seconds=1) is True


async def test_a_claim_that_ended_by_itself_is_not_taken_from_its_next_owner(server: OwnRedis) -> None:
    async with TileCache(server.url) as one, TileCache(server.url) as other:
        assert await one.claim("c", seconds=0.1) is True
        await asyncio.sleep(0.2)
        assert await other.claim("c", seconds=10) is True
        one.release("c")
        # a later answer means that the release has been carried out
        assert await one.claim("c", seconds=10) is False
        other.release("c")
        await other.check()
        assert await one.claim("c", seconds=10) is True


async def test_a_full_server_is_no_error(server: OwnRedis) -> None:
    async with server.client() as client:
        await client.config_set("maxmemory", "1mb")
        await client.config_set("maxmemory-policy", "noeviction")
    async with TileCache(server.url) as cache:
        for number in range(100):
            cache.put(str(number), b"x" * 100_000)
        cache.put_some("some", b"y")
        assert await cache.get("99", "98") == [None, None]


@pytest.mark.parametrize("damage", [b"", b"abc", b"\0\0\0\0tile", b"\0\0\0\1"])
async def test_a_damaged_value_is_none(server: OwnRedis, damage: bytes) -> None:
    async with TileCache(server.url) as cache:
        cache.put("good", b"tile")
        cache.put("damaged", b"tile")
        assert await cache.get("good", "damaged") == [b"tile", b"tile"]
        async with server.client() as client:
            (name,) = await client.keys("*damaged")
            await client.set(name, damage)
        assert await cache.get("good", "damaged", "absent") == [b"tile", None, None]


def lookups() -> dict[str, float]:
    results = ("hit", "miss", "damaged", "unavailable")
    found = {each: REGISTRY.get_sample_value("dams_tile_cache_lookups_total", {"result": each}) for each in results}
    return {each: number or 0 for each, number in found.items()}


async def test_each_lookup_is_counted_by_what_came_of_it(server: OwnRedis, tmp_path: Path) -> None:
    async with TileCache(server.url) as cache, TileCache(f"unix://{tmp_path}/nowhere") as away:
        cache.put("good", b"tile")
        cache.put("damaged", b"tile")
        await cache.check()
        async with server.client() as client:
            (name,) = await client.keys("*damaged")
            await client.set(name, b"tile")

        async def counted() -> None:
            before = lookups()
            for keys in (("good", "absent"), ("absent", "other"), ("damaged",), ("good", "damaged")):
                await cache.get(*keys)
            await away.get("good")
            with pytest.raises(CacheAway):
                await away.check()
            grown = {each: number - before[each] for each, number in lookups().items()}
            assert grown == {"hit": 2, "miss": 2, "damaged": 2, "unavailable": 1}

        # services of other tests, in this process, look for something now and then
        await eventually(counted)


async def test_fuller_entry_replaces_another_until_its_end(server: OwnRedis) -> None:
    async with TileCache(server.url) as cache, server.client() as client:
        cache.put("short", b"x", seconds=100)
        cache.put("week", b"x")
        cache.put_some("half an hour", b"x")
        cache.replace("short", b"more")
        cache.replace("gone", b"more")
        assert await cache.get("short", "gone") == [b"more", None]

        async def kept() -> None:
            ends = [await client.ttl(f"dams:tile:3:{key}") for key in ("short", "week", "half an hour")]
            for seconds, most in zip(ends, (100, 7 * 24 * 3600, 1800), strict=True):
                assert most - 60 < seconds <= most

        await eventually(kept)


async def test_keys_are_listed_with_their_sizes_and_forgotten(server: OwnRedis) -> None:
    async with TileCache(server.url) as cache, server.client() as client:
        for number in range(30):
            cache.put(f"a:{number}", b"x" * number)
        cache.put("b:1", b"x")
        await cache.check()
        # an entry of another program, and a name too short for one of ours
        await client.set("a:other", b"x")
        await client.set("dams:tile:3:a:short", b"x")
        found = [entry async for some in cache.entries("a:*") for entry in some]
        assert sorted(found) == sorted([*((f"a:{number}", number) for number in range(30)), ("a:short", 0)])
        assert await cache.delete(["a:1", "a:2", "a:none"]) == 2
        assert await cache.delete([]) == 0
        assert await cache.get("a:1", "a:3") == [None, b"xxx"]
        # a refused claim does not belong to another holder either
        await client.set("dams:tile:3:claimed", b"x")
        assert await cache.claim("claimed", seconds=1) is False
        await client.config_set("maxmemory", "1")
        await client.config_set("maxmemory-policy", "noeviction")
        assert await cache.claim("new", seconds=1) is None


async def test_trouble_names_the_cause(tmp_path: Path) -> None:
    async with TileCache(f"unix://{tmp_path}/nowhere") as away:
        await away.get("a")
    assert (
        away.trouble
        == f"tile cache: ConnectionError: Error 2 connecting to {tmp_path}/nowhere. No such file or directory."
    )


async def test_whether_there_is_a_cache_is_a_metric(server: OwnRedis, tmp_path: Path) -> None:
    for url, available in ((server.url, 1), (f"unix://{tmp_path}/nowhere", 0), (server.url, 1)):
        async with TileCache(url):
            assert REGISTRY.get_sample_value("dams_tile_cache_available") == available
    async with TileCache(None) as none:
        with pytest.raises(CacheAway, match=r"^DAMS_REDIS_URL is not set$"):
            await none.check()
        with pytest.raises(CacheAway, match=r"^DAMS_REDIS_URL is not set$"):
            await none.delete(["a"])
