"""A left-over nginx is recognized by its folder, and no other process is ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.nginx.running import master, parent, stop_orphans, wait_for_new_workers, workers


@pytest.fixture
def started(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that looks like the master of an nginx with this folder."""
    title = f"nginx: master process nginx -p {tmp_path}"
    with subprocess.Popen(["bash", "-c", f'exec -a "{title}" sleep 60; echo']) as process:
        yield process
        process.kill()


def test_workers_whose_master_is_gone_are_dismissed_by_its_session(tmp_path: Path) -> None:
    program = tmp_path / "nginx"
    shutil.copy(shutil.which("sleep") or "", program)
    # one in the session of the master that has ended, one in another
    with subprocess.Popen([program, "60"], start_new_session=True) as other:
        # a shell has what it starts beside it ignore SIGQUIT
        quits = "env --default-signal=QUIT"
        # in groups of their own, as the number of a group may belong to another process by now
        command = f"set -m; {quits} {program} 60 >/dev/null & echo $!; {quits} sleep 60 >/dev/null & echo $!"
        left = subprocess.run(["bash", "-c", command], start_new_session=True, check=True, stdout=subprocess.PIPE)
        worker, no_worker = map(int, left.stdout.split())
        session = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[3]
        (tmp_path / "nginx.pid").write_text(session)
        # until then it is the program that starts it
        while Path(f"/proc/{worker}/comm").read_text() != "nginx\n":
            pass
        stop_orphans(tmp_path)
        found = [_is_there(worker)]
        while found[-1] and len(found) < 1000:
            time.sleep(0.01)
            found.append(_is_there(worker))
        others = is_running(other), _is_there(no_worker)
        other.kill()
        os.kill(no_worker, signal.SIGKILL)
        assert (found[-1], others) == (False, (True, True))


def _is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_running(process: subprocess.Popen[bytes]) -> bool:
    """Without collecting it."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_master_is_one_of_this_folder(tmp_path: Path, started: subprocess.Popen[bytes]) -> None:
    assert master(tmp_path) is None
    pid = tmp_path / "nginx.pid"
    # none, another program, and one that has ended
    for text in ("", "x", str(os.getpid()), "4194304"):
        pid.write_text(text)
        assert master(tmp_path) is None
    pid.write_text(f"{started.pid}\n")
    while b"nginx" not in Path(f"/proc/{started.pid}/cmdline").read_bytes():
        pass
    assert master(tmp_path) == started.pid
    assert parent(started.pid) == os.getpid()
    assert workers(started.pid) == set()
    other = tmp_path / "other"
    other.mkdir()
    (other / "nginx.pid").write_text(f"{started.pid}\n")
    assert master(other) is None
    stop_orphans(other)
    assert is_running(started)
    # no parent collects it here either, but it has ended
    stop_orphans(tmp_path)
    assert not is_running(started)
    assert (parent(4194304), workers(4194304)) == (None, set())


@pytest.fixture
def children() -> Iterator[tuple[int, list[int]]]:
    """Start a process that looks like a master, with its children: two workers, one that ends, and a cache manager."""
    titles = ("worker process", "worker process", "worker process is shutting down", "cache manager process")
    started = "".join(f'(exec -a "nginx: {title}" sleep 60) >/dev/null & echo $!;' for title in titles)
    with subprocess.Popen(["bash", "-c", f"{started} wait"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        found = [int(process.stdout.readline()) for _ in titles]
        for pid in found:
            while not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"nginx"):
                pass
        yield process.pid, found
        for pid in (*found, process.pid):
            os.kill(pid, signal.SIGKILL)


async def test_new_workers_that_take_requests_are_awaited(
    children: tuple[int, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    master_pid, (first, second, leaving, _) = children
    assert workers(master_pid) == {first, second}
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("gateway.nginx.running.asyncio.sleep", wait)
    for before in (set(), {leaving}):
        await wait_for_new_workers(master_pid, before)
    assert waits == []
    await wait_for_new_workers(master_pid, {second, leaving})
    assert waits == [0.05] * 100
    # of one that has ended there are none
    await wait_for_new_workers(4194304, set())
    assert len(waits) == 200
