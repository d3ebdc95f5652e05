"""Use of each pool as metrics, computed on request."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol
from weakref import WeakSet

from prometheus_client import Gauge, Histogram

_CONNECTIONS = Gauge("dams_database_connections", "Connections to the database", ["pool", "state"])
_SIZE = Gauge("dams_database_pool_size", "Most connections that a pool may have", ["pool"])
_WAITING = Gauge("dams_database_waiting", "Requests that wait for a connection", ["pool"])
WAITS = Histogram(
    "dams_database_wait_seconds",
    "How long requests waited for a connection, those that had to",
    ["pool"],
    buckets=(0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5),
)


class Used(Protocol):
    """A pool that knows how many of its connections are in use."""

    @property
    def in_use(self) -> int: ...
    @property
    def idle(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    @property
    def size(self) -> int: ...


_POOLS: dict[str, WeakSet[Used]] = {}


def watch(name: str, pool: Used) -> None:
    """Count the pool under that name, as long as it lives. Names are few: from programs, never from clients."""
    if name not in _POOLS:
        pools = _POOLS[name] = WeakSet()
        _CONNECTIONS.labels(name, "in_use").set_function(partial(_sum, pools, lambda each: each.in_use))
        _CONNECTIONS.labels(name, "idle").set_function(partial(_sum, pools, lambda each: each.idle))
        _WAITING.labels(name).set_function(partial(_sum, pools, lambda each: each.waiting))
        _SIZE.labels(name).set_function(partial(_sum, pools, lambda each: each.size))
    _POOLS[name].add(pool)


def _sum(pools: WeakSet[Used], of: Callable[[Used], int]) -> float:
    return sum(map(of, pools))
