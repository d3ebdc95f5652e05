"""Servers that a test may stop, hang and set back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.services.tiles.cache import OwnRedis


@pytest.fixture
async def own_redis(tmp_path: Path) -> AsyncIterator[OwnRedis]:
    """An empty Redis of the test's own."""
    async with OwnRedis(tmp_path) as server:
        yield server
