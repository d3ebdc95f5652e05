"""A CDN before a gateway: an nginx that obeys `CDN-Cache-Control`, and a small program that purges by key.

nginx itself supports neither. So one of its servers forwards requests and copies the seconds of `CDN-Cache-Control`
into nginx's own header; the other one, for clients, caches responses that long. Its cache files begin with the headers
of the response, including `Surrogate-Key`. Deleting a file purges the response.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestServer

from deploy.local.ports import choose_ports
from tests.eventually import eventually

_HEADERS_BYTES = 256 * 1024


@dataclass
class Cdn:
    """The addresses of both, and the received purges."""

    folder: Path
    url: str = ""
    """Address for clients; `X-CDN` of each response is `HIT` if it was cached, else another of nginx's words."""
    purge_url: str = ""
    """Accepts `PURGE` with the keys in `Surrogate-Key`."""
    told: list[set[str]] = field(default_factory=list)
    """The keys of each purge, once the responses are deleted."""
    told_at: list[float] = field(default_factory=list)
    """Times of the purges, by the monotonic clock."""
    _process: asyncio.subprocess.Process | None = None

    async def start(self, origin: str) -> None:
        """Start nginx before the gateway at `origin` (`host:port`); returns once it listens."""
        port = choose_ports(["cdn"], {}, self.folder)["cdn"]
        self.url = f"http://127.0.0.1:{port}"
        (self.folder / "tmp").mkdir()
        (self.folder / "nginx.conf").write_text(_configuration(port, origin))
        program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        assert program, "nginx is not installed"
        # it stops when the tests are killed
        command = ["setpriv", "--pdeathsig", "TERM", program, "-e", "error.log", "-p", str(self.folder)]
        self._process = await asyncio.create_subprocess_exec(*command, "-c", "nginx.conf", cwd=self.folder)

        async def listens() -> None:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()

        await eventually(listens)

    async def stop(self) -> None:
        """Stop it, if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    async def purge(self, request: web.Request) -> web.Response:
        """Delete responses with one of the keys."""
        keys = set(request.headers.get("Surrogate-Key", "").split())
        await asyncio.to_thread(_forget, self.folder / "kept", keys)
        self.told.append(keys)
        self.told_at.append(time.monotonic())
        return web.Response()


@asynccontextmanager
async def purging_cdn() -> AsyncIterator[Cdn]:
    """Yield a CDN that already accepts purges; start it once there is a gateway."""
    with tempfile.TemporaryDirectory(prefix="cdn-") as name:
        cdn = Cdn(Path(name))
        app = web.Application()
        app.router.add_route("PURGE", "/", cdn.purge)
        try:
            async with TestServer(app, host="127.0.0.1") as hook:
                cdn.purge_url = str(hook.make_url("/"))
                yield cdn
        finally:
            await cdn.stop()


def _forget(kept: Path, keys: set[str]) -> None:
    for file in kept.rglob("*"):
        # the file may disappear, or be a folder
        try:
            with file.open("rb") as content:
                head = content.read(_HEADERS_BYTES).partition(b"\r\n\r\n")[0]
        except OSError:
            continue
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"surrogate-key" and keys & set(value.decode("latin-1").split()):
                file.unlink(missing_ok=True)


def _configuration(port: int, origin: str) -> str:
    user = "user root;" if os.geteuid() == 0 else ""
    paths = " ".join(f"{kind}_temp_path tmp/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return f"""{user} worker_processes 1; daemon off; pid nginx.pid;
events {{ worker_connections 1024; }}
http {{
    {paths} access_log off; large_client_header_buffers 4 32k;
    proxy_http_version 1.1; proxy_buffer_size 64k; proxy_buffers 16 64k;
    proxy_cache_path kept levels=1 keys_zone=kept:10m inactive=1d use_temp_path=off;
    map $upstream_http_cdn_cache_control $cdn_seconds {{ default 0; "~max-age=(?<seconds>[0-9]+)" $seconds; }}
    upstream origin {{ server {origin}; keepalive 32; }}
    upstream obeying {{ server unix:obeying; keepalive 32; }}
    server {{
        listen unix:obeying;
        location / {{
            proxy_pass http://origin; proxy_set_header Host $http_host; proxy_set_header Connection "";
            add_header X-Accel-Expires $cdn_seconds always;
        }}
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://obeying; proxy_set_header Host $http_host; proxy_set_header Connection "";
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_cache kept; proxy_cache_key $http_host$request_uri; proxy_cache_lock on;
            proxy_ignore_headers Cache-Control Expires;
            add_header X-CDN $upstream_cache_status always;
        }}
    }}
}}
"""
