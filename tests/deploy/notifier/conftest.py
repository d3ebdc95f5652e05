"""A notifier between a service and receivers on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web
from aiohttp.test_utils import TestServer

from deploy.notifier.configuration import read
from deploy.notifier.service import Service
from deploy.notifier.state import State
from deploy.notifier.watching import Notifier
from tests.deploy.notifier.receivers import COLLECTION, FakeService, Hook, Mailbox


@pytest.fixture
async def service() -> AsyncIterator[FakeService]:
    found = FakeService()
    async with TestServer(found.app()) as server:
        found.address = str(server.make_url("")).rstrip("/")
        yield found


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    found = Hook()
    app = web.Application()
    app.router.add_post("/hook", found.receive)
    async with TestServer(app) as server:
        found.address = str(server.make_url("/hook"))
        yield found


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    found = Mailbox()
    server = await asyncio.start_server(found.talk, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    async with server:
        yield found


@dataclass
class Running:
    """A notifier that looks and sends when the test says so; its clock too."""

    notifier: Notifier
    lines: list[str]
    now: list[datetime] = field(default_factory=lambda: [datetime(2026, 11, 29, 10, 0, tzinfo=UTC)])

    async def round(self) -> None:
        await self.notifier.look()
        await self.notifier.send()

    def wait(self, **span: float) -> None:
        self.now[0] += timedelta(**span)


Start = Callable[..., Any]


@pytest.fixture
async def start(service: FakeService, tmp_path: Path) -> AsyncIterator[Start]:
    """Start a notifier with the members of one subscription; a second one continues after the first."""
    opened = AsyncExitStack()

    async def begin(server: dict[str, Any] | None = None, /, **members: Any) -> Running:
        await opened.aclose()
        subscription = {"name": "duty", "collection": COLLECTION, **members}
        content = {"service": service.address, "subscriptions": [subscription], **({"mail": server} if server else {})}
        file = tmp_path / "subscriptions.yaml"
        file.write_text(yaml.safe_dump(content))
        state = opened.enter_context(closing(State(tmp_path / "state.sqlite")))
        client = await opened.enter_async_context(Service(service.address))
        lines: list[str] = []
        running = Running(Notifier(read(file), client, state, lines.append), lines)
        running.notifier.clock = lambda: running.now[0]
        return running

    async with opened:
        yield begin
