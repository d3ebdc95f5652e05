"""Measure one workload: check all sides, load them in turn, then measure the limit."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg

from tools.benchmarks.answers import Answer, ask, difference, features_of
from tools.benchmarks.load import Load, Target, run_load
from tools.benchmarks.peers import PEERS
from tools.benchmarks.pgbench import Script, make_script, run_pgbench
from tools.benchmarks.servers import Servers, file_server
from tools.benchmarks.settings import BenchmarkError, BenchmarkSettings
from tools.benchmarks.statements import record_statements
from tools.benchmarks.usage import memory_megabytes, processor_seconds
from tools.benchmarks.workload import Workload

_WARM_UP_SECONDS = 1
_SAMPLES = 60
_READER = "dams"
_REQUESTS = re.compile(r"^dams_request_seconds_count\{route=\"(/collections[^\"]*)\".*\} ([\d.e+]+)$", re.MULTILINE)
_HITS = re.compile(r"^dams_tile_cache_lookups_total\{result=\"hit\"\} ([\d.e+]+)$", re.MULTILINE)


@dataclass
class Side:
    """Results of one side over all rounds."""

    loads: list[Load] = field(default_factory=list)
    processor_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds per request, by role: equals seconds per 1,000 requests."""
    cached: float | None = None
    """Share of responses from a cache; None without a cache."""

    @property
    def rate(self) -> float:
        return sum(load.requests for load in self.loads) / sum(load.seconds for load in self.loads)

    @property
    def requests(self) -> int:
        return sum(load.requests for load in self.loads)


@dataclass
class Result:
    """All results of a workload; `remarks` list what could not be measured."""

    workload: Workload
    product: Side = field(default_factory=Side)
    peers: dict[str, Side] = field(default_factory=dict)
    """Peers that give the same responses."""
    memory_mb: dict[str, float] = field(default_factory=dict)
    """Memory by role, after the load."""
    limit_rate: float | None = None
    limit_of: str = ""
    answer_bytes: int = 0
    peer_bytes: dict[str, int] = field(default_factory=dict)
    features: float = 0
    remarks: list[str] = field(default_factory=list)


class Meter:
    """Measures workloads on running servers."""

    def __init__(self, servers: Servers, settings: BenchmarkSettings, connection: asyncpg.Connection) -> None:
        self._servers = servers
        self._settings = settings
        self._connection = connection
        # hosts never repeat between runs, and each load starts at another of 60,000 paths
        self._numbers = itertools.count(int(time.time()), 5_049_001)
        self._turns = itertools.count(0, 4_999)

    async def measure(self, workload: Workload) -> Result:
        """Return all results of one workload. Raises BenchmarkError if responses are wrong."""
        servers, result = self._servers, Result(workload)
        content = self._check(result)
        script = await self._script(result) if workload.limit else None
        per_round = self._settings.seconds / self._settings.rounds
        for target in (servers.product, *(servers.peers[name] for name in result.peers)):
            # fill a measured cache first
            filling = 4 if target is servers.product and not workload.uncached else 1
            await self._load(workload, target, _WARM_UP_SECONDS * filling)
        limit: list[float] = []
        for turn in range(self._settings.rounds):
            await self._measure_round(result.product, workload, servers.product, per_round)
            for name, side in result.peers.items():
                enough = side.loads and workload.peer_seconds
                if not enough:
                    await self._measure_round(
                        side, workload, servers.peers[name], max(per_round, workload.peer_seconds)
                    )
            if script is not None and turn == 0:
                limit.append(
                    run_pgbench(servers.reader_url, script, seconds=per_round, connections=workload.connections)
                )
            if workload.file:
                with file_server(servers.file.port, content.body):
                    limit.append((await self._load(workload, servers.file, per_round)).rate)
        if limit:
            result.limit_rate, result.limit_of = sum(limit) / len(limit), "pgbench" if script else "nginx, file"
        result.memory_mb = memory_megabytes(servers.processes)
        self._doubt(result)
        return result

    def _check(self, result: Result) -> Answer:
        """Compare responses of all sides and return the product's last one. Raises BenchmarkError if they differ."""
        workload, servers = result.workload, self._servers
        others = {name: paths for name in servers.peers if (paths := PEERS[name].paths(workload)) is not None}
        result.peers = {name: Side() for name in others}
        result.peer_bytes = dict.fromkeys(others, 0)
        step = max(1, len(workload.paths) // max(1, workload.checked))
        counted, ours = [], None
        for number in range(0, len(workload.paths), step)[: max(1, workload.checked)]:
            ours = ask(servers.product, workload.paths[number], encoding=workload.encoding)
            found = features_of(ours.content, workload.kind)
            counted.append(len(found))
            result.answer_bytes += len(ours.body)
            for name, paths in others.items():
                theirs = ask(servers.peers[name], paths[number], encoding=workload.encoding)
                result.peer_bytes[name] += len(theirs.body)
                wrong = difference(found, features_of(theirs.content, workload.kind), workload.kind)
                if wrong and workload.checked:
                    raise BenchmarkError(f"{workload.paths[number]}: {name}: {wrong}")
        if ours is None:
            raise BenchmarkError(f"{workload.name} asks for nothing")
        result.answer_bytes //= len(counted)
        result.peer_bytes = {name: size // len(counted) for name, size in result.peer_bytes.items()}
        result.features = sum(counted) / len(counted)
        return ours

    async def _script(self, result: Result) -> Script | None:
        """Return pgbench's script of the product's statements in this workload."""
        workload, servers = result.workload, self._servers
        table = workload.paths[0].split("/")[2]
        await self._new_versions(workload)
        paths = [*workload.paths[: _SAMPLES + 1], *(workload.paths[:1] if len(workload.paths) == 1 else ())]
        async with record_statements(servers.owner_url, servers.postgresql_log, _READER) as log:
            # the first request of each type makes a process count rows, which other processes have done already
            for _ in range(2 * max(len(servers.features_ports), len(servers.tiles_ports))):
                ask(servers.product, paths[0], host=f"s{next(self._numbers)}.example")
            await log.new(table)
            asked = paths[1:]
            for path in asked:
                ask(servers.product, path, host=f"s{next(self._numbers)}.example")
            found = await log.new(table)
        each = len(found) // len(asked)
        samples = [found[start : start + each] for start in range(0, len(found), max(1, each))]
        samples = [sorted(sample, key=lambda statement: statement.text) for sample in samples]
        try:
            return make_script(samples)
        except BenchmarkError as error:
            result.remarks.append(f"no limit: {error}")
            return None

    async def _measure_round(self, side: Side, workload: Workload, target: Target, seconds: float) -> None:
        """Measure one round with its cost."""
        await self._new_versions(workload, wait=target is self._servers.product)
        counters = self._counters()
        before = processor_seconds(self._servers.processes)
        load = await self._load(workload, target, seconds)
        after = processor_seconds(self._servers.processes)
        side.loads.append(load)
        for role, used in after.items():
            earlier = side.processor_ms.get(role, 0.0) * (side.requests - load.requests)
            side.processor_ms[role] = (earlier + (used - before[role]) * 1000) / max(1, side.requests)
        if target is self._servers.product:
            requests, hits = (now - then for now, then in zip(self._counters(), counters, strict=True))
            fresh = max(0.0, requests - hits) / max(1, load.requests)
            share = max(0.0, 1 - fresh)
            side.cached = (
                share if side.cached is None else (side.cached * (len(side.loads) - 1) + share) / len(side.loads)
            )

    async def _load(self, workload: Workload, target: Target, seconds: float) -> Load:
        paths: Sequence[str] = workload.paths
        if target.name in self._servers.peers:
            paths = PEERS[target.name].paths(workload) or []
        elif target is self._servers.file:
            paths = ["/file"]
        return await asyncio.to_thread(
            run_load,
            target,
            paths,
            seconds=seconds,
            connections=workload.connections,
            first=next(self._numbers if workload.vary_host else self._turns) if workload.uncached else 0,
            vary_host=workload.vary_host,
            encoding=workload.encoding,
        )

    async def _new_versions(self, workload: Workload, *, wait: bool = True) -> None:
        for table in workload.new_version if wait else ():
            await new_version(self._servers, self._connection, table)

    def _counters(self) -> tuple[float, float]:
        """Return the requests about collections that reached the services, and tiles from Redis."""
        requests = hits = 0.0
        for port in (self._servers.common_port, *self._servers.features_ports, *self._servers.tiles_ports):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/internal/metrics") as answer:
                text = answer.read().decode()
            requests += sum(float(count) for _, count in _REQUESTS.findall(text))
            hits += sum(float(count) for count in _HITS.findall(text))
        return requests, hits

    def _doubt(self, result: Result) -> None:
        """Add remarks about facts that weaken a figure."""
        workload = result.workload
        if workload.uncached and "session" not in workload.name and (result.product.cached or 0) > 0.02:
            result.remarks.append(f"{result.product.cached:.0%} of the product's answers came from a cache")
        sides = [(result.product, result.answer_bytes)]
        sides += [(side, result.peer_bytes[name]) for name, side in result.peers.items()]
        for side, size in sides:
            received = sum(load.bytes for load in side.loads) / max(1, side.requests)
            if workload.checked > 1 and len(set(workload.paths)) == 1 and received < 0.95 * size:
                raise BenchmarkError(f"{workload.name}: {received:.0f} bytes an answer under load, {size} before")


async def new_version(servers: Servers, connection: asyncpg.Connection, table: str) -> None:
    """Commit a change of a table and wait until the product notices it. Raises BenchmarkError if it does not."""
    # not through the gateway, which may have a cached response
    tiles = [Target("tiles", port) for port in servers.tiles_ports]
    path = f"/collections/{table}/tiles/WebMercatorQuad/0/0/0?limit=1"
    before = {ask(target, path).headers["ETag"] for target in tiles}
    await connection.execute(f"UPDATE {table} SET id = id WHERE id = 1")
    deadline = time.monotonic() + 10
    while any(ask(target, path).headers["ETag"] in before for target in tiles):
        if time.monotonic() > deadline:
            raise BenchmarkError(f"a change of {table} does not show within 10 s")
        await asyncio.sleep(0.1)
