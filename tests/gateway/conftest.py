"""One gateway for all tests that leave it unchanged, and a separate one for each that changes it."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, DummyCookieJar

from tests.gateway.harness import Gateway, running_gateway


@pytest.fixture(scope="session")
async def shared_gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gateway]:
    async with running_gateway(tmp_path_factory.mktemp("gateway")) as gateway:
        await gateway.published()
        yield gateway


@pytest.fixture
def gateway(shared_gateway: Gateway) -> Gateway:
    """A gateway with its upstreams' answers and memory reset."""
    for upstream in shared_gateway.upstreams.values():
        upstream.answer = None
        upstream.seen.clear()
        upstream.times.clear()
    return shared_gateway


@pytest.fixture
async def own_gateway(tmp_path: Path) -> AsyncIterator[Gateway]:
    """A gateway that the test may break."""
    async with running_gateway(tmp_path / "gateway") as gateway:
        await gateway.published()
        yield gateway


@pytest.fixture(scope="session")
async def session() -> AsyncIterator[ClientSession]:
    """An HTTP client that sends addresses as they are written."""
    async with ClientSession(
        requote_redirect_url=False,
        cookie_jar=DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=["Accept-Encoding"],
    ) as client:
        yield client


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a certificate for 127.0.0.1 and its key."""
    folder = tmp_path_factory.mktemp("a certificate")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, *named, "-out", certificate, "-keyout", key], check=True, capture_output=True)
    return certificate, key
