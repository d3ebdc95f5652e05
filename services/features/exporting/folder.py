"""The folder of exports, shared by the processes of a machine: complete files, and files being written."""

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
    """A folder for a file being written; no other process deletes it as long as this process lives."""

    folder: Path
    file: Path
    tag: str
    """Distinguishes this file from others of the same content: some formats have other bytes each time."""

    def size(self) -> int:
        """Return the size of all files in the folder, in bytes."""
        return sum(entry.stat().st_size for entry in self.folder.iterdir() if entry.is_file())


class ExportFolder:
    """Files by key, up to `kept_bytes`. The least recently used go first, and each after `kept_seconds` without use.

    The methods are quick, but they access the disk.
    """

    def __init__(self, folder: Path, *, kept_bytes: int, kept_seconds: float) -> None:
        self._folder = folder
        self._kept_bytes = kept_bytes
        self._kept_seconds = kept_seconds
        self._locks: dict[Path, IO[str]] = {}

    def clear(self) -> None:
        """Delete the folders of dead processes, and files that are too old or exceed the total size."""
        with self._lock():
            for making in self._folder.glob(f"{_MAKING}*"):
                if _is_abandoned(making):
                    shutil.rmtree(making, ignore_errors=True)
        self._shrink()

    def find(self, key: str) -> Path | None:
        """Return the file of that key and mark it as used."""
        for file in self._folder.glob(f"{key}.*"):
            try:
                os.utime(file)
            except FileNotFoundError:
                # another process has deleted it
                continue
            return file
        return None

    def begin(self, extension: str) -> Making:
        """Create a folder for a new file."""
        self.clear()
        with self._lock():
            folder = Path(mkdtemp(prefix=_MAKING, dir=self._folder))
            lock = (folder / _LOCK).open("w")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._locks[folder] = lock
        return Making(folder, folder / f"export.{extension}", token_hex(6))

    def keep(self, making: Making, key: str, omitted: int = 0) -> None:
        """Publish the complete file under its key, with the number of omitted geometries."""
        making.file.rename(self._folder / f"{key}.{making.tag}.{omitted}{making.file.suffix}")
        self._shrink()

    def end(self, making: Making) -> None:
        """Delete the folder. Processes that have opened the file can still read it."""
        lock = self._locks.pop(making.folder, None)
        shutil.rmtree(making.folder, ignore_errors=True)
        if lock is not None:
            lock.close()

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Lock out other threads and processes: a folder just begun has no lock yet and would look abandoned."""
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
                # another process deleted it first
                continue
        left = self._kept_bytes
        for moment, size, file in sorted(files, reverse=True):
            if size > left or time.time() - moment > self._kept_seconds:
                file.unlink(missing_ok=True)
            else:
                left -= size


def _is_abandoned(making: Path) -> bool:
    """Return whether no process, this one included, writes it any more."""
    try:
        with (making / _LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (FileNotFoundError, BlockingIOError):
        # it has just ended, or it is being written
        return False
    return True


def tag_of(file: Path) -> str:
    """Return the strong entity tag of a cached file: its bytes never change."""
    return f'"{file.stem.rpartition(".")[0]}"'


def omitted_of(file: Path) -> int:
    """Return the number of geometries that were omitted from a cached file."""
    return int(file.stem.rpartition(".")[2])
