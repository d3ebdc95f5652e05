"""The closest Python peer, tipg, in its own environment with pinned hashes."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.benchmarks.peers.peer import Peer, Wanted, output_of
from tools.benchmarks.settings import FOLDER
from tools.benchmarks.workload import Workload

_REQUIREMENTS = Path(__file__).with_name("tipg-requirements.txt")
_ENVIRONMENT = FOLDER / "tipg"
_PYTHON = _ENVIRONMENT / "bin" / "python"


def _install() -> str:
    """Return the installed version; its environment is created if missing or older than the requirements."""
    wanted = hashlib.sha256(_REQUIREMENTS.read_bytes() + str(_ENVIRONMENT).encode()).hexdigest()
    stamp = _ENVIRONMENT / ".stamp"
    if not stamp.exists() or stamp.read_text() != wanted:
        print("Installing tipg", flush=True)
        output_of([sys.executable, "-m", "venv", "--clear", str(_ENVIRONMENT)])
        install = [str(_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        output_of([*install, "--require-hashes", "-r", str(_REQUIREMENTS)])
        stamp.write_text(wanted)
    return output_of([str(_PYTHON), "-c", "import tipg; print(tipg.__version__)"]).strip()


def _command(wanted: Wanted) -> list[str]:
    """Run workers with the fast loop and parser; without an access log, which our services and gateway write."""
    return [
        *(str(_PYTHON), "-m", "uvicorn", "tipg.main:app"),
        *("--host", "127.0.0.1", "--port", str(wanted.port), "--workers", str(wanted.processes)),
        *("--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning"),
    ]


def _environment(wanted: Wanted) -> dict[str, str]:
    """Return an environment with as many connections as our services, all open from the start; defaults otherwise."""
    return {
        "PATH": os.environ.get("PATH", ""),
        # it creates functions in pg_temp
        "DATABASE_URL": f"{wanted.database_url}?default_transaction_read_only=off",
        "TIPG_DB_SCHEMAS": json.dumps(wanted.schemas),
        "DB_MIN_CONN_SIZE": "10",
        "DB_MAX_CONN_SIZE": "10",
    }


def _paths(workload: Workload) -> Sequence[str]:
    return workload.peer_paths or workload.paths


TIPG = Peer("tipg", _install, _command, _environment, _paths)
