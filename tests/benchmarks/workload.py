"""What is asked of all sides, and what is hoped for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of request: the paths, and how a cached answer is kept from passing for an uncached one."""

    name: str
    title: str
    kind: str
    """Of answer, see `answers.features_of`."""
    paths: Sequence[str]
    uncached: str
    """How caches are defeated on all sides; named in the report. Empty where they are part of what is measured."""
    peer_paths: Sequence[str] | None = None
    """Where a peer that speaks our language has other addresses for the same answers."""
    vary_host: bool = False
    """Each request names another host, as caches know answers by host."""
    new_version: tuple[str, ...] = ()
    """Tables that get a new data version before each round, so that no cached tile of theirs is valid."""
    encoding: str | None = None
    connections: int = 8
    peer_seconds: float = 0.0
    """At least so much for a peer, where it answers too slowly to be counted in the usual time."""
    limit: bool = False
    """Measure what PostgreSQL gives for the same statements."""
    file: bool = False
    """Measure what nginx gives for a file with the same content."""
    checked: int = 8
    """How many of the paths are compared with the peers' answers."""
    of_peer: Mapping[str, float] = field(default_factory=dict)
    """Targets by peer: product / peer."""
    of_limit: float | None = None
    """Target: product / the limit: PostgreSQL alone, or nginx with a file."""
    of_other: tuple[str, float] | None = None
    """Target: rate of the named workload / rate of this one, at most."""
