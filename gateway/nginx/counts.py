"""Count nginx's responses: it writes a short line per request, which this module reads once a second.

nginx itself counts neither cache hits nor response statuses.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from prometheus_client import Counter as Metric

COUNTED = "$service $upstream_cache_status $status"
"""Format of a line."""

_REQUESTS = Metric(
    "dams_gateway_requests_total",
    "Requests by the service that they were for, what the cache of nginx had, and the status of the answer",
    ["service", "cache", "status"],
)
_LONGEST = 4 * 1024 * 1024
"""Bytes of counted lines after which the file is truncated."""
_AT_ONCE = 1024 * 1024


class Counts:
    """Counts the lines of `file` that are written from now on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read = file.stat().st_size if file.exists() else 0

    async def count(self) -> None:
        """Count the lines since the last call. An empty or missing file has none."""
        try:
            with self._file.open("rb+") as lines:
                self._count(lines.fileno())
        except FileNotFoundError:
            self._read = 0

    def _count(self, file: int) -> None:
        if os.fstat(file).st_size < self._read:
            self._read = 0
        while content := os.pread(file, _AT_ONCE, self._read):
            whole = content[: content.rfind(b"\n") + 1]
            if not whole:
                break
            self._read += len(whole)
            for line, number in Counter(whole.splitlines()).items():
                _add(line.decode(errors="replace"), number)
        # between both calls only a few lines can be lost, and nginx always appends at the end
        if self._read > _LONGEST and os.fstat(file).st_size == self._read:
            os.ftruncate(file, 0)
            self._read = 0


def _add(line: str, number: int) -> None:
    service, _, rest = line.partition(" ")
    cache, _, status = rest.partition(" ")
    if status.isdecimal():
        cached = "none" if cache == "-" else cache.lower()
        _REQUESTS.labels("gateway" if service in ("", "-") else service, cached, status).inc(number)
