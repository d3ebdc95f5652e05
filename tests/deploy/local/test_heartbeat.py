"""A long step of `make up` says every few seconds that it goes on; a short one says nothing."""

from __future__ import annotations

import threading
import time

import pytest

from deploy.local import heartbeat


def test_only_a_long_step_is_said_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with heartbeat.beating():
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(heartbeat, "_SECONDS", 0.02)
    threads = threading.active_count()
    with heartbeat.beating():
        time.sleep(0.1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert {*lines} == {"  … 0 s"}
    assert threading.active_count() == threads
