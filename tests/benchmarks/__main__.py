"""`python -m tests.benchmarks`: the product and its closest Python peer on one database, in turn, in one run."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

import asyncpg

from deploy.local.settings import PROCESSES, StackError
from tests.benchmarks.map_day import line, map_day
from tests.benchmarks.measure import Meter, Result
from tests.benchmarks.peer import install_peer
from tests.benchmarks.report import details, header, row, write_json
from tests.benchmarks.servers import Servers, running_servers
from tests.benchmarks.settings import FOLDER, BenchmarkError, BenchmarkSettings
from tests.benchmarks.workload import Workload
from tests.benchmarks.workloads_items import items_workloads
from tests.benchmarks.workloads_tiles import tile_workloads

_MAP_DAY = "map_day"


def main() -> int:
    settings = _settings()
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        version = install_peer()
        with running_servers(settings) as servers:
            results, faults = asyncio.run(_run(settings, servers))
    except (BenchmarkError, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    if results:
        print(details(results))
        write_json(FOLDER / "report.json", results, version)
        print(f"\nAll figures: {FOLDER / 'report.json'}")
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if faults else 0


async def _run(settings: BenchmarkSettings, servers: Servers) -> tuple[list[Result], list[str]]:
    """Measures the chosen workloads and prints each as soon as it is known; a faulty one does not stop the others."""
    results: list[Result] = []
    faults: list[str] = []
    rates: dict[str, float] = {}
    connection = await asyncpg.connect(servers.owner_url)
    try:
        meter = Meter(servers, settings, connection)
        workloads = [*items_workloads(servers.product), *await tile_workloads(connection, large=settings.large)]
        names = [*(workload.name for workload in workloads), _MAP_DAY]
        for name in set(settings.only) - set(names):
            raise BenchmarkError(f"there is no workload {name}; there are {', '.join(names)}")
        print("\n" + header(), flush=True)
        for workload in workloads:
            if settings.only and workload.name not in settings.only:
                continue
            await _one(meter, workload, results, faults, rates)
        if not settings.only or _MAP_DAY in settings.only:
            with_versions, without = await map_day(servers.product, connection)
            print(line("map day, v in addresses", with_versions), line("map day, no v", without), sep="\n", flush=True)
    finally:
        await connection.close()
    return results, faults


async def _one(
    meter: Meter, workload: Workload, results: list[Result], faults: list[str], rates: dict[str, float]
) -> None:
    try:
        result = await meter.measure(workload)
    except BenchmarkError as error:
        faults.append(f"{workload.name}: {error}")
        print(f"{workload.title:<31}not counted: {error}", flush=True)
        return
    results.append(result)
    rates[workload.name] = result.product.rate
    print(row(result, rates), flush=True)


def _settings() -> BenchmarkSettings:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a workload; may be repeated")
    parser.add_argument("--seconds", type=float, default=4.0, help="of load per workload and side (default: 4)")
    parser.add_argument("--rounds", type=int, default=2, help="in which the sides take turns (default: 2)")
    parser.add_argument("--large", action="store_true", help="compare zoom 0 of 100,000 and of 10,000,000 points too")
    parser.add_argument("--keep", action="store_true", help="leave database and product running, for a profiler")
    parser.add_argument(
        "--processes", type=int, default=PROCESSES, help="of features, and of tiles (default: %(default)s)"
    )
    parser.add_argument("--peer-processes", type=int, help="of the peer (default: as many)")
    arguments = parser.parse_args()
    return BenchmarkSettings(
        seconds=arguments.seconds,
        rounds=max(1, arguments.rounds),
        only=tuple(arguments.only),
        large=arguments.large,
        keep=arguments.keep,
        processes=arguments.processes,
        peer_processes=arguments.peer_processes or arguments.processes,
    )


if __name__ == "__main__":
    started = time.monotonic()
    status = main()
    print(f"{time.monotonic() - started:.0f} s")
    sys.exit(status)
