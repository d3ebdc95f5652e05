"""The gateway's information about itself on its internal port, from its start on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer
from prometheus_client import CONTENT_TYPE_LATEST

from gateway.follow import Follower
from gateway.internal import make_internal_app
from gateway.nginx.counts import Counts
from gateway.nginx.process import Nginx
from gateway.parts.publish import Published, Publisher
from gateway.settings import GatewaySettings
from tests.gateway.harness import Running


@asynccontextmanager
async def internal(nginx: Nginx, folder: Path, session: ClientSession) -> AsyncIterator[tuple[str, Publisher]]:
    """The address of the internal port, and what publishes."""
    nginx.prepare()
    settings = GatewaySettings.from_env({"DAMS_GATEWAY_DIR": str(folder)})
    publisher, counts = Publisher(folder, None), Counts(folder / "counts")
    follower = Follower(settings, nginx, publisher, session)
    async with TestServer(make_internal_app(nginx, publisher, follower, counts)) as server:
        yield f"http://127.0.0.1:{server.port}/internal", publisher


@pytest.mark.parametrize(("nginx", "detail"), [(Nginx, "nginx does not run"), (Running, "nothing is published yet")])
async def test_it_is_ill_until_nginx_runs_and_something_is_published(
    tmp_path: Path, session: ClientSession, nginx: type[Nginx], detail: str
) -> None:
    async with internal(nginx(tmp_path), tmp_path, session) as (url, _):
        for path in ("health", "health/ready"):
            async with session.get(f"{url}/{path}") as response:
                assert (response.status, await response.json()) == (503, {"status": "unavailable", "detail": [detail]})
        # a new process would be no help
        async with session.get(f"{url}/health/live") as response:
            assert (response.status, await response.json()) == (200, {"status": "ok"})
        async with session.get(f"{url}/parts") as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "1")
            assert await response.json() == {"detail": "No service has been heard of yet."}


async def test_services_that_are_not_published_are_absent_and_no_illness(
    tmp_path: Path, session: ClientSession
) -> None:
    async with internal(Running(tmp_path), tmp_path, session) as (url, publisher):
        publisher.publish(Published(("features", "viewer"), b"{}", b'{"parts": []}'))
        for path in ("health", "health/ready"):
            async with session.get(f"{url}/{path}") as response:
                assert response.status == 200
                said = await response.json()
                assert datetime.fromisoformat(said.pop("since")).tzinfo is not None
                assert said == {"status": "ok", "absent": ["common", "tiles"], "upstreams": {}}
        async with session.get(f"{url}/parts") as response:
            assert (response.status, response.content_type) == (200, "application/json")
            assert (await response.read(), response.headers["Cache-Control"]) == (
                b'{"parts": []}',
                "public, max-age=0",
            )
            tag = response.headers["ETag"]
        async with session.get(f"{url}/parts", headers={"If-None-Match": tag}) as response:
            assert (response.status, response.headers["ETag"]) == (304, tag)


async def test_what_was_answered_until_now_is_counted_when_it_is_asked_for(
    tmp_path: Path, session: ClientSession
) -> None:
    async with internal(Running(tmp_path), tmp_path, session) as (url, _):
        (tmp_path / "counts").write_text("viewer HIT 299\n")
        async with session.get(f"{url}/metrics") as response:
            assert response.headers["Content-Type"] == CONTENT_TYPE_LATEST
            lines = (await response.text()).splitlines()
    assert 'dams_gateway_requests_total{cache="hit",service="viewer",status="299"} 1.0' in lines
