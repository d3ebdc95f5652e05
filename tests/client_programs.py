"""Programs of others that read the service: those of the system, or of another release of Debian beside it."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = os.environ.get("DAMS_CLIENTS_ROOT")
"""A folder as `other_debian.sh` makes it."""


def command(program: str, *arguments: str) -> list[str]:
    """What runs a program with these arguments."""
    return [*(["chroot", _ROOT] if _ROOT else []), program, *arguments]


def folder(path: Path) -> Path:
    """The same folder as a program sees it, made where the program is."""
    if _ROOT:
        Path(f"{_ROOT}{path}").mkdir(parents=True, exist_ok=True)
    return path
