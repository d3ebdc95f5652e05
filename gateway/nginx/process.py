"""nginx as a child process: configured, tested, started, reloaded, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pwd
import shutil
import signal
import time
from pathlib import Path

from gateway.folder import FOLDERS

_LOG = logging.getLogger("dams.nginx")


class NginxError(Exception):
    """nginx is not installed, refuses its configuration or did not start."""


class Nginx:
    """nginx with `folder` as its prefix, which holds its configuration, cache and temporary files."""

    def __init__(self, folder: Path) -> None:
        # Debian keeps it where only root looks.
        program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if program is None:
            raise NginxError("nginx is not installed")
        self._program = program
        self._folder = folder
        self._configuration = ""
        self._process: asyncio.subprocess.Process | None = None

    def worker_user(self) -> str | None:
        """Whom the workers run as: the owner of the folder, so that they can read it; None if not root."""
        if os.geteuid() != 0:
            return None
        return pwd.getpwuid(self._folder.stat().st_uid).pw_name

    def prepare(self) -> None:
        """Makes the folders that nginx expects."""
        for name in FOLDERS:
            (self._folder / name).mkdir(parents=True, exist_ok=True)

    async def start(self, configuration: str) -> None:
        """Starts nginx. Raises NginxError where it does not like its configuration."""
        await asyncio.to_thread(_stop_left_behind, self._folder)
        await self._accept(configuration)
        self._process = await asyncio.create_subprocess_exec(*self._command("nginx.conf"), start_new_session=True)

    async def reload(self, configuration: str) -> bool:
        """Hands nginx another configuration, and waits until every new request meets it. Tells whether it differs.

        Requests and connections that are under way go on. Raises NginxError where nginx refuses the configuration; it
        then goes on with the old one.
        """
        if configuration == self._configuration:
            return False
        await self._accept(configuration)
        if self._process is not None and self._process.returncode is None:
            before = _workers(self._process.pid)
            self._process.send_signal(signal.SIGHUP)
            await _taken_over(self._process.pid, before)
        return True

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def wait(self) -> int:
        """Waits for the end of nginx; its exit status."""
        if self._process is None:
            raise NginxError("nginx was not started")
        return await self._process.wait()

    async def stop(self, grace: float = 5.0) -> None:
        """Lets requests finish for `grace` seconds, then ends nginx."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        for number in (signal.SIGQUIT, signal.SIGTERM):
            process.send_signal(number)
            try:
                await asyncio.wait_for(process.wait(), grace)
            except TimeoutError:
                continue
            return
        process.kill()
        await process.wait()

    async def _accept(self, configuration: str) -> None:
        new = self._folder / "nginx.conf.new"
        new.write_text(configuration)
        test = await asyncio.create_subprocess_exec(
            *self._command(new.name), "-t", "-q", stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
        )
        _, output = await test.communicate()
        if test.returncode != 0:
            raise NginxError(output.decode(errors="replace").strip())
        new.replace(self._folder / "nginx.conf")
        self._configuration = configuration

    def _command(self, configuration: str) -> list[str]:
        return [self._program, "-e", "stderr", "-p", str(self._folder), "-c", configuration]


def _workers(pid: int) -> set[int]:
    """The workers of the nginx with this process id that take requests; those that are shutting down do not."""
    workers = set()
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            title = Path(f"/proc/{child}/cmdline").read_bytes()
            if title.startswith(b"nginx: worker process") and b"shutting down" not in title:
                workers.add(int(child))
    return workers


async def _taken_over(pid: int, before: set[int]) -> None:
    """Waits until other workers than `before` take all requests."""
    for _ in range(100):
        now = _workers(pid)
        if now and not now & before:
            return
        await asyncio.sleep(0.05)
    _LOG.warning("nginx takes long to take its configuration over")


def _stop_left_behind(folder: Path) -> None:
    """Ends the nginx of a gateway that was killed: it would keep the port."""
    try:
        pid = int((folder / "nginx.pid").read_text())
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ValueError):
        return
    if "nginx" not in arguments or str(folder) not in arguments:
        return
    _LOG.warning("stopping an nginx that was left behind", extra={"fields": {"pid": pid}})
    os.kill(pid, signal.SIGTERM)
    for _ in range(100):
        if not _is_alive(pid):
            return
        time.sleep(0.05)
    raise NginxError(f"the nginx that was left behind (pid {pid}) does not end")


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    # In a container nobody may collect a process whose parent was killed.
    return state != "Z"
