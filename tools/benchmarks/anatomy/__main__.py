"""`python -m tools.benchmarks.anatomy`: cost of a response of a bare service and of ours, by library.

It measures the processor time of the service's process, without the gateway. Compare figures of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import asyncpg
import psutil

from deploy.local.ports import choose_ports
from deploy.local.programs import service_of
from deploy.local.settings import StackError
from tools.benchmarks.anatomy.bare import KINDS
from tools.benchmarks.anatomy.shares import shares
from tools.benchmarks.load import Target, run_load
from tools.benchmarks.measure import new_version
from tools.benchmarks.servers import Servers, end, running_servers, wait_until_listening
from tools.benchmarks.settings import FOLDER, BenchmarkError, BenchmarkSettings
from tools.benchmarks.workload import Workload
from tools.benchmarks.workloads_items import items_workloads
from tools.benchmarks.workloads_tiles import tile_workloads

_WORKLOADS = {
    "common": ("collections",),
    "features": ("item", "items_10", "filter_bbox", "filter_cql2", "items_1000_new"),
    "tiles": ("tile_small", "tile_hot_small"),
}
_FROM_THE_SUPERVISOR = ("SUPERVISOR_", "DAMS_SOCKET")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.anatomy", description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0, help="of load for each line (default: 6)")
    seconds = parser.parse_args().seconds
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        with running_servers(BenchmarkSettings(peers=())) as servers:
            asyncio.run(_measure(servers, seconds))
    except (BenchmarkError, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def _measure(servers: Servers, seconds: float) -> None:
    ports = choose_ports(["bare", *_WORKLOADS], {}, FOLDER)
    connection = await asyncpg.connect(servers.owner_url)
    try:
        workloads = {
            workload.name: workload
            for workload in [*items_workloads(servers.product), *await tile_workloads(connection, large=False)]
        }
        for kind in KINDS:
            command = [sys.executable, "-m", "tools.benchmarks.anatomy.bare", str(ports["bare"]), kind]
            with _program(command, {"DAMS_DATABASE_URL": servers.reader_url}, ports["bare"]) as process:
                cost = _cost(process, Target("bare", ports["bare"]), workloads["item"], seconds)
                print(f"{f'bare service, {kind}':<40}{cost:8.3f} ms", flush=True)
        for service, names in _WORKLOADS.items():
            samples = FOLDER / f"{service}.samples"
            command = [sys.executable, "-m", "tools.benchmarks.anatomy.sampled", str(samples), f"services.{service}"]
            running = next(process for name, process in servers.processes.items() if service_of(name) == service)
            environment = {
                name: value for name, value in running.environ().items() if not name.startswith(_FROM_THE_SUPERVISOR)
            }
            with _program(command, {**environment, "DAMS_PORT": str(ports[service])}, ports[service]) as process:
                beside = replace(servers, tiles_ports=(ports[service],))
                for name in names:
                    for table in workloads[name].new_version:
                        await new_version(beside, connection, table)
                    cost = _cost(process, Target(service, ports[service]), workloads[name], seconds, samples)
                    print(f"{workloads[name].title:<40}{cost:8.3f} ms  {_line(samples)}", flush=True)
    finally:
        await connection.close()


def _cost(
    process: psutil.Process, target: Target, workload: Workload, seconds: float, samples: Path | None = None
) -> float:
    """Return milliseconds of the process per response; `samples` cover only the measured load."""

    def load(of: float, first: int) -> int:
        return run_load(
            target,
            workload.paths,
            seconds=of,
            connections=workload.connections,
            first=first,
            vary_host=workload.vary_host,
            encoding=workload.encoding,
        ).requests

    asked = load(1, 0)
    if samples is not None:
        _write_samples(process, samples)
    before = process.cpu_times()
    # do not repeat a path that caches must not have
    number = load(seconds, asked)
    after = process.cpu_times()
    if samples is not None:
        _write_samples(process, samples)
    return (after.user + after.system - before.user - before.system) * 1000 / number


def _write_samples(process: psutil.Process, samples: Path) -> None:
    samples.unlink(missing_ok=True)
    process.send_signal(signal.SIGUSR2)
    deadline = time.monotonic() + 10
    while not samples.exists():
        if time.monotonic() > deadline:
            raise BenchmarkError(f"{samples} is not written")
        time.sleep(0.05)


def _line(samples: Path) -> str:
    with samples.open() as lines:
        found = shares(lines)
    return ", ".join(f"{name} {share:.0%}" for name, share in found.items() if share >= 0.02)


@contextmanager
def _program(command: list[str], environment: Mapping[str, str], port: int) -> Iterator[psutil.Process]:
    log = FOLDER / "anatomy.log"
    with log.open("w") as output:
        process = subprocess.Popen(command, env=dict(environment), stdout=output, stderr=output)
    try:
        wait_until_listening(process, port, log)
        yield psutil.Process(process.pid)
    finally:
        end(process)


if __name__ == "__main__":
    sys.exit(main())
