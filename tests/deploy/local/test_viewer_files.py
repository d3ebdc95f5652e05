"""`make up` builds the browser's files while the servers start, and stops the build if it stops itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest

from deploy.local import viewer_files
from deploy.local.settings import StackError
from tests.eventually import eventually


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in for the set-up, in a repository of its own."""
    monkeypatch.setattr(viewer_files, "REPOSITORY", tmp_path)
    script = tmp_path / "deploy/local/bootstrap.sh"
    script.parent.mkdir(parents=True)
    return script


def test_the_end_of_the_build_is_awaited(script: Path, tmp_path: Path) -> None:
    script.write_text('[ "$1" = viewer ] && sleep 0.5 && touch built\n')
    with viewer_files.building() as built:
        assert not (tmp_path / "built").exists()
        built()
        assert (tmp_path / "built").exists()


def test_a_failed_build_is_reported(script: Path) -> None:
    script.write_text("echo no library >&2; exit 1\n")
    with viewer_files.building() as built, pytest.raises(StackError, match="could not be built"):
        built()


def test_an_interrupted_start_stops_the_build_and_its_children(script: Path, tmp_path: Path) -> None:
    script.write_text("sleep 60 & echo $! >new; mv new child; wait\n")
    started: list[psutil.Process] = []

    async def begun() -> psutil.Process:
        return psutil.Process(int((tmp_path / "child").read_text()))

    async def gone() -> bool:
        return not started[0].is_running() or started[0].status() == psutil.STATUS_ZOMBIE

    def start() -> None:
        with viewer_files.building():
            started.append(asyncio.run(eventually(begun)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start()
    asyncio.run(eventually(gone))
