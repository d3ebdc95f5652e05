"""The supervisor starts and stops programs, and says during a long stop that it goes on."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from deploy.local import heartbeat
from deploy.local.programs import Program
from deploy.local.state import StateFolder
from deploy.local.supervision import Supervisor, configuration_text
from tests.gateway.harness import free_port

SLOW_TO_END = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: (time.sleep(1), exit())); time.sleep(600)"


def test_long_stop_is_said_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, port = StateFolder(tmp_path), free_port()
    program = Program("slow", (sys.executable, "-c", SLOW_TO_END), port=0)
    supervisor = Supervisor(folder, port)
    supervisor.start(configuration_text([program], folder, port), {})
    supervisor.start_program("slow")
    while supervisor.states()["slow"]["statename"] != "RUNNING":
        time.sleep(0.05)
    monkeypatch.setattr(heartbeat, "_SECONDS", 0.1)
    supervisor.shut_down()
    assert not supervisor.answers()
    assert "…" in capsys.readouterr().err
