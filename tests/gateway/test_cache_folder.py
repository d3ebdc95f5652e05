"""When answers may be kept on the disk, and when old ones are deleted."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from gateway.cache_folder import CacheFolder, remove_older


def test_what_fills_the_disk_is_kept_again_only_when_there_is_plenty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = iter((200_000, 64_000, 63_999, 64_000, 127_999, 128_000, 64_000))
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=next(free), f_frsize=1000, f_bfree=10**9))
    folder = CacheFolder(tmp_path)
    assert [folder.has_room() for _ in range(7)] == [True, True, False, False, False, True, True]


def test_a_folder_that_somebody_has_removed_is_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = CacheFolder(tmp_path / "cache")
    assert folder.has_room()
    found: list[SimpleNamespace | None] = [None, SimpleNamespace(f_bavail=63_999, f_frsize=1000), None]

    def statvfs(_: object) -> SimpleNamespace:
        if (status := found.pop(0)) is None:
            raise FileNotFoundError
        return status

    monkeypatch.setattr(os, "statvfs", statvfs)
    # the known state of the disk stays until nginx has made the folder again
    assert [folder.has_room() for _ in range(3)] == [True, False, False]


async def test_what_is_older_than_a_minute_goes_every_ten_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = CacheFolder(tmp_path)
    started = time.monotonic()
    (tmp_path / "a" / "b").mkdir(parents=True)

    def make(age: float) -> Path:
        file = tmp_path / "a" / "b" / str(age)
        file.touch()
        os.utime(file, (time.time() - age,) * 2)
        return file

    old, new = make(70), make(50)
    for seconds, is_there in ((9, True), (11, False)):
        monkeypatch.setattr("gateway.cache_folder.time.monotonic", lambda now=started + seconds: now)
        await folder.sweep()
        assert (old.exists(), new.exists()) == (is_there, True)
    old = make(70)
    for seconds, is_there in ((20, True), (22, False)):
        monkeypatch.setattr("gateway.cache_folder.time.monotonic", lambda now=started + seconds: now)
        await folder.sweep()
        assert old.exists() is is_there


def test_what_a_link_leads_to_stays(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    (folder / "link").symlink_to(elsewhere)
    (folder / "old").touch()
    remove_older(folder, time.time() + 60)
    assert (os.listdir(folder), os.listdir(elsewhere)) == ([], ["file"])  # noqa: PTH208
