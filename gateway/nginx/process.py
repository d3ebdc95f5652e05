"""nginx as a child process: configure, test, start, reload, stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path

from gateway.folder import DRAINING, FOLDERS
from gateway.nginx.child import Child
from gateway.nginx.running import dismiss_orphans, master, parent, stop_orphans, wait_for_new_workers, workers

DRAIN_SECONDS = 2.0
"""Seconds for which responses announce that connections close, before they do: nginx needs one of them to notice."""


class NginxError(Exception):
    """nginx is not installed, rejects its configuration or did not start."""


class Nginx:
    """nginx with `folder` as its prefix, which contains its configuration, cache and temporary files."""

    def __init__(self, folder: Path) -> None:
        # Debian installs it in a folder that is only in root's path.
        program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if program is None:
            raise NginxError("nginx is not installed")
        self._program = program
        self._folder = folder
        self._configuration = ""
        self._process: Child | None = None

    def check_http3(self) -> None:
        """Raise NginxError if this nginx does not support HTTP/3."""
        said = subprocess.run([self._program, "-V"], capture_output=True, text=True, check=False).stderr  # noqa: S603
        if "--with-http_v3_module" not in said:
            version = said.partition("\n")[0].removeprefix("nginx version: ")
            raise NginxError(f"DAMS_GATEWAY_HTTP3 needs an nginx that was built with HTTP/3; {version} was not")

    def worker_user(self) -> str | None:
        """Return the user of the workers: the folder's owner, so that they can read it; None if not root."""
        if os.geteuid() != 0:
            return None
        return pwd.getpwuid(self._folder.stat().st_uid).pw_name

    def prepare(self) -> None:
        """Create the folders that nginx expects."""
        for name in FOLDERS:
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        # left by a gateway that was killed, or drained and stopped
        (self._folder / DRAINING).unlink(missing_ok=True)

    async def start(self, configuration: str) -> None:
        """Start nginx, or adopt the one that this process started before it was replaced (`execv`).

        Raises NginxError if nginx rejects its configuration.
        """
        if (pid := master(self._folder)) is not None and parent(pid) == os.getpid():
            self._process = Child(pid)
            # the running configuration: an equal one needs no reload
            with contextlib.suppress(OSError):
                self._configuration = (self._folder / "nginx.conf").read_text()
            await self.reload(configuration)
            return
        try:
            await asyncio.to_thread(stop_orphans, self._folder)
        except TimeoutError as error:
            raise NginxError(str(error)) from None
        await self._accept(configuration)
        self._process = Child.start(self._command("nginx.conf"))
        # a test of a new configuration briefly listens: this nginx must have the port by then
        await wait_for_new_workers(self._process.pid, set())

    async def revive(self) -> None:
        """Start nginx again, which was killed or has crashed, with the configuration that it had."""
        # accepted before: another test would cost clients half a second
        self._process = Child.start(self._command("nginx.conf"))
        await wait_for_new_workers(self._process.pid, set())

    async def reload(self, configuration: str, *, drain: float = 0) -> bool:
        """Give nginx a new configuration, and wait until every new request uses it. Returns whether it differs.

        Running requests continue. For `drain` seconds before, responses close their connections: nginx closes idle
        ones, on which a client may just send a request. Raises NginxError if nginx rejects the configuration; then it
        continues with the old one.
        """
        if configuration == self._configuration:
            return False
        await self._accept(configuration)
        if self._process is not None and self._process.returncode is None:
            async with self._drain(drain):
                before = workers(self._process.pid)
                self._process.send_signal(signal.SIGHUP)
                await wait_for_new_workers(self._process.pid, before)
        return True

    @contextlib.asynccontextmanager
    async def _drain(self, seconds: float) -> AsyncIterator[None]:
        file = self._folder / DRAINING
        # another process drains it already, so it is about to end
        if not seconds or file.exists():
            yield
            return
        file.touch()
        try:
            await asyncio.sleep(seconds)
            yield
        finally:
            file.unlink(missing_ok=True)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def wait(self) -> int:
        """Wait for the end of nginx and return its exit status. Workers without their master are dismissed."""
        if self._process is None:
            raise NginxError("nginx was not started")
        status = await self._process.wait()
        dismiss_orphans(self._process.pid)
        return status

    async def stop(self, grace: float = 10.0) -> None:
        """Let requests finish for `grace` seconds, then end nginx.

        If its connections are being drained, wait until clients had time to learn it. A pod that is deleted by force
        gets SIGTERM a second after the drain began, and is killed two seconds later.
        """
        if self.is_running:
            await asyncio.sleep(self._remaining_seconds())
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
        await self.wait()

    def _remaining_seconds(self) -> float:
        """Return for how many seconds responses must still carry the header; 0 if they never carry it."""
        try:
            age = time.time() - (self._folder / DRAINING).stat().st_mtime
        except FileNotFoundError:
            return 0
        return min(max(DRAIN_SECONDS - age, 0), DRAIN_SECONDS)

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
