"""The settings with which a stack was last brought up: commands that come later need not be given them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from deploy.local.programs import PASSED_ON
from deploy.local.settings import StackError, StackSettings
from deploy.local.state import write_private

NAMES = tuple(sorted({*StackSettings.variables(), *PASSED_ON} - {"STATE_DIR"}))
"""The variables that are remembered: where a stack is kept has to be said, or is the usual place."""


def given(environment: Mapping[str, str]) -> dict[str, str]:
    """What the environment says; empty values count as not given."""
    return {name: environment[name] for name in NAMES if environment.get(name, "").strip()}


def recall(folder: Path) -> dict[str, str]:
    """What was remembered in STATE_DIR. Raises StackError where that cannot be read."""
    file = _file(folder)
    try:
        found = json.loads(file.read_text())
        return {name: str(found[name]) for name in NAMES if name in found}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as error:
        raise StackError(f"{file} cannot be read ({error}); remove it and try again") from error


def remember(folder: Path, settings: Mapping[str, str]) -> None:
    """For the next command. The file holds passwords, so that nobody else can read it."""
    write_private(_file(folder), json.dumps(settings, indent=2))


def forget(folder: Path) -> None:
    """Brings a stack back to the defaults, from its next start on."""
    _file(folder).unlink(missing_ok=True)


def _file(folder: Path) -> Path:
    return folder / "settings.json"
