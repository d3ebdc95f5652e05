"""Load of the origin behind a CDN: `python -m tools.benchmarks.cdn`, beside a stack of `make up` (DAMS_STATE_DIR).

Requests tiles and pages of the demo data, each twenty times in shuffled order: from the gateway, and through an nginx
that stands for a CDN (`tests/cdn.py`). Prints the processor time of the whole stack per request of a client, and the
share of requests that the CDN answered. Each round uses other addresses, which no cache has. Start the stack with
DAMS_CDN_MAX_AGE_SECONDS=3600: a CDN that may cache for only a second has few hits.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import sys
from dataclasses import dataclass

import psutil
from aiohttp import ClientSession

from deploy.local import remembered
from deploy.local.settings import read_settings
from deploy.local.state import StateFolder
from tests.cdn import purging_cdn
from tools.benchmarks.settings import SEED, BenchmarkError
from tools.benchmarks.usage import processes_of, processor_seconds

_TIMES = 20
"""Requests per address: all but the first are hits, 95 %."""
_CLIENTS = 16
_PLACES = [(z, x, y) for z in range(2, 6) for x in range(2**z) for y in range(2**z // 4, 3 * 2**z // 4)]
_TABLES = ("hazard.hazard_eq_events", "hazard.hazard_ts_tracks", "hazard.hazard_fl_events")
_PAGES = 120
_KEPT = ("HIT", "STALE", "UPDATING", "REVALIDATED")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one way to send the requests."""

    requests: int
    hits: int
    """Responses from the CDN's cache."""
    bytes: int
    milliseconds: dict[str, float]
    """Processor time of the stack per client request, by role."""

    def line(self, name: str) -> str:
        """Return one row for people."""
        parts = ", ".join(f"{role} {spent:.3f}" for role, spent in self.milliseconds.items())
        return (
            f"{name:<15}{self.requests:>7,} requests, {self.hits / self.requests:6.2%} hits of the CDN,"
            f" {sum(self.milliseconds.values()):.3f} ms each ({parts}), {self.bytes / self.requests / 1000:.1f} kB"
        )


def addresses(number: int) -> list[str]:
    """Return paths of round `number`, each `_TIMES` times: three quarters tiles, one quarter pages of items."""
    chance = random.Random(SEED)  # noqa: S311 - the same places in each round
    places = chance.sample(_PLACES, 3 * _PAGES)
    tiles = [
        f"/collections/{table}/tiles/WebMercatorQuad/{z}/{y}/{x}?limit={9000 - number}"
        for (z, x, y), table in zip(places, itertools.cycle(_TABLES), strict=False)
    ]
    pages = [
        f"/collections/{table}/items?limit={10 + page % 20}&filter=event_id<>'{number}.{page}'"
        for page, table in zip(range(_PAGES), itertools.cycle(_TABLES), strict=False)
    ]
    asked = [*tiles, *pages] * _TIMES
    chance.shuffle(asked)
    return asked


async def ask(url: str, paths: list[str], processes: dict[str, psutil.Process]) -> Cost:
    """Request all paths in order, from several clients. Raises BenchmarkError if a status is not 200."""
    before = processor_seconds(processes)
    waiting = iter(paths)
    hits = size = 0

    async def client(session: ClientSession) -> None:
        nonlocal hits, size
        for path in waiting:
            async with session.get(url + path, headers={"Accept-Encoding": "gzip"}) as response:
                body = await response.read()
                size += len(body)
                if response.status != 200:
                    raise BenchmarkError(f"{path} is answered by {response.status}")
                hits += response.headers.get("X-CDN") in _KEPT

    async with ClientSession(auto_decompress=False) as session:
        await asyncio.gather(*(client(session) for _ in range(_CLIENTS)))
    # include work after a response: logs, counts, cache entries
    await asyncio.sleep(2)
    after = processor_seconds(processes)
    spent = {role: (after[role] - before[role]) * 1000 / len(paths) for role in after}
    return Cost(len(paths), hits, size, spent)


async def measure(rounds: int) -> None:
    """Print two lines for each round."""
    settings = read_settings(os.environ | remembered.recall(read_settings(os.environ).state_dir))
    processes = processes_of(StateFolder(settings.state_dir))
    gateway = f"127.0.0.1:{settings.gateway_port}"
    async with purging_cdn() as cdn:
        await cdn.start(gateway)
        for number in range(0, 2 * rounds, 2):
            print((await ask(f"http://{gateway}/api", addresses(number), processes)).line("gateway alone"))
            print((await ask(f"{cdn.url}/api", addresses(number + 1), processes)).line("behind a CDN"), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.cdn", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    try:
        asyncio.run(measure(parser.parse_args().rounds))
    except BenchmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
