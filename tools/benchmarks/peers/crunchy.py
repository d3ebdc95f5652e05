"""pg_featureserv and pg_tileserv, servers of features and of vector tiles in Go.

No package registry has them, so they must be on the PATH: `go build` in their sources makes each of them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import partial
from urllib.parse import unquote, urlsplit

from tools.benchmarks.peers.peer import Peer, Wanted
from tools.benchmarks.settings import BenchmarkError
from tools.benchmarks.workload import Workload

_TILE = re.compile(r"/collections/(?P<table>[\w.]+)/tiles/WebMercatorQuad/(?P<address>\d+/\d+/\d+)(\?.*)?")
_INSTANT, _ITS_VALUE = re.compile(r"TIMESTAMP%28%27(.*?)%27%29"), r"\1"
_MOST_FEATURES = 10_000
"""Maximum features of a page or a tile, the same as ours."""


def _install(name: str) -> str:
    if shutil.which(name) is None:
        raise BenchmarkError(f"{name} is not on the PATH; no package registry has it: build it from its sources")
    # one exits with an error after its version, and the other only has a version if built with one
    told = subprocess.run([name, "--version"], capture_output=True, text=True, check=False)
    return told.stdout.removeprefix(name).strip() or "unknown"


def _command(_: Wanted, *, name: str) -> list[str]:
    return [str(shutil.which(name))]


def _environment(wanted: Wanted, *, server: str, database: str, most: str) -> dict[str, str]:
    """Return an environment with as many threads as our services have processes, and ten connections each."""
    return {
        "DATABASE_URL": _keywords(wanted.database_url),
        "GOMAXPROCS": str(wanted.processes),
        f"{server}HTTPHOST": "127.0.0.1",
        f"{server}HTTPPORT": str(wanted.port),
        f"{database}DBPOOLMAXCONNS": str(10 * wanted.processes),
        # pg_featureserv would list all schemas of the database
        f"{database}TABLEINCLUDES": " ".join(wanted.schemas),
        most: str(_MOST_FEATURES),
        "PATH": os.environ.get("PATH", ""),
    }


def _keywords(url: str) -> str:
    """Go's addresses do not support a folder of sockets as a host."""
    parts = urlsplit(url)
    server, _, port = parts.netloc.rpartition("@")[2].partition(":")
    names = {"host": unquote(server), "port": port, "user": parts.username, "password": parts.password}
    return " ".join(f"{name}='{value}'" for name, value in (names | {"dbname": parts.path[1:]}).items() if value)


def _features_paths(workload: Workload) -> Sequence[str] | None:
    """Return addresses in the order of the key, like ours, so that the rows are the same; it does not count."""
    if workload.kind == "collections":
        return [f"{path}.json" for path in workload.paths]
    if workload.kind not in ("items", "item"):
        return None
    return [_features_path(path) for path in workload.peer_paths or workload.paths]


def _features_path(path: str) -> str:
    address, _, query = path.partition("?")
    return f"{address}.json?{_INSTANT.sub(_ITS_VALUE, query)}&sortby=id" if query else f"{address}.json"


def _tiles_paths(workload: Workload) -> Sequence[str] | None:
    if workload.kind not in ("points", "shapes") or not workload.uncached:
        return None
    found = [_TILE.fullmatch(path) for path in workload.paths]
    return [f"/{tile['table']}/{tile['address']}.pbf" for tile in found if tile]


PG_FEATURESERV = Peer(
    "pg_featureserv",
    partial(_install, "pg_featureserv"),
    partial(_command, name="pg_featureserv"),
    partial(_environment, server="PGFS_SERVER_", database="PGFS_DATABASE_", most="PGFS_PAGING_LIMITMAX"),
    _features_paths,
)
PG_TILESERV = Peer(
    "pg_tileserv",
    partial(_install, "pg_tileserv"),
    partial(_command, name="pg_tileserv"),
    partial(_environment, server="TS_", database="TS_", most="TS_MAXFEATURESPERTILE"),
    _tiles_paths,
)
