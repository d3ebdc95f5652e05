"""Start, stop, crash, and services that move."""

from __future__ import annotations

import asyncio
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientSession

from gateway.nginx.config import build_config
from gateway.nginx.process import Nginx, NginxError
from gateway.settings import SERVICES, Endpoint, GatewaySettings, UnixSocket
from gateway.upstreams import resolve
from libs.web.settings import SettingsError
from tests.eventually import eventually
from tests.gateway.harness import Gateway, Upstream, free_port, make_part


def settings_for(folder: Path, **variables: str) -> GatewaySettings:
    return GatewaySettings.from_env({"GATEWAY_DIR": str(folder), "GATEWAY_PORT": str(free_port()), **variables})


async def names_behind(session: ClientSession, url: str) -> set[str]:
    names = set()
    for _ in range(12):
        async with session.get(f"{url}/api/tileMatrixSets") as response:
            names.add((await response.json())["name"])
    return names


async def test_new_addresses_are_taken_over_without_a_restart(tmp_path: Path, session: ClientSession) -> None:
    first, second = (Upstream("tiles", name, part=make_part("tiles")) for name in ("first", "second"))
    settings = settings_for(tmp_path)
    url = f"http://127.0.0.1:{settings.port}"
    nginx = Nginx(tmp_path)
    nginx.prepare()

    def config(*upstreams: Upstream) -> str:
        addresses = {"tiles": tuple(f"127.0.0.1:{upstream.port}" for upstream in upstreams)}
        return build_config(settings, addresses, user=nginx.worker_user())

    async def behind(*names: str) -> None:
        async def check() -> bool:
            return await names_behind(session, url) == set(names)

        await eventually(check)

    await first.start()
    await second.start()
    try:
        await nginx.start(config(first))
        await behind("first")
        assert await nginx.reload(config(first, second))
        await behind("first", "second")
        assert not await nginx.reload(config(first, second))
        # One of two is gone: requests go to the other one, none fails.
        await first.stop()
        assert await names_behind(session, url) == {"second"}
        with pytest.raises(NginxError, match="unknown directive"):
            await nginx.reload("nonsense on;")
        assert await names_behind(session, url) == {"second"}
    finally:
        await nginx.stop()
        await first.stop()
        await second.stop()
    assert not nginx.is_running


async def test_names_become_all_their_addresses() -> None:
    found = await resolve({"tiles": (Endpoint("localhost", 80), Endpoint("::1", 81), Endpoint("127.0.0.1", 80))}, {})
    assert {"127.0.0.1:80", "[::1]:81"} <= set(found["tiles"])
    assert len(set(found["tiles"])) == len(found["tiles"])


async def test_ports_and_sockets_may_stand_side_by_side(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, TILES_UPSTREAM="unix:/run/tiles_0, 127.0.0.1:80")
    assert settings.upstreams["tiles"] == (UnixSocket("/run/tiles_0"), Endpoint("127.0.0.1", 80))
    assert (await resolve(settings.upstreams, {}))["tiles"] == ("127.0.0.1:80", "unix:/run/tiles_0")


async def test_services_on_unix_sockets(tmp_path: Path, session: ClientSession) -> None:
    replicas = [
        Upstream("tiles", name, socket=tmp_path / name, part=make_part("tiles")) for name in ("first", "second")
    ]
    others = [Upstream(name, socket=tmp_path / name, part=make_part(name)) for name in SERVICES if name != "tiles"]
    settings = {f"{upstream.service.upper()}_UPSTREAM": f"unix:{upstream.socket}" for upstream in others}
    settings["TILES_UPSTREAM"] = ",".join(f"unix:{replica.socket}" for replica in replicas)
    gateway = Gateway(tmp_path / "gateway", {}, settings)

    async def behind(*names: str) -> bool:
        return await names_behind(session, gateway.url) == set(names)

    try:
        for upstream in [*others, replicas[0]]:
            await upstream.start()
        # the socket of the second is not there yet
        await gateway.start()
        await gateway.published()
        assert await behind("first")
        await replicas[1].start()
        await eventually(partial(behind, "first", "second"))
        # its file stays, but nobody listens: no request fails
        await replicas[0].stop()
        assert replicas[0].socket is not None
        assert replicas[0].socket.is_socket()
        assert await behind("second")
        await replicas[0].start()
        await eventually(partial(behind, "first", "second"))
    finally:
        if gateway.process is not None:
            await gateway.stop()
        for upstream in [*others, *replicas]:
            await upstream.stop()


async def test_a_name_that_cannot_be_resolved_keeps_its_addresses() -> None:
    upstreams = {"tiles": (Endpoint("no-such-host.invalid", 80),)}
    assert await resolve(upstreams, {"tiles": ("192.0.2.1:80",)}) == {"tiles": ("192.0.2.1:80",)}
    assert await resolve(upstreams, {}) == {"tiles": ()}


async def test_stops_when_told(own_gateway: Gateway, session: ClientSession) -> None:
    assert await own_gateway.stop(signal.SIGTERM) == 0
    with pytest.raises(OSError, match="Connect"):
        await session.get(own_gateway.url)


async def test_ends_with_nginx(own_gateway: Gateway) -> None:
    pid = int((own_gateway.folder / "nginx.pid").read_text())
    os.kill(pid, signal.SIGTERM)
    assert own_gateway.process is not None
    assert await asyncio.wait_for(own_gateway.process.wait(), 15) == 1


async def test_a_killed_gateway_can_be_started_again(own_gateway: Gateway, session: ClientSession) -> None:
    before = (own_gateway.folder / "nginx.pid").read_text()
    await own_gateway.stop(signal.SIGKILL)
    async with session.get(f"{own_gateway.url}/api/") as response:
        assert response.status == 200, "nginx serves on while nobody looks after it"
    await own_gateway.start()

    async def new_nginx() -> bool:
        # Empty while nginx tests its configuration.
        return (own_gateway.folder / "nginx.pid").read_text() not in {"", before}

    await eventually(new_nginx)
    async with session.get(f"{own_gateway.url}/api/") as response:
        assert response.status == 200


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GATEWAY_PORT", "x"),
        ("TILES_UPSTREAM", "tiles"),
        ("TILES_UPSTREAM", "a:1,b:"),
        ("TILES_UPSTREAM", "unix:"),
        ("TILES_UPSTREAM", "unix:relative"),
        ("TILES_UPSTREAM", "unix:/x;}"),
        ("TILES_UPSTREAM", "unix:/" + "x" * 107),
        ("PUBLIC_URL", "example.org"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        settings_for(tmp_path, **{variable: value})


def test_folder_is_required() -> None:
    with pytest.raises(SettingsError, match="GATEWAY_DIR"):
        GatewaySettings.from_env({})
