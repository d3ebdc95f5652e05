"""The settings of a stack's last start: later commands do not need them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from deploy.local.programs import PASSED_ON
from deploy.local.settings import StackError, StackSettings
from deploy.local.state import write_private
from libs.web.setting_names import resolve

NAMES = tuple(sorted({*StackSettings.variables(), *PASSED_ON} - {"DAMS_STATE_DIR"}))
"""The remembered variables; DAMS_STATE_DIR itself must be given, or is the default."""


def given_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables in the environment; empty values count as unset."""
    return {name: environment[name] for name in NAMES if environment.get(name, "").strip()}


def recall(folder: Path) -> dict[str, str]:
    """Return the settings remembered in DAMS_STATE_DIR. Raises StackError if they cannot be read."""
    file = _file(folder)
    try:
        found = json.loads(file.read_text())
        # the file may have names of an earlier version
        current = resolve({name: str(text) for name, text in found.items()})
        return {name: current[name] for name in NAMES if name in current}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise StackError(f"{file} cannot be read ({error}); remove it and try again") from error


def remember(folder: Path, settings: Mapping[str, str]) -> None:
    """Store the settings for the next command. The file contains passwords, so only its owner can read it."""
    write_private(_file(folder), json.dumps(settings, indent=2))


def forget(folder: Path) -> None:
    """Reset a stack to the defaults, from its next start on."""
    _file(folder).unlink(missing_ok=True)


def _file(folder: Path) -> Path:
    return folder / "settings.json"
