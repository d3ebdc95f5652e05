"""A service on a Unix socket: its permissions, the files it replaces, the clients it trusts."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession, TCPConnector, UnixConnector

from deploy.local.ports import choose_ports
from deploy.local.settings import REPOSITORY
from libs.web.settings import SettingsError, WebSettings
from libs.web.unix_socket import bind
from tests.eventually import eventually

SERVICE = """
from aiohttp import web
from libs.web.base_url import SETTINGS, base_url
from libs.web.runner import run
from libs.web.settings import WebSettings

async def answer(request):
    return web.Response(text=base_url(request))

def make(env):
    app = web.Application()
    app[SETTINGS] = WebSettings.from_env({"PORT": "1"} | env)
    app.router.add_get("/", answer)
    return app

run("test", make)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "socket"


def connects(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
    return True


def test_only_its_user_and_group_may_connect(path: Path) -> None:
    with bind(path) as bound:
        bound.listen()
        assert path.stat().st_mode & 0o777 == 0o660
        assert connects(path)


def test_what_a_dead_process_left_makes_way(path: Path) -> None:
    bind(path).close()
    assert path.is_socket()
    assert not connects(path)
    with bind(path) as bound:
        bound.listen()
        assert connects(path)


def test_a_socket_in_use_is_left_alone(path: Path) -> None:
    with bind(path) as bound:
        bound.listen()
        with pytest.raises(SettingsError, match=r"DAMS_SOCKET=.*another process listens there"):
            bind(path)
        assert connects(path)


def test_a_file_is_left_alone(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(SettingsError, match=r"DAMS_SOCKET=.*no socket"):
        bind(path)
    assert path.read_text() == "precious"


@pytest.mark.parametrize(("name", "said"), [("x" * 108, "too long"), ("nowhere/socket", "No such file")])
def test_where_none_can_be_is_said(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(SettingsError, match=f"DAMS_SOCKET=.*{said}"):
        bind(tmp_path / name)


@pytest.mark.parametrize(
    ("proxies", "trusted"),
    [
        (None, {"", "127.0.0.1", "::1"}),
        ("unix", {""}),
        ("127.0.0.1, unix", {"", "127.0.0.1"}),
        ("127.0.0.1", {"127.0.0.1"}),
        ("10.0.0.0/8", {"10.2.3.4"}),
        ("10.9.8.7/8", {"10.2.3.4"}),
    ],
)
def test_who_is_believed(proxies: str | None, trusted: set[str]) -> None:
    settings = WebSettings.from_env(
        {"DAMS_PORT": "1"} | ({} if proxies is None else {"DAMS_TRUSTED_GATEWAYS": proxies})
    )
    peers = ("", "127.0.0.1", "::1", "10.2.3.4", "unix", "nonsense")
    for _ in range(2):
        assert {peer for peer in peers if peer in settings.trusted_gateways} == trusted


def test_a_wrong_proxy_is_named() -> None:
    with pytest.raises(SettingsError, match=r"DAMS_TRUSTED_GATEWAYS='unix:/x' is not a list of addresses"):
        WebSettings.from_env({"DAMS_TRUSTED_GATEWAYS": "unix:/x", "DAMS_PORT": "1"})


@pytest.mark.parametrize(("proxies", "believed"), [("unix", {"socket"}), ("127.0.0.1", {"port"})])
async def test_a_service_listens_on_both(path: Path, tmp_path: Path, proxies: str, believed: set[str]) -> None:
    port = choose_ports(["service"], {}, tmp_path)["service"]
    settings = {"DAMS_PORT": str(port), "DAMS_SOCKET": str(path), "DAMS_TRUSTED_GATEWAYS": proxies}
    forwarded = {"X-Forwarded-Host": "example.org", "X-Forwarded-Prefix": "/api"}
    # the second finds what the first, killed, left behind
    for _ in range(2):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVICE, cwd=REPOSITORY, env=os.environ | settings
        )
        try:
            await wait_until_listening(process, path)
            answers = {}
            for name, connector in (("socket", UnixConnector(str(path))), ("port", TCPConnector())):
                async with (
                    ClientSession(connector=connector, headers=forwarded) as session,
                    session.get(f"http://127.0.0.1:{port}/") as response,
                ):
                    answers[name] = await response.text()
        finally:
            process.kill()
            await process.wait()
        own = f"http://127.0.0.1:{port}"
        assert answers == {name: "http://example.org/api" if name in believed else own for name in ("socket", "port")}


async def wait_until_listening(process: asyncio.subprocess.Process, path: Path) -> None:
    """The socket is opened last."""

    async def listens() -> bool:
        return process.returncode is not None or connects(path)

    await eventually(listens)
    assert process.returncode is None
