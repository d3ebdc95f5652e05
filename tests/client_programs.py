"""Client programs: those of the system, or of another release of Debian beside it."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = os.environ.get("DAMS_CLIENTS_ROOT")
"""A folder made by `other_debian.sh`."""


def command(program: str, *arguments: str) -> list[str]:
    """Return the command that runs a program with these arguments."""
    return [*(["chroot", _ROOT] if _ROOT else []), program, *arguments]


def folder(path: Path) -> Path:
    """Return the same folder as the program sees it, created on its side."""
    if _ROOT:
        Path(f"{_ROOT}{path}").mkdir(parents=True, exist_ok=True)
    return path


def other_nginx(folder: Path) -> Path:
    """Return a folder with the other release's nginx, callable as a program of this one."""
    if _ROOT is None:
        raise LookupError("the other release is missing; `make test-newer-clients` unpacks it")
    libraries = ":".join(f"{_ROOT}{path}/x86_64-linux-gnu" for path in ("/lib", "/usr/lib"))
    program = folder / "other" / "nginx"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nexec {_ROOT}/lib64/ld-linux-x86-64.so.2 --library-path {libraries} {_ROOT}/usr/sbin/nginx "$@"\n'
    )
    program.chmod(0o755)
    return program.parent
