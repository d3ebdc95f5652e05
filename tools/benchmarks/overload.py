"""More load than capacity: `python -m tools.benchmarks.overload --port 8080`, on a service with the demo data.

Finds the number of connections with the highest rate of responses, for uncached items of one collection. Then it sends
requests on four and sixteen times as many, and counts complete responses. At the same time one client requests items
and tiles of another collection. The exit status is 1 if less than 80 % of the responses arrive, or if the p99 of the
other client is more than three times as high.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from functools import partial
from http.client import HTTPException

from tests.system.asking import Asking
from tests.system.keeping import Client
from tools.benchmarks.load import Load, Target, run_load
from tools.benchmarks.settings import FOLDER

_BUSY = [f"/collections/hazard.hazard_ts_nodes/items?limit=100&filter=wind_kt>-{n}" for n in range(1, 20_000)]
_OTHER = "/collections/hazard.hazard_eq_events"
_CANDIDATES = (1, 2, 4, 8, 16)


class Others(Asking):
    """A client that requests another collection's data, with a pause of a fiftieth of a second."""

    def __init__(self, base_url: str) -> None:
        self._numbers = itertools.count(int(time.time()) % 10**6)
        self.milliseconds: list[float] = []
        self.failed = 0
        super().__init__([partial(self._ask, Client(base_url))], pause=0.02)

    def _ask(self, client: Client) -> None:
        number = next(self._numbers)
        tile = f"{_OTHER}/tiles/WebMercatorQuad/3/1/3?limit={number % 9000 + 500}"
        path = tile if number % 2 else f"{_OTHER}/items?limit=10&filter=magnitude>-{number}"
        started = time.perf_counter()
        try:
            self.failed += client.get(path).status != 200
        except (OSError, HTTPException):
            client.close()
            self.failed += 1
        self.milliseconds.append((time.perf_counter() - started) * 1000)

    def p99(self) -> float:
        """99th percentile, in milliseconds."""
        return sorted(self.milliseconds)[int(len(self.milliseconds) * 0.99)]


def _measure(target: Target, connections: int, seconds: float, first: int) -> tuple[Load, Others, float]:
    """Return a load's result, the other client's view, and whole responses per second."""
    with Others(f"http://127.0.0.1:{target.port}{target.prefix}") as others:
        load = run_load(
            target, _BUSY, seconds=seconds, connections=connections, first=first, vary_host=True, whole=False
        )
    good = (load.requests - load.failed) / load.seconds
    print(
        f"{connections:4} connections: {good:6.0f} whole answers a second, p99 {load.p99_ms:6.0f} ms,"
        f" {load.failed} refused, {load.broken} broken;"
        f" others: {len(others.milliseconds)}, p99 {others.p99():.0f} ms, {others.failed} failed",
        flush=True,
    )
    return load, others, good


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.overload", description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--seconds", type=float, default=20, help="of each load")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = Target("product", given.port, "/api")
    _measure(target, 2, 5, 0)
    rates = {count: _measure(target, count, given.seconds / 3, 1000 * count)[2] for count in _CANDIDATES}
    best = max(rates, key=lambda count: rates[count])
    _, at_best, peak = _measure(target, best, given.seconds, 30_000)
    fine = True
    for times in (4, 16):
        _, others, good = _measure(target, best * times, given.seconds, 40_000 * times)
        slower = others.p99() / at_best.p99()
        print(f"{times} times: {good / peak:.0%} of the peak; p99 of the others {slower:.1f} times")
        fine = fine and good >= 0.8 * peak and slower <= 3 and others.failed == 0
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
