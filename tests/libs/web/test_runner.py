"""What a process of a service does with the requests of clients that leave."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession, ClientTimeout, UnixConnector

from deploy.local.settings import REPOSITORY
from tests.eventually import eventually

SERVICE = """
import asyncio
from pathlib import Path

from aiohttp import web
from libs.web.base_url import SETTINGS
from libs.web.runner import run
from libs.web.settings import WebSettings

async def answer(request):
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        Path("given-up").touch()
        raise

def make(env):
    app = web.Application()
    app[SETTINGS] = WebSettings.from_env({"PORT": "1"} | env)
    app.router.add_get("/", answer)
    return app

run("test", make)
"""


async def test_what_a_client_that_has_left_asked_for_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    environment = {**os.environ, "SOCKET": str(path), "PYTHONPATH": str(REPOSITORY)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVICE, cwd=tmp_path, env=environment)

    async def leave() -> None:
        async with ClientSession(connector=UnixConnector(str(path)), timeout=ClientTimeout(total=0.5)) as session:
            with pytest.raises(TimeoutError):
                await session.get("http://localhost/")

    async def is_given_up() -> bool:
        return (tmp_path / "given-up").exists()

    try:
        await eventually(leave)
        await eventually(is_given_up)
    finally:
        process.terminate()
        await process.wait()
