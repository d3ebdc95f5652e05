"""`python -m tools.benchmarks.limited`: rates of 1, 2, 4 and 8 processes each of features and of tiles.

The kernel limits each to a share of a processor (control groups), as for containers with a limit. The gateway and
PostgreSQL have the rest of the machine, so the limited processes are the bottleneck. Needs root.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import asyncpg
import psutil

from deploy.local.settings import StackError
from tools.benchmarks.load import Load, run_load
from tools.benchmarks.measure import new_version
from tools.benchmarks.servers import Servers, running_servers
from tools.benchmarks.settings import FOLDER, BenchmarkError, BenchmarkSettings
from tools.benchmarks.usage import PRODUCT, processor_seconds
from tools.benchmarks.workload import Workload
from tools.benchmarks.workloads_items import items_workloads
from tools.benchmarks.workloads_tiles import tile_workloads

_COUNTS = (1, 2, 4, 8)
_PERIOD = 20_000
"""Microseconds per period of the limit: a process that has used its share waits for the next."""
_ASKED = {"item": "features", "items_10": "features", "tile_small": "tiles"}
"""Workloads, and the service of each."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.limited", description=__doc__)
    # on two processors, eight processes leave more than half for everything else
    parser.add_argument("--share", type=float, default=0.1, help="of a processor, for each process")
    parser.add_argument("--seconds", type=float, default=8.0, help="of load for each figure")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    first_rates: dict[str, float] = {}
    try:
        for count in _COUNTS:
            with running_servers(BenchmarkSettings(processes=count, peers=())) as servers:
                asyncio.run(_measure(servers, count, given.share, given.seconds, first_rates))
    except (BenchmarkError, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def _measure(servers: Servers, count: int, share: float, seconds: float, first_rates: dict[str, float]) -> None:
    connection = await asyncpg.connect(servers.owner_url)
    try:
        found = [*items_workloads(servers.product), *await tile_workloads(connection, large=False)]
        workloads = [workload for name in _ASKED for workload in found if workload.name == name]
        # without limits, because a tile of all points takes long
        for table in {table for workload in workloads for table in workload.new_version}:
            await new_version(servers, connection, table)
        with ExitStack() as limits:
            for service in ("features", "tiles"):
                for number in range(count):
                    limits.enter_context(limit_processor(servers.processes[f"{service}_{number}"], share))
            for workload in workloads:
                load, used = await asyncio.to_thread(_run_load, servers, workload, seconds)
                ratio = load.rate / first_rates.setdefault(workload.name, load.rate)
                service = _ASKED[workload.name]
                each = {role: 1000 * spent / load.requests for role, spent in used.items()}
                taken = used[service] / load.seconds / share / count
                print(
                    f"{workload.title:<32}{count} of {service:<9}{load.rate:8.0f}/s × {ratio:.2f}",
                    f"{sum(each.values()):.2f} ms each, {each[service]:.2f} of it {service}",
                    f"{taken:.0%} of its share, p99 {load.p99_ms:.0f} ms",
                    sep=";  ",
                    flush=True,
                )
    finally:
        await connection.close()


def _run_load(servers: Servers, workload: Workload, seconds: float) -> tuple[Load, dict[str, float]]:
    """Return the load, and its processor time by role."""
    before = processor_seconds(servers.processes)
    load = run_load(
        servers.product,
        workload.paths,
        seconds=seconds,
        connections=32,
        vary_host=workload.vary_host,
        encoding=workload.encoding,
    )
    after = processor_seconds(servers.processes)
    return load, {role: after[role] - before[role] for role in PRODUCT}


@contextmanager
def limit_processor(process: psutil.Process, share: float) -> Iterator[None]:
    """Limit a process to this share of one processor, as long as the block lasts.

    Raises BenchmarkError if the limit cannot be set.
    """
    root = Path("/sys/fs/cgroup")
    old = root / "cpu"
    folder = (old if old.is_dir() else root) / f"dams-{process.pid}"
    quota = round(share * _PERIOD)
    try:
        folder.mkdir()
        if old.is_dir():
            (folder / "cpu.cfs_period_us").write_text(str(_PERIOD))
            (folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (folder / "cpu.max").write_text(f"{quota} {_PERIOD}")
        (folder / "cgroup.procs").write_text(str(process.pid))
    except OSError as error:
        raise BenchmarkError(f"no limit can be set in {folder}: {error}") from error
    try:
        yield
    finally:
        (folder.parent / "cgroup.procs").write_text(str(process.pid))
        folder.rmdir()


if __name__ == "__main__":
    sys.exit(main())
