"""Bytes that are rarely needed, in pages that the system loads on demand, and drops when memory runs short."""

from __future__ import annotations

import tempfile
from array import array
from mmap import ACCESS_READ, mmap
from typing import Any


class PagedBytes:
    """Bytes that are added one after another, and then read.

    They are stored in an unnamed file: a build or an upgrade that replaces the original files does not affect a running
    process.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `pages` closes it
        self._end = 0

    def add(self, data: bytes | memoryview) -> slice:
        """Append the data and return their position in `pages`."""
        self._file.write(data)
        start, self._end = self._end, self._end + len(data)
        return slice(start, self._end)

    def pages(self) -> mmap:
        """Return everything that was added, at least one byte; nothing can be added afterwards."""
        with self._file as file:
            file.flush()
            return mmap(file.fileno(), 0, access=ACCESS_READ)


def paged_array(values: array[Any]) -> memoryview[Any]:
    """Return the same numbers, in pages."""
    if not values:
        return memoryview(values)
    bytes_ = PagedBytes()
    bytes_.add(values.tobytes())
    return memoryview(bytes_.pages()).cast(values.typecode)  # type: ignore[arg-type]
