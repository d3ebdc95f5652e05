"""Look after the folder of nginx's cache: remove old entries, and stop caching if the disk is nearly full."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

_LOG = logging.getLogger("dams.cache")

MAX_STALE_SECONDS = 60
"""Seconds after its last validation for which a cached response may replace a 503 of its service."""
SWEEP_SECONDS = 10

ENOUGH_BYTES = 64_000_000
"""Minimum free disk in bytes: below it, nginx might store truncated files, so it serves without caching."""
PLENTY_BYTES = 2 * ENOUGH_BYTES


class CacheFolder:
    """The cache folder, in which nginx creates and deletes files at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._swept = time.monotonic()
        self._writable = True

    async def sweep(self) -> None:
        """Remove entries older than `MAX_STALE_SECONDS` from time to time."""
        if time.monotonic() - self._swept >= SWEEP_SECONDS:
            await asyncio.to_thread(remove_older, self._folder, time.time() - MAX_STALE_SECONDS)
            self._swept = time.monotonic()

    def has_room(self) -> bool:
        """Return whether responses may be cached now."""
        try:
            status = os.statvfs(self._folder)
        except FileNotFoundError:
            # someone has deleted the folder, and nginx will create it again
            return self._writable
        free = status.f_bavail * status.f_frsize
        writable = free >= (ENOUGH_BYTES if self._writable else PLENTY_BYTES)
        if writable != self._writable:
            _LOG.warning("caching again" if writable else "no room for the cache", extra={"fields": {"free": free}})
        self._writable = writable
        return writable


def remove_older(folder: Path, moment: float) -> None:
    """Remove files that nginx neither wrote nor revalidated since `moment` (seconds since the epoch).

    Both update the file's time. The next request for a removed entry goes to its service.
    """
    for file in _files(folder):
        try:
            if file.stat().st_mtime < moment:
                os.unlink(file)  # noqa: PTH108 - tens of thousands of files, perhaps
        except FileNotFoundError:
            continue


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        yield entry
        except FileNotFoundError:
            continue
