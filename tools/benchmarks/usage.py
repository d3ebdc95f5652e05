"""Processor time and memory of the servers' process trees."""

from __future__ import annotations

from collections.abc import Mapping

import psutil

from deploy.local.state import StateFolder
from deploy.local.supervision import Supervisor
from tools.benchmarks.peers import PEERS

ROLES = {
    "common": ("common",),
    "features": tuple(f"features_{number}" for number in range(8)),
    "tiles": tuple(f"tiles_{number}" for number in range(8)),
    "gateway": ("gateway",),
    "logs": ("supervisor",),
    "redis": ("redis",),
    "postgresql": ("postgresql",),
    **{name: (name,) for name in PEERS},
    "viewer": ("viewer",),
}
"""Groups of the report, by the names of the first processes; `logs` is the one that writes logs to disk."""

PRODUCT = ("common", "features", "tiles", "gateway", "logs", "redis", "postgresql")
"""Roles of the product's responses, including common, which follows the data. The viewer gets no requests."""


def processes_of(folder: StateFolder) -> dict[str, psutil.Process]:
    """Return the first processes of a running stack by program, including the supervisor."""
    states = Supervisor(folder, folder.load().ports["supervisor"]).states()
    processes = {name: psutil.Process(state["pid"]) for name, state in states.items() if state["pid"]}
    return processes | {"supervisor": psutil.Process(int(folder.supervisor_pid.read_text()))}


def processor_seconds(processes: Mapping[str, psutil.Process]) -> dict[str, float]:
    """Return user and system time so far by role, of each first process with its descendants, also dead ones."""
    return {
        role: sum(_tree_seconds(processes[name], descend=role != "logs") for name in names if name in processes)
        for role, names in ROLES.items()
        if any(name in processes for name in names)
    }


def memory_megabytes(processes: Mapping[str, psutil.Process]) -> dict[str, float]:
    """Return current memory by role in MiB; shared memory is divided (proportional set size)."""
    result = {}
    for role, names in ROLES.items():
        trees = [processes[name] for name in names if name in processes]
        members = [member for tree in trees for member in [tree, *([] if role == "logs" else tree.children(True))]]
        if members:
            result[role] = sum(_proportional_bytes(member) for member in members) / 2**20
    return result


def _tree_seconds(first: psutil.Process, *, descend: bool) -> float:
    members = [first, *(first.children(recursive=True) if descend else [])]
    total = 0.0
    for member in members:
        try:
            times = member.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + ((times.children_user + times.children_system) if descend else 0)
    return total


def _proportional_bytes(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0
