"""Programs in environments of their own, because they need other packages than the services."""

from __future__ import annotations

import subprocess
from pathlib import Path

from deploy.local.settings import REPOSITORY


def own_program(name: str, program: str) -> Path:
    """Return a program of the packages in `tests/<name>-requirements.txt`, which are installed at the first use."""
    folder = REPOSITORY / f".local/environment-{name}"
    found = folder / "bin" / program
    listed = REPOSITORY / f"tests/{name}-requirements.txt"
    if not found.exists():
        uv = [str(REPOSITORY / ".venv/bin/uv")]
        subprocess.run([*uv, "venv", "--quiet", "--no-config", "--clear", str(folder)], check=True)
        install = ["pip", "install", "--quiet", "--no-config", "--require-hashes", "--no-deps"]
        subprocess.run([*uv, *install, "--python", str(folder), "-r", str(listed)], check=True)
    return found
