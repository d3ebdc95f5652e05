"""The requests to all sides, and their targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of request: its paths, and how cached responses are prevented."""

    name: str
    title: str
    kind: str
    """Kind of response, see `answers.features_of`."""
    paths: Sequence[str]
    uncached: str
    """How caches are defeated on all sides, for the report. Empty if caches are part of the measurement."""
    peer_paths: Sequence[str] | None = None
    """Other addresses for the same responses, for peers that use our query language."""
    vary_host: bool = False
    """Whether each request has another host, because caches store responses by host."""
    new_version: tuple[str, ...] = ()
    """Tables that get a new data version before each round, so that none of their cached tiles is valid."""
    encoding: str | None = None
    connections: int = 8
    peer_seconds: float = 0.0
    """Minimum seconds for a peer that is too slow for the usual time."""
    limit: bool = False
    """Whether to measure PostgreSQL's rate for the same statements."""
    file: bool = False
    """Whether to measure nginx's rate for a file with the same content."""
    checked: int = 8
    """Number of paths to compare with the peers' responses."""
    of_peer: Mapping[str, float] = field(default_factory=dict)
    """Targets by peer: product / peer."""
    of_limit: float | None = None
    """Target: product / the limit: PostgreSQL alone, or nginx with a file."""
    of_other: tuple[str, float] | None = None
    """Target: rate of the named workload / rate of this one, at most."""
