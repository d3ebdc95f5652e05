"""What nginx answered, counted: it writes a short line for each request, which are read once a second.

nginx itself counts neither what its cache had nor how it answered.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from prometheus_client import Counter as Metric

COUNTED = "$service $upstream_cache_status $status"
"""The format of a line."""

_REQUESTS = Metric(
    "dams_gateway_requests_total",
    "Requests by the service that they were for, what the cache of nginx had, and the status of the answer",
    ["service", "cache", "status"],
)
_LONGEST = 4 * 1024 * 1024
"""Bytes of lines that are counted already, after which the file begins anew."""
_AT_ONCE = 1024 * 1024


class Counts:
    """Counts the lines of `file` that are written from now on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read = file.stat().st_size if file.exists() else 0

    async def count(self) -> None:
        """Counts what has come since the last time. An empty or missing file is none."""
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
        # between the two nothing but a few lines can come, and nginx writes at the end wherever that is
        if self._read > _LONGEST and os.fstat(file).st_size == self._read:
            os.ftruncate(file, 0)
            self._read = 0


def _add(line: str, number: int) -> None:
    service, _, rest = line.partition(" ")
    cache, _, status = rest.partition(" ")
    if status.isdecimal():
        cached = "none" if cache == "-" else cache.lower()
        _REQUESTS.labels("gateway" if service in ("", "-") else service, cached, status).inc(number)
