"""`python -m tools.benchmarks`: the product and its peers on one database, in turn, in one run."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from dataclasses import replace

import asyncpg

from deploy.local.settings import PROCESSES, StackError
from tools.benchmarks.alone import run_alone
from tools.benchmarks.map_day import line, map_day
from tools.benchmarks.measure import Meter, Result
from tools.benchmarks.peers import PEERS
from tools.benchmarks.report import details, header, memory_line, rates_of, row, write_json
from tools.benchmarks.servers import Servers, running_servers
from tools.benchmarks.settings import FOLDER, BenchmarkError, BenchmarkSettings
from tools.benchmarks.usage import memory_megabytes
from tools.benchmarks.workloads_items import items_workloads
from tools.benchmarks.workloads_tiles import tile_workloads

_MAP_DAY = "map_day"
_REPORT = FOLDER / "report.json"


def main() -> int:
    settings = _settings()
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        versions = _install(settings.peers)
        settings = replace(settings, peers=tuple(versions))
        with running_servers(settings) as servers:
            results, faults = asyncio.run(_run(settings, servers, versions))
    except (BenchmarkError, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    if results:
        print(details(results))
        print(f"\nAll figures: {_REPORT}")
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if faults else 0


async def _run(
    settings: BenchmarkSettings, servers: Servers, versions: dict[str, str]
) -> tuple[list[Result], list[str]]:
    """Measure the chosen workloads and print each result at once; a workload that fails ends no other."""
    results: list[Result] = []
    faults: list[str] = []
    connection = await asyncpg.connect(servers.owner_url)
    try:
        meter = Meter(servers, settings, connection)
        workloads = [*items_workloads(servers.product), *await tile_workloads(connection, large=settings.large)]
        names = [*(workload.name for workload in workloads), _MAP_DAY]
        for name in set(settings.only) - set(names):
            raise BenchmarkError(f"there is no workload {name}; there are {', '.join(names)}")
        print("\n" + memory_line("after the start", memory_megabytes(servers.processes)))
        print("\n" + header(settings.peers), flush=True)
        for workload in workloads:
            if settings.only and workload.name not in settings.only:
                continue
            result = await run_alone(workload.name, workload.title, meter.measure(workload), faults)
            if result is not None:
                results.append(result)
                print(row(result, rates_of(results), settings.peers), flush=True)
                # after each, so that an interrupted run leaves its figures
                write_json(_REPORT, results, versions)
        if not settings.only or _MAP_DAY in settings.only:
            days = await run_alone(_MAP_DAY, "map day", map_day(servers.product, connection), faults)
            if days is not None:
                print(line("map day, v in addresses", days[0]), line("map day, no v", days[1]), sep="\n", flush=True)
    finally:
        await connection.close()
    return results, faults


def _install(names: tuple[str, ...]) -> dict[str, str]:
    """Return versions by peer; one that cannot be installed is named, and the others are measured."""
    versions: dict[str, str] = {}
    for name in names:
        try:
            versions[name] = PEERS[name].install()
        except BenchmarkError as error:
            print(f"{name} is not measured: {error}", file=sys.stderr, flush=True)
    return versions


def _peers(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(filter(None, text.split(","))))
    for name in names:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"there is no peer {name}; there are {', '.join(PEERS)}")
    return names


def _settings() -> BenchmarkSettings:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a workload; may be repeated")
    parser.add_argument("--seconds", type=float, default=4.0, help="of load per workload and side (default: 4)")
    parser.add_argument("--rounds", type=int, default=2, help="in which the sides take turns (default: 2)")
    parser.add_argument("--large", action="store_true", help="compare zoom 0 of 100,000 and of 10,000,000 points too")
    parser.add_argument("--keep", action="store_true", help="leave database and product running, for a profiler")
    parser.add_argument(
        "--processes", type=int, default=PROCESSES, help="of features, and of tiles (default: %(default)s)"
    )
    parser.add_argument(
        "--peers", type=_peers, default=("tipg",), metavar="NAMES", help=f"of {','.join(PEERS)} (default: tipg)"
    )
    parser.add_argument("--peer-processes", type=int, help="of each peer (default: as many)")
    arguments = parser.parse_args()
    return BenchmarkSettings(
        seconds=arguments.seconds,
        rounds=max(1, arguments.rounds),
        only=tuple(arguments.only),
        large=arguments.large,
        keep=arguments.keep,
        processes=arguments.processes,
        peers=arguments.peers,
        peer_processes=arguments.peer_processes or arguments.processes,
    )


if __name__ == "__main__":
    started = time.monotonic()
    status = main()
    print(f"{time.monotonic() - started:.0f} s")
    sys.exit(status)
