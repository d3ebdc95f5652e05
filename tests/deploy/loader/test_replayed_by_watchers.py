"""The same week by the clock: the watchers load what a server publishes, at a multiple of the speed of time.

At 600 times the speed of time a week takes 17 minutes, longer than all tests together. So the default is 60,480 times:
ten seconds and the time of the loads. `REPLAY_SPEED=600` runs it at 600 times; docs/live-sources.md has the result.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.loader.schedule.watching import Watch, watch
from deploy.loader.source import Source
from tests.deploy.loader.conftest import IMPATIENT, Load, Publisher
from tests.deploy.loader.test_replayed_week import World, first_half, second_half

SPEED = float(os.environ.get("REPLAY_SPEED", "60480"))
WEEK = timedelta(days=7)
LOOKS = 13
"""Number of times that the story looks at the world."""
RHYTHM = timedelta(seconds=0.5)
LONGEST = 300
"""Time limit in seconds for the watchers to load the published documents, also on a busy machine."""
PATIENCE = replace(IMPATIENT, timeout_seconds=60)


class Revised:
    """A server that answers 304 to watchers that know its newest publication."""

    def __init__(self, publisher: Publisher) -> None:
        self.publisher, self.base, self.revision = publisher, publisher.base, 0
        self.contents: dict[str, Any] = {}

    def publish(self, path: str, content: Any) -> str:
        self.contents[path] = content
        self.revision += 1
        for each, known in self.contents.items():
            self.publisher.publish(each, known, headers={"ETag": f'"{self.revision}"'})
        return f"{self.base}{path}"


class WatchedWorld(World):
    """A world whose sources are watched, and not loaded by the test."""

    def __init__(self, *given: Any, url: str) -> None:
        super().__init__(*given)
        self.url, self.watchers = url, {}

    url: str
    watchers: dict[str, asyncio.Task[None]]

    async def pass_by(self) -> None:
        """Let time pass until the next look, and the watchers load everything once more."""
        await asyncio.sleep((WEEK / LOOKS / SPEED).total_seconds())
        since = datetime.now(UTC)
        for name, (source, address) in self.addresses.items():
            if name not in self.watchers:
                self.watchers[name] = asyncio.create_task(self.watching(source, address))
        async with asyncio.timeout(LONGEST):
            while not await self.are_checked(since):  # noqa: ASYNC110 - the database has no such event
                await asyncio.sleep(0.1)
        assert not any(task.done() for task in self.watchers.values())

    async def watching(self, source: Source, address: str) -> None:
        watched = replace(source, addresses=lambda _since: [address], rhythm=RHYTHM, asked=None, catches_up=False)
        settings = Watch(url=self.url, say=lambda _source, _outcome: None, shortest=RHYTHM, patience=PATIENCE)
        await watch([watched], settings)

    async def are_checked(self, since: datetime) -> bool:
        checked = await self.owner.fetch(
            "SELECT source FROM dams.load_source WHERE attempted > $1 AND checked >= attempted", since
        )
        return self.addresses.keys() <= {row["source"] for row in checked}


@pytest.fixture
async def world(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path, loader_url: str
) -> AsyncIterator[WatchedWorld]:
    found = WatchedWorld(owner, Revised(publisher), run, tmp_path, url=loader_url)
    yield found
    for task in found.watchers.values():
        task.cancel()
    for task in found.watchers.values():
        with suppress(asyncio.CancelledError):
            await task


@pytest.mark.timeout(int(WEEK.total_seconds() / SPEED) + 600)
async def test_watchers_keep_the_state_right(world: WatchedWorld, publisher: Publisher) -> None:
    await first_half(world)
    await second_half(world)
    asked = [request.headers.get("If-None-Match") for request in publisher.asked]
    assert any(asked), "unchanged documents are requested with their version"
