"""Work that goes on beside the requests, of which a test makes each look itself, at a time that it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest


class Looks:
    """The looks of a module: how often they are wanted, under which name, and the clock that they see."""

    def __init__(self, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.wanted: list[tuple[float, str]] = []
        self.going_on = False
        monkeypatch.setattr(f"{module}.periodic", self._periodic)
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(monotonic=lambda: self.now))

    @asynccontextmanager
    async def _periodic(self, look: Callable[[], Awaitable[None]], seconds: float, *, name: str) -> AsyncIterator[None]:
        self.wanted.append((seconds, name))
        self._look = look
        self.going_on = True
        yield
        self.going_on = False

    async def look(self, seconds: float = 0) -> None:
        """After some seconds more."""
        self.now += seconds
        await self._look()
