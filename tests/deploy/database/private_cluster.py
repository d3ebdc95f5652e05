"""PostgreSQL clusters for tests that need several, such as a replica; in temporary folders, on loopback."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp


def _programs() -> Path:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    if found is None:
        raise RuntimeError("PostgreSQL's server programs are not installed")
    return Path(found).resolve().parent


def _as_server_user(command: list[str]) -> None:
    """Run a command as another user: PostgreSQL refuses root."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*user, *command], check=True, capture_output=True, cwd="/")


def free_port() -> int:
    """Return an unused TCP port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class PrivateCluster:
    """A running server; `port` on 127.0.0.1, superuser postgres without password."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.data = folder / "data"

    def url(self, database: str) -> str:
        """Return the address of a database, as superuser."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def create(self) -> None:
        """Create a new, empty cluster."""
        _as_server_user(
            [
                *(str(_programs() / "initdb"), "-D", str(self.data), "-A", "trust", "-U", "postgres"),
                *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync"),
            ]
        )

    def copy_of(self, primary: "PrivateCluster") -> None:
        """Create a physical replica of a running cluster."""
        _as_server_user(
            [
                *(str(_programs() / "pg_basebackup"), "-D", str(self.data), "-h", "127.0.0.1", "-p", str(primary.port)),
                *("-U", "postgres", "--write-recovery-conf", "--checkpoint=fast", "--no-sync"),
            ]
        )

    def start(self) -> None:
        """Start and wait until it answers."""
        settings = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        log = str(self.data.parent / "log")
        _as_server_user([str(_programs() / "pg_ctl"), "-D", str(self.data), "-o", settings, "-l", log, "-w", "start"])

    def stop(self, *, mode: str = "immediate") -> None:
        """Stop, if it runs: at once, like a crash, or `fast`, in order."""
        if (self.data / "postmaster.pid").exists():
            _as_server_user([str(_programs() / "pg_ctl"), "-D", str(self.data), "-m", mode, "-w", "stop"])

    def restart(self) -> None:
        """Stop in order and start again, as for a minor release; wait until it answers."""
        self.stop(mode="fast")
        self.start()

    def promote(self) -> None:
        """Make the replica a primary, with its own timeline."""
        _as_server_user([str(_programs() / "pg_ctl"), "-D", str(self.data), "-w", "promote"])

    def put_back(self, copy: Path) -> None:
        """Start with a copy of the data from an earlier time."""
        shutil.rmtree(self.data)
        _as_server_user(["cp", "-a", "--", str(copy), str(self.data)])
        self.start()

    def copied(self) -> Path:
        """Return a copy of the data; the server must be stopped."""
        copy = self.data.with_name("copy")
        _as_server_user(["cp", "-a", "--", str(self.data), str(copy)])
        return copy


@contextmanager
def private_cluster(primary: PrivateCluster | None = None) -> Iterator[PrivateCluster]:
    """Yield a new cluster, or a replica of `primary`, for as long as the block lasts."""
    folder = Path(mkdtemp(prefix="dams-test-postgresql-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        cluster = PrivateCluster(folder)
        if primary is None:
            cluster.create()
        else:
            cluster.copy_of(primary)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder)
