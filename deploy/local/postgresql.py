"""A private PostgreSQL cluster with PostGIS: find the programs, create it, describe it to the supervisor."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import asyncpg

from deploy.local.processes import find_running
from deploy.local.settings import StackError
from deploy.local.state import StateFolder, write_private

OWNER = "dams_owner"
READER = "dams"
LOADER = "dams_load"
DATABASE = "dams"

# For a machine with two cores that also runs everything else. `jit` costs more than it saves on short queries.
SERVER_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "max_connections": "200",
    "random_page_cost": "1.1",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    # files of the demo data's load are deleted at the next checkpoint
    "wal_recycle": "off",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # only users with access to the folder, which is the folder's group
    "unix_socket_permissions": "0770",
    "log_line_prefix": "%m [%p] %q%u@%d ",
}


def find_programs() -> Path:
    """Return the folder with `initdb` and `postgres` of the newest server that has PostGIS.

    Raises StackError if there is none.
    """
    candidates = []
    for control in Path("/usr/share/postgresql").glob("*/extension/postgis.control"):
        programs = Path("/usr/lib/postgresql") / control.parts[-3] / "bin"
        if (programs / "initdb").exists() and control.parts[-3].isdecimal():
            candidates.append((int(control.parts[-3]), programs))
    if candidates:
        return max(candidates)[1]
    if pg_config := shutil.which("pg_config"):
        answer = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=True)
        programs = Path(answer.stdout.strip())
        if (programs / "initdb").exists():
            return programs
    raise StackError("PostgreSQL with PostGIS is not installed; `make up` installs it")


def server_user() -> str | None:
    """Return the user that runs the server, because PostgreSQL refuses root; None is the current user."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError as error:
        raise StackError("root cannot run PostgreSQL and there is no user `postgres`") from error


def choose_cluster(folder: StateFolder) -> Path:
    """Return the folder of a new cluster: below DAMS_STATE_DIR, or in its user's home if that is not accessible."""
    user = server_user()
    inside = folder.folder("postgresql")
    inside.chmod(0o700)
    if user is None:
        return inside / "cluster"
    shutil.chown(inside, user)
    if run_as(user, ["test", "-w", str(inside)], check=False).returncode == 0:
        return inside / "cluster"
    inside.rmdir()
    name = "dams-" + hashlib.sha256(str(folder.path).encode()).hexdigest()[:12]
    outside = Path(pwd.getpwnam(user).pw_dir) / name
    outside.mkdir(mode=0o700, exist_ok=True)
    shutil.chown(outside, user)
    return outside / "cluster"


def make_cluster(cluster: Path, password: str) -> None:
    """Create an empty cluster (UTF-8, C.UTF-8, passwords as SCRAM); an incomplete one is deleted first.

    Raises StackError with the output of `initdb`.
    """
    if (cluster / "PG_VERSION").exists():
        return
    user = server_user()
    new = cluster.with_name("cluster.new")
    password_file = cluster.with_name("password")
    shutil.rmtree(new, ignore_errors=True)
    write_private(password_file, password)
    if user:
        shutil.chown(password_file, user)
    command = [str(find_programs() / "initdb"), "--pgdata", str(new), "--username", OWNER]
    command += ["--pwfile", str(password_file), "--auth", "scram-sha-256", "--encoding", "UTF8"]
    command += ["--locale", "C.UTF-8", "--no-instructions"]
    made = run_as(user, command, check=False)
    password_file.unlink()
    if made.returncode != 0:
        raise StackError(f"initdb failed:\n{made.stdout}{made.stderr}")
    new.rename(cluster)


def make_socket_folder(sockets: Path, client: str | None) -> None:
    """Create the folder for the server's socket among those of the stack; `client` is the user that may connect.

    None is the current user. Raises StackError if the server's user has no access.
    """
    folder = socket_folder(sockets)
    folder.mkdir(mode=0o700)
    if user := server_user():
        shutil.chown(folder, user)
        if client:
            os.chown(folder, -1, pwd.getpwnam(client).pw_gid)
            folder.chmod(0o2750)  # the socket gets the folder's group
        if run_as(user, ["test", "-w", str(folder)], check=False).returncode != 0:
            raise StackError(f"the user {user} cannot get into {folder}")


def socket_folder(sockets: Path) -> Path:
    return sockets / "postgresql"


def server_command(cluster: Path, port: int, sockets: Path | None) -> list[str]:
    """Return the command that runs the server in the foreground; `sockets` is the folder of the Unix sockets."""
    command = [str(find_programs() / "postgres"), "-D", str(cluster), "-p", str(port)]
    folder = str(socket_folder(sockets)) if sockets else ""
    for name, value in {**SERVER_SETTINGS, "unix_socket_directories": folder}.items():
        command += ["-c", f"{name}={value}"]
    return command


def remove_stale_lock(cluster: Path) -> None:
    """Remove the lock file of a server that was killed, if its process id now belongs to another program."""
    lock = cluster / "postmaster.pid"
    if lock.exists() and find_running(lock, str(cluster)) is None:
        lock.unlink()


def owner_url(port: int, password: str, database: str = DATABASE) -> str:
    return f"postgresql://{OWNER}:{password}@127.0.0.1:{port}/{database}"


def loader_url(port: int, password: str, database: str = DATABASE) -> str:
    return f"postgresql://{LOADER}:{password}@127.0.0.1:{port}/{database}"


def reader_url(port: int, password: str, sockets: Path | None, database: str = DATABASE) -> str:
    """Return the address with the Unix socket, if there is a folder of sockets."""
    host = quote(str(socket_folder(sockets)), safe="") if sockets else "127.0.0.1"
    return f"postgresql://{READER}:{password}@{host}:{port}/{database}"


async def is_ready(url: str) -> bool:
    """Return whether the server accepts connections to this database."""
    try:
        connection = await asyncpg.connect(url, timeout=3)
    except (OSError, TimeoutError, asyncpg.CannotConnectNowError):
        return False
    await connection.close()
    return True


async def write_checkpoint(url: str) -> None:
    """Write changed pages to the tables now, so that the server deletes the log of a load."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def make_database(url_of_server: str, name: str) -> None:
    """Create the database if it does not exist; `url_of_server` is another database of the owner."""
    connection = await asyncpg.connect(url_of_server)
    try:
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
            await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()


def run_as(
    user: str | None, command: list[str], *, check: bool, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program as the server's user until it ends, with these additional variables; return its output."""
    # Not in the working directory: the server's user may be unable to access it.
    return subprocess.run(
        command,
        check=check,
        cwd="/",
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        user=user,
        group=pwd.getpwnam(user).pw_gid if user else None,
        extra_groups=[] if user else None,
        env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
    )
