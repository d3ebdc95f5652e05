"""A request that meets a restart: asked again once, never after its answer has begun, and only where that is of use."""

from __future__ import annotations

import pytest
from aiohttp import ClientPayloadError, web
from aiohttp.test_utils import TestClient, TestServer
from prometheus_client import REGISTRY

from libs.ogc.errors import Restarting, Unavailable
from libs.web.middleware import add_headers
from libs.web.restarts import RESTARTED, retry_after_restart


@pytest.mark.parametrize(
    ("error", "failing", "begins", "is_back", "attempts"),
    [
        (Restarting, 0, False, True, 1),
        (Restarting, 1, False, True, 2),
        (Restarting, 2, False, True, 2),
        # away for longer
        (Restarting, 1, False, False, 1),
        # busy, say
        (Unavailable, 1, False, True, 1),
        # the client has read a part of it
        (Restarting, 1, True, True, 1),
    ],
)
async def test_request_is_retried_once_if_nothing_was_sent(
    error: type[Unavailable], failing: int, begins: bool, is_back: bool, attempts: int
) -> None:
    made = waited = 0
    before = REGISTRY.get_sample_value("dams_asked_again_total") or 0

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal made
        made += 1
        response = web.StreamResponse()
        if begins:
            await response.prepare(request)
            await response.write(b"a part")
        if made <= failing:
            raise error("gone")
        return web.Response()

    async def restarted() -> bool:
        nonlocal waited
        waited += 1
        return is_back

    app = web.Application(middlewares=[retry_after_restart])
    app[RESTARTED] = restarted
    app.on_response_prepare.append(add_headers)
    app.router.add_get("/", handler)
    async with TestClient(TestServer(app)) as client:
        response = await client.get("/")
        if begins:
            with pytest.raises(ClientPayloadError):
                await response.read()
        else:
            assert response.status == (200 if made > failing else 500)
    assert made == attempts
    assert (REGISTRY.get_sample_value("dams_asked_again_total") or 0) - before == attempts - 1
    assert waited == (error is Restarting and failing > 0 and not begins)


@pytest.mark.parametrize(
    ("failing", "is_back", "attempts", "waits"),
    [
        (1, False, 2, 0),
        (2, True, 3, 1),
        (2, False, 2, 1),
        (3, True, 3, 1),
    ],
)
async def test_other_server_is_tried_before_any_wait(failing: int, is_back: bool, attempts: int, waits: int) -> None:
    made = waited = 0

    async def handler(_: web.Request) -> web.StreamResponse:
        nonlocal made
        made += 1
        if made > failing:
            return web.Response()
        error = Restarting("gone")
        error.elsewhere = True
        raise error

    async def restarted() -> bool:
        nonlocal waited
        waited += 1
        return is_back

    app = web.Application(middlewares=[retry_after_restart])
    app[RESTARTED] = restarted
    app.router.add_get("/", handler)
    async with TestClient(TestServer(app)) as client:
        assert (await client.get("/")).status == (200 if attempts > failing else 500)
    assert (made, waited) == (attempts, waits)
