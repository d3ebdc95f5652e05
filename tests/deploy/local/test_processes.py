"""Processes whose parent does not collect them when they end, as in a container without an init."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from unittest import mock

import psutil
import pytest

from deploy.local.processes import stop, wait_for_end

PARENT = "import subprocess, time; print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)"


@pytest.fixture
def of_somebody_else() -> Iterator[psutil.Process]:
    """A process whose parent, not the test, never asks how it ended."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        process = psutil.Process(int(parent.stdout.readline()))
        yield process
        process.kill()
        parent.kill()


def test_one_that_nobody_collects_has_ended(of_somebody_else: psutil.Process, monkeypatch: pytest.MonkeyPatch) -> None:
    killed = mock.Mock()
    monkeypatch.setattr(of_somebody_else, "kill", killed)
    stop([of_somebody_else])
    assert of_somebody_else.status() == psutil.STATUS_ZOMBIE
    # its end was noticed: it was not killed after a timeout
    killed.assert_not_called()
    monkeypatch.undo()


def test_one_that_goes_on_is_reported(of_somebody_else: psutil.Process) -> None:
    assert wait_for_end([of_somebody_else], 0.2) == [of_somebody_else]
