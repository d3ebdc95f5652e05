"""`make soak MINUTES=60`: mixed load with random faults; checks that memory, connections, handles and times stay flat.

Starts a separate stack (`.local/soak`, with the demo data). Five clients request uncached pages, tiles, documents and
whole collections. A table changes every ten seconds. Twice a minute a fault kills, restarts or disconnects a process.
Once a minute, after the fault has passed, all measures are taken. The exit status is 1 if a measure rises by more than
a tenth, or a response was lost while no fault was active.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

import asyncpg

from tests.running_stack import RunningStack, gateway_port, running
from tools.benchmarks.settings import SEED
from tools.benchmarks.soak.disturbing import Disturbing
from tools.benchmarks.soak.watching import Sample, Timed, courses, sample

_FAULTS_AT = (3, 23)
"""Seconds of each minute at which faults happen; the last one is over at the minute's end."""
_CHANGES_EVERY = 10
_LEAST_MINUTES = 4
"""With fewer minutes, a slope cannot be computed."""


def minute(stack: RunningStack, clients: Timed, faults: Disturbing) -> Sample:
    """Run sixty seconds of faults and changes, and return the sample after it."""
    begun = time.monotonic()
    happened = []
    for second in range(60):
        time.sleep(max(0.0, begun + second - time.monotonic()))
        if second in _FAULTS_AT:
            happened.append(faults.disturb())
        if second % _CHANGES_EVERY == _CHANGES_EVERY - 1:
            asyncio.run(_change(stack.owner_url("dams")))
    time.sleep(max(0.0, begun + 60 - time.monotonic()))
    print(f"      {', '.join(happened)}")
    return sample(stack, clients)


async def _change(owner_url: str) -> None:
    try:
        owner = await asyncpg.connect(owner_url, timeout=5)
        await owner.execute("UPDATE hazard.hazard_eq_events SET source = source WHERE false")
        await owner.close()
    except (OSError, TimeoutError, asyncpg.PostgresError):
        pass


def soak(stack: RunningStack, *, minutes: int, pause: float, seed: int) -> bool:
    """Print a line per minute and the verdict; return whether all measures are flat."""
    faults = Disturbing(stack, seed=seed)
    samples = []
    with Timed(stack.base_url, lambda: faults.is_quiet, pause=pause) as clients:
        for number in range(1, minutes + 1):
            samples.append(minute(stack, clients, faults))
            told = f"{clients.outcomes.total():,} answers, {sum(clients.lost.values())} lost"
            print(f"{number:3} min {told}; {samples[-1].line()}", flush=True)
    found = courses(samples)
    print("\n".join(course.line() for course in found))
    print(f"faults: {dict(faults.done)}")
    print(f"lost beside faults: {dict(clients.lost)}; while nothing was wrong: {clients.unforgiven}")
    return all(course.is_well for course in found) and not clients.unforgiven


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between the requests of each client")
    parser.add_argument("--seed", type=int, default=SEED, help="of the faults")
    given = parser.parse_args()
    if given.minutes < _LEAST_MINUTES:
        parser.error(f"--minutes is {_LEAST_MINUTES} at the least")
    with running(
        "soak", purge=False, DAMS_FEATURES_PROCESSES="2", DAMS_TILES_PROCESSES="2", DAMS_DEMO_TODAY="2026-11-01"
    ) as state_dir:
        stack = RunningStack(state_dir, f"http://127.0.0.1:{gateway_port(state_dir)}/api")
        well = soak(stack, minutes=given.minutes, pause=given.pause, seed=given.seed)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
