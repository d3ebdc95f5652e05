"""A child process that outlives the program which started it: `execv` puts another one in its parent's place.

`asyncio` and `subprocess` know only children that the running program has started.
"""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Self


class Child:
    """A child of this process. To be made where an event loop runs, which notices its end."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.Event()
        self._file = os.pidfd_open(pid)
        asyncio.get_running_loop().add_reader(self._file, self._collect)

    @classmethod
    def start(cls, command: list[str]) -> Self:
        """Starts a program in a session of its own, which no signal of a terminal reaches. Raises OSError."""
        return cls(os.posix_spawn(command[0], command, os.environ, setsid=True))

    def send_signal(self, number: int) -> None:
        """Sends the signal, if the process has not ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Ends the process at once."""
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Waits for the end of the process; its exit status."""
        await self._ended.wait()
        return self.returncode or 0

    def _collect(self) -> None:
        asyncio.get_running_loop().remove_reader(self._file)
        os.close(self._file)
        _, status = os.waitpid(self.pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)
        self._ended.set()
