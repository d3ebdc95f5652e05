"""The services in this process, on ports of their own, and a client that hides nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import orjson
from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, web
from aiohttp.test_utils import TestServer
from multidict import CIMultiDictProxy
from yarl import URL

from services.common.app import make as make_common
from services.features.app import make as make_features
from services.tiles.app import make as make_tiles
from services.viewer.app import make as make_viewer

MAKERS = {"common": make_common, "features": make_features, "tiles": make_tiles, "viewer": make_viewer}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes
    url: str

    @property
    def type(self) -> str:
        """The Content-Type as it was sent."""
        return self.headers.get("Content-Type", "")

    def json(self) -> Any:
        """The body, which must be JSON by RFC 8259: no NaN, valid UTF-8."""
        return orjson.loads(self.body)

    def link(self, rel: str) -> str | None:
        """The address of the first link of this relation in the body."""
        return next((link["href"] for link in self.json()["links"] if link["rel"] == rel), None)


class Client:
    """Asks a service, or any address; redirects and cookies are not followed."""

    def __init__(self, session: ClientSession, base: str = "") -> None:
        self.session = session
        self.base = base

    async def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
    ) -> Answer:
        """Ask for `path` (escaped already; or a whole address) with `parameters` (not yet escaped)."""
        address = path if path.startswith("http://") else f"{self.base}{path}"
        if parameters:
            address += f"?{urlencode(parameters)}"
        async with self.session.request(
            method, URL(address, encoded=True), headers=headers, allow_redirects=False
        ) as response:
            return Answer(response.status, response.headers, await response.read(), address)

    async def json(self, path: str, **parameters: str) -> Any:
        """The body of an answer that must be 200 and JSON."""
        answer = await self.get(path, parameters)
        assert answer.status == 200, (answer.url, answer.status, answer.body[:1000])
        return answer.json()


@dataclass(slots=True)
class Services:
    """Running services, each with its application, server and client."""

    session: ClientSession
    stack: AsyncExitStack
    apps: dict[str, web.Application] = field(default_factory=dict)
    servers: dict[str, TestServer] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Client:
        return self.clients[name]

    async def start(self, name: str, env: Mapping[str, str]) -> Client:
        """Start a service; those after it find `common` where it listens."""
        # tests say themselves what is in the cache, and a metric counts for all services of the process
        # and most of their tables need no geometry
        # the machine may be busy: tests of time limits set their own
        usual = {
            "DAMS_TILE_WARM_UP": "none",
            "DAMS_NONSPATIAL_COLLECTIONS": "*",
            "DAMS_REQUEST_TIMEOUT_SECONDS": "60",
            "DAMS_TILE_TIMEOUT_SECONDS": "60",
        }
        app = MAKERS[name]({**usual, **self._catalogue(), **env})
        server = TestServer(app, host="127.0.0.1")
        await server.start_server(access_log=None)
        self.stack.push_async_callback(server.close)
        client = Client(self.session, str(server.make_url("")).rstrip("/"))
        self.apps[name], self.servers[name], self.clients[name] = app, server, client
        return client

    def _catalogue(self) -> dict[str, str]:
        return {"DAMS_CATALOGUE_URL": self.clients["common"].base} if "common" in self.clients else {}


@asynccontextmanager
async def services() -> AsyncIterator[Services]:
    """No service yet; all that are started stop with the block."""
    session = ClientSession(
        timeout=ClientTimeout(total=120),
        cookie_jar=DummyCookieJar(),
        auto_decompress=True,
        max_field_size=256 * 1024,
        max_line_size=64 * 1024,
    )
    async with session, AsyncExitStack() as stack:
        yield Services(session, stack)
