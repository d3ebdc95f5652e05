"""Bytes that are seldom asked for, in pages that the system reads when they are, and drops when memory runs short."""

from __future__ import annotations

import tempfile
from array import array
from mmap import ACCESS_READ, mmap
from typing import Any


class PagedBytes:
    """Bytes that are added one after the other, and then read.

    They lie in a file without a name: what a build or an upgrade does to the files that they came from changes nothing
    for a process that runs.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `pages` closes it
        self._end = 0

    def add(self, data: bytes | memoryview) -> slice:
        """Where the data are in `pages`."""
        self._file.write(data)
        start, self._end = self._end, self._end + len(data)
        return slice(start, self._end)

    def pages(self) -> mmap:
        """All that was added, which is something; nothing can be added any more."""
        with self._file as file:
            file.flush()
            return mmap(file.fileno(), 0, access=ACCESS_READ)


def paged_array(values: array[Any]) -> memoryview[Any]:
    """The same numbers, as pages."""
    if not values:
        return memoryview(values)
    bytes_ = PagedBytes()
    bytes_.add(values.tobytes())
    return memoryview(bytes_.pages()).cast(values.typecode)  # type: ignore[arg-type]
