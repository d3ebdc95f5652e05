"""Looks after the folder of nginx's cache: nothing gets too old in it, nothing is written where there is no room."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

_LOG = logging.getLogger("dams.cache")

MAX_STALE_SECONDS = 60
"""How long after it was last known to be right an answer may stand in for a service that answers 503."""
SWEEP_SECONDS = 10

ENOUGH_BYTES = 64_000_000
"""Below this, what nginx stores may soon be cut short: it then passes answers on without keeping them."""
PLENTY_BYTES = 2 * ENOUGH_BYTES


class CacheFolder:
    """The folder, which nginx writes to and deletes from at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._swept = time.monotonic()
        self._writable = True

    async def sweep(self) -> None:
        """From time to time removes what is older than `MAX_STALE_SECONDS`."""
        if time.monotonic() - self._swept >= SWEEP_SECONDS:
            await asyncio.to_thread(remove_older, self._folder, time.time() - MAX_STALE_SECONDS)
            self._swept = time.monotonic()

    def has_room(self) -> bool:
        """Whether answers may be kept now."""
        try:
            status = os.statvfs(self._folder)
        except FileNotFoundError:
            # it was emptied by hand, and nginx makes it again
            return self._writable
        free = status.f_bavail * status.f_frsize
        writable = free >= (ENOUGH_BYTES if self._writable else PLENTY_BYTES)
        if writable != self._writable:
            _LOG.warning("caching again" if writable else "no room for the cache", extra={"fields": {"free": free}})
        self._writable = writable
        return writable


def remove_older(folder: Path, moment: float) -> None:
    """Removes what nginx did not write or find unchanged since `moment` (seconds since the epoch).

    Both change the time of its file. Whatever is asked for again then comes from its service.
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
