"""PostgreSQL clusters of a test that needs more than one, such as a replica; in temporary folders, on loopback."""

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
    """PostgreSQL refuses to run as root."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*user, *command], check=True, capture_output=True, cwd="/")


def free_port() -> int:
    """A TCP port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class PrivateCluster:
    """A running server; `port` on 127.0.0.1, superuser postgres without password."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.data = folder / "data"

    def url(self, database: str) -> str:
        """The address of a database, as superuser."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def create(self) -> None:
        """A new, empty cluster."""
        _as_server_user(
            [
                *(str(_programs() / "initdb"), "-D", str(self.data), "-A", "trust", "-U", "postgres"),
                *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync"),
            ]
        )

    def copy_of(self, primary: "PrivateCluster") -> None:
        """A physical replica of a running cluster."""
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
        """Stop, if it runs: at once, as a crash would, or `fast`, in order."""
        if (self.data / "postmaster.pid").exists():
            _as_server_user([str(_programs() / "pg_ctl"), "-D", str(self.data), "-m", mode, "-w", "stop"])

    def restart(self) -> None:
        """Stop it in order and start it again, as for a minor release; wait until it answers."""
        self.stop(mode="fast")
        self.start()

    def promote(self) -> None:
        """Make the replica a primary, with a timeline of its own."""
        _as_server_user([str(_programs() / "pg_ctl"), "-D", str(self.data), "-w", "promote"])

    def put_back(self, copy: Path) -> None:
        """Start with a copy of the data as they were at an earlier time."""
        shutil.rmtree(self.data)
        _as_server_user(["cp", "-a", "--", str(copy), str(self.data)])
        self.start()

    def copied(self) -> Path:
        """A copy of the data; the server must be stopped."""
        copy = self.data.with_name("copy")
        _as_server_user(["cp", "-a", "--", str(self.data), str(copy)])
        return copy


@contextmanager
def private_cluster(primary: PrivateCluster | None = None) -> Iterator[PrivateCluster]:
    """A new cluster, or a replica of `primary`, for as long as the block lasts."""
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
