"""What the gateway does with its observations of the services, step by step; how its nginx ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from aiohttp import ClientError, ClientSession, web

from gateway.folder import DRAINING, PUBLISHED
from gateway.follow import Follower
from gateway.nginx.process import Nginx, NginxError
from gateway.parts.publish import Publisher
from gateway.settings import SERVICES, GatewaySettings
from tests.eventually import eventually
from tests.gateway.harness import Gateway, Upstream, free_port, make_part, make_path, silent


@dataclass
class Followed:
    """A follower, with what it uses and looks at."""

    follower: Follower
    nginx: Nginx
    publisher: Publisher
    upstreams: dict[str, Upstream]
    folder: Path
    url: str

    async def ask(self, session: ClientSession, path: str) -> int:
        """The status of the answer."""
        async with session.get(f"{self.url}{path}") as response:
            return response.status

    def document(self) -> bytes:
        """Return the published document; empty if there is none."""
        return self.publisher.published.document if self.publisher.published else b""


@asynccontextmanager
async def followed(folder: Path, session: ClientSession, **beside: str) -> AsyncIterator[Followed]:
    """Its services are there, nginx is not started yet. `beside` names more processes by their services."""
    upstreams = {service: Upstream(service, part=make_part(service)) for service in SERVICES}
    addresses = {
        f"DAMS_{name.upper()}_UPSTREAM": f"127.0.0.1:{upstream.port},{beside.get(name, '')}"
        for name, upstream in upstreams.items()
    }
    settings = GatewaySettings.from_env(
        {"DAMS_GATEWAY_DIR": str(folder), "DAMS_GATEWAY_PORT": str(free_port()), **addresses}
    )
    nginx, publisher = Nginx(folder), Publisher(folder, None)
    nginx.prepare()
    try:
        for upstream in upstreams.values():
            await upstream.start()
        url = f"http://127.0.0.1:{settings.port}/api"
        follower = Follower(settings, nginx, publisher, session)
        yield Followed(follower, nginx, publisher, upstreams, folder, url)
    finally:
        await nginx.stop()
        for upstream in upstreams.values():
            await upstream.stop()


@contextmanager
def without_room_for_a_configuration(folder: Path) -> Iterator[None]:
    """A folder is where nginx's next configuration would be written."""
    place = folder / "nginx.conf.new"
    place.mkdir()
    yield
    place.rmdir()


async def test_it_looks_more_often_until_all_services_are_published(
    tmp_path: Path, session: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    # clients of a new service must not wait until others have learned of it
    monkeypatch.setattr("gateway.follow.DRAIN_SECONDS", 600)
    async with asyncio.timeout(60), followed(tmp_path, session) as gateway:
        await gateway.upstreams["tiles"].stop()
        await gateway.follower.start()
        pauses = [gateway.follower.pause()]
        await gateway.follower.follow()
        assert len(gateway.publisher.services) == len(SERVICES) - 1
        pauses.append(gateway.follower.pause())
        await gateway.upstreams["tiles"].start()
        await gateway.follower.follow()
        assert len(gateway.publisher.services) == len(SERVICES)
        pauses.append(gateway.follower.pause())
        assert 0 < pauses[0] == pauses[1] < pauses[2]


async def test_the_program_goes_on_looking(own_gateway: Gateway) -> None:
    looks = own_gateway.upstreams["common"].part_status
    before = len(looks)

    async def again_and_again() -> None:
        assert len(looks) > before + 7

    await eventually(again_and_again)


async def test_what_is_published_can_be_reached_and_waits_until_it_can(tmp_path: Path, session: ClientSession) -> None:
    async with followed(tmp_path, session) as gateway:
        await gateway.follower.start()
        # nginx has the routes before they are published
        assert await gateway.ask(session, "/tileMatrixSets") == 200
        assert gateway.document() == b""
        await gateway.follower.follow()
        assert b"/tileMatrixSets" in gateway.document()
        written = (tmp_path / PUBLISHED).stat().st_ino
        await gateway.follower.follow()
        # once, not at each look
        assert (tmp_path / PUBLISHED).stat().st_ino == written
        assert gateway.follower.used == {
            name: (f"127.0.0.1:{upstream.port}",) for name, upstream in gateway.upstreams.items()
        }
        tiles = gateway.upstreams["tiles"]
        tiles.part["openapi"]["paths"]["/new"] = make_path("tiles", "/new")
        tiles.part_tag += 1
        with without_room_for_a_configuration(tmp_path):
            for _ in range(2):
                await gateway.follower.follow()
            assert b'"/new"' not in gateway.document()
        looking = asyncio.create_task(gateway.follower.follow())

        async def told() -> bool:
            return (tmp_path / DRAINING).exists()

        # clients learn of it before their connections end
        await eventually(told)
        assert b'"/new"' not in gateway.document()
        await looking
        assert b'"/new"' in gateway.document()
        assert await gateway.ask(session, "/new") == 200


async def test_targets_of_requests_are_read_at_each_look(tmp_path: Path, session: ClientSession) -> None:
    other = Upstream("tiles", socket=tmp_path / "other", part=make_part("tiles"))
    async with followed(tmp_path, session, tiles=f"unix:{other.socket}") as gateway:
        tiles = f"127.0.0.1:{gateway.upstreams['tiles'].port}"
        both = (tiles, f"unix:{other.socket}")
        await other.start()
        await gateway.follower.start()
        await gateway.follower.follow()
        assert gateway.follower.used["tiles"] == both
        await other.stop()
        (tmp_path / "other").unlink()
        with silent(tmp_path / "other"):
            # one that is silent may be busy: twice it is not
            for expected in (both, (tiles,)):
                await gateway.follower.follow()
                assert gateway.follower.used["tiles"] == expected
        await other.start()
        await gateway.follower.follow()
        assert gateway.follower.used["tiles"] == both
        await other.stop()


async def test_unknown_host_and_lost_backup_change_nothing(
    tmp_path: Path, session: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object, **__: object) -> object:
        raise socket.gaierror("nobody answers")

    monkeypatch.setattr("gateway.follow.DRAIN_SECONDS", 0.0)
    spare, began = f"unix:{tmp_path / 'spare'}", time.monotonic()
    async with followed(tmp_path, session, tiles=f"{spare} backup", viewer="localhost:9") as gateway:
        await gateway.follower.start()
        await gateway.follower.follow()
        used = dict(gateway.follower.used)
        assert len(used["viewer"]) > 1
        with monkeypatch.context() as patched:
            patched.setattr(socket, "getaddrinfo", lost)
            await gateway.follower.follow()
        assert gateway.follower.used == used
        # a restart takes less: the checks began after `began`, however long the steps took
        for clock in (lambda: began + 29.9, lambda: time.monotonic() + 30):
            assert gateway.follower.used == used
            with monkeypatch.context() as patched:
                patched.setattr("gateway.liveness.time", SimpleNamespace(monotonic=clock))
                await gateway.follower.follow()
        # but an address that is not a backup is dropped
        assert gateway.follower.used == {**used, "viewer": (f"127.0.0.1:{gateway.upstreams['viewer'].port}",)}
        assert spare in used["tiles"]


async def test_a_clock_that_was_set_back_delays_no_end(
    tmp_path: Path, session: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, wait_for = [], asyncio.wait_for

    async def noted(end: Awaitable[int], seconds: float) -> int:
        waits.append(seconds)
        return await wait_for(end, seconds)

    monkeypatch.setattr("gateway.nginx.process.DRAIN_SECONDS", 0.1)
    monkeypatch.setattr("gateway.nginx.process.asyncio.wait_for", noted)
    async with followed(tmp_path, session) as gateway:
        await gateway.follower.start()
        (tmp_path / DRAINING).touch()
        os.utime(tmp_path / DRAINING, (time.time() + 3600,) * 2)
        async with asyncio.timeout(20):
            await gateway.nginx.stop()
        assert not gateway.nginx.is_running
        # for so long requests may go on
        assert waits == [10.0]


def test_nginx_is_found_where_only_root_looks_or_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def which(program: str, path: str) -> str | None:
        looked.append(path)
        return f"/there/{program}" if len(looked) == 1 else None

    monkeypatch.setenv("PATH", "/first:/second")
    monkeypatch.setattr("shutil.which", which)
    assert not Nginx(tmp_path).is_running
    assert looked == ["/first:/second:/usr/sbin:/usr/local/sbin"]
    with pytest.raises(NginxError, match="nginx is not installed"):
        Nginx(tmp_path)


@pytest.mark.parametrize("takes_too_long", [False, True])
async def test_requests_end_before_nginx_does_unless_they_take_too_long(
    tmp_path: Path, session: ClientSession, takes_too_long: bool
) -> None:
    begun, released = asyncio.Event(), asyncio.Event()

    async def slow(_: object) -> web.StreamResponse:
        begun.set()
        await released.wait()
        return web.json_response({})

    async with followed(tmp_path, session) as gateway:
        gateway.upstreams["tiles"].answer = slow
        await gateway.follower.start()
        request = asyncio.create_task(gateway.ask(session, "/tileMatrixSets"))
        await begun.wait()
        stopping = asyncio.create_task(gateway.nginx.stop(0.2 if takes_too_long else 20))
        if takes_too_long:
            await stopping
            with pytest.raises(ClientError):
                await request
        else:
            await asyncio.sleep(0.5)
            assert gateway.nginx.is_running
            released.set()
            assert await request == 200
            await stopping
        released.set()
        assert not gateway.nginx.is_running


async def test_an_nginx_that_hears_no_signal_is_killed_with_its_workers(tmp_path: Path, session: ClientSession) -> None:
    async with followed(tmp_path, session) as gateway:
        await gateway.follower.start()
        pid = int((tmp_path / "nginx.pid").read_text())
        os.kill(pid, signal.SIGSTOP)
        await gateway.nginx.stop(0.2)
        assert not gateway.nginx.is_running

        async def nobody_listens() -> bool:
            try:
                await gateway.ask(session, "/tileMatrixSets")
            except ClientError:
                return True
            return False

        await eventually(nobody_listens)
