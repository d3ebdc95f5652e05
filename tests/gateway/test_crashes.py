"""An nginx that is killed is started again in place, as fast as the page of faults says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from pathlib import Path

import pytest
from aiohttp import ClientError, ClientSession

from tests.eventually import eventually
from tests.gateway.harness import Gateway
from tests.gateway.test_faults import nginx_pid

pytestmark = pytest.mark.faults


async def test_an_nginx_that_is_killed_is_back_within_the_time_of_the_page(
    own_gateway: Gateway, session: ClientSession
) -> None:
    """`docs/faults.md` says for how long connections are refused."""
    text = (Path(__file__).parents[2] / "docs/faults.md").read_text(encoding="utf-8")
    (told,) = re.findall(
        r"\| nginx's master is killed, or crashes \| connections are refused for at most (\d+) s", text
    )
    program = own_gateway.process
    assert program is not None
    answered = asyncio.get_running_loop().time()
    longest = 0.0
    for at in range(30):
        if at == 5:
            os.kill(nginx_pid(own_gateway), signal.SIGKILL)
        with contextlib.suppress(ClientError, OSError):
            async with session.get(f"{own_gateway.url}/api/", headers={"Connection": "close"}) as response:
                now = asyncio.get_running_loop().time()
                assert response.status == 200
                longest, answered = max(longest, now - answered), now
        await asyncio.sleep(0.1)
    assert asyncio.get_running_loop().time() - answered < 1
    assert longest < float(told), longest
    # by the same program, which does not start again itself
    assert program.returncode is None
    lines = [json.loads(line) for line in own_gateway.log.read_text(encoding="utf-8").splitlines()]
    crashed = [line for line in lines if line["message"].startswith("nginx was killed")]
    assert [line["status"] for line in crashed] == [-9]


async def test_an_nginx_that_crashes_again_and_again_is_given_up(own_gateway: Gateway) -> None:
    assert own_gateway.process is not None
    killed: list[int] = []

    async def another() -> int:
        pid = nginx_pid(own_gateway)
        assert pid not in killed
        return pid

    while len(killed) < 4:
        killed.append(await eventually(another))
        os.kill(killed[-1], signal.SIGKILL)
    assert await asyncio.wait_for(own_gateway.process.wait(), 15) == 1
