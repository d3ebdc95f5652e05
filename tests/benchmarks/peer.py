"""The closest Python peer, tipg, in an environment of its own with pinned hashes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.settings import FOLDER, BenchmarkError

_REQUIREMENTS = Path(__file__).with_name("peer-requirements.txt")
_ENVIRONMENT = FOLDER / "peer"
_PYTHON = _ENVIRONMENT / "bin" / "python"


def install_peer() -> str:
    """Its environment, made where it is missing or older than the requirements; the version that is installed."""
    wanted = hashlib.sha256(_REQUIREMENTS.read_bytes() + str(_ENVIRONMENT).encode()).hexdigest()
    stamp = _ENVIRONMENT / ".stamp"
    if not stamp.exists() or stamp.read_text() != wanted:
        print("Installing the peer", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", str(_ENVIRONMENT)])
        install = [str(_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _run([*install, "--require-hashes", "-r", str(_REQUIREMENTS)])
        stamp.write_text(wanted)
    return _run([str(_PYTHON), "-c", "import tipg; print(tipg.__version__)"]).strip()


def peer_command(port: int, processes: int) -> list[str]:
    """Workers with the fast loop and parser; without an access log, which our services and gateway do write."""
    command = [str(_PYTHON), "-m", "uvicorn", "tipg.main:app", "--host", "127.0.0.1", "--port", str(port)]
    return [
        *command,
        "--loop",
        "uvloop",
        "--http",
        "httptools",
        "--no-access-log",
        "--log-level",
        "warning",
        "--workers",
        str(processes),
    ]


def peer_environment(database_url: str, schemas: tuple[str, ...]) -> dict[str, str]:
    """As many connections as our services have, all open from the start; everything else as it comes."""
    return {
        "PATH": os.environ.get("PATH", ""),
        # it makes itself functions in pg_temp
        "DATABASE_URL": f"{database_url}?default_transaction_read_only=off",
        "TIPG_DB_SCHEMAS": json.dumps(schemas),
        "DB_MIN_CONN_SIZE": "10",
        "DB_MAX_CONN_SIZE": "10",
    }


def _run(command: list[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BenchmarkError(f"{' '.join(command)} failed:\n{result.stdout[-1000:]}{result.stderr[-3000:]}")
    return result.stdout
