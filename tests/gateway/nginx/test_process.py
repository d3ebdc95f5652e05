"""What nginx needs before it starts, and the reasons why it does not start."""

from __future__ import annotations

import asyncio
import os
import pwd
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from gateway.folder import DRAINING
from gateway.nginx.child import Child
from gateway.nginx.process import Nginx, NginxError
from tests.gateway.harness import Running


def test_folders_are_created_and_leftovers_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    nginx = Nginx(folder)
    for _ in range(2):
        nginx.prepare()
        found = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        temporary = {f"tmp/{name}" for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi")}
        assert found == {"published", "parts", "errors", "cache", "tmp", *temporary}
        (folder / DRAINING).touch()


def test_workers_run_as_the_owner_of_the_folder_where_they_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(tmp_path, 65534, -1)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: SimpleNamespace(pw_name=f"number {number}"))
    users = []
    for number in (0, 7):
        monkeypatch.setattr(os, "geteuid", lambda number=number: number)
        users.append(Nginx(tmp_path).worker_user())
    assert users == [f"number {tmp_path.stat().st_uid}", None]


async def test_configuration_is_checked_before_nginx_starts(tmp_path: Path) -> None:
    nginx = Nginx(tmp_path)
    nginx.prepare()
    text = f"pid {tmp_path}/nginx.pid; events {{}}"
    assert [await nginx.reload(text), await nginx.reload(text)] == [True, False]
    assert ((tmp_path / "nginx.conf").read_text(), nginx.is_running) == (text, False)
    with pytest.raises(NginxError, match=r'\[emerg\] .*unknown directive "nonsense" in .*nginx\.conf\.new:1'):
        await nginx.reload("nonsense on;")
    assert (tmp_path / "nginx.conf").read_text() == text
    with pytest.raises(NginxError, match=r"^nginx was not started$"):
        await nginx.wait()


async def test_who_is_drained_is_told_for_two_seconds_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(round(seconds, 3))

    now = 1_700_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr("gateway.nginx.process.asyncio.sleep", wait)
    nginx = Running(tmp_path)
    # no process gets a signal
    await nginx.stop()
    (tmp_path / DRAINING).touch()
    # by a clock that was set back, too
    for age in (0, 0.5, 2, 10, -3600):
        os.utime(tmp_path / DRAINING, (now - age,) * 2)
        await nginx.stop()
    assert waits == [0, 2, 1.5, 0, 0, 2]


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[int]:
    """The process id of what looks like an nginx of another gateway with this folder, and hears no SIGTERM."""
    title = f"nginx: master process nginx -p {tmp_path}"
    command = f'(trap "" TERM; exec -a "{title}" sleep 60) >/dev/null & echo $!'
    pid = int(subprocess.run(["bash", "-c", command], check=True, stdout=subprocess.PIPE).stdout)
    while b"master" not in Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]:
        pass
    yield pid
    os.kill(pid, signal.SIGKILL)


async def test_an_nginx_that_keeps_the_port_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaf: int
) -> None:
    (tmp_path / "nginx.pid").write_text(str(deaf))
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    nginx = Nginx(tmp_path)
    nginx.prepare()
    with pytest.raises(NginxError, match=rf"^the nginx that was left behind \(pid {deaf}\) does not end$"):
        await nginx.start("events {}")
    # five seconds
    assert waits == [0.05] * 100


@pytest.mark.parametrize(
    ("command", "number", "status"),
    [("exit 3", None, 3), ("exit 0", None, 0), ("sleep 60", signal.SIGTERM, -15), ("sleep 60", None, -9)],
)
async def test_a_child_has_a_session_of_its_own_and_an_end(
    command: str, number: signal.Signals | None, status: int
) -> None:
    child = Child.start(["/bin/sh", "-c", f"exec {command}" if "sleep" in command else f"read _; {command}"])
    assert (child.returncode is None) is True
    if "sleep" in command:
        assert os.getsid(child.pid) == child.pid
        if number is None:
            child.kill()
        else:
            child.send_signal(number)
    async with asyncio.timeout(20):
        assert await child.wait() == status
    assert child.returncode == status
    # its number may be another's now
    child.send_signal(signal.SIGKILL)
    child.kill()
    assert await child.wait() == status
