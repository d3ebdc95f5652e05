"""A child process that outlives the program that started it: `execv` replaces its parent by another program.

`asyncio` and `subprocess` only know children that the running program started itself.
"""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Self


class Child:
    """A child of this process. Create it in a running event loop, which watches for its end."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.Event()
        self._file = os.pidfd_open(pid)
        asyncio.get_running_loop().add_reader(self._file, self._collect)

    @classmethod
    def start(cls, command: list[str]) -> Self:
        """Start a program in its own session, which receives no signals from a terminal. Raises OSError."""
        return cls(os.posix_spawn(command[0], command, os.environ, setsid=True))

    def send_signal(self, number: int) -> None:
        """Send the signal, unless the process has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process."""
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait for the end of the process and return its exit status."""
        await self._ended.wait()
        return self.returncode or 0

    def _collect(self) -> None:
        asyncio.get_running_loop().remove_reader(self._file)
        os.close(self._file)
        _, status = os.waitpid(self.pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)
        self._ended.set()
