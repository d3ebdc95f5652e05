"""A unit of systemd for a stack, so that it runs again after a reboot: its text, installed and removed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.local.settings import REPOSITORY, StackError, StackSettings
from deploy.local.state import StateFolder

_SYSTEM = Path("/etc/systemd/system")
_USUAL = REPOSITORY / ".local"


def unit_name(state_dir: Path) -> str:
    """Return the name of the unit; of a stack elsewhere than usual it ends with a digest of the folder."""
    digest = hashlib.sha256(str(state_dir).encode()).hexdigest()[:8]
    return "dams.service" if state_dir == _USUAL else f"dams-{digest}.service"


def unit_text(state_dir: Path, *, system: bool) -> str:
    """Return the unit. The settings are those of the last `make up`, which DAMS_STATE_DIR holds.

    `system`: for the machine, else for the installing user.
    """
    command = f"{_word(sys.executable)} -m deploy.local"
    return "\n".join(
        [
            "[Unit]",
            f"Description=Disaster Analysis and Mapping Service, {_plain(state_dir)}",
            *(["Wants=network-online.target", "After=network-online.target"] if system else []),
            "",
            "[Service]",
            # `up` ends when everything answers, and leaves its supervisor behind
            "Type=forking",
            f"PIDFile={_plain(StateFolder(state_dir).supervisor_pid)}",
            f"WorkingDirectory={_plain(REPOSITORY)}",
            f"Environment={_word(f'DAMS_STATE_DIR={state_dir}')}",
            f"ExecStart={command} up",
            f"ExecStop={command} down",
            "Restart=on-failure",
            "RestartSec=5",
            "TimeoutStartSec=15min",
            "TimeoutStopSec=2min",
            "",
            "[Install]",
            f"WantedBy={'multi-user' if system else 'default'}.target",
            "",
        ]
    )


def install(settings: StackSettings) -> str:
    """Write the unit, enable and start it; return what was done. Raises StackError where systemd does not run here."""
    file, systemctl = _place(settings.state_dir)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(unit_text(settings.state_dir, system=os.geteuid() == 0))
    _run([*systemctl, "daemon-reload"])
    _run([*systemctl, "enable", "--now", file.name])
    after = "" if os.geteuid() == 0 else "; `loginctl enable-linger` starts it before you log in"
    return f"{file} is installed and started{after}"


def remove(settings: StackSettings) -> str:
    """Stop and disable the unit and delete it; return what was done. The data stay."""
    file, systemctl = _place(settings.state_dir)
    if not file.exists():
        return f"there is no {file}"
    _run([*systemctl, "disable", "--now", file.name])
    file.unlink()
    _run([*systemctl, "daemon-reload"])
    return f"{file} is removed"


def _place(state_dir: Path) -> tuple[Path, list[str]]:
    """The file of the unit, and the command that knows it."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        raise StackError("there is no systemctl: this system is not run by systemd")
    if os.geteuid() == 0:
        return _SYSTEM / unit_name(state_dir), [systemctl]
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return home / "systemd/user" / unit_name(state_dir), [systemctl, "--user"]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise StackError(f"`{' '.join(command[1:])}` failed: {done.stderr.strip() or done.stdout.strip()}")


def _plain(path: Path) -> str:
    """A path that stands alone: systemd takes blanks as they are, and expands what follows a percent sign."""
    return str(path).replace("%", "%%")


def _word(text: str) -> str:
    """One word of a command line or an assignment, in which systemd expands nothing."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
