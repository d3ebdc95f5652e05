"""nginx processes in /proc: a master's workers, and processes left by a gateway that was killed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from pathlib import Path

_LOG = logging.getLogger("dams.nginx")


def master(folder: Path) -> int | None:
    """Return the process id of the master that runs with this folder; None if it has ended."""
    try:
        pid = int((folder / "nginx.pid").read_text())
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ValueError):
        return None
    return pid if "nginx" in arguments and str(folder) in arguments else None


def parent(pid: int) -> int | None:
    """Return the process id of its parent."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def workers(pid: int) -> set[int]:
    """Return the workers of this master that accept requests, without those that are shutting down."""
    found = set()
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            title = Path(f"/proc/{child}/cmdline").read_bytes()
            if title.startswith(b"nginx: worker process") and b"shutting down" not in title:
                found.add(int(child))
    return found


async def wait_for_new_workers(pid: int, before: set[int]) -> None:
    """Wait until new workers, not those in `before`, handle all requests."""
    for _ in range(100):
        now = workers(pid)
        if now and not now & before:
            return
        await asyncio.sleep(0.05)
    _LOG.warning("nginx takes long to take its configuration over")


def dismiss_orphans(pid: int) -> None:
    """Make the workers of a dead master finish their requests, and free the port at once.

    They do not notice the master's end. A master leads a session, which identifies its workers.
    """
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if name == "nginx" and int(rest.split()[3]) == pid:
            _LOG.warning("dismissing a worker that was left behind", extra={"fields": {"pid": int(entry.name)}})
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(entry.name), signal.SIGQUIT)


def stop_orphans(folder: Path) -> None:
    """End the nginx of a gateway that was killed, or its remaining processes: they would keep the port.

    Raises TimeoutError if it does not end.
    """
    pid = master(folder)
    if pid is None:
        with contextlib.suppress(OSError, ValueError):
            dismiss_orphans(int((folder / "nginx.pid").read_text()))
        return
    _LOG.warning("stopping an nginx that was left behind", extra={"fields": {"pid": pid}})
    os.kill(pid, signal.SIGTERM)
    for _ in range(100):
        if not _is_alive(pid):
            return
        time.sleep(0.05)
    raise TimeoutError(f"the nginx that was left behind (pid {pid}) does not end")


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    # In a container, a process whose parent was killed may stay a zombie.
    return state != "Z"
