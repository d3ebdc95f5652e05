"""The gateway's second port: TLS and HTTP/2, links that begin with https, and settings that do not fit."""

import asyncio
import socket
import ssl
from pathlib import Path

import pytest
from aiohttp import ClientSession

from gateway.settings import GatewaySettings
from libs.web.settings import SettingsError
from tests.gateway.harness import free_port, running_gateway


async def test_a_certificate_opens_a_second_port(tmp_path: Path, pair: tuple[Path, Path]) -> None:
    certificate, key = pair
    settings = {
        "DAMS_GATEWAY_TLS_PORT": str(free_port()),
        "DAMS_GATEWAY_TLS_CERTIFICATE": str(certificate),
        "DAMS_GATEWAY_TLS_KEY": str(key),
    }
    trust = ssl.create_default_context(cafile=str(certificate))
    async with running_gateway(tmp_path / "gateway", **settings) as gateway, ClientSession() as session:
        await gateway.published()
        address = f"https://127.0.0.1:{settings['DAMS_GATEWAY_TLS_PORT']}"
        async with session.get(f"{address}/api/tileMatrixSets", ssl=trust) as response:
            assert response.status == 200
            assert (await response.json())["headers"]["x-forwarded-proto"] == "https"
        async with session.get(f"{address}/api/openapi.json", ssl=trust) as response:
            assert (await response.json(content_type=None))["servers"][0]["url"] == f"{address}/api"
        # the other port is as it was
        async with session.get(f"{gateway.url}/api/tileMatrixSets") as response:
            assert (await response.json())["headers"]["x-forwarded-proto"] == "http"
        trust.set_alpn_protocols(["h2", "http/1.1"])
        assert await asyncio.to_thread(_spoken, settings["DAMS_GATEWAY_TLS_PORT"], trust) == ("TLSv1.3", "h2")


def _spoken(port: str, trust: ssl.SSLContext) -> tuple[str | None, str | None]:
    with (
        socket.create_connection(("127.0.0.1", int(port))) as plain,
        trust.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
    ):
        return connection.version(), connection.selected_alpn_protocol()


def test_a_certificate_needs_its_key_and_both_are_files(pair: tuple[Path, Path]) -> None:
    certificate, key = pair
    env = {"DAMS_GATEWAY_DIR": "/nowhere"}
    with pytest.raises(SettingsError, match="DAMS_GATEWAY_TLS_CERTIFICATE and DAMS_GATEWAY_TLS_KEY need each other"):
        GatewaySettings.from_env(env | {"DAMS_GATEWAY_TLS_CERTIFICATE": str(certificate)})
    missing = {"DAMS_GATEWAY_TLS_CERTIFICATE": f"{certificate}.not", "DAMS_GATEWAY_TLS_KEY": str(key)}
    with pytest.raises(SettingsError, match=r"DAMS_GATEWAY_TLS_CERTIFICATE=.* cannot be read: No such file"):
        GatewaySettings.from_env(env | missing)
