"""martin, a server of vector tiles in Rust, built from its package: with its cache for hot tiles, and without it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from tools.benchmarks.peers.peer import Peer, Wanted, output_of
from tools.benchmarks.settings import FOLDER
from tools.benchmarks.workload import Workload

_VERSION = "1.14.0"
"""The newest version that a compiler of a year ago can build."""
_FOLDER = FOLDER / "martin"
_PROGRAM = _FOLDER / "bin" / "martin"
_TILE = re.compile(r"/collections/\w+\.(?P<table>\w+)/tiles/WebMercatorQuad/(?P<address>\d+/\d+/\d+)(\?.*)?")
_MOST_FEATURES = 10_000
"""Maximum features of a tile, the same as ours."""
_CACHE_MEGABYTES = 512


def _install() -> str:
    """Compile with support for tables only; takes some ten minutes, once."""
    if not _PROGRAM.exists():
        print(f"Building martin {_VERSION}", flush=True)
        features = ["--no-default-features", "--features", "postgres"]
        output_of(["cargo", "install", "martin", "--version", _VERSION, "--locked", *features, "--root", str(_FOLDER)])
    return output_of([str(_PROGRAM), "--version"]).split()[-1]


def _command(wanted: Wanted, *, cache_megabytes: int) -> list[str]:
    return [
        str(_PROGRAM),
        *("--listen-addresses", f"127.0.0.1:{wanted.port}"),
        *("--workers", str(wanted.processes)),
        *("--pool-size", str(10 * wanted.processes)),
        *("--max-feature-count", str(_MOST_FEATURES)),
        *("--cache-size", str(cache_megabytes)),
        *("--auto-bounds", "skip"),
        wanted.database_url,
    ]


def _environment(_: Wanted) -> dict[str, str]:
    return {"RUST_LOG": "warn"}


def _paths(workload: Workload, *, cached: bool) -> Sequence[str] | None:
    if workload.kind not in ("points", "shapes") or cached == bool(workload.uncached):
        return None
    found = [_TILE.fullmatch(path) for path in workload.paths]
    return [f"/{tile['table']}/{tile['address']}" for tile in found if tile]


MARTIN = Peer("martin", _install, partial(_command, cache_megabytes=0), _environment, partial(_paths, cached=False))
MARTIN_CACHED = Peer(
    "martin-cached",
    _install,
    partial(_command, cache_megabytes=_CACHE_MEGABYTES),
    _environment,
    partial(_paths, cached=True),
)
