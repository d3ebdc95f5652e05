"""The measures of each minute: memory, connections, file handles, Redis, and the clients' results."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps

import asyncpg
import psutil
import redis

from deploy.local.state import StateFolder
from tests.running_stack import RunningStack
from tests.system.keeping import Client
from tests.system.losing import Clients
from tools.benchmarks.soak.flatness import Course
from tools.benchmarks.usage import memory_megabytes, processes_of

_FLOORS = {"memory MiB": 30.0, "connections": 4.0, "file handles": 30.0, "Redis MiB": 8.0, "p99 ms": 30.0}
"""Rise of a measure that is always allowed."""
_LOOKS = 10
_SERVERS = ("postgresql", "redis", "supervisor")
"""Servers whose file handles are not counted: PostgreSQL opens a file for each table and index it has seen."""


class Timed(Clients):
    """Clients that record response times and lost responses, while there is no fault."""

    def __init__(self, base_url: str, is_quiet: Callable[[], bool], *, pause: float) -> None:
        self._is_quiet = is_quiet
        self._lock = threading.Lock()
        self._milliseconds: list[float] = []
        self.unforgiven = 0
        super().__init__(base_url, pause=pause)

    def _ask(self, ask: Callable[[Client], str], client: Client) -> None:
        was_quiet, started = self._is_quiet(), time.monotonic()

        @wraps(ask)
        def timed(asked: Client) -> str:
            outcome = "none"
            try:
                outcome = ask(asked)
            finally:
                if was_quiet and self._is_quiet():
                    with self._lock:
                        self._milliseconds.append((time.monotonic() - started) * 1000)
                        self.unforgiven += outcome not in self._whole
            return outcome

        super()._ask(timed, client)

    def p99(self) -> float:
        """99th percentile in milliseconds, of responses since the last call without a fault."""
        with self._lock:
            taken, self._milliseconds = sorted(self._milliseconds), []
        return taken[int(len(taken) * 0.99)] if taken else 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """The state at the end of a minute."""

    measures: dict[str, float]
    memory: dict[str, float]
    """Memory by role, in MiB."""
    redis_room: float
    """Redis's memory limit, in MiB."""

    def line(self) -> str:
        """Return one row for people."""
        found = ", ".join(f"{name} {value:,.1f}" for name, value in self.measures.items())
        return f"{found} ({', '.join(f'{role} {size:.0f}' for role, size in self.memory.items())})"


def sample(stack: RunningStack, clients: Timed) -> Sample:
    """Take a sample now; retry while a program is starting."""
    for _ in range(_LOOKS - 1):
        try:
            return _look(stack, clients)
        except (psutil.Error, OSError, asyncpg.PostgresError, redis.RedisError):
            time.sleep(2)
    return _look(stack, clients)


def _look(stack: RunningStack, clients: Timed) -> Sample:
    processes = processes_of(StateFolder(stack.state_dir))
    memory = memory_megabytes(processes)
    used, room = _redis_mebibytes(stack.redis_url)
    handles = 0
    for name, first in processes.items():
        for process in () if name in _SERVERS else {first, *first.children(recursive=True)}:
            with suppress(psutil.Error):
                handles += process.num_fds()
    found = (
        sum(memory.values()) - memory.get("redis", 0),
        float(asyncio.run(_connections(stack.owner_url("dams")))),
        float(handles),
        used,
        clients.p99(),
    )
    return Sample(dict(zip(_FLOORS, found, strict=True)), memory, room)


def courses(samples: Sequence[Sample]) -> list[Course]:
    """Return all measures without the first minute, in which caches and pools fill."""
    room = {"Redis MiB": samples[-1].redis_room}
    return [
        Course(name, [each.measures[name] for each in samples[1:]], floor, room.get(name))
        for name, floor in _FLOORS.items()
    ]


async def _connections(owner_url: str) -> int:
    owner = await asyncpg.connect(owner_url)
    try:
        return int(await owner.fetchval("SELECT count(*) FROM pg_stat_activity WHERE usename = 'dams'"))
    finally:
        await owner.close()


def _redis_mebibytes(url: str) -> tuple[float, float]:
    """Return its memory and its limit, in MiB."""
    with redis.from_url(url) as client:
        found = client.info("memory")
    return found["used_memory"] / 2**20, found["maxmemory"] / 2**20
