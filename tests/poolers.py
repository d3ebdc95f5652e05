"""A PgBouncer before a database, as an operator may have one: its clients share few sessions, by transaction."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from deploy.local.ports import choose_ports
from tests.eventually import eventually_true


@contextmanager
def pgbouncer(url: str, *, sessions: int, **settings: str) -> Iterator[str]:
    """Yield the address of the database at `url` through a PgBouncer with its defaults, except for `settings`.

    All clients connect as the role of `url`.
    """
    with tempfile.TemporaryDirectory(prefix="pgbouncer-") as name:
        folder = Path(name)
        port = choose_ports(["pgbouncer"], {}, folder)["pgbouncer"]
        file = folder / "pgbouncer.ini"
        file.write_text(_configuration(url, port, {"default_pool_size": str(sessions), **settings}), encoding="utf-8")
        command = ["pgbouncer", str(file)]
        if os.getuid() == 0:
            # it refuses to run as root
            folder.chmod(0o755)
            command[1:1] = ["-u", "nobody"]
        with (folder / "log").open("wb") as log:
            environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:

            def answers() -> bool:
                if process.poll() is not None:
                    raise RuntimeError((folder / "log").read_text())
                socket.create_connection(("127.0.0.1", port), timeout=2).close()
                return True

            eventually_true(answers)
            to = urlsplit(url)
            yield f"postgresql://{to.username}@127.0.0.1:{port}{to.path}"
        finally:
            process.terminate()
            process.wait()


def _configuration(url: str, port: int, settings: dict[str, str]) -> str:
    to = urlsplit(url)
    database = to.path.removeprefix("/")
    password = unquote(to.password or "").replace("'", "''")
    lines = [
        "[databases]",
        # with a role: clients need no file of passwords
        f"{database} = host={to.hostname} port={to.port} dbname={database} user={to.username} password='{password}'",
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        f"listen_port = {port}",
        "unix_socket_dir =",
        "auth_type = any",
        *(f"{name} = {value}" for name, value in settings.items()),
    ]
    return "\n".join([*lines, ""])
