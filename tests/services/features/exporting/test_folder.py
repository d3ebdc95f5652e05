"""The folder that processes share: the files kept, for how long, and the files that are cleared."""

from __future__ import annotations

import fcntl
import os
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from tempfile import mkdtemp

import pytest

from services.features.exporting import folder
from services.features.exporting.folder import ExportFolder, tag_of


def kept(place: Path) -> set[str]:
    """Return the contents of the folder, without its lock."""
    return {file.name.partition(".")[0] for file in place.iterdir()} - {"lock"}


def a_file(place: Path, key: str, *, size: int = 10, age: float = 0) -> Path:
    file = place / f"{key}.tag.csv"
    file.write_bytes(b"x" * size)
    os.utime(file, (time.time() - age,) * 2)
    return file


def with_room(place: Path, *, kept_bytes: int = 1000, kept_seconds: float = 100) -> ExportFolder:
    return ExportFolder(place, kept_bytes=kept_bytes, kept_seconds=kept_seconds)


def test_what_is_made_is_kept_under_its_key_and_its_folder_goes(tmp_path: Path) -> None:
    exports = with_room(tmp_path / "not" / "there")
    making, other = exports.begin("csv"), exports.begin("csv")
    assert (making.file.name, making.file.parent) == ("export.csv", making.folder)
    assert making.tag != other.tag
    making.file.write_bytes(b"1234567")
    (making.folder / "beside").write_bytes(b"890")
    (making.folder / "folder").mkdir()
    assert making.size() == 10
    assert exports.find("key") is None
    exports.keep(making, "key")
    found = exports.find("key")
    assert found is not None
    assert (found.name, tag_of(found)) == (f"key.{making.tag}.0.csv", f'"key.{making.tag}"')
    assert found.read_bytes() == b"1234567"
    # of another key with the same beginning it is not
    assert exports.find("ke") is None
    for each in (making, other):
        exports.end(each)
        assert not each.folder.exists()
    # a second time, as for an export that was cancelled
    exports.end(making)
    assert exports.find("key") == found


def test_those_used_last_are_kept_up_to_so_many_bytes(tmp_path: Path) -> None:
    for age, key in enumerate(("newest", "newer", "older", "oldest")):
        a_file(tmp_path, key, size=30, age=age)
    a_file(tmp_path, "little", size=10, age=9)
    with_room(tmp_path, kept_bytes=100).clear()
    # where the next one does not fit, one that does stays
    assert kept(tmp_path) == {"newest", "newer", "older", "little"}
    with_room(tmp_path, kept_bytes=90).clear()
    assert kept(tmp_path) == {"newest", "newer", "older"}
    with_room(tmp_path, kept_bytes=89).clear()
    assert kept(tmp_path) == {"newest", "newer"}


def test_what_is_found_is_used_and_stays(tmp_path: Path) -> None:
    for key in ("asked", "forgotten"):
        a_file(tmp_path, key, age=50)
    exports = with_room(tmp_path, kept_seconds=40)
    assert exports.find("asked") is not None
    exports.clear()
    assert kept(tmp_path) == {"asked"}
    with_room(tmp_path, kept_seconds=0).clear()
    assert kept(tmp_path) == set()
    # processes use it to decide which one clears the folder
    assert (tmp_path / "lock").exists()


def test_what_is_kept_makes_room_for_itself(tmp_path: Path) -> None:
    a_file(tmp_path, "before", size=30, age=5)
    exports = with_room(tmp_path, kept_bytes=50)
    making = exports.begin("csv")
    making.file.write_bytes(b"x" * 30)
    exports.keep(making, "key")
    exports.end(making)
    assert kept(tmp_path) == {"key"}


@pytest.mark.faults
def test_folders_of_processes_that_are_no_more_are_cleared_away(tmp_path: Path) -> None:
    exports = with_room(tmp_path)
    own = exports.begin("csv")
    for name in ("held", "left", "never-begun"):
        (tmp_path / f"making-{name}").mkdir()
    for name in ("held", "left"):
        (tmp_path / f"making-{name}" / "lock").touch()
    with (tmp_path / "making-held" / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        exports.clear()
        # another process sees that this one lives
        with_room(tmp_path).clear()
        assert kept(tmp_path) == {own.folder.name, "making-held"}
    # its process has ended now
    exports.clear()
    assert kept(tmp_path) == {own.folder.name}
    exports.end(own)


@pytest.mark.faults
def test_what_has_just_begun_is_not_taken_for_what_was_left(tmp_path: Path) -> None:
    with_room(tmp_path).clear()
    (tmp_path / "making-begins").mkdir()
    with (tmp_path / "lock").open("a") as lock, ThreadPoolExecutor() as threads:
        # as a process does until it has locked its folder
        fcntl.flock(lock, fcntl.LOCK_EX)
        exports = with_room(tmp_path)
        clearing, beginning = threads.submit(exports.clear), threads.submit(exports.begin, "csv")
        wait([clearing], timeout=0.2)
        assert not clearing.done()
        assert not beginning.done()
        assert kept(tmp_path) == {"making-begins"}
        lock.close()
        exports.end(beginning.result(60))


@pytest.mark.faults
def test_others_clear_away_before_a_folder_is_made_or_after_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadPoolExecutor() as threads:

        def made(**given: object) -> str:
            name = mkdtemp(**given)  # type: ignore[call-overload]
            wait([threads.submit(with_room(tmp_path).clear)], timeout=0.2)
            return str(name)

        monkeypatch.setattr(folder, "mkdtemp", made)
        exports = with_room(tmp_path)
        making = exports.begin("csv")
    assert making.folder.exists()
    exports.end(making)


@pytest.mark.faults
def test_what_another_process_has_just_cleared_away_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "making-gone").symlink_to(tmp_path / "gone")
    file = a_file(tmp_path, "key")
    (tmp_path / "other.csv").symlink_to(tmp_path / "gone")
    exports = with_room(tmp_path)
    used: list[Path] = []

    def use(found: Path) -> None:
        used.append(found)
        if len(used) == 1:
            raise FileNotFoundError

    with monkeypatch.context() as patch:
        # of two files of that key, the first that is looked at
        second = tmp_path / "key.second.csv"
        second.touch()
        patch.setattr(os, "utime", use)
        assert exports.find("key") == used[1]
        assert {*used} == {file, second}
        second.unlink()
    with monkeypatch.context() as patch:
        # it exists when it is looked for, but not when its size is read
        patch.setattr(Path, "is_file", lambda each: each != tmp_path / "making-gone")
        exports.clear()
    assert exports.find("key") == file

    def late() -> float:
        file.unlink()
        return time.monotonic() + 10**10

    with monkeypatch.context() as patch:
        patch.setattr(time, "time", late)
        exports.clear()
    assert exports.find("key") is None


def test_files_stay_for_as_long_as_they_are_to_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(a_file(tmp_path, "key"), (1000, 1000))
    for now, there in ((1100.0, {"key"}), (1100.5, set())):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda now=now: now)
            with_room(tmp_path, kept_seconds=100).clear()
        assert kept(tmp_path) == there
