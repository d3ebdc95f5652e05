"""The folder of exports, which the processes of a machine may share: files that are there, and those that are made."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from typing import IO

_MAKING = "making-"
_LOCK = "lock"


@dataclass(frozen=True, slots=True)
class Making:
    """A folder of its own for a file that is made, which nobody else clears away as long as this process lives."""

    folder: Path
    file: Path
    tag: str
    """What tells this file from others of the same content: not all formats have the same bytes each time."""

    def size(self) -> int:
        """Bytes of all that is there."""
        return sum(entry.stat().st_size for entry in self.folder.iterdir() if entry.is_file())


class ExportFolder:
    """Files by key, up to so many bytes, those used last, none for longer than so many seconds without a use.

    What it does takes moments, but goes to the disk.
    """

    def __init__(self, folder: Path, *, kept_bytes: int, kept_seconds: float) -> None:
        self._folder = folder
        self._kept_bytes = kept_bytes
        self._kept_seconds = kept_seconds
        self._locks: dict[Path, IO[str]] = {}

    def clear(self) -> None:
        """Takes away what processes that are no more have left, and files that are too old or too many."""
        with self._alone():
            for making in self._folder.glob(f"{_MAKING}*"):
                if _is_left(making):
                    shutil.rmtree(making, ignore_errors=True)
        self._shrink()

    def find(self, key: str) -> Path | None:
        """The file of that key, which is used now."""
        for file in self._folder.glob(f"{key}.*"):
            try:
                os.utime(file)
            except FileNotFoundError:
                # another process has cleared it away
                continue
            return file
        return None

    def begin(self, extension: str) -> Making:
        """A place for a new file."""
        self.clear()
        with self._alone():
            folder = Path(mkdtemp(prefix=_MAKING, dir=self._folder))
            lock = (folder / _LOCK).open("w")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._locks[folder] = lock
        return Making(folder, folder / f"export.{extension}", token_hex(6))

    def keep(self, making: Making, key: str) -> None:
        """The file is whole: others may have it, too."""
        making.file.rename(self._folder / f"{key}.{making.tag}{making.file.suffix}")
        self._shrink()

    def end(self, making: Making) -> None:
        """Nobody needs its folder any more; who has opened the file reads on."""
        lock = self._locks.pop(making.folder, None)
        shutil.rmtree(making.folder, ignore_errors=True)
        if lock is not None:
            lock.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other thread or process begins or clears away meanwhile: what has just begun would look left."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _shrink(self) -> None:
        files = []
        for file in self._folder.iterdir():
            try:
                if file.is_file() and file.name != _LOCK:
                    files.append((file.stat().st_mtime, file.stat().st_size, file))
            except FileNotFoundError:
                # another process was quicker
                continue
        left = self._kept_bytes
        for moment, size, file in sorted(files, reverse=True):
            if size > left or time.time() - moment > self._kept_seconds:
                file.unlink(missing_ok=True)
            else:
                left -= size


def _is_left(making: Path) -> bool:
    """Whether nobody makes it any more, be it in this process or in another."""
    try:
        with (making / _LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (FileNotFoundError, BlockingIOError):
        # it has just ended, or is made
        return False
    return True


def tag_of(file: Path) -> str:
    """The strong tag of a file that is kept: its bytes are what they are as long as it is there."""
    return f'"{file.stem}"'
