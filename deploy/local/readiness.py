"""Wait until programs are ready, and show the end of a log when one is not."""

from __future__ import annotations

import http.client
import json
import os
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from deploy.local.programs import Program
from deploy.local.settings import StackError
from deploy.local.supervision import Supervisor

LOG_LINES = 25


def wait_for(program: Program, supervisor: Supervisor, is_ready: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for one program. Raises StackError with the last lines of its log if it fails or takes too long."""
    deadline = time.monotonic() + seconds
    quick_ends: set[int] = set()
    while time.monotonic() < deadline:
        state = supervisor.states()[program.name]
        if state["statename"] == "BACKOFF":
            quick_ends.add(state["stop"])
        # Invalid settings, or three ends in a row, are faults that waiting does not fix.
        misconfigured = state["statename"] == "BACKOFF" and state["exitstatus"] == os.EX_CONFIG
        if state["statename"] in {"FATAL", "EXITED", "STOPPED"} or misconfigured or len(quick_ends) >= 3:
            raise StackError(f"{program.name} does not stay up\n{last_lines(program.name, supervisor)}")
        if state["statename"] == "RUNNING" and is_ready():
            return
        time.sleep(0.1)
    raise StackError(f"{program.name} is not ready after {seconds:.0f} s\n{last_lines(program.name, supervisor)}")


def answers_ok(program: Program) -> bool:
    """Return whether the program's health path answers 200, by its Unix socket if it has one."""
    connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=5)
    try:
        if program.socket is not None:
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.settimeout(5)
            connection.sock.connect(str(program.socket))
        connection.request("GET", program.health or "/")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def wait_for_document(internal_port: int, gateway_port: int, seconds: float = 20) -> bool:
    """Return whether the gateway publishes all parts, and the landing page links to them, within `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        health = _json(internal_port, "/internal/health")
        if health is not None and health["absent"] == []:
            landing = _json(gateway_port, "/api/?f=json")
            # the viewer's link is the last one to appear on the landing page
            if landing is not None and any(link["rel"] == "service-doc" for link in landing["links"]):
                return True
        time.sleep(0.2)
    return False


def wait_until_used(internal_port: int, service: str, address: str, seconds: float = 30) -> None:
    """Wait until the gateway sends requests to this process. Raises StackError on timeout."""

    def is_used(health: Any) -> bool:
        return bool(address in health["upstreams"][service])

    _wait_for_health(internal_port, is_used, f"the gateway does not use {address}", seconds)


def wait_until_replaced(internal_port: int, since: str, seconds: float = 30) -> None:
    """Wait until another program than that of `since` runs the gateway. Raises StackError on timeout."""

    def is_replaced(health: Any) -> bool:
        return bool(health["since"] != since and health["absent"] == [])

    _wait_for_health(internal_port, is_replaced, "the gateway is not replaced", seconds)


def gateway_since(internal_port: int) -> str:
    """Return the start time of the program that runs the gateway."""
    return str((_json(internal_port, "/internal/health") or {}).get("since", ""))


def _wait_for_health(port: int, fits: Callable[[Any], bool], otherwise: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        health = _json(port, "/internal/health")
        if health is not None and fits(health):
            return
        time.sleep(0.1)
    raise StackError(f"{otherwise} after {seconds:.0f} s")


def _json(port: int, path: str) -> Any:
    """Return the JSON document at `path`; None if there is none yet."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return json.loads(response.read()) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def accepts_connections(program: Program) -> bool:
    """Return whether a program listens on the program's port."""
    try:
        with socket.create_connection(("127.0.0.1", program.port), timeout=2):
            return True
    except OSError:
        return False


def last_lines(name: str, supervisor: Supervisor, count: int = LOG_LINES) -> str:
    """Return the end of a program's log, with the file's name above it."""
    file = supervisor.folder.log / f"{name}.log"
    if not file.exists():
        return f"(no log in {file})"
    with file.open(errors="replace") as lines:
        return f"--- last lines of {file}\n" + "".join(deque(lines, count)).rstrip()
