"""A plain nginx in front of the service, with its default buffers: 4 kB for all headers of a response."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from tests.eventually import eventually
from tests.services.in_process import Client

ITEMS = "/collections/hostile.events/items"


@pytest.fixture
async def proxy(features: Client, tmp_path: Path) -> AsyncIterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = "".join(
        f"{name}_temp_path {tmp_path}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = tmp_path / "nginx.conf"
    config.write_text(
        f"daemon off; pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; {folders}"
        f" server {{ listen 127.0.0.1:{port}; large_client_header_buffers 4 32k;"
        f" location / {{ proxy_pass {features.base}; }} }} }}"
    )
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    assert nginx, "the gateway needs it, too"
    with (tmp_path / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            nginx, "-p", str(tmp_path), "-e", "stderr", "-c", str(config), stderr=log
        )

        async def listening() -> None:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()

        await eventually(listening)
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        await process.wait()


def _next(response: aiohttp.ClientResponse) -> str | None:
    """The path and query of the next page."""
    found = re.search(r'<https?://[^/]*([^>]*)>; rel="next"', response.headers["Link"])
    return found[1] if found else None


@pytest.mark.parametrize("form", ["geojson", "csv", "ndjson"])
async def test_long_filters_pass_a_default_proxy_on_every_page(proxy: str, form: str) -> None:
    async with aiohttp.ClientSession(auto_decompress=True) as session:
        for number in (1, 100, 170, 400, 600, 1000):
            ids = ",".join(str(100_000 + each) for each in range(number))
            asked = {"filter": f"id IN ({ids}) OR id > 0", "limit": "2", "f": form}
            seen = 0
            async with session.get(f"{proxy}{ITEMS}", params=asked) as response:
                assert response.status == 200, (number, await response.text())
                following = _next(response)
                matched = int(response.headers["OGC-NumberMatched"])
                seen += int(response.headers["OGC-NumberReturned"])
            while following is not None and seen < 7:
                async with session.get(URL(f"{proxy}{following}", encoded=True)) as response:
                    assert response.status == 200, (number, await response.text())
                    # the filter is still there
                    assert int(response.headers["OGC-NumberMatched"]) == matched
                    seen += int(response.headers["OGC-NumberReturned"])
                    following = _next(response)
            assert seen == min(matched, 8), number
