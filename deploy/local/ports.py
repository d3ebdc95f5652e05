"""Loopback ports: a free one for every program, remembered between starts."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path

import psutil

from deploy.local.settings import StackError

# Below the range from which Linux takes ports for outgoing connections, so that none of these blocks a port.
LOWEST, HIGHEST = 20000, 32000


def is_free(port: int) -> bool:
    """Return whether a program could listen on this loopback port now."""
    with socket.socket() as probe:
        # Like servers do: a port whose last connections are still in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def choose_ports(names: list[str], remembered: dict[str, int], state_dir: Path, *, avoid: int = 0) -> dict[str, int]:
    """Return a free port for each name, the remembered one if it is still free, never `avoid`.

    The search starts at a number that depends on the stack, so that two stacks that start together get different ports.
    """
    digest = hashlib.sha256(str(state_dir).encode()).digest()
    candidate = LOWEST + int.from_bytes(digest[:4], "big") % (HIGHEST - LOWEST)
    chosen: dict[str, int] = {}
    for name in names:
        port = remembered.get(name, avoid)
        if port not in {avoid, *chosen.values()} and is_free(port):
            chosen[name] = port
    for name in names:
        if name in chosen:
            continue
        for _ in range(HIGHEST - LOWEST):
            candidate = candidate + 1 if candidate + 1 < HIGHEST else LOWEST
            if candidate not in {avoid, *chosen.values()} and is_free(candidate):
                break
        else:
            raise StackError(f"no free port between {LOWEST} and {HIGHEST}")
        chosen[name] = candidate
    return chosen


def require_free(port: int) -> None:
    """Raise StackError if the gateway's port is taken, with the holder's name if it is visible."""
    if needs_root(port) and not _may_bind(port):
        raise StackError(f"DAMS_GATEWAY_PORT={port} needs root; choose one above 1023")
    if is_free(port):
        return
    holder = _holder(port)
    raise StackError(
        f"port {port} is taken{holder}; choose another one, for example: make up DAMS_GATEWAY_PORT={port + 1}"
    )


def needs_root(port: int) -> bool:
    """Return whether only root may listen on the port on this machine."""
    try:
        return port < int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    except (OSError, ValueError):
        return port < 1024


def _holder(port: int) -> str:
    """Return the program that listens on the port, in words; empty if this user may not see it."""
    try:
        for connection in psutil.net_connections("tcp"):
            address = connection.laddr
            if connection.status == psutil.CONN_LISTEN and address and address.port == port and connection.pid:
                return f" by {psutil.Process(connection.pid).name()} (pid {connection.pid})"
    except psutil.Error:
        return ""
    return ""


def _may_bind(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            return False
        except OSError:
            return True
    return True
