"""Changes by way of the gateway, which must keep nothing back."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from aiohttp import ClientSession, ClientTimeout

from tests.running_stack import RunningStack

pytestmark = pytest.mark.system


async def test_a_change_comes_through_the_gateway_at_once(stack: RunningStack) -> None:
    owner = await asyncpg.connect(stack.owner_url("dams"))
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    url = f"{stack.base_url}/collections/hazard.hazard_fl_alerts/changes"
    try:
        async with (
            ClientSession(timeout=ClientTimeout(total=30)) as session,
            session.get(url, headers=headers) as stream,
        ):
            assert stream.headers["Content-Type"] == "text/event-stream"
            assert "Content-Encoding" not in stream.headers
            lines = [await asyncio.wait_for(stream.content.readline(), 10) for _ in range(3)]
            assert [line.partition(b":")[0] for line in lines[:2]] == [b"retry", b"id"]
            await owner.execute("UPDATE hazard.hazard_fl_alerts SET title = title WHERE id = 1")
            async with asyncio.timeout(15):
                while not (line := await stream.content.readline()).startswith(b"data: "):
                    pass
            assert b'"org.ogc.api.collection.update"' in line
    finally:
        await owner.close()
