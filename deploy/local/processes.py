"""Find and stop processes that a killed supervisor left behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil

# Every program of a stack has its DAMS_STATE_DIR in this environment variable.
MARK = "DAMS_STACK"


def find_orphans(state_dir: Path, cluster: Path | None) -> list[psutil.Process]:
    """Return processes of this stack that run without its supervisor.

    nginx and Redis overwrite the memory that holds their environment: they are recognised by name and by the folder in
    their command line. Replicas are beside the cluster.
    """
    # Not DAMS_STATE_DIR itself: another stack may be inside it.
    places = [str(state_dir / "gateway"), str(state_dir / "redis.conf"), *([str(cluster.parent)] if cluster else [])]
    found = []
    for process in psutil.process_iter(["name"]):
        if process.pid == os.getpid():
            continue
        try:
            if process.environ().get(MARK) == str(state_dir) or (
                process.name() in {"nginx", "redis-server", "postgres"}
                and any(place in " ".join(process.cmdline()) for place in places)
            ):
                found.append(process)
        except psutil.Error:
            continue
    return found


def stop(processes: list[psutil.Process], grace: float = 8.0) -> None:
    """Terminate processes, and kill them after `grace` seconds.

    The server process of PostgreSQL ends its children; SIGINT is its fast shutdown.
    """
    for process in processes:
        try:
            process.send_signal(signal.SIGINT if process.name() == "postgres" else signal.SIGTERM)
        except psutil.Error:
            continue
    alive = wait_for_end(processes, grace)
    for process in alive:
        try:
            process.kill()
        except psutil.Error:
            continue
    wait_for_end(alive, 3)


def wait_for_end(processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Return those that have not ended in time."""
    deadline = time.monotonic() + seconds
    alive = [process for process in processes if _is_alive(process)]
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = [process for process in alive if _is_alive(process)]
    return alive


def _is_alive(process: psutil.Process) -> bool:
    try:
        # In a container without an init, a process without a parent stays a zombie.
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def find_running(pid_file: Path, name: str) -> psutil.Process | None:
    """Return the process that a pid file names, if it is alive and has `name` in its command line."""
    try:
        process = psutil.Process(int(pid_file.read_text().split()[0]))
        if any(name in argument for argument in process.cmdline()):
            return process
    except (OSError, ValueError, IndexError, psutil.Error):
        return None
    return None
