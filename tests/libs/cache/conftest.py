"""A Redis of a test's own, and commands to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from libs.cache.commands import Commands
from tests.services.tiles.cache import OwnRedis


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[OwnRedis]:
    """An empty Redis of the test's own."""
    async with OwnRedis(tmp_path) as own:
        yield own


@pytest.fixture
async def commands(server: OwnRedis) -> AsyncIterator[Commands]:
    async with Commands(server.url) as started:
        yield started
