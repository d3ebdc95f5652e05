"""No fault of the cache costs an answer: no room for another address, a full disk, a failing service."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, TCPConnector, web

from gateway.cache_folder import MAX_STALE_SECONDS, CacheFolder, remove_older
from gateway.nginx.config import build_config
from gateway.nginx.process import Nginx
from gateway.nginx.routes import routes
from gateway.settings import GatewaySettings
from tests.eventually import eventually
from tests.gateway.harness import PARTS, Gateway, Upstream, free_port, make_part, running_gateway

KEPT = {"Cache-Control": "public, max-age=5"}

pytestmark = pytest.mark.faults


class Slow:
    """Answers at once, except at addresses that end with `slow`: there, when the test says so."""

    def __init__(self) -> None:
        self.waiting = 0
        self.release = asyncio.Event()

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        if request.path.endswith("slow"):
            self.waiting += 1
            await self.release.wait()
        return web.Response(text="answer", headers=KEPT)


@pytest.fixture
async def tiles() -> AsyncIterator[Upstream]:
    upstream = Upstream("tiles", part=make_part("tiles"))
    await upstream.start()
    yield upstream
    await upstream.stop()


async def test_no_room_for_another_address(tmp_path: Path, tiles: Upstream) -> None:
    settings = GatewaySettings.from_env({"DAMS_GATEWAY_DIR": str(tmp_path), "DAMS_GATEWAY_PORT": str(free_port())})
    nginx = Nginx(tmp_path)
    nginx.prepare()
    addresses = {"tiles": (f"127.0.0.1:{tiles.port}",)}
    text = build_config(settings, addresses, routes([PARTS["tiles"]]), user=nginx.worker_user())
    # the least that nginx takes
    small = text.replace("keys_zone=responses:64m", "keys_zone=responses:32k")
    assert small != text
    slow = tiles.answer = Slow()
    base = f"http://127.0.0.1:{settings.port}/api/collections/a/tiles/WebMercatorQuad"
    await nginx.start(small)
    statuses: Counter[int] = Counter()
    async with ClientSession(connector=TCPConnector(limit=0)) as session:

        async def get(path: str) -> str:
            async with session.get(f"{base}/{path}") as response:
                statuses[response.status] += 1
                return response.headers.get("X-Cache", "none")

        async def listens() -> None:
            await get("0/0/0")

        async def all_wait() -> bool:
            return slow.waiting == 300

        try:
            await eventually(listens)
            # entries of requests under way cannot make room
            waiting = [asyncio.create_task(get(f"9/{number}/slow")) for number in range(300)]
            await eventually(all_wait)
            uses = [await get("1/0/0") for _ in range(4)]
            slow.release.set()
            await asyncio.gather(*waiting)
            assert statuses.keys() == {200}, statuses
            assert uses == ["none"] * 4, "there was room"
            assert [await get("1/0/0") for _ in range(4)][2:] == ["HIT", "HIT"]
        finally:
            await nginx.stop()


async def status_and_cache(session: ClientSession, url: str) -> tuple[int, str]:
    async with session.get(url) as response:
        await response.read()
        return response.status, response.headers.get("X-Cache", "none")


async def test_copy_of_the_last_minute_replaces_a_failing_service(own_gateway: Gateway, session: ClientSession) -> None:
    url = f"{own_gateway.url}/api/tileMatrixSets"
    tiles = own_gateway.upstreams["tiles"]

    async def well(_: web.Request) -> web.StreamResponse:
        return web.Response(text="well", headers={"Cache-Control": "public, max-age=1, stale-if-error=60"})

    async def ill(_: web.Request) -> web.StreamResponse:
        return web.json_response({"detail": "ill"}, status=503, headers={"Retry-After": "7"})

    tiles.answer = well
    for _ in range(2):
        await status_and_cache(session, url)
    tiles.answer = ill
    await asyncio.sleep(2.1)
    assert await status_and_cache(session, url) == (200, "STALE")
    # for an address that was never fetched, the client gets the service's error
    async with session.get(f"{url}?x=1") as response:
        assert (response.status, response.headers["Retry-After"], await response.json()) == (
            503,
            "7",
            {"detail": "ill"},
        )
    for file in (own_gateway.folder / "cache").glob("*/*/*"):
        os.utime(file, (time.time() - MAX_STALE_SECONDS - 1,) * 2)

    async def too_old() -> bool:
        return (await status_and_cache(session, url))[0] == 503

    await eventually(too_old)


def test_only_what_is_old_is_removed(tmp_path: Path) -> None:
    now = time.time()
    for name, age in (("a/b/new", 10), ("a/c/old", 70)):
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.touch()
        os.utime(file, (now - age, now - age))
    remove_older(tmp_path, now - 60)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["new"]
    # the whole folder may have been deleted
    remove_older(tmp_path / "nowhere", now)
    assert CacheFolder(tmp_path / "nowhere").has_room()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a separate disk of 200 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("only root can make a disk of its own")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


async def test_a_full_disk_costs_the_cache_and_no_answer(small_disk: Path, session: ClientSession) -> None:
    body = b"x" * 100_000

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, headers=KEPT)

    async def fetch(url: str) -> tuple[int, int, str]:
        async with session.get(url) as response:
            return response.status, len(await response.read()), response.headers.get("X-Cache", "none")

    async with running_gateway(small_disk) as gateway:
        await gateway.published()
        gateway.upstreams["tiles"].answer = answer
        url = f"{gateway.url}/api/tileMatrixSets"
        assert [await fetch(url) for _ in range(3)][2] == (200, len(body), "HIT")
        filler = small_disk / "filler"
        with filler.open("wb") as file:
            status = os.statvfs(small_disk)
            os.posix_fallocate(file.fileno(), 0, status.f_bavail * status.f_frsize - 50_000_000)

        async def passes_through() -> None:
            assert await fetch(url) == (200, len(body), "none")

        await eventually(passes_through)
        with filler.open("ab") as file:
            status = os.statvfs(small_disk)
            os.posix_fallocate(file.fileno(), filler.stat().st_size, status.f_bavail * status.f_frsize - 8192)
        for number in range(60):
            assert await fetch(f"{url}?{number % 20}") == (200, len(body), "none")
        filler.unlink()

        async def keeps_again() -> None:
            assert await fetch(url) == (200, len(body), "HIT")

        await eventually(keeps_again)
