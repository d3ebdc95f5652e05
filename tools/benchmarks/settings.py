"""Settings of a benchmark run: its workloads, its duration, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from deploy.local.settings import PROCESSES

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / ".local" / "bench"

SCHEMA = "bench"
LARGE_SCHEMA = "bench_large"
GROWTH_SCHEMA = "bench_growth"
PARTITION_ROWS = (10**5, 10**6, 10**7)
PARTITION_SCHEMAS = {
    (rows, by_season): f"bench_{'seasons' if by_season else 'plain'}_{rows}"
    for rows in PARTITION_ROWS
    for by_season in (False, True)
}
"""Schemas with a table of this many rows each, partitioned by season or plain."""
SEED = 1


class BenchmarkError(Exception):
    """The benchmark cannot go on; the message is for the person at the terminal."""


@dataclass(frozen=True, slots=True)
class BenchmarkSettings:
    """`seconds` of load per workload and side, in `rounds` that take turns; `only` names workloads, empty for all.

    `processes` is the number of features and of tiles processes, `peers` the names of the peers to measure,
    `peer_processes` their number of workers.
    """

    seconds: float = 4.0
    rounds: int = 2
    only: tuple[str, ...] = ()
    large: bool = False
    growth: bool = False
    """Only tables of growing size."""
    partitions: bool = False
    """The schemas of tables with and without partitions, which are filled during the run."""
    keep: bool = False
    processes: int = PROCESSES
    peers: tuple[str, ...] = ("tipg",)
    peer_processes: int = PROCESSES

    @property
    def schemas(self) -> tuple[str, ...]:
        """Schemas that all sides serve."""
        if self.partitions:
            return tuple(PARTITION_SCHEMAS.values())
        if self.growth:
            return (GROWTH_SCHEMA,)
        return (SCHEMA, LARGE_SCHEMA) if self.large else (SCHEMA,)
