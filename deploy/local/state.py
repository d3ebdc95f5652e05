"""What a stack remembers in STATE_DIR: chosen ports, secrets, where its database cluster lies."""

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

    `cluster` is the folder of the PostgreSQL cluster (it may lie outside STATE_DIR), `sockets` that of the Unix
    sockets, None where the programs talk over TCP; `loaded` says which version of schema and demo data was loaded
    completely, `configuration` identifies what is running, `settings` the part of it that is not code. `user` runs
    services, gateway and Redis; None is whoever asks.
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
    """The files below STATE_DIR; made on first use, readable by their owner only where they hold secrets."""

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
        """The subfolder `name`, made if it is not there."""
        folder = self.path / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def secret_file(self, name: str) -> Path:
        """A file with a password made up on first use (hexadecimal: needs no quoting anywhere)."""
        folder = self.folder("secrets")
        folder.chmod(0o700)
        file = folder / name
        if not file.exists():
            write_private(file, secrets.token_hex(24))
        return file

    def secret(self, name: str) -> str:
        return self.secret_file(name).read_text()

    def load(self) -> StackState:
        """The remembered state; a fresh one where there is none."""
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
    def locked(self) -> Iterator[None]:
        """Holds off a second `up` or `down` of the same stack until this one is done."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def write_private(file: Path, text: str) -> None:
    """Replaces a file at once with one that only its owner can read."""
    new = file.with_name(file.name + ".new")
    new.touch(mode=0o600)
    new.write_text(text)
    new.replace(file)
