"""The state at a past time through the gateway: the commands of docs/past.md, and versions in caches."""

from __future__ import annotations

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest
from aiohttp import ClientSession

from tests.architecture.documents import page
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

ADDRESS = "http://127.0.0.1:8080/api"


def test_the_commands_of_the_page_run(stack: RunningStack, tmp_path: Path) -> None:
    commands = [
        line
        for block in page("docs/past.md").fences
        for line in re.findall(r"^\$ (.+)$", block.content, flags=re.MULTILINE)
    ]
    assert len(commands) == 14
    script = "\n".join(["set -e", *commands]).replace(ADDRESS, stack.base_url)
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    version, present = (orjson.loads((tmp_path / f"{name}.json").read_bytes()) for name in ("version", "present"))
    assert version["properties"] == present["properties"]


async def test_the_gateway_caches_each_requested_time_apart(stack: RunningStack) -> None:
    item = f"{stack.base_url}/collections/hazard.hazard_eq_events/items/1"
    async with ClientSession() as session:

        async def get(**headers: str) -> tuple[bool, str | None]:
            async with session.get(item, headers=headers) as response:
                assert response.status == 200
                assert "Accept-Datetime" in response.headers["Vary"]
                return "Memento-Datetime" in response.headers, response.headers.get("ETag")

        now = {"Accept-Datetime": f"{datetime.now(UTC):%a, %d %b %Y %H:%M:%S} GMT"}
        for _ in range(3):
            assert [(await get())[0], (await get(**now))[0]] == [False, True]
        assert (await get())[1] != (await get(**now))[1]
