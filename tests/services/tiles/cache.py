"""A Redis that a test may stop and damage, and what one wants to know of answers and of the cache."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Self

import redis.asyncio

from tests.eventually import eventually
from tests.services.in_process import Answer, Client


def free_ports(number: int) -> list[int]:
    """Return ports on which no process listens."""
    with ExitStack() as held:
        probes = [held.enter_context(closing(socket.socket())) for _ in range(number)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


class OwnRedis:
    """A Redis that a test may stop and damage."""

    def __init__(self, folder: Path, *options: str) -> None:
        """`options` are those of the program."""
        self._folder = folder
        self._options = options
        self._process: asyncio.subprocess.Process | None = None
        (self.port,) = free_ports(1)
        self.url = f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        assert self._process is not None
        return self._process.pid

    def client(self) -> redis.asyncio.Redis:
        """A client of the test's own; to be used with `async with`."""
        return redis.asyncio.from_url(self.url)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Starts it; returns once it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self._folder)]
        self._process = await asyncio.create_subprocess_exec(
            "redis-server", *self._options, *options, stdout=asyncio.subprocess.DEVNULL
        )

        async def answers() -> None:
            try:
                async with redis.asyncio.from_url(self.url) as client:
                    await client.ping()
            except redis.exceptions.ConnectionError as error:
                raise AssertionError from error

        await eventually(answers)

    async def stop(self) -> None:
        """Stops it, if it runs."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


def tier(answer: Answer) -> str:
    """Return the tier that answered."""
    assert answer.status == 200, answer.body
    return answer.headers["Server-Timing"].partition(";")[0]


async def keys(url: str) -> dict[bytes, bytes]:
    """Everything that is in a Redis."""
    async with redis.asyncio.from_url(url) as client:
        found: list[Any] = await client.keys()
        values: list[Any] = await client.mget(found) if found else []
        return dict(zip(found, values, strict=True))


async def only_key(url: str) -> bytes:
    """The name of the one thing that is in a Redis, once it is there."""

    async def alone() -> bytes:
        found = list(await keys(url))
        assert len(found) == 1
        return found[0]

    return await eventually(alone)


async def metric(client: Client, name: str) -> float:
    """The sum of a metric's samples whose names and labels start so."""
    text = (await client.get("/internal/metrics")).body.decode()
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))
