"""Redis with Sentinel and as a cluster, with real processes: a failure costs time, and the connection recovers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.sentinel import Sentinel
from redis.exceptions import ConnectionError, ResponseError  # noqa: A004

from libs.cache import tile_cache
from libs.cache.commands import CacheAway, Commands
from libs.cache.links import link_to, redis_address
from libs.cache.tile_cache import TileCache
from tests.eventually import eventually
from tests.services.tiles.cache import OwnRedis, free_ports, keys

_SLOTS = 16384
_NO_SCHEME = "begins with none of redis://, rediss://, unix://, redis+sentinel://, redis+cluster://"
_NO_MASTER = "names no master: redis+sentinel://host:26379/master/0"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        *((url, _NO_SCHEME) for url in ("http://a", "redis+unix://a", "unix+sentinel://a/m", "")),
        *((f"redis+sentinel://a:26379{path}", _NO_MASTER) for path in ("", "/", "/m/x", "/m/1/2")),
        ("redis+sentinel://a:b/m", "names 'a:b', which is not like host:26379"),
        ("redis+cluster://a:1,", "names '', which is not like host:6379"),
        ("rediss+cluster://a:123456", "names 'a:123456', which is not like host:6379"),
        ("redis+sentinel://u:p@a,b c/m", "names 'b c', which is not like host:26379"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, said: str) -> None:
    for read in (link_to, redis_address):
        with pytest.raises(ValueError, match=r".") as raised:
            read(url)
        assert str(raised.value) == said


@pytest.mark.parametrize(
    ("url", "hosts", "master", "options"),
    [
        ("redis+sentinel://a/m", [("a", 26379)], "m", {"ssl": False, "db": 0}),
        (
            "rediss+sentinel://me:s3%2Ccret@a:1,[::1]:2,[2001:db8::2]/of%20tiles/3",
            [("a", 1), ("::1", 2), ("2001:db8::2", 26379)],
            "of tiles",
            {"ssl": True, "db": 3, "username": "me", "password": "s3,cret"},
        ),
    ],
)
def test_sentinels_and_master_settings_are_in_the_url(
    monkeypatch: pytest.MonkeyPatch, url: str, hosts: list[tuple[str, int]], master: str, options: dict[str, Any]
) -> None:
    seen: dict[str, Any] = {}

    def pool(name: str, sentinel: Sentinel, **of_master: Any) -> None:
        seen.update(
            master=name,
            hosts=[_place(each) for each in sentinel.sentinels],
            asking=sentinel.sentinel_kwargs,
            of=of_master,
        )

    monkeypatch.setattr("libs.cache.links.SentinelConnectionPool", pool)
    link_to(url)
    assert (seen["hosts"], seen["master"]) == (hosts, master)
    limits = {"socket_timeout": None, "socket_connect_timeout": None}
    assert seen["of"] == seen["of"] | options | limits | {"protocol": 2, "health_check_interval": 0}
    assert {"username", "password"} & seen["of"].keys() == {"username", "password"} & options.keys()
    # the client does not wait for a Sentinel that hangs, and does not send it the master's password
    asking = seen["asking"]
    assert (asking["socket_timeout"], asking["socket_connect_timeout"], asking["protocol"]) == (0.2, 0.2, 2)
    assert "password" not in asking


def _place(sentinel: Redis) -> tuple[str, int]:
    options = sentinel.connection_pool.connection_kwargs
    return options["host"], options["port"]


@pytest.mark.parametrize(
    ("url", "hosts", "options"),
    [
        ("redis+cluster://a,b:1", [("a", 6379), ("b", 1)], {"ssl": False}),
        ("rediss+cluster://:s3%2Ccret@[::1]", [("::1", 6379)], {"ssl": True, "password": "s3,cret"}),
    ],
)
async def test_the_nodes_of_a_cluster_are_those_of_the_address(
    monkeypatch: pytest.MonkeyPatch, url: str, hosts: list[tuple[str, int]], options: dict[str, Any]
) -> None:
    seen: dict[str, Any] = {}

    class Client:
        def __init__(self, **given: Any) -> None:
            seen.update(given)

        async def initialize(self) -> None:
            raise ConnectionError("nobody")

        async def aclose(self) -> None:
            pass

        def get_nodes(self) -> list[Any]:
            return []

    monkeypatch.setattr("libs.cache.links.RedisCluster", Client)
    link = link_to(url)
    with pytest.raises(ConnectionError, match=r"^there is no connection$"):
        await link.exchange([("PING",)])
    with pytest.raises(ConnectionError, match=r"^nobody$"):
        await link.connect()
    await link.close()
    assert [(node.host, node.port) for node in seen.pop("startup_nodes")] == hosts
    assert seen == seen | options | {"protocol": 2, "socket_timeout": None, "socket_connect_timeout": None}
    assert ("password" in seen) is ("password" in options)


class _Watched:
    """A master with a password, its replica, and two Sentinels that agree when the master is down for half a second."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        secret = ("--requirepass", "s3,cret", "--masterauth", "s3,cret")
        self.master, self.replica = OwnRedis(folder, *secret), OwnRedis(folder, *secret)
        self.sentinels: list[OwnRedis] = []
        self._running = AsyncExitStack()

    async def __aenter__(self) -> _Watched:
        for own in (self.master, self.replica):
            own.url = own.url.replace("redis://", "redis://:s3%2Ccret@").replace("/0", "/3")
            await self._running.enter_async_context(own)
        async with self.replica.client() as client:
            await client.replicaof("127.0.0.1", str(self.master.port))

        async def synchronized() -> None:
            async with self.replica.client() as client:
                assert (await client.info("replication"))["master_link_status"] == "up"

        await eventually(synchronized)
        for number in range(2):
            configuration = self._folder / f"sentinel-{number}.conf"
            configuration.write_text(
                f"sentinel monitor tiles 127.0.0.1 {self.master.port} 2\nsentinel auth-pass tiles s3,cret\n"
                "sentinel down-after-milliseconds tiles 500\nsentinel failover-timeout tiles 2000\n"
            )
            self.sentinels.append(OwnRedis(self._folder, str(configuration), "--sentinel"))
            await self._running.enter_async_context(self.sentinels[-1])

        async def met() -> None:
            for sentinel in self.sentinels:
                async with sentinel.client() as client:
                    masters: Any = await client.sentinel_masters()
                    state = masters["tiles"]
                    assert (state["num-other-sentinels"], state["num-slaves"]) == (1, 1)

        await eventually(met, seconds=60)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.aclose()

    @property
    def url(self) -> str:
        # the first is not there
        hosts = ",".join(f"127.0.0.1:{port}" for port in (1, *(sentinel.port for sentinel in self.sentinels)))
        return f"redis+sentinel://:s3%2Ccret@{hosts}/tiles/3"


async def _back(cache: TileCache) -> None:
    async def answers() -> None:
        assert cache.trouble is None

    await eventually(answers, seconds=60)


_LOST = [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=[pytest.mark.slow, pytest.mark.faults])]


@pytest.mark.parametrize("lost", _LOST)
async def test_sentinels_tell_who_is_the_master_now(tmp_path: Path, lost: signal.Signals) -> None:
    async with _Watched(tmp_path) as watched, TileCache(watched.url) as cache:
        cache.put("before", b"x")
        await cache.check()
        assert await cache.get("before", "nothing") == [b"x", None]

        async def copied() -> None:
            assert await keys(watched.replica.url)

        await eventually(copied)
        os.kill(watched.master.pid, lost)
        try:
            with pytest.raises(CacheAway):
                await cache.check()
            assert await cache.get("before") == [None]
            await _back(cache)
            cache.put("after", b"y")
            assert await cache.get("before", "after") == [b"x", b"y"]
        finally:
            if lost is signal.SIGSTOP:
                os.kill(watched.master.pid, signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.faults
async def test_a_master_that_became_a_replica_is_left(tmp_path: Path) -> None:
    async with _Watched(tmp_path) as watched, TileCache(watched.url) as cache:
        cache.put("before", b"x")
        await cache.check()
        async with watched.sentinels[0].client() as client:
            await client.execute_command("SENTINEL", "FAILOVER", "tiles")  # type: ignore[no-untyped-call]

        async def turned() -> None:
            async with watched.master.client() as client:
                try:
                    role = (await client.info("replication"))["role"]
                except ConnectionError as closed:
                    # Sentinel closes the clients of a master that it makes a replica
                    raise AssertionError from closed
                assert role == "slave"

        await eventually(turned, seconds=60)

        async def written() -> None:
            cache.put("after", b"y")
            assert await cache.get("after") == [b"y"]

        await eventually(written, seconds=60)


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[list[OwnRedis]]:
    """Three nodes, each with a third of the slots."""
    async with AsyncExitStack() as running:
        nodes = []
        # that of the bus would be 10,000 more than that of the node, which may be none
        buses = free_ports(3)
        for number, bus in enumerate(buses):
            configuration = ("--cluster-config-file", f"nodes-{number}.conf", "--cluster-port", str(bus))
            options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1000", *configuration)
            nodes.append(await running.enter_async_context(OwnRedis(tmp_path, *options)))
        for number, node in enumerate(nodes):
            async with node.client() as client:
                first, end = (_SLOTS * at // 3 for at in (number, number + 1))
                await client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, end - 1)  # type: ignore[no-untyped-call]
                await client.execute_command("CLUSTER", "MEET", "127.0.0.1", nodes[0].port, buses[0])  # type: ignore[no-untyped-call]

        async def ready() -> None:
            for node in nodes:
                async with node.client() as client:
                    state = await client.execute_command("CLUSTER", "INFO")  # type: ignore[no-untyped-call]
                    assert b"cluster_state:ok" in state
                    assert b"cluster_known_nodes:3" in state

        await eventually(ready, seconds=60)
        yield nodes


def _url(nodes: list[OwnRedis]) -> str:
    return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in nodes)


async def test_a_cluster_is_one_cache(cluster: list[OwnRedis], monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"tile{number}" for number in range(300)]
    # no sooner without it than it must: the machine may have other work
    async with TileCache(_url(cluster[:1]), share_bytes=10**6, deadline=10) as cache:
        for name in names:
            cache.put(name, name.encode())
        cache.put_some("some", b"s")
        assert await cache.get(*names, "nothing") == [*(name.encode() for name in names), None]
        for node in cluster:
            async with node.client() as client:
                assert await client.dbsize() > 50
        cache.replace("tile0", b"more")
        cache.replace("nothing", b"more")
        assert await cache.get("tile0", "nothing") == [b"more", None]
        # a claim is one caller's
        assert await cache.claim("mine", seconds=60) is True
        async with TileCache(_url(cluster), deadline=10) as other:
            assert await other.claim("mine", seconds=60) is False
            cache.release("mine")
            await cache.check()

            async def free() -> None:
                assert await other.claim("mine", seconds=60)

            await eventually(free)
        found = [entry for some in [part async for part in cache.entries("tile*")] for entry in some]
        assert sorted(found) == sorted((name, len(name) if name != "tile0" else 4) for name in names)
        # most looks find none of these, and there is more to look at
        monkeypatch.setattr(tile_cache, "SCANNED_AT_ONCE", 5)
        assert len([1 async for part in cache.entries("tile29?") for _ in part]) == 10
        assert await cache.delete([*names[:200], "nothing"]) == 200
        assert len([1 async for part in cache.entries("*") for _ in part]) >= 100


async def test_a_refused_command_of_a_cluster_spoils_no_other(cluster: list[OwnRedis]) -> None:
    async with Commands(_url(cluster)) as commands:
        commands.post("LPUSH", "list", "x")
        good, bad, other = await asyncio.gather(
            commands.run("SET", "a", "1"), commands.run("GET", "list"), commands.run("GET", "a")
        )
    assert good
    assert isinstance(bad, ResponseError)
    assert other == b"1"


@pytest.mark.parametrize("lost", _LOST)
async def test_a_node_that_is_lost_costs_time_alone(cluster: list[OwnRedis], lost: signal.Signals) -> None:
    async with TileCache(_url(cluster)) as cache:
        cache.put("a", b"x")
        await cache.check()
        os.kill(cluster[1].pid, lost)

        async def noticed() -> None:
            await asyncio.gather(*(cache.get(f"k{number}") for number in range(30)))
            assert cache.trouble

        await eventually(noticed, seconds=60)
        assert await cache.get("a") == [None]
        if lost is signal.SIGKILL:
            await cluster[1].stop()
            await cluster[1].start()
        else:
            os.kill(cluster[1].pid, signal.SIGCONT)
        await _back(cache)
        cache.put("b", b"y")

        async def kept() -> None:
            assert await cache.get("b") == [b"y"]

        await eventually(kept)
