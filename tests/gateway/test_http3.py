"""HTTP/3, if the nginx supports it: settings that do not fit, the header that tells clients of it, and the protocol."""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession

from gateway.settings import GatewaySettings
from libs.web.settings import SettingsError
from tests.client_programs import command, other_nginx
from tests.gateway.harness import free_port, running_gateway

_PUBLIC = "https://hazards.example:9443/api"


def _settings(pair: tuple[Path, Path], **more: str) -> dict[str, str]:
    certificate, key = pair
    return {
        "DAMS_GATEWAY_HTTP3": "yes",
        "DAMS_GATEWAY_TLS_CERTIFICATE": str(certificate),
        "DAMS_GATEWAY_TLS_KEY": str(key),
        "DAMS_PUBLIC_URL": _PUBLIC,
        **more,
    }


@pytest.mark.parametrize(
    "other",
    [{"DAMS_PUBLIC_URL": ""}, {"DAMS_PUBLIC_URL": "http://hazards.example/api"}, {"DAMS_GATEWAY_TLS_CERTIFICATE": ""}],
)
def test_it_needs_a_certificate_and_the_address_of_the_public(pair: tuple[Path, Path], other: dict[str, str]) -> None:
    env = {"DAMS_GATEWAY_DIR": "/nowhere", **_settings(pair), **other}
    if not env["DAMS_GATEWAY_TLS_CERTIFICATE"]:
        del env["DAMS_GATEWAY_TLS_KEY"]
    with pytest.raises(
        SettingsError, match="DAMS_GATEWAY_HTTP3 needs DAMS_GATEWAY_TLS_CERTIFICATE, and a DAMS_PUBLIC_URL"
    ):
        GatewaySettings.from_env(env)


@pytest.mark.parametrize(("public", "port"), [(_PUBLIC, 9443), ("https://hazards.example/api", 443)])
def test_the_port_that_clients_are_told_is_that_of_the_public(pair: tuple[Path, Path], public: str, port: int) -> None:
    env = {"DAMS_GATEWAY_DIR": "/nowhere", **_settings(pair, DAMS_PUBLIC_URL=public)}
    assert GatewaySettings.from_env(env).alternative_service == f'h3=":{port}"; ma=86400'
    assert GatewaySettings.from_env(env | {"DAMS_GATEWAY_HTTP3": "no"}).alternative_service == ""


@pytest.mark.parametrize("arguments", [[], ["--check-config"]])
def test_an_nginx_without_it_is_named(tmp_path: Path, pair: tuple[Path, Path], arguments: list[str]) -> None:
    program = tmp_path / "nginx"
    program.write_text("#!/bin/sh\necho 'nginx version: nginx/1.22.1' >&2\necho 'configure arguments: --with-x' >&2\n")
    program.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "gateway", *arguments],
        env={
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "DAMS_GATEWAY_DIR": "/nowhere",
            **_settings(pair),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    said = "gateway: DAMS_GATEWAY_HTTP3 needs an nginx that was built with HTTP/3; nginx/1.22.1 was not\n"
    assert (done.returncode, done.stderr, done.stdout) == (1, said, "")


@pytest.mark.slow
async def test_it_is_spoken(tmp_path: Path, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """By curl and nginx of another release of Debian, for `make test-newer-clients`."""
    monkeypatch.setenv("PATH", f"{other_nginx(tmp_path)}:{os.environ['PATH']}")
    port = str(free_port())
    settings = _settings(pair, DAMS_GATEWAY_TLS_PORT=port, DAMS_PUBLIC_URL=f"https://127.0.0.1:{port}/api")
    async with running_gateway(tmp_path / "gateway", **settings) as gateway, ClientSession() as session:
        await gateway.published()
        trust = ssl.create_default_context(cafile=str(pair[0]))
        async with session.get(f"https://127.0.0.1:{port}/api/tileMatrixSets", ssl=trust) as response:
            assert response.headers["Alt-Svc"] == f'h3=":{port}"; ma=86400'
        async with session.get(f"{gateway.url}/api/tileMatrixSets") as response:
            assert "Alt-Svc" not in response.headers
        for version, number in (("--http3-only", 3), ("--http2", 2)):
            for path in ("/api/tileMatrixSets", "/api/openapi.json", "/api/collections/a/tiles/x/0/0/0"):
                said = await asyncio.to_thread(_asked, version, f"https://127.0.0.1:{port}{path}")
                assert said == f'{number} 200 h3=":{port}"; ma=86400'
        heard = gateway.upstreams["tiles"].seen[-1].headers
        assert (heard["X-Forwarded-Proto"], heard["X-Client-Protocol"]) == ("https", "HTTP/2.0")


def _asked(version: str, address: str) -> str:
    told = "%{http_version} %{response_code} %header{alt-svc}"
    asked = command("curl", "--silent", "--insecure", version, "--output", "/dev/null", "--write-out", told, address)
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout
