"""The servers of a run: one shared PostgreSQL, the product, its peers, and an nginx that serves one file."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from deploy.local import postgresql, stack
from deploy.local.ports import choose_ports
from deploy.local.programs import SPARE
from deploy.local.settings import StackSettings
from deploy.local.state import StateFolder
from deploy.local.supervision import Supervisor
from tools.benchmarks.data import prepare_data, tables_of
from tools.benchmarks.load import Target
from tools.benchmarks.peers import PEERS
from tools.benchmarks.peers.peer import Peer, Wanted
from tools.benchmarks.settings import FOLDER, BenchmarkError, BenchmarkSettings

_SERVERS = FOLDER / "servers"
_STACK = FOLDER / "stack"


@dataclass(frozen=True, slots=True)
class Servers:
    """The running servers and their addresses."""

    product: Target
    peers: dict[str, Target]
    file: Target
    owner_url: str
    reader_url: str
    postgresql_log: Path
    common_port: int
    features_ports: tuple[int, ...]
    tiles_ports: tuple[int, ...]
    processes: dict[str, psutil.Process]
    """The first process of each: `postgresql`, `redis`, `features`, `tiles`, `gateway`, `supervisor`, `tipg`, …"""


@contextmanager
def running_servers(settings: BenchmarkSettings) -> Iterator[Servers]:
    """Start all servers with the data, and stop them at the end (unless the settings say `keep`)."""
    databases = StackSettings(state_dir=_SERVERS)
    stack.up(databases, servers_only=True)
    try:
        folder = StateFolder(_SERVERS)
        state = folder.load()
        password = folder.secret("reader-password")
        owner_url = stack.owner_url(folder, state)
        asyncio.run(_prepare(stack.owner_url(folder, state, "postgres"), owner_url, password, settings))
        ports = choose_ports(["gateway", "file", *settings.peers], {}, FOLDER)
        services = StackSettings(
            state_dir=_STACK,
            gateway_port=ports["gateway"],
            features_processes=settings.processes,
            tiles_processes=settings.processes,
            collection_schemas=",".join(settings.schemas),
            database_url=stack.reader_url(folder, state),
            redis_url=stack.redis_url(folder, state),
        )
        # warming up would render tiles while others are measured
        os.environ["DAMS_TILE_WARM_UP"] = "none"
        stack.up(services)
        try:
            with ExitStack() as running:
                started = {
                    name: running.enter_context(
                        _peer(PEERS[name], ports[name], stack.reader_url(folder, state), settings)
                    )
                    for name in settings.peers
                }
                yield _describe(folder, ports, owner_url, started)
        finally:
            if not settings.keep:
                stack.down(services)
    finally:
        if not settings.keep:
            stack.down(databases)


async def _prepare(server_url: str, owner_url: str, reader_password: str, settings: BenchmarkSettings) -> None:
    await postgresql.make_database(server_url, postgresql.DATABASE)
    await prepare_data(owner_url, postgresql.READER, reader_password, tables_of(settings))


def _describe(folder: StateFolder, ports: dict[str, int], owner_url: str, peers: dict[str, psutil.Process]) -> Servers:
    processes = dict(peers)
    for state_folder in (folder, StateFolder(_STACK)):
        supervisor = Supervisor(state_folder, state_folder.load().ports["supervisor"])
        for name, info in supervisor.states().items():
            if info["pid"]:
                processes[name] = psutil.Process(info["pid"])
        if state_folder is not folder:
            processes["supervisor"] = psutil.Process(int(state_folder.supervisor_pid.read_text()))
    # the spare process of a single-process service runs while that is replaced
    product = {name: port for name, port in StateFolder(_STACK).load().ports.items() if not name.endswith(SPARE)}
    return Servers(
        product=Target("product", ports["gateway"], "/api"),
        peers={name: Target(name, ports[name]) for name in peers},
        file=Target("file", ports["file"]),
        owner_url=owner_url,
        reader_url=stack.reader_url(folder, folder.load()),
        postgresql_log=folder.log / "postgresql.log",
        common_port=product["common"],
        features_ports=tuple(port for name, port in product.items() if name.startswith("features_")),
        tiles_ports=tuple(port for name, port in product.items() if name.startswith("tiles_")),
        processes=processes,
    )


@contextmanager
def _peer(peer: Peer, port: int, database_url: str, settings: BenchmarkSettings) -> Iterator[psutil.Process]:
    log = FOLDER / f"{peer.name}.log"
    wanted = Wanted(port, settings.peer_processes, database_url, settings.schemas)
    with log.open("w") as output:
        process = subprocess.Popen(
            peer.command(wanted),
            env=peer.environment(wanted),
            cwd=FOLDER,
            stdout=output,
            stderr=output,
        )
    try:
        wait_until_listening(process, port, log)
        yield psutil.Process(process.pid)
    finally:
        end(process)


@contextmanager
def file_server(port: int, content: bytes) -> Iterator[psutil.Process]:
    """Run a default nginx with one file of this content at /file: the minimum cost of serving bytes."""
    folder = FOLDER / "nginx"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    (folder / "html").mkdir()
    (folder / "html" / "file").write_bytes(content)
    user = "user root;" if os.geteuid() == 0 else ""
    paths = " ".join(f"{kind}_temp_path tmp/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"{user} worker_processes auto; daemon off; pid nginx.pid; error_log error.log;\n"
        f"events {{ worker_connections 2048; }}\n"
        f"http {{ {paths} access_log access.log; sendfile on; tcp_nopush on; keepalive_requests 1000;\n"
        f"server {{ listen 127.0.0.1:{port}; root html; default_type application/vnd.mapbox-vector-tile; }} }}\n"
    )
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        raise BenchmarkError("nginx is not installed")
    process = subprocess.Popen([program, "-e", "error.log", "-p", str(folder), "-c", "nginx.conf"], stderr=sys.stderr)
    try:
        wait_until_listening(process, port, folder / "error.log")
        yield psutil.Process(process.pid)
    finally:
        end(process)


def wait_until_listening(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until a program listens. Raises BenchmarkError with the end of its log after a minute, or if it ends."""
    for _ in range(600):
        if process.poll() is not None:
            break
        if any(
            found.laddr.port == port and found.status == psutil.CONN_LISTEN
            for found in psutil.Process(process.pid).net_connections("tcp")
            if found.laddr
        ):
            return
        time.sleep(0.1)
    end(process)
    raise BenchmarkError(f"{process.args!r} does not listen:\n{log.read_text(errors='replace')[-3000:]}")


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a program, and kill it after ten seconds."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
