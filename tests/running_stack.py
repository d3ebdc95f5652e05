"""Stacks of the test session: brought up by the same program that `make up` uses, in folders of their own."""

from __future__ import annotations

import fcntl
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from deploy.local import stack as local_stack
from deploy.local.ports import choose_ports
from deploy.local.programs import SPARE, service_of
from deploy.local.settings import REPOSITORY
from deploy.local.state import StateFolder
from deploy.local.supervision import Supervisor

HERE = {"127.0.0.1", "localhost", "::1"}
"""Names of this machine."""


@dataclass(frozen=True)
class Cluster:
    """A private PostgreSQL cluster with PostGIS, and a Redis."""

    state_dir: Path

    def owner_url(self, database: str) -> str:
        """Address of a database for the role that may do everything, create databases too."""
        folder = StateFolder(self.state_dir)
        return local_stack.owner_url(folder, folder.load(), database)

    def reader_url(self, database: str) -> str:
        """Address of a database for the role of the services, where the schema has been applied with it."""
        folder = StateFolder(self.state_dir)
        return local_stack.reader_url(folder, folder.load()).rpartition("/")[0] + f"/{database}"

    @property
    def redis_url(self) -> str:
        """Address of the Redis, database 0."""
        folder = StateFolder(self.state_dir)
        return f"redis://:{folder.secret('redis-password')}@127.0.0.1:{folder.load().ports['redis']}/0"


@dataclass(frozen=True)
class RunningStack(Cluster):
    """All of the product. `base_url` ends with `/api`; the database `dams` holds the demo data."""

    base_url: str

    @property
    def is_here(self) -> bool:
        """Return whether the stack runs on this machine, in its state folder."""
        return True

    @property
    def service_urls(self) -> dict[str, str]:
        """Addresses by program: `common`, `features_0`, …, `tiles_0`, …, `viewer`, `gateway_internal`."""
        ports = StateFolder(self.state_dir).load().ports
        servers = {"supervisor", "postgresql", "redis"}
        return {
            name: f"http://127.0.0.1:{port}"
            for name, port in ports.items()
            if name not in servers and not name.endswith(SPARE)
        }

    def stop(self, program: str) -> None:
        """Stops one program, or all processes of a service; waits for the end."""
        for name in self._named(program):
            self._supervisor().stop_program(name)

    def start(self, program: str) -> None:
        """Starts again what `stop` stopped; does not wait until it answers."""
        for name in self._named(program):
            self._supervisor().start_program(name)

    def pid(self, program: str) -> int:
        """The process id of a program."""
        return int(self._supervisor().states()[program]["pid"])

    def restart(self) -> None:
        """What `make restart` does."""
        state = StateFolder(self.state_dir).load()
        ports = state.ports
        counts = {
            service.upper(): str(sum(service_of(name) == service and not name.endswith(SPARE) for name in ports))
            for service in ("features", "tiles")
        }
        port = gateway_port(self.state_dir)
        environment = {**os.environ, **counts, "DAMS_STATE_DIR": str(self.state_dir), "DAMS_GATEWAY_PORT": str(port)}
        # the clock of simulated data stays at the day that the tests need
        environment["DAMS_DEMO_TODAY"] = (state.loaded or "").rpartition(" ")[2]
        _command(["restart"], environment)

    def _named(self, program: str) -> list[str]:
        names = self._supervisor().states()
        return [name for name in names if program in {name, service_of(name)} and not name.endswith(SPARE)]

    def _supervisor(self) -> Supervisor:
        folder = StateFolder(self.state_dir)
        return Supervisor(folder, folder.load().ports["supervisor"])


class StackElsewhere(RunningStack):
    """All of the product on other machines, in a cluster for instance: its address leads there, and to no process.

    Skips a test that looks at its processes or files, and, where no address of its database is given, one that writes.
    """

    _database_url: str | None

    def __init__(self, base_url: str, database_url: str | None) -> None:
        object.__setattr__(self, "base_url", base_url)
        object.__setattr__(self, "_database_url", database_url)

    @property
    def is_here(self) -> bool:
        return False

    @property
    def state_dir(self) -> Path:
        pytest.skip("looks at processes or files of this machine, and DAMS_TEST_URL names another")

    def owner_url(self, database: str) -> str:
        if self._database_url is None:
            pytest.skip("writes into the database, and no DAMS_TEST_DATABASE_URL leads there")
        return self._database_url.rpartition("/")[0] + f"/{database}"


def stack_at(base_url: str) -> RunningStack:
    """One that runs already, here or elsewhere, as `stack` of tests/conftest.py has it."""
    state_dir, database_url = (os.environ.get(f"DAMS_TEST_{name}") for name in ("DAMS_STATE_DIR", "DAMS_DATABASE_URL"))
    is_here = urlsplit(base_url).hostname in HERE and database_url is None
    if state_dir is None and not is_here:
        return StackElsewhere(base_url, database_url)
    return RunningStack(Path(state_dir or ".local").resolve(), base_url)


IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of this user inside, in which no other may write
"""Where the system keeps files in memory."""

ROOM = 4 << 30
"""Bytes that must be free there."""


def _throw_away() -> Path:
    """Where servers are that end with the session: in memory where there is room, as a new database is 600 files, which
    ext4 finds slowly where it keeps no journal and as many were deleted just before.
    """
    try:
        if psutil.virtual_memory().available >= 2 * ROOM and psutil.disk_usage(str(IN_MEMORY)).free >= ROOM:
            folder = IN_MEMORY / f"dams-tests-{os.getuid()}"
            folder.mkdir(mode=0o711, exist_ok=True)
            if folder.stat().st_uid == os.getuid() and not folder.is_symlink():
                return folder
    except OSError:
        pass
    return REPOSITORY / ".local"


@contextmanager
def _free_folder(parent: Path, name: str) -> Iterator[tuple[Path, int]]:
    """A folder for a stack, and an open file: while any process has it open, no other takes the folder."""
    parent.mkdir(exist_ok=True)
    for number in itertools.count(1):
        state_dir = parent / (name if number == 1 else f"{name}-{number}")
        with (parent / f"{state_dir.name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield state_dir, lock.fileno()
            return


def _purge_abandoned(parent: Path, name: str, environment: dict[str, str]) -> None:
    """Delete the stacks of sessions that were killed: files in memory would take it from this session."""
    for state_dir in [folder for folder in sorted(parent.glob(f"{name}*")) if folder.is_dir()]:
        with (parent / f"{state_dir.name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            _command(_PURGE, environment | {"DAMS_STATE_DIR": str(state_dir)})


@contextmanager
def running(name: str, *options: str, purge: bool, **settings: str) -> Iterator[Path]:
    """A stack in `.local/<name>` for as long as the block lasts; its DAMS_STATE_DIR.

    Where another process of tests has it, the stack is in `.local/<name>-2`, and so on: each keeps its data, unless
    `purge`. A stack that a killed session left behind is stopped first: it would run old code.
    """
    parent = _throw_away() if purge else REPOSITORY / ".local"
    environment = {
        variable: value
        for variable, value in os.environ.items()
        if variable
        not in {
            "DAMS_DATABASE_URL",
            "DAMS_REDIS_URL",
            "DAMS_COLLECTION_SCHEMAS",
            "DAMS_FEATURES_PROCESSES",
            "DAMS_TILES_PROCESSES",
            "DAMS_PUBLIC_URL",
            "DAMS_REPLICAS",
        }
        # impacts of all demo events would take the processors from the tests for minutes
    } | {"DAMS_IMPACTS": "no", **settings}
    if purge:
        _purge_abandoned(parent, name, environment)
    with _free_folder(parent, name) as (state_dir, lock):
        port = choose_ports(["gateway"], {}, state_dir)["gateway"]
        environment |= {"DAMS_STATE_DIR": str(state_dir), "DAMS_GATEWAY_PORT": str(port)}
        if state_dir.exists():
            _command(_PURGE if purge else _STOP, environment)
        try:
            _command(["up", *options], environment)
            yield state_dir
        finally:
            if purge:
                _purge_without_waiting(environment, lock)
            else:
                _command(_STOP, environment)


_STOP = ["down"]
_PURGE = ["down", "--purge"]


def _purge_without_waiting(environment: dict[str, str], lock: int) -> None:
    """Stop the stack in the background and delete its files, as those of a hundred databases may take half a minute.

    Until then it keeps the lock, so that tests that begin in that time use another folder.
    """
    command = ["sh", "-c", '"$@" > /dev/null 2>&1 &', "sh", *_program(_PURGE)]
    subprocess.run(command, check=True, cwd=REPOSITORY, env=environment, start_new_session=True, pass_fds=(lock,))


def _program(arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", "deploy.local", *arguments]


def _command(arguments: list[str], environment: dict[str, str]) -> None:
    result = subprocess.run(
        _program(arguments),
        check=False,
        cwd=REPOSITORY,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        raise RuntimeError(f"`deploy.local {' '.join(arguments)}` failed:\n{result.stdout}")


def gateway_port(state_dir: Path) -> int:
    """The port of a running stack's gateway, from its supervisor's configuration."""
    configuration = StateFolder(state_dir).supervisor_configuration.read_text()
    return int(configuration.partition('DAMS_GATEWAY_PORT="')[2].partition('"')[0])
