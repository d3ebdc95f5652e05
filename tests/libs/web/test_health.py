"""A process is alive without its dependencies, and ready only with all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from libs.web.health import HEALTH_CHECKS, HEALTH_NOTES, HealthCheck, add_internal_routes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class State:
    asked = 0
    wrong: str | None = "database: away"
    note: str | None = None


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
async def client(state: State) -> AsyncIterator[TestClient[web.Request, web.Application]]:
    async def check(_: web.Application) -> str | None:
        state.asked += 1
        return state.wrong

    app = web.Application()
    checks: list[HealthCheck] = [check]
    app[HEALTH_CHECKS] = checks
    app[HEALTH_NOTES] = [lambda: state.note]
    add_internal_routes(app)
    async with TestClient(TestServer(app)) as made:
        yield made


async def test_it_lives_while_what_it_needs_is_away(
    client: TestClient[web.Request, web.Application], state: State
) -> None:
    answer = await client.get("/internal/health/live")
    assert (answer.status, await answer.json(), state.asked) == (200, {"status": "ok"}, 0)


@pytest.mark.parametrize("path", ["/internal/health", "/internal/health/ready"])
async def test_it_is_ready_when_nothing_is_missing(
    client: TestClient[web.Request, web.Application], state: State, path: str
) -> None:
    answer = await client.get(path)
    assert (answer.status, (await answer.json())["detail"]) == (503, ["database: away"])
    state.wrong = None
    answer = await client.get(path)
    assert (answer.status, await answer.json()) == (200, {"status": "ok"})
    # slower, and no less healthy
    state.note = "cache: away"
    answer = await client.get(path)
    assert (answer.status, await answer.json()) == (200, {"status": "ok", "detail": ["cache: away"]})


async def test_metrics_are_those_of_prometheus(client: TestClient[web.Request, web.Application]) -> None:
    answer = await client.get("/internal/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    assert "process_cpu_seconds_total" in await answer.text()
