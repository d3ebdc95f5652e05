"""The supervisor (supervisord): its configuration, its start, and its control by XML-RPC on loopback."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
import xmlrpc.client
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil

from deploy.local.heartbeat import beating
from deploy.local.processes import MARK, find_running, wait_for_end
from deploy.local.programs import Program
from deploy.local.settings import REPOSITORY, StackError
from deploy.local.state import StateFolder, write_private

CONTROL_USER = "stack"
_END_SECONDS = 180
"""Programs end one after the other, each within `stopwaitsecs`."""


def configuration_text(programs: Sequence[Program], folder: StateFolder, port: int) -> str:
    """Return supervisord's configuration. Programs are started one by one over the control port, not automatically.

    A port on loopback instead of a socket file: the path of a socket may only have about 100 characters.
    """
    password = folder.secret("control-password")
    folder.log.mkdir(exist_ok=True)
    folder.log.chmod(0o750)
    for file in folder.log.iterdir():
        file.chmod(0o640)
    sections = [
        "[supervisord]",
        f"logfile={_literal(folder.log / 'supervisord.log')}",
        "logfile_maxbytes=5MB",
        "logfile_backups=1",
        f"pidfile={_literal(folder.supervisor_pid)}",
        f"directory={_literal(REPOSITORY)}",
        "umask=027",
        f"childlogdir={_literal(folder.log)}",
        *(["user=root"] if os.geteuid() == 0 else []),
        "[inet_http_server]",
        f"port=127.0.0.1:{port}",
        f"username={CONTROL_USER}",
        f"password={password}",
        "[rpcinterface:supervisor]",
        "supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface",
    ]
    for program in programs:
        sections += _program_section(program, folder)
    return "\n".join(sections) + "\n"


def _program_section(program: Program, folder: StateFolder) -> list[str]:
    environment = ",".join(f'{name}="{_literal(value)}"' for name, value in program.environment.items())
    return [
        f"[program:{program.name}]",
        f"command={_literal(shlex.join(program.command))}",
        f"environment={environment}",
        *([f"user={program.user}"] if program.user else []),
        # PostgreSQL's user may be unable to access the checkout.
        f"directory={'/' if program.user else _literal(REPOSITORY)}",
        "autostart=false",
        "autorestart=true",
        "startsecs=1",
        "startretries=20",
        f"stopsignal={program.stop_signal}",
        "stopwaitsecs=25",
        "redirect_stderr=true",
        f"stdout_logfile={_literal(folder.log / (program.name + '.log'))}",
        "stdout_logfile_maxbytes=10MB",
        "stdout_logfile_backups=3",
    ]


def _literal(value: object) -> str:
    """Return text in which supervisord expands nothing."""
    return str(value).replace("%", "%%")


@dataclass(frozen=True)
class Supervisor:
    """A stack's supervisord, running or not."""

    folder: StateFolder
    port: int

    def start(self, configuration: str, environment: Mapping[str, str]) -> None:
        """Start supervisord in the background and wait until it answers.

        Raises StackError with the end of its output if it does not.
        """
        write_private(self.folder.supervisor_configuration, configuration)
        self.folder.supervisor_pid.unlink(missing_ok=True)
        command = [sys.executable, "-m", "supervisor.supervisord", "-c", str(self.folder.supervisor_configuration)]
        inherited = os.environ | dict(environment) | {MARK: str(self.folder.path), "PYTHONUNBUFFERED": "1"}
        started = subprocess.run(
            command,
            check=False,
            cwd=REPOSITORY,
            env=inherited,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        if started.returncode != 0:
            raise StackError(f"the supervisor did not start:\n{started.stdout}{started.stderr}")
        for _ in range(100):
            if self.answers():
                return
            time.sleep(0.05)
        raise StackError(f"the supervisor does not answer; see {self.folder.log / 'supervisord.log'}")

    def answers(self) -> bool:
        """Return whether this stack's supervisord is alive and answers."""
        if find_running(self.folder.supervisor_pid, str(self.folder.supervisor_configuration)) is None:
            return False
        try:
            with self._control() as control:
                control.getState()
        except (OSError, xmlrpc.client.Error):
            return False
        return True

    def states(self) -> dict[str, dict[str, Any]]:
        """Return supervisord's process information by program name (`statename`, `pid`, `description`, …)."""
        with self._control() as control:
            return {info["name"]: info for info in control.getAllProcessInfo()}

    def environment(self, service: str) -> dict[str, str]:
        """Return the variables of a running process of the service, without the mark of the stack's own programs.

        Raises StackError if none runs.
        """
        for name, info in self.states().items():
            if name.partition("_")[0] == service and info["statename"] == "RUNNING":
                variables: dict[str, str] = psutil.Process(info["pid"]).environ()
                return {variable: value for variable, value in variables.items() if variable != MARK}
        raise StackError(f"no process of {service} runs; `make up` starts it")

    def start_program(self, name: str) -> None:
        """Request the start of the program; returns before it is ready."""
        if self.states()[name]["statename"] not in {"RUNNING", "STARTING", "BACKOFF"}:
            with self._control() as control:
                control.startProcess(name, False)

    def stop_program(self, name: str) -> None:
        """Stop the program and wait until it has ended."""
        if self.states()[name]["statename"] in {"RUNNING", "STARTING", "BACKOFF"}:
            with self._control() as control:
                control.stopProcess(name, True)

    def signal_program(self, name: str, number: signal.Signals) -> None:
        """Send a signal to the program."""
        with self._control() as control:
            control.signalProcess(name, number.name.removeprefix("SIG"))

    def shut_down(self) -> None:
        """Stop all programs, the last started first, then supervisord; wait for its end."""
        process = find_running(self.folder.supervisor_pid, str(self.folder.supervisor_configuration))
        with self._control() as control:
            control.shutdown()
        with beating():
            left = [] if process is None else wait_for_end([process], _END_SECONDS)
        if left:
            raise StackError(f"the supervisor does not end; see {self.folder.log / 'supervisord.log'}")

    @contextmanager
    def _control(self) -> Iterator[Any]:
        password = self.folder.secret("control-password")
        address = f"http://{CONTROL_USER}:{password}@127.0.0.1:{self.port}/RPC2"
        with xmlrpc.client.ServerProxy(address, allow_none=True) as server:
            yield server.supervisor
