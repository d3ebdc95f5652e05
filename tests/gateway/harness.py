"""A real gateway in front of tiny upstreams that answer with the request they got."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, web

from deploy.local.ports import LOWEST, is_free
from gateway.nginx.process import Nginx
from gateway.settings import SERVICES
from libs.web.runner import BACKLOG
from libs.web.unix_socket import bind
from services.common import part as common
from services.features import part as features
from services.tiles import part as tiles
from services.viewer import part as viewer
from tests.eventually import eventually

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


# below those that Linux lends to outgoing connections, so that none of these takes one
_PORTS = iter(random.sample(range(12_000, LOWEST), LOWEST - 12_000))


def free_port() -> int:
    """A port that nothing listens on, and that was never given before: it may not be listened on for a while."""
    return next(port for port in _PORTS if is_free(port))


PARTS = {part.name: part for part in (common.PART, features.PART, tiles.PART, viewer.PART)}
"""The parts that the services really declare."""


def make_part(service: str) -> dict[str, Any]:
    """A small part: the paths of the service and one more, one conformance class, one link of each kind."""
    return {
        "name": service,
        "openapi": {
            "openapi": "3.0.3",
            "info": {"title": "test", "version": "1"},
            "tags": [{"name": service}],
            "paths": {path: make_path(service, path) for path in (f"/of-{service}", *PARTS[service].openapi["paths"])},
            "components": {"schemas": {"Shared": {"type": "object"}}},
        },
        "assets": list(PARTS[service].assets),
        "conformsTo": ["http://example.org/conf/core", f"http://example.org/conf/{service}"],
        "landingLinks": [{"href": f"/{service}", "rel": service}],
        "collectionLinks": [{"href": f"/collections/{{collectionId}}/{service}", "rel": service}],
    }


def make_path(service: str, path: str) -> dict[str, Any]:
    """The path's member of a document."""
    return {
        "get": {
            "operationId": f"get {path}",
            "tags": [service],
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in re.findall(r"{(\w+)}", path)
            ],
            "responses": {"200": {"description": "fine"}},
        }
    }


@dataclass
class Upstream:
    """One process of a service. Answers with its name, the path as it arrived and the headers."""

    service: str
    name: str = ""
    port: int = field(default_factory=free_port)
    socket: Path | None = None
    part: dict[str, Any] = field(default_factory=dict)
    part_tag: int = 1
    part_status: list[int] = field(default_factory=list)
    answer: Answer | None = None
    seen: list[web.Request] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """When each of them arrived, in seconds since 1970."""
    _runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application(handler_args={"max_line_size": 64 * 1024, "max_field_size": 64 * 1024})
        app.router.add_get("/internal/part", self._part)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, backlog=BACKLOG).start()
        if self.socket is not None:
            await web.SockSite(self._runner, bind(self.socket)).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _part(self, request: web.Request) -> web.StreamResponse:
        tag = f'"{self.part_tag}"'
        status = 304 if request.headers.get("If-None-Match") == tag else 200
        self.part_status.append(status)
        if status == 304:
            return web.Response(status=304, headers={"ETag": tag})
        return web.json_response(self.part, headers={"ETag": tag})

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request)
        self.times.append(time.time())
        if self.answer is not None:
            return await self.answer(request)
        return web.json_response(
            {
                "service": self.service,
                "name": self.name or self.service,
                "path": request.raw_path,
                "headers": {name.lower(): value for name, value in request.headers.items()},
            },
            headers={"X-Request-Id": "the-service's-own"},
        )


@dataclass
class Gateway:
    """A running `python -m gateway` and the upstreams behind it."""

    folder: Path
    upstreams: dict[str, Upstream]
    settings: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    internal_port: int = field(default_factory=free_port)
    process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """The file with its standard output: the access log of nginx and the gateway's own log."""
        return self.folder.with_name(f"{self.folder.name}.log")

    @property
    def internal_url(self) -> str:
        return f"http://127.0.0.1:{self.internal_port}"

    async def start(self) -> None:
        """Starts the gateway; waits until nginx answers."""
        environment = {
            **os.environ,
            "DAMS_GATEWAY_HOST": "127.0.0.1",
            "DAMS_GATEWAY_PORT": str(self.port),
            "DAMS_GATEWAY_INTERNAL_PORT": str(self.internal_port),
            "DAMS_GATEWAY_DIR": str(self.folder),
            **{f"DAMS_{name.upper()}_UPSTREAM": f"127.0.0.1:{up.port}" for name, up in self.upstreams.items()},
            **self.settings,
        }
        # it stops, and nginx with it, when the tests are killed
        command = ["setpriv", "--pdeathsig", "TERM", sys.executable, "-m", "gateway"]
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=log)
        await eventually(self._answers)

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Sends the signal; the exit status."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), 15)

    async def published(self, count: int = len(SERVICES)) -> None:
        """Waits until the parts of `count` services are published."""

        async def enough() -> bool:
            async with ClientSession() as session, session.get(f"{self.internal_url}/internal/parts") as response:
                return response.status == 200 and len((await response.json())["parts"]) == count

        await eventually(enough)

    async def _answers(self) -> bool:
        async with ClientSession() as session, session.get(f"{self.url}/", allow_redirects=False) as response:
            return response.status == 302


@asynccontextmanager
async def running_gateway(folder: Path, **settings: str) -> AsyncIterator[Gateway]:
    """A gateway with one upstream for each service, for as long as the block lasts."""
    upstreams = {service: Upstream(service, part=make_part(service)) for service in SERVICES}
    gateway = Gateway(folder, upstreams, settings)
    try:
        for upstream in upstreams.values():
            await upstream.start()
        await gateway.start()
        yield gateway
    finally:
        if gateway.process is not None:
            await gateway.stop()
        for upstream in upstreams.values():
            await upstream.stop()


class Running(Nginx):
    """As if it were started."""

    @property
    def is_running(self) -> bool:
        return True


@contextmanager
def silent(path: Path) -> Iterator[None]:
    """A socket that takes connections, as the kernel does for a process that is stopped, and says nothing."""
    with socket.socket(socket.AF_UNIX) as hangs:
        hangs.bind(str(path))
        path.chmod(0o666)
        hangs.listen(100)
        yield
    path.unlink()
