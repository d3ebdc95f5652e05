"""Finds and stops processes that a killed supervisor left behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil

# Every program of a stack carries its STATE_DIR in this variable of its environment.
MARK = "DAMS_STACK"


def left_behind(state_dir: Path, cluster: Path | None) -> list[psutil.Process]:
    """Processes of this stack that run without its supervisor.

    nginx and Redis overwrite the memory that holds their environment: they are known by name and by the
    folder in their command line.
    """
    # Not STATE_DIR itself: another stack's may lie inside it.
    places = [str(state_dir / "gateway"), str(state_dir / "redis.conf"), *([str(cluster)] if cluster else [])]
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
    """Asks processes to end, insists after `grace` seconds.

    The server process of PostgreSQL takes its children with it; SIGINT is its fast shutdown.
    """
    for process in processes:
        try:
            process.send_signal(signal.SIGINT if process.name() == "postgres" else signal.SIGTERM)
        except psutil.Error:
            continue
    _, alive = psutil.wait_procs(processes, timeout=grace)
    for process in alive:
        try:
            process.kill()
        except psutil.Error:
            continue
    psutil.wait_procs(alive, timeout=3)


def running(pid_file: Path, name: str) -> psutil.Process | None:
    """The process that a pid file names, if it is alive and has `name` in its command line."""
    try:
        process = psutil.Process(int(pid_file.read_text().split()[0]))
        if any(name in argument for argument in process.cmdline()):
            return process
    except (OSError, ValueError, IndexError, psutil.Error):
        return None
    return None
