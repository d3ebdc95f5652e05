"""Start, stop, crash, and services that move."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientConnectionError, ClientSession, web

from gateway.folder import DRAINING
from gateway.nginx.config import build_config
from gateway.nginx.process import Nginx, NginxError
from gateway.nginx.routes import routes
from gateway.settings import SERVICES, Endpoint, GatewaySettings, UnixSocket
from gateway.upstreams import backups, resolve
from libs.web.settings import SettingsError
from tests.eventually import eventually
from tests.gateway.harness import PARTS, Gateway, Upstream, free_port, make_part, make_path


def settings_for(folder: Path, **variables: str) -> GatewaySettings:
    return GatewaySettings.from_env(
        {"DAMS_GATEWAY_DIR": str(folder), "DAMS_GATEWAY_PORT": str(free_port()), **variables}
    )


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
        return build_config(settings, addresses, routes([PARTS["tiles"]]), user=nginx.worker_user())

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
        # One of two is down: all requests go to the other one, and none fails.
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


async def test_a_gateway_beside_others_knows_the_services_when_it_listens(
    tmp_path: Path, session: ClientSession
) -> None:
    async def first_answer(url: str) -> int:
        async with asyncio.timeout(30):
            while True:
                try:
                    async with session.get(f"{url}/api/tileMatrixSets") as response:
                        return response.status
                except ClientConnectionError:
                    await asyncio.sleep(0.005)

    upstreams = {service: Upstream(service, part=make_part(service)) for service in SERVICES}
    gateway = Gateway(tmp_path, upstreams)
    for upstream in upstreams.values():
        await upstream.start()
    try:
        status, _ = await asyncio.gather(first_answer(gateway.url), gateway.start())
        assert status == 200
        await gateway.published()
    finally:
        await gateway.stop()
        for upstream in upstreams.values():
            await upstream.stop()


async def test_clients_are_told_before_their_connections_end(tmp_path: Path, session: ClientSession) -> None:
    upstream = Upstream("tiles", part=make_part("tiles"))

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text="answer", headers={"Cache-Control": "public, max-age=60"})

    upstream.answer = answer
    settings = settings_for(tmp_path)
    nginx = Nginx(tmp_path)
    nginx.prepare()
    addresses = {"tiles": (f"127.0.0.1:{upstream.port}",)}
    text = build_config(settings, addresses, routes([PARTS["tiles"]]), user=nginx.worker_user())
    tile = "collections/a/tiles/WebMercatorQuad/0/0/0"

    async def ask(path: str) -> tuple[str, int, str, str]:
        async with session.get(f"http://127.0.0.1:{settings.port}/api/{path}") as response:
            headers = response.headers
            return headers["Connection"], response.status, headers.get("X-Cache", "none"), await response.text()

    async def says(path: str, connection: str) -> bool:
        return (await ask(path))[0] == connection

    async def there(found: bool) -> bool:
        return (tmp_path / DRAINING).exists() == found

    await upstream.start()
    # a gateway that was killed left it
    (tmp_path / DRAINING).touch()
    nginx.prepare()
    try:
        await nginx.start(text)
        for path in ("tileMatrixSets", tile):
            assert [await ask(path) for _ in range(3)][2] == ("keep-alive", 200, "HIT", "answer")
        reload = asyncio.create_task(nginx.reload(f"{text}# other\n", drain=3))
        await eventually(partial(there, True))
        for path in ("tileMatrixSets", tile):
            await eventually(partial(says, path, "close"))
            assert await ask(path) == ("close", 200, "HIT", "answer")
        assert (await ask("nowhere"))[1] == 503
        assert await reload
        assert await there(False)

        await eventually(partial(says, tile, "keep-alive"))
        # a caller that drained it before its end decides when draining is over
        (tmp_path / DRAINING).touch()
        assert await nginx.reload(text, drain=0.1)
        await eventually(partial(says, tile, "close"))
    finally:
        await nginx.stop()
        await upstream.stop()


async def test_gateway_stopped_while_draining_tells_clients_first(own_gateway: Gateway, session: ClientSession) -> None:
    async def told() -> bool:
        async with session.get(f"{own_gateway.url}/api/tileMatrixSets") as response:
            assert response.status == 200
            return response.headers["Connection"] == "close"

    await own_gateway.published()
    assert not await told()
    # as a pod ends that is deleted by force
    (own_gateway.folder / DRAINING).touch()
    ending = asyncio.create_task(own_gateway.stop())
    # an nginx that is stopping reports it too, and accepts no connections
    for _ in range(3):
        await eventually(told)
    assert await ending == 0


async def test_names_become_all_their_addresses() -> None:
    found = await resolve({"tiles": (Endpoint("localhost", 80), Endpoint("::1", 81), Endpoint("127.0.0.1", 80))}, {})
    assert {"127.0.0.1:80", "[::1]:81"} <= set(found["tiles"])
    assert len(set(found["tiles"])) == len(found["tiles"])


async def test_ports_and_sockets_may_stand_side_by_side(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, DAMS_TILES_UPSTREAM="unix:/run/tiles_0, 127.0.0.1:80")
    assert settings.upstreams["tiles"] == (UnixSocket("/run/tiles_0"), Endpoint("127.0.0.1", 80))
    assert (await resolve(settings.upstreams, {}))["tiles"] == ("127.0.0.1:80", "unix:/run/tiles_0")


async def test_a_backup_is_said_to_be_one(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, DAMS_TILES_UPSTREAM="unix:/run/tiles_0, [::1]:80 backup, unix:/run/spare backup")
    assert backups(settings.upstreams) == {"[::1]:80", "unix:/run/spare"}
    assert (await resolve(settings.upstreams, {}))["tiles"] == ("[::1]:80", "unix:/run/spare", "unix:/run/tiles_0")
    for wrong in ("unix:/run/tiles_0 spare", "unix:/run/tiles_0 backup", "unix:/run/tiles_0, tiles:80 backup"):
        with pytest.raises(SettingsError, match="DAMS_TILES_UPSTREAM"):
            settings_for(tmp_path, DAMS_TILES_UPSTREAM=wrong)


async def test_services_on_unix_sockets(tmp_path: Path, session: ClientSession) -> None:
    replicas = [
        Upstream("tiles", name, socket=tmp_path / name, part=make_part("tiles")) for name in ("first", "second")
    ]
    others = [Upstream(name, socket=tmp_path / name, part=make_part(name)) for name in SERVICES if name != "tiles"]
    settings = {f"DAMS_{upstream.service.upper()}_UPSTREAM": f"unix:{upstream.socket}" for upstream in others}
    settings["DAMS_TILES_UPSTREAM"] = ",".join(f"unix:{replica.socket}" for replica in replicas)
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
        # its socket file stays, but no process listens: no request fails
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


async def test_stops_at_a_signal(own_gateway: Gateway, session: ClientSession) -> None:
    assert await own_gateway.stop(signal.SIGTERM) == 0
    with pytest.raises(OSError, match="Connect"):
        await session.get(own_gateway.url)


async def test_ends_with_nginx(own_gateway: Gateway) -> None:
    pid = int((own_gateway.folder / "nginx.pid").read_text())
    os.kill(pid, signal.SIGTERM)
    assert own_gateway.process is not None
    assert await asyncio.wait_for(own_gateway.process.wait(), 15) == 1
    lines = [json.loads(line) for line in own_gateway.log.read_text(encoding="utf-8").splitlines()]
    (begun,) = (line for line in lines if line["message"] == "listening")
    (ended,) = (line for line in lines if line["message"] == "nginx has ended")
    assert (begun["host"], begun["port"]) == ("127.0.0.1", own_gateway.port)
    assert (ended["level"], ended["status"]) == ("ERROR", 0)
    # requests to internal addresses are not logged
    assert not [line for line in lines if "/internal/" in json.dumps(line)]


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


async def status_of(session: ClientSession, gateway: Gateway, path: str) -> int:
    async with session.get(f"{gateway.url}/api{path}") as response:
        return response.status


async def test_a_service_with_a_new_path_is_reached_without_more(own_gateway: Gateway, session: ClientSession) -> None:
    assert await status_of(session, own_gateway, "/collections/a/new") == 404
    assert await status_of(session, own_gateway, "/new-files/x") == 404
    features = own_gateway.upstreams["features"]
    path = "/collections/{collectionId}/new"
    features.part["openapi"]["paths"][path] = make_path("features", path)
    features.part["assets"].append("/new-files/")
    features.part_tag += 1

    async def published() -> bool:
        async with session.get(f"{own_gateway.url}/api/openapi.json") as response:
            return path in (await response.json())["paths"]

    await eventually(published)
    # the route was there before the document
    for address in ("/collections/a/new", "/new-files/x"):
        async with session.get(f"{own_gateway.url}/api{address}") as response:
            assert (await response.json())["service"] == "features"
    del features.part["openapi"]["paths"][path]
    features.part_tag += 1

    async def gone() -> bool:
        return await status_of(session, own_gateway, "/collections/a/new") == 404

    await eventually(gone)


async def test_no_request_fails_while_routes_change(own_gateway: Gateway, session: ClientSession) -> None:
    async def slow(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(1.5)
        return web.json_response({})

    own_gateway.upstreams["tiles"].answer = slow
    waiting = asyncio.create_task(status_of(session, own_gateway, "/tileMatrixSets"))
    features = own_gateway.upstreams["features"]
    features.part["openapi"]["paths"]["/new"] = make_path("features", "/new")
    features.part_tag += 1
    statuses = []

    async def new() -> bool:
        # a connection for each: one that lies idle may be closed
        async with ClientSession() as other:
            statuses.append(await status_of(other, own_gateway, "/conformance"))
            return await status_of(other, own_gateway, "/new") == 200

    await eventually(new)
    assert set(statuses) == {200}
    assert await waiting == 200


async def test_a_service_that_is_gone_keeps_its_paths(own_gateway: Gateway, session: ClientSession) -> None:
    await own_gateway.upstreams["features"].stop()
    # known from before, however long ago: its own 503, after a restart too, and no other path is its
    for _ in range(2):
        assert await status_of(session, own_gateway, "/collections/a/items") == 503
        assert await status_of(session, own_gateway, "/collections/a/nothing") == 404
        assert await status_of(session, own_gateway, "/conformance") == 200
        await own_gateway.stop()
        await own_gateway.start()
    await own_gateway.published(3)
    assert await status_of(session, own_gateway, "/collections/a/items") == 503
    await own_gateway.upstreams["features"].start()
    await own_gateway.published()
    assert await status_of(session, own_gateway, "/collections/a/items") == 200


async def test_paths_of_a_service_that_was_never_there_are_unknown(tmp_path: Path, session: ClientSession) -> None:
    upstreams = {service: Upstream(service, part=make_part(service)) for service in SERVICES}
    gateway = Gateway(tmp_path / "gateway", upstreams)
    try:
        await gateway.start()
        for path in ("/", "/collections/a/items", "/nothing"):
            async with session.get(f"{gateway.url}/api{path}") as response:
                assert (response.status, response.headers["Retry-After"]) == (503, "2")
        async with session.get(f"{gateway.internal_url}/internal/health") as response:
            assert response.status == 503
        for service in SERVICES[:-1]:
            await upstreams[service].start()
        await gateway.published(len(SERVICES) - 1)
        assert await status_of(session, gateway, "/collections/a/items") == 200
        # it may be one of the viewer's
        assert await status_of(session, gateway, "/nothing") == 503
        await upstreams[SERVICES[-1]].start()
        await gateway.published()
        assert await status_of(session, gateway, "/nothing") == 404
    finally:
        await gateway.stop()
        for upstream in upstreams.values():
            await upstream.stop()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DAMS_GATEWAY_PORT", "x"),
        ("DAMS_TILES_UPSTREAM", "tiles"),
        ("DAMS_TILES_UPSTREAM", "a:1,b:"),
        ("DAMS_TILES_UPSTREAM", "unix:"),
        ("DAMS_TILES_UPSTREAM", "unix:relative"),
        ("DAMS_TILES_UPSTREAM", "unix:/x;}"),
        ("DAMS_TILES_UPSTREAM", "unix:/" + "x" * 107),
        ("DAMS_PUBLIC_URL", "example.org"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        settings_for(tmp_path, **{variable: value})


def test_folder_is_required() -> None:
    with pytest.raises(SettingsError, match="DAMS_GATEWAY_DIR"):
        GatewaySettings.from_env({})
