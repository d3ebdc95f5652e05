"""A link between browser and service that counts what passes, and may be as slow as one of a phone far out.

It stands on the wire, so that it sees what workers ask for, too, and what no cache of the browser has answered.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_CHUNK = 16 * 1024
_REQUEST = re.compile(rb"(?:GET|HEAD|OPTIONS) (\S+) HTTP/1\.1\r\n")


@dataclass
class Asked:
    """A request: its path with its parameters, and the bytes of its answer on the wire, headers included."""

    address: str
    size: int = 0


@dataclass
class Link:
    """A listener on the loopback that passes on to `target`, `host:port`."""

    target: tuple[str, int]
    bytes_per_second: float | None = None
    latency: float = 0.0
    """Seconds from a request to the first byte of its answer, beside what the service takes."""
    asked: list[Asked] = field(default_factory=list)
    _free_at: float = 0.0

    @property
    def size(self) -> int:
        """Bytes of all answers."""
        return sum(each.size for each in self.asked)

    async def quiet(self, seconds: float = 0.7) -> None:
        """Wait until no request and no bytes were seen for this time.

        The browser's own event for that takes 15 seconds if an answer in its cache is revalidated at that time.
        """
        before = (-1, -1)
        while (now := (len(self.asked), self.size)) != before:
            before = now
            await asyncio.sleep(seconds)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the browser: requests follow each other on it, each when the last has its answer."""
        try:
            service_reader, service_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.close()
            return
        answers = asyncio.create_task(self._answers(service_reader, writer))
        try:
            while chunk := await reader.read(_CHUNK):
                found = _REQUEST.match(chunk)
                if found:
                    self.asked.append(Asked(found[1].decode()))
                    self._now[writer] = self.asked[-1]
                    await asyncio.sleep(self.latency)
                service_writer.write(chunk)
                await service_writer.drain()
        except ConnectionError:
            pass
        finally:
            answers.cancel()
            service_writer.close()
            writer.close()

    _now: dict[asyncio.StreamWriter, Asked] = field(default_factory=dict)

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(_CHUNK):
            self._now[writer].size += len(chunk)
            await self._wait_for_bytes(len(chunk))
            writer.write(chunk)
            await writer.drain()
        writer.close()

    async def _wait_for_bytes(self, size: int) -> None:
        """Wait until this number of bytes has passed; all connections share the link."""
        if self.bytes_per_second is None:
            return
        now = asyncio.get_running_loop().time()
        self._free_at = max(self._free_at, now) + size / self.bytes_per_second
        await asyncio.sleep(self._free_at - now)


@asynccontextmanager
async def link_to(
    base_url: str, *, bytes_per_second: float | None = None, latency: float = 0.0
) -> AsyncIterator[tuple[Link, str]]:
    """The link, and the address that the service at `base_url` has over it."""
    parts = urlsplit(base_url)
    link = Link((parts.hostname or "127.0.0.1", parts.port or 80), bytes_per_second, latency)
    server = await asyncio.start_server(link.serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield link, f"http://127.0.0.1:{port}{parts.path}"
