"""What a service process does with the requests of clients that leave."""

from __future__ import annotations

import asyncio
import json
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
    environment = {**os.environ, "DAMS_SOCKET": str(path), "PYTHONPATH": str(REPOSITORY)}
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


ASKED = """
import asyncio, gc, json
from aiohttp import web
from libs.tracing import spans
from libs.web.base_url import SETTINGS
from libs.web.runner import run
from libs.web.settings import WebSettings

def make(env):
    app = web.Application()
    app[SETTINGS] = WebSettings.from_env({"PORT": "1234"} | env)
    return app

def run_app(app, **asked):
    async def start():
        runner = web.AppRunner(app)
        await runner.setup()
        print(json.dumps([asked, type(asyncio.get_running_loop()).__module__, gc.get_threshold(), gc.get_freeze_count(),
            spans.tracing() is not None]))
        await runner.cleanup()
        print(json.dumps(spans.tracing() is not None))
    asyncio.run(start())

web.run_app = run_app
run("test", make)
"""


async def test_how_a_service_is_run(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "DAMS_HOST": "127.0.0.2", "DAMS_LOG_LEVEL": "ERROR"}
    environment |= {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "ignore", "-c", ASKED), cwd=tmp_path, env=environment, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await asyncio.wait_for(process.communicate(), 60)
    [asked, loop, thresholds, frozen, traces], still = map(json.loads, said.splitlines())
    assert asked == {
        "host": "127.0.0.2",
        "port": 1234,
        "sock": None,
        "print": None,
        "shutdown_timeout": 10,
        # longer than nginx keeps one open, so that no request meets one that has just ended
        "keepalive_timeout": 75,
        "backlog": 4096,
        "access_log": None,
        "handler_cancellation": True,
    }
    # looking for cycles takes a third of the time where it is done as often as Python does
    assert (loop, thresholds) == ("uvloop", [50_000, 20, 100])
    assert frozen > 10_000
    assert (traces, still) == (True, False)


@pytest.mark.parametrize(
    "module", ["services.common", "services.features", "services.tiles", "services.viewer", "gateway"]
)
async def test_a_program_says_whether_its_settings_fit_and_starts_nothing(module: str, tmp_path: Path) -> None:
    needed = {
        "DAMS_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
        "DAMS_PARTS_URL": "http://127.0.0.1:9",
        "DAMS_GATEWAY_DIR": str(tmp_path / "gateway"),
    }

    async def checked(**settings: str) -> tuple[int | None, str]:
        command = [sys.executable, "-m", module, "--check-config"]
        environment = {**os.environ, **needed, **settings}
        process = await asyncio.create_subprocess_exec(
            *command, cwd=REPOSITORY, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said, _ = await asyncio.wait_for(process.communicate(), 60)
        return process.returncode, said.decode()

    name = module.rpartition(".")[2]
    assert await checked() == (0, f"{name}: the settings fit\n")
    status, said = await checked(DAMS_LOG_LEVEL="loud")
    assert status == os.EX_CONFIG
    assert said.startswith(f"{name}: DAMS_LOG_LEVEL")
    assert not (tmp_path / "gateway").exists()
