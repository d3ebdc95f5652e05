"""Databases that the loader may write, and a server that replaces those of the sources."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import orjson
import pytest
from aiohttp import web

from deploy.database.apply import apply_schema, ensure_loader
from deploy.loader.documents.fetching import Patience
from deploy.loader.loading import Outcome, Request, load
from deploy.loader.source import Source
from deploy.loader.store.connection import connect
from tests.conftest import MakeDatabase

PASSWORD = "secret"
IMPATIENT = Patience(attempts=4, first_wait=0.01, jitter=0.01, longest_wait=0.05, timeout_seconds=2)

Load = Callable[..., Awaitable[Outcome]]


class Quiet:
    """Ignores the progress of a load."""

    def report_bytes(self, count: int, /) -> None:
        """Do nothing."""

    def report_rows(self, rows: int, /) -> None:
        """Do nothing."""


async def with_hazard_schema(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)


@pytest.fixture(scope="session")
def loader_role() -> str:
    """Return the loader's role; roles belong to the servers, which sessions may share."""
    return f"test_loader_{uuid4().hex[:12]}"


@pytest.fixture
async def owner(make_database: MakeDatabase, loader_role: str) -> AsyncIterator[asyncpg.Connection]:
    """Yield the owner of a new database with the schema, to read its content."""
    connection = await asyncpg.connect(await make_database(with_hazard_schema))
    await ensure_loader(connection, loader_role, PASSWORD)
    yield connection
    await connection.close()


@pytest.fixture
async def loader_url(owner: asyncpg.Connection, loader_role: str) -> str:
    """Return its address for the role that loads."""
    host, port, database = await owner.fetchrow(
        "SELECT host(inet_server_addr()), inet_server_port(), current_database()"
    )
    return f"postgresql://{loader_role}:{PASSWORD}@{host}:{port}/{database}"


@pytest.fixture
async def run(loader_url: str) -> Load:
    """Return a function that loads a source like the command: `run(source, *given, since=…, dry_run=…)`."""

    async def load_once(source: Source, *given: str | Path, **asked: Any) -> Outcome:
        async with connect(loader_url, source.name) as connection:
            request = Request(given=[str(each) for each in given], patience=IMPATIENT, **asked)
            return await load(connection, source, request, Quiet())

    return load_once


@dataclass
class Publisher:
    """A server with a configured response for each path; it records requests."""

    base: str = ""
    answers: dict[str, list[Callable[[web.Request], Awaitable[web.StreamResponse]]]] = field(default_factory=dict)
    asked: list[web.Request] = field(default_factory=list)

    def publish(self, path: str, content: Any, **more: Any) -> str:
        """Serve this at the path from now on: bytes, text, or an object as JSON. Returns its address."""
        body = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
        body = orjson.dumps(content) if body is None else body

        async def answer(_request: web.Request) -> web.StreamResponse:
            return web.Response(body=body, **more)

        return self.answer(path, answer)

    def answer(self, path: str, *answers: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> str:
        """Answer at the path with these in turn, and then always with the last one."""
        self.answers[path] = list(answers)
        return f"{self.base}{path}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        known = self.answers.get(request.path_qs) or self.answers.get(request.path)
        if not known:
            return web.Response(status=404)
        response = await (known.pop(0) if len(known) > 1 else known[0])(request)
        version = response.headers.get("ETag")
        is_known = version is not None and request.headers.get("If-None-Match") == version
        return web.Response(status=304) if is_known else response


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    """Yield a server like those of sources; no test uses the internet."""
    async with serving() as found:
        yield found


@asynccontextmanager
async def serving() -> AsyncIterator[Publisher]:
    """Start a server like those of sources."""
    found = Publisher()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", found.handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    found.base = f"http://{host}:{port}"
    try:
        yield found
    finally:
        await runner.cleanup()
        await asyncio.sleep(0)
