"""Cause one fault after another, drawn at random, on the soak's own stack."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
import xmlrpc.client
from collections import Counter
from collections.abc import Callable

import asyncpg

from tests.running_stack import RunningStack

_SERVICES = ("common", "features_0", "features_1", "tiles_0", "tiles_1", "viewer")
_FORGIVEN_SECONDS = 15.0
"""Seconds after a fault in which errors are allowed: processes start, pools fill again."""


class Disturbing:
    """Faults of one stack. Each ends by itself, because the supervisor restarts programs."""

    def __init__(self, stack: RunningStack, *, seed: int) -> None:
        self._stack = stack
        self._chance = random.Random(seed)  # noqa: S311 - to be repeated
        self._quiet_from = 0.0
        self._ahead: list[Callable[[], str]] = []
        self.done: Counter[str] = Counter()

    @property
    def is_quiet(self) -> bool:
        """Return whether there is no fault, and was none in the last seconds."""
        return time.monotonic() > self._quiet_from

    def disturb(self) -> str:
        """Cause a fault and return its name."""
        self._quiet_from = float("inf")
        if not self._ahead:
            # one of each kind, in a new order each time
            self._ahead = [self.kill, self.kill, self._redis, self._postgresql, self._connections]
            self._chance.shuffle(self._ahead)
        fault = self._ahead.pop()
        try:
            name = fault()
        except (OSError, asyncpg.PostgresError, xmlrpc.client.Error) as error:
            # a program is still starting; the soak continues
            name = f"{fault.__name__.strip('_')} was not possible ({type(error).__name__})"
        self._quiet_from = time.monotonic() + _FORGIVEN_SECONDS
        self.done[name] += 1
        return name

    def kill(self) -> str:
        """Kill a process of the services, as the kernel does when memory runs out; return its name."""
        program = self._chance.choice(_SERVICES)
        pid = self._stack.pid(program)
        if not pid:
            # 0 would kill our own process group
            return f"{program.partition('_')[0]} was away already"
        os.kill(pid, signal.SIGKILL)
        return f"kill -9 of {program.partition('_')[0]}"

    def _redis(self) -> str:
        return self._restart("redis")

    def _postgresql(self) -> str:
        return self._restart("postgresql")

    def _restart(self, program: str) -> str:
        self._stack.stop(program)
        self._stack.start(program)
        return f"restart of {program}"

    def _connections(self) -> str:
        asyncio.run(self._cut_connections())
        return "connections to the database cut"

    async def _cut_connections(self) -> None:
        owner = await asyncpg.connect(self._stack.owner_url("dams"))
        try:
            await owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'dams'")
        finally:
            await owner.close()
