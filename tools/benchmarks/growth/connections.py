"""Cost by number of connections: 1 to 512 clients that request uncached pages, each waiting for its response."""

from __future__ import annotations

import itertools
import time

from tools.benchmarks.data import GROWING_POINTS
from tools.benchmarks.growth.fit import Series
from tools.benchmarks.load import run_load
from tools.benchmarks.servers import Servers
from tools.benchmarks.usage import PRODUCT, processor_seconds

_CONNECTIONS = (1, 8, 64, 512)
_SECONDS = 4


def connections(servers: Servers) -> list[Series]:
    """Return the processor time per response."""
    numbers = itertools.count(int(time.time()), 1_000_003)
    path = f"/collections/{GROWING_POINTS[1].id}/items?limit=10"
    points = []
    for number in _CONNECTIONS:
        before = processor_seconds(servers.processes)
        load = run_load(
            servers.product, [path], seconds=_SECONDS, connections=number, first=next(numbers), vary_host=True
        )
        after = processor_seconds(servers.processes)
        used = sum(after[role] - before[role] for role in PRODUCT)
        points.append((float(number), used * 1000 / load.requests))
        print(
            f"{number:>12,} clients {load.rate:10.0f}/s, p99 {load.p99_ms:.1f} ms, {points[-1][1]:10.2f} ms", flush=True
        )
    return [Series("items, the first page of 10", "connections", "ms", tuple(points))]
