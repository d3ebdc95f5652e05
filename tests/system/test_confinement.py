"""What other users of the machine can learn of a stack, and what its programs can do there."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from deploy.local.database import fill_database
from deploy.local.settings import REPOSITORY
from deploy.local.state import StateFolder
from deploy.local.users import USER, command_as
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system


def command_lines() -> set[str]:
    """Return the command lines of all processes of this machine."""
    found = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            found.add(" ".join(process.cmdline()))
    return found


def test_no_secret_is_on_a_command_line(stack: RunningStack, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = StateFolder(stack.state_dir)
    secrets = {file.read_text() for file in folder.folder("secrets").iterdir()}
    assert len(secrets) == 5
    seen, filled = command_lines(), threading.Event()

    def watch() -> None:
        while not filled.wait(0.02):
            seen.update(command_lines())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        state = folder.load()
        # simulated data stay on their day
        monkeypatch.setenv("DAMS_DEMO_TODAY", (state.loaded or "").rpartition(" ")[2])
        state.loaded = None
        fill_database(folder, state)
    finally:
        filled.set()
        watcher.join()
    for program in ("-m services.tiles", "redis-server", "nginx: master", "supervisord", "deploy.database apply"):
        assert any(program in line for line in seen), program
    assert any("deploy.database demo" in line for line in seen)
    assert not [line for line in seen if any(secret in line for secret in secrets)]


def readable_by_others(folder: Path) -> Iterator[Path]:
    """Files below a folder that any user of the machine can read, if the folder itself can be reached."""
    mode = folder.stat().st_mode
    if not mode & stat.S_IXOTH:
        return
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from readable_by_others(entry)
        elif entry.stat().st_mode & stat.S_IROTH:
            yield entry


def test_others_read_nothing_and_connect_to_no_socket(stack: RunningStack) -> None:
    assert [file.name for file in readable_by_others(stack.state_dir) if file.stat().st_size] == []
    logs = list(StateFolder(stack.state_dir).log.iterdir())
    assert len(logs) > 6
    assert {file.stat().st_mode & 0o007 for file in logs} == {0}
    sockets = [Path(line.partition("unix:")[2]) for line in upstream_servers(stack)]
    assert len(sockets) >= 4
    for socket in sockets:
        assert not socket.parent.stat().st_mode & 0o007, socket
        assert not socket.exists() or not socket.stat().st_mode & 0o007, socket


def upstream_servers(stack: RunningStack) -> list[str]:
    configuration = (stack.state_dir / "gateway" / "nginx.conf").read_text()
    return [line.strip(" ;").split()[1] for line in configuration.splitlines() if "server unix:" in line]


@pytest.mark.skipif(os.geteuid() != 0, reason="all run as the user who started them")
def test_nothing_that_is_reached_from_outside_is_root(stack: RunningStack) -> None:
    if StateFolder(stack.state_dir).load().user is None:
        pytest.skip("this machine has no user dams, or it cannot get into Python or the checkout")
    for name in ("common", "features_0", "tiles_0", "viewer", "gateway", "redis", "postgresql"):
        process = psutil.Process(stack.pid(name))
        started = [process, *process.children(recursive=True)]
        assert {one.username() for one in started} == {"postgres" if name == "postgresql" else "dams"}, name
        assert {one.uids().saved for one in started} == {process.uids().real}
        assert 0 not in {group for one in started for group in os.getgrouplist(one.username(), one.gids().real)}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_the_user_of_the_services_reads_no_secret(stack: RunningStack) -> None:
    if StateFolder(stack.state_dir).load().user is None:
        pytest.skip("this machine has no user dams, or it cannot get into Python or the checkout")
    for file in ("secrets/owner-password", "supervisord.conf", "stack.json", "log/gateway.log"):
        command = command_as(USER, ("cat", str(stack.state_dir / file)))
        read = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        assert (read.returncode, read.stdout) == (1, ""), file
        assert "Permission denied" in read.stderr
