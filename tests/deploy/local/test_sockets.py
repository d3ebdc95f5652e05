"""The folder of a stack's Unix sockets lies where anybody may write: nothing of others is used or removed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.settings import StackError
from deploy.local.sockets import is_ours, make_folder, remove_folder

STACK = Path("/a/stack")


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in place of /tmp; those of pytest have long paths."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def test_is_empty_and_private_but_for_the_way_through(temporary: Path) -> None:
    folder = make_folder(STACK)
    assert folder.parent == temporary
    assert folder.stat().st_mode & 0o777 == 0o711
    (folder / "postgresql").mkdir()
    (folder / "tiles_0").touch()
    assert make_folder(STACK) == folder
    assert list(folder.iterdir()) == []
    assert make_folder(Path("/another/stack")) != folder
    remove_folder(folder)
    remove_folder(folder)
    assert not folder.exists()


@pytest.mark.parametrize("kind", ["link", "file", "foreign"])
def test_what_is_not_ours_is_neither_used_nor_removed(temporary: Path, kind: str) -> None:
    folder = make_folder(STACK)
    folder.rmdir()
    if kind == "link":
        (temporary / "elsewhere").mkdir()
        folder.symlink_to(temporary / "elsewhere")
    elif kind == "file":
        folder.touch()
    elif os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    else:
        folder.mkdir()
        shutil.chown(folder, "nobody")
    assert not is_ours(folder)
    with pytest.raises(StackError, match="belongs to somebody else"):
        make_folder(STACK)
    remove_folder(folder)
    assert folder.exists()


@pytest.mark.parametrize("name", ["x" * 100, "a b", "a,b", "a%b"])
def test_a_path_that_no_socket_can_have_is_refused(monkeypatch: pytest.MonkeyPatch, temporary: Path, name: str) -> None:
    unsuitable = temporary / name
    unsuitable.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(unsuitable))
    with pytest.raises(StackError, match="too long or has unusual characters"):
        make_folder(STACK)
    assert list(unsuitable.iterdir()) == []
