"""The unit of systemd: accepted by systemd itself, installed and removed by `make service`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local import service
from deploy.local.settings import REPOSITORY, StackError, StackSettings


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("folder", ["state", 'a "state" of 100 % $HOME'])
def test_systemd_accepts_the_unit(tmp_path: Path, folder: str, system: bool) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("needs systemd-analyze")
    state_dir = tmp_path / folder
    file = tmp_path / service.unit_name(state_dir)
    file.write_text(service.unit_text(state_dir, system=system))
    # without --man, which looks for pages; a unit that it does not like has a sentence in the output
    verified = subprocess.run(
        [analyze, "verify", "--man=no", *([] if system else ["--user"]), str(file)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert file.name not in verified.stderr, verified.stderr
    wrong = file.with_name("wrong.service")
    wrong.write_text(file.read_text().replace("Type=forking", "Type=knife"))
    noticed = subprocess.run([analyze, "verify", "--man=no", str(wrong)], capture_output=True, text=True, check=False)
    assert "knife" in noticed.stderr


def test_a_unit_starts_the_stack_of_its_folder(tmp_path: Path) -> None:
    text = service.unit_text(tmp_path / "b", system=True)
    lines = text.splitlines()
    assert f'ExecStart="{sys.executable}" -m deploy.local up' in lines
    assert f'ExecStop="{sys.executable}" -m deploy.local down' in lines
    assert f'Environment="DAMS_STATE_DIR={tmp_path}/b"' in lines
    assert f"PIDFile={tmp_path}/b/supervisord.pid" in lines
    assert {"WantedBy=multi-user.target", "After=network-online.target", "Restart=on-failure"} <= {*lines}
    assert "WantedBy=default.target" in service.unit_text(tmp_path, system=False)
    assert service.unit_name(REPOSITORY / ".local") == "dams.service"
    assert service.unit_name(tmp_path) != service.unit_name(tmp_path / "b")


def test_a_unit_is_installed_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, programs = tmp_path / "said", tmp_path / "bin"
    programs.mkdir()
    (programs / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>"{said}"\n')
    (programs / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(service, "_SYSTEM", tmp_path / "config/systemd/user")
    settings = StackSettings.from_env({"DAMS_STATE_DIR": str(tmp_path)})
    file = tmp_path / "config/systemd/user" / service.unit_name(tmp_path)
    assert service.remove(settings) == f"there is no {file}"
    assert service.install(settings).startswith(f"{file} is installed and started")
    assert file.read_text() == service.unit_text(tmp_path, system=os.geteuid() == 0)
    assert service.remove(settings) == f"{file} is removed"
    assert not file.exists()
    user = "" if os.geteuid() == 0 else "--user "
    commands = ("daemon-reload", f"enable --now {file.name}", f"disable --now {file.name}", "daemon-reload")
    assert said.read_text().splitlines() == [f"{user}{each}" for each in commands]
    (programs / "systemctl").write_text("#!/bin/sh\necho 'no bus' >&2; exit 1\n")
    with pytest.raises(StackError, match=r"`daemon-reload` failed: no bus"):
        service.install(settings)


def test_without_systemd_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StackError, match="not run by systemd"):
        service.install(StackSettings.from_env({"DAMS_STATE_DIR": str(tmp_path)}))
