"""Machines that vanished without notice: a client that connects to them has to wait."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession

from tests.gateway.harness import Upstream, make_part, running_gateway

pytestmark = pytest.mark.faults


async def test_a_service_that_takes_no_connection_is_not_waited_for_long(
    tmp_path: Path, session: ClientSession
) -> None:
    async with AsyncExitStack() as stack:
        gateway = await stack.enter_async_context(
            running_gateway(tmp_path / "gateway", DAMS_GATEWAY_TIMEOUT_SECONDS="60")
        )
        await gateway.published()
        tiles = gateway.upstreams["tiles"]
        await tiles.stop()
        stack.enter_context(gone(tiles.port))
        async with asyncio.timeout(15), session.get(f"{gateway.url}/api/tileMatrixSets") as response:
            assert response.status == 504


async def test_two_unreachable_servers_cost_little_more_than_one(tmp_path: Path, session: ClientSession) -> None:
    one, two = Upstream("tiles", "one", part=make_part("tiles")), Upstream("tiles", "two", part=make_part("tiles"))
    upstreams = {
        "DAMS_TILES_UPSTREAM": f"127.0.0.1:{one.port},127.0.0.1:{two.port}",
        "DAMS_GATEWAY_TIMEOUT_SECONDS": "4.2",
    }
    async with AsyncExitStack() as stack:
        gateway = await stack.enter_async_context(running_gateway(tmp_path / "gateway", **upstreams))
        for upstream in (one, two):
            await upstream.start()
        await gateway.published()
        for upstream in (one, two):
            await upstream.stop()
        stack.enter_context(gone(one.port))
        stack.enter_context(socket.create_server(("127.0.0.1", two.port)))

        async def ask(number: int) -> int:
            async with session.get(f"{gateway.url}/api/tileMatrixSets?{number}") as response:
                return response.status

        # they are given to the one or to the other first
        async with asyncio.timeout(6):
            assert set(await asyncio.gather(*map(ask, range(4)))) == {504}


@contextmanager
def gone(port: int) -> Iterator[None]:
    """Make a port that does not answer: the kernel accepts no further connections beyond its queue."""
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", port), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield
