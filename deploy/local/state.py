"""The state of a stack in DAMS_STATE_DIR: chosen ports, secrets, the place of its database cluster."""

from __future__ import annotations

import fcntl
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from deploy.local.settings import StackError


@dataclass
class StackState:
    """Contents of `stack.json`.

    `cluster` is the folder of the PostgreSQL cluster (maybe outside this folder), `sockets` that of the Unix sockets,
    None if the programs use TCP; `loaded` is the version of schema and demo data that was loaded completely,
    `configuration` identifies the running configuration, `settings` its part that is not code. `user` runs services,
    gateway and Redis; None is the current user.
    """

    ports: dict[str, int] = field(default_factory=dict)
    cluster: str | None = None
    sockets: str | None = None
    user: str | None = None
    loaded: str | None = None
    configuration: str | None = None
    settings: str | None = None


@dataclass(frozen=True)
class StateFolder:
    """The files below DAMS_STATE_DIR; created on first use, readable only by their owner if they contain secrets."""

    path: Path

    @property
    def log(self) -> Path:
        return self.path / "log"

    @property
    def supervisor_configuration(self) -> Path:
        return self.path / "supervisord.conf"

    @property
    def supervisor_pid(self) -> Path:
        return self.path / "supervisord.pid"

    def folder(self, name: str) -> Path:
        """Return the subfolder `name`, created if it does not exist."""
        folder = self.path / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def secret_file(self, name: str) -> Path:
        """Return a file with a password generated on first use (hexadecimal: needs no quoting)."""
        folder = self.folder("secrets")
        folder.chmod(0o700)
        file = folder / name
        if not file.exists():
            write_private(file, secrets.token_hex(24))
        return file

    def secret(self, name: str) -> str:
        return self.secret_file(name).read_text()

    def load(self) -> StackState:
        """Return the remembered state; a new one if there is none."""
        file = self.path / "stack.json"
        if not file.exists():
            return StackState()
        try:
            return StackState(**json.loads(file.read_text()))
        except (ValueError, TypeError) as error:
            raise StackError(f"{file} is damaged ({error}); remove it and try again") from error

    def save(self, state: StackState) -> None:
        write_private(self.path / "stack.json", json.dumps(asdict(state), indent=2))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Make a second `up` or `down` of the same stack wait until this one is done."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def write_private(file: Path, text: str) -> None:
    """Replace a file at once with one that only its owner can read."""
    new = file.with_name(file.name + ".new")
    new.touch(mode=0o600)
    new.write_text(text)
    new.replace(file)
