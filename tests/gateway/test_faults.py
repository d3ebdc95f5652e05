"""Clients that take without end, processes that hang, an nginx that loses its master, a gateway that is replaced."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientPayloadError, ClientSession, web

from gateway.folder import DRAINING
from gateway.liveness import Liveness
from gateway.nginx.running import workers
from gateway.settings import SERVICES
from tests.eventually import eventually
from tests.gateway.harness import Gateway, Upstream, make_part, running_gateway, silent

pytestmark = pytest.mark.faults


async def written_for_a_client_that_does_not_read(gateway: Gateway, path: str) -> int:
    """How many of 300 MB the service could write within a second and a half."""
    written = 0

    async def stream(request: web.Request) -> web.StreamResponse:
        nonlocal written
        # as features says of pages whose rows are large: what nginx keeps it reads as fast as it can
        response = web.StreamResponse(headers={"Cache-Control": "public, max-age=5", "X-Accel-Expires": "0"})
        await response.prepare(request)
        for _ in range(3000):
            await response.write(b"x" * 100_000)
            written += 100_000
        return response

    gateway.upstreams["tiles"].answer = stream
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port, limit=1024)
    writer.write(f"GET /api/{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await reader.readline()
    await asyncio.sleep(1.5)
    writer.transport.abort()
    return written


def kernel_bytes() -> int:
    """The most that Linux keeps of two connections: from the service to nginx, and from nginx to the client."""
    return 2 * sum(int(Path(f"/proc/sys/net/ipv4/tcp_{way}mem").read_text().split()[-1]) for way in "rw")


async def test_a_service_waits_for_a_client_that_reads_slowly(gateway: Gateway) -> None:
    # the second request for an address would be kept
    for _ in range(3):
        written = await written_for_a_client_that_does_not_read(gateway, "tileMatrixSets?slow")
        assert written < kernel_bytes() + 10_000_000
    kept = sum(file.stat().st_size for name in ("cache", "tmp") for file in (gateway.folder / name).rglob("*"))
    assert kept < 20_000_000


async def test_response_of_a_killed_process_is_cut_visibly_and_not_cached(
    gateway: Gateway, session: ClientSession
) -> None:
    killed = True

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Cache-Control": "public, max-age=60"})
        await response.prepare(request)
        await response.write(b"row\n" * 1000)
        if killed and (transport := request.transport) is not None:
            # as its kernel closes what a process had open
            transport.close()
        return response

    gateway.upstreams["features"].answer = stream
    address = f"{gateway.url}/api/collections/a/items?cut"
    # the second request for an address would be kept
    for _ in range(3):
        async with session.get(address) as response:
            assert response.status == 200
            with pytest.raises(ClientPayloadError):
                await response.read()
    killed = False
    async with session.get(address) as response:
        assert await response.read() == b"row\n" * 1000


async def test_one_client_does_not_take_all(tmp_path: Path, session: ClientSession) -> None:
    begun, release = Counter[str](), asyncio.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        begun[request.headers["X-Forwarded-For"]] += 1
        await release.wait()
        return web.Response(text="done")

    settings = {"DAMS_GATEWAY_REQUESTS_PER_CLIENT": "3", "DAMS_TRUSTED_PROXIES": "127.0.0.1"}
    async with running_gateway(tmp_path / "gateway", **settings) as gateway:
        await gateway.published()
        gateway.upstreams["tiles"].answer = slow

        async def ask(number: int, client: str) -> int:
            headers = {"X-Forwarded-For": f"192.0.2.1, {client}"} if client else {}
            async with session.get(f"{gateway.url}/api/tileMatrixSets?{number}", headers=headers) as response:
                if response.status == 429:
                    assert response.headers["Retry-After"] == "2"
                    assert "asks for more" in await response.text()
                return response.status

        async def waiting(count: int) -> bool:
            return begun.total() == count

        first = [asyncio.create_task(ask(number, "198.51.100.7")) for number in range(3)]
        await eventually(partial(waiting, 3))
        assert await ask(3, "198.51.100.7") == 429
        # others are not concerned, nor is an address behind which there may be many
        others = [asyncio.create_task(ask(4, "198.51.100.8"))]
        others += [asyncio.create_task(ask(number, "")) for number in range(5, 10)]
        await eventually(partial(waiting, 9))
        release.set()
        assert set(await asyncio.gather(*first, *others)) == {200}
        assert await ask(10, "198.51.100.7") == 200
        assert begun == {"198.51.100.7": 4, "198.51.100.8": 1, "127.0.0.1": 5}


async def test_one_client_does_not_ask_all_the_time(tmp_path: Path, session: ClientSession) -> None:
    settings = {"DAMS_GATEWAY_REQUESTS_PER_SECOND": "1", "DAMS_TRUSTED_PROXIES": "127.0.0.1"}
    async with running_gateway(tmp_path / "gateway", **settings) as gateway:
        await gateway.published()

        async def ask(number: int, client: str) -> int:
            headers = {"X-Forwarded-For": client} if client else {}
            async with session.get(f"{gateway.url}/api/tileMatrixSets?{number}", headers=headers) as response:
                return response.status

        statuses = await asyncio.gather(*(ask(number, "198.51.100.7") for number in range(20)))
        # two more than one at once; a machine that takes seconds for twenty requests lets others through
        assert statuses.count(429) >= 10
        assert set(statuses) == {200, 429}
        assert statuses.count(200) >= 3
        assert await ask(20, "198.51.100.8") == 200
        assert set(await asyncio.gather(*(ask(number, "") for number in range(21, 40)))) == {200}


async def test_a_process_that_hangs_is_passed_over(tmp_path: Path, session: ClientSession) -> None:
    good = Upstream("tiles", "good", socket=tmp_path / "good", part=make_part("tiles"))
    others = [Upstream(name, socket=tmp_path / name, part=make_part(name)) for name in SERVICES if name != "tiles"]
    settings = {f"DAMS_{upstream.service.upper()}_UPSTREAM": f"unix:{upstream.socket}" for upstream in others}
    settings |= {
        "DAMS_TILES_UPSTREAM": f"unix:{tmp_path / 'hangs'},unix:{good.socket}",
        "DAMS_GATEWAY_TIMEOUT_SECONDS": "1",
    }
    gateway = Gateway(tmp_path / "gateway", {}, settings)
    drained = asyncio.Event()

    async def watch() -> None:
        while not (gateway.folder / DRAINING).exists():  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.02)
        drained.set()

    async def ask() -> None:
        async with session.get(f"{gateway.url}/api/tileMatrixSets") as response:
            assert (response.status, (await response.json())["name"]) == (200, "good")

    async def upstreams() -> list[str]:
        async with session.get(f"{gateway.internal_url}/internal/health") as response:
            found: list[str] = (await response.json())["upstreams"]["tiles"]
            return found

    async def used(*names: str) -> bool:
        return await upstreams() == [f"unix:{tmp_path / name}" for name in names]

    async def told(*names: str) -> bool:
        """Return whether the log's last change of addresses names these."""
        lines = [json.loads(line) for line in gateway.log.read_text(encoding="utf-8").splitlines()]
        changes = [line["upstreams"].get("tiles") for line in lines if line["message"] == "other addresses or routes"]
        return changes[-1:] == [[f"unix:{tmp_path / name}" for name in names]]

    watching = asyncio.create_task(watch())
    with silent(tmp_path / "hangs"):
        try:
            for upstream in [*others, good]:
                await upstream.start()
            await gateway.start()
            await gateway.published()
            for _ in range(6):
                await ask()
            await eventually(partial(used, "good"))
            # alone it stays: it may be busy
            await good.stop()
            await eventually(partial(used, "good", "hangs"))
            await eventually(partial(told, "good", "hangs"))
            await good.start()
            # the second attempt knows when the first one was made
            before = len(good.seen)
            async with asyncio.TaskGroup() as asks:
                for _ in range(4):
                    asks.create_task(ask())
            times = [float(request.headers["X-Request-Start"]) for request in good.seen[before:]]
            ages = [arrived - since for arrived, since in zip(good.times[before:], times, strict=True)]
            assert 0 <= min(ages) < 0.9 < max(ages)
            await eventually(partial(used, "good"))
            # clients learned of the end before their connections closed
            assert drained.is_set()
        finally:
            watching.cancel()
            if gateway.process is not None:
                await gateway.stop()
            for upstream in [*others, good]:
                await upstream.stop()


async def test_two_processes_that_hang_take_little_more_time_than_one(tmp_path: Path, session: ClientSession) -> None:
    one, two = Upstream("tiles", "one", part=make_part("tiles")), Upstream("tiles", "two", part=make_part("tiles"))
    upstreams = {
        "DAMS_TILES_UPSTREAM": f"127.0.0.1:{one.port},127.0.0.1:{two.port}",
        "DAMS_GATEWAY_TIMEOUT_SECONDS": "1.5",
    }
    hanging: list[web.Request] = []
    hang, release = 0, asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        if len(hanging) < hang:
            hanging.append(request)
            await release.wait()
        headers = {"ETag": '"1"', "Cache-Control": "public, max-age=1"}
        if request.headers.get("If-None-Match") == '"1"':
            return web.Response(status=304, headers=headers)
        return web.Response(text="well", headers=headers)

    one.answer = two.answer = answer
    async with running_gateway(tmp_path / "gateway", **upstreams) as gateway:
        for upstream in (one, two):
            await upstream.start()
        try:
            await gateway.published()
            url = f"{gateway.url}/api/tileMatrixSets"

            async def ask(query: str = "") -> tuple[int, str]:
                async with session.get(url + query) as response:
                    return response.status, await response.text()

            assert [await ask() for _ in range(2)] == [(200, "well")] * 2
            await asyncio.sleep(2.1)
            # the cached answer should be revalidated: its ETag is not the client's
            hang = 1
            assert await ask() == (200, "well")
            assert [request.headers.get("If-None-Match") for request in hanging] == ['"1"']
            hang = 3
            async with asyncio.timeout(2.9):
                assert (await ask("?other"))[0] == 504
            assert len(hanging) == 3
            assert len({request.headers["X-Request-Start"] for request in hanging[1:]}) == 1
        finally:
            release.set()
            for upstream in (one, two):
                await upstream.stop()


async def test_one_silence_is_none(tmp_path: Path) -> None:
    liveness = Liveness()
    addresses = {"tiles": (f"unix:{tmp_path / 'a'}", f"unix:{tmp_path / 'b'}"), "viewer": (f"unix:{tmp_path / 'c'}",)}
    upstream = Upstream("tiles", socket=tmp_path / "b", part=make_part("tiles"))
    await upstream.start()
    with silent(tmp_path / "a"):
        await liveness.check(addresses)
        assert liveness.list_alive(addresses) == addresses
        await liveness.check(addresses)
        assert liveness.list_alive(addresses) == {"tiles": addresses["tiles"][1:], "viewer": addresses["viewer"]}
    # where no other is left, one that hangs may be busy
    await upstream.stop()
    with silent(tmp_path / "a"):
        await liveness.check(addresses)
        assert liveness.list_alive(addresses)["tiles"] == addresses["tiles"][1:]
        await liveness.check(addresses)
    assert liveness.list_alive(addresses) == addresses


async def test_one_that_is_absent_stays_for_as_long_as_a_restart_takes(tmp_path: Path) -> None:
    absent, spare, there = (f"unix:{tmp_path / name}" for name in "abc")
    upstream = Upstream("tiles", socket=tmp_path / "c", part=make_part("tiles"))
    await upstream.start()
    for seconds, expected in ((30.0, (absent, spare, there)), (0.0, (spare, there))):
        liveness = Liveness({spare}, absent_seconds=seconds)
        for _ in range(3):
            await liveness.check({"tiles": (absent, spare, there)})
        assert liveness.list_alive({"tiles": (absent, spare, there)}) == {"tiles": expected}
    await upstream.stop()


async def test_restart_beside_a_backup_loses_no_request(tmp_path: Path, session: ClientSession) -> None:
    one, spare = (Upstream("tiles", name, socket=tmp_path / name, part=make_part("tiles")) for name in ("one", "spare"))
    others = [Upstream(name, socket=tmp_path / name, part=make_part(name)) for name in SERVICES if name != "tiles"]
    settings = {f"DAMS_{upstream.service.upper()}_UPSTREAM": f"unix:{upstream.socket}" for upstream in others}
    settings["DAMS_TILES_UPSTREAM"] = f"unix:{one.socket},unix:{spare.socket} backup"
    gateway = Gateway(tmp_path / "gateway", {}, settings)

    async def names() -> set[str]:
        found = set()
        for _ in range(6):
            async with session.get(f"{gateway.url}/api/tileMatrixSets") as response:
                found.add((await response.json())["name"])
        return found

    try:
        for upstream in [*others, one, spare]:
            await upstream.start()
        await gateway.start()
        await gateway.published()
        before = workers(nginx_pid(gateway))
        assert await names() == {"one"}
        await one.stop()
        assert await names() == {"spare"}
        # longer than the gateway takes to notice
        await asyncio.sleep(3.5)
        assert await names() == {"spare"}
        await one.start()
        await spare.stop()
        assert await names() == {"one"}
        assert gateway.process is not None
        started = await since(session, gateway)
        gateway.process.send_signal(signal.SIGHUP)

        async def replaced() -> bool:
            return await since(session, gateway) != started

        await eventually(replaced)
        await gateway.published()
        assert await names() == {"one"}
        assert workers(nginx_pid(gateway)) == before
    finally:
        if gateway.process is not None:
            await gateway.stop()
        for upstream in [*others, one, spare]:
            await upstream.stop()


def nginx_pid(gateway: Gateway) -> int:
    text = (gateway.folder / "nginx.pid").read_text()
    assert text, "it is just being written"
    return int(text)


@pytest.mark.parametrize("both", [False, True])
async def test_workers_without_their_master_give_the_port_free(
    own_gateway: Gateway, session: ClientSession, both: bool
) -> None:
    master = nginx_pid(own_gateway)
    assert own_gateway.process is not None
    if both:
        await own_gateway.stop(signal.SIGKILL)
    os.kill(master, signal.SIGKILL)
    if both:
        await own_gateway.start()

    async def renewed() -> None:
        assert nginx_pid(own_gateway) != master
        async with session.get(f"{own_gateway.url}/api/") as response:
            assert response.status == 200

    await eventually(renewed)


async def since(session: ClientSession, gateway: Gateway) -> str:
    """When the program was started that looks after the gateway."""
    async with session.get(f"{gateway.internal_url}/internal/health") as response:
        assert response.status == 200
        return str((await response.json())["since"])


async def test_a_gateway_is_replaced_while_nginx_goes_on(own_gateway: Gateway, session: ClientSession) -> None:
    master, before = nginx_pid(own_gateway), await since(session, own_gateway)
    assert own_gateway.process is not None
    own_gateway.process.send_signal(signal.SIGHUP)
    statuses: Counter[int] = Counter()

    async def replaced() -> bool:
        for _ in range(10):
            # the answers are not cached
            async with session.get(f"{own_gateway.url}/api/tileMatrixSets") as response:
                statuses[response.status] += 1
        return await since(session, own_gateway) != before

    await eventually(replaced)
    await own_gateway.published()
    assert statuses.keys() == {200}
    assert nginx_pid(own_gateway) == master
    # the new one looks after it as the old one did
    os.kill(master, signal.SIGTERM)
    assert await asyncio.wait_for(own_gateway.process.wait(), 15) == 1
    await own_gateway.start()
    assert await own_gateway.stop(signal.SIGTERM) == 0
