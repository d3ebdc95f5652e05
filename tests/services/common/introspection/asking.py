"""A database that counts its statements, and limits long enough for slow tests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from libs.pg.pool import Database

UNHURRIED: dict[str, Any] = {"statement_ms": 60_000, "round_seconds": 60}


class Asking(Database):
    """A database that counts its statements."""

    times = 0

    def connection(self, **of_it: bool) -> Any:
        self.times += 1
        return super().connection(**of_it)


class Slow(Asking):
    """A database whose statements take time by a clock of the test."""

    now, takes = 1000.0, 0.0

    @property
    def clock(self) -> SimpleNamespace:
        """In place of the module `time`."""
        return SimpleNamespace(monotonic=lambda: self.now)

    def connection(self, **of_it: bool) -> Any:
        self.now += self.takes
        return super().connection(**of_it)
