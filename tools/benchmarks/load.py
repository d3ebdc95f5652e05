"""Load from wrk, an independent generator: keep-alive connections that each wait for their response."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.benchmarks.settings import FOLDER, BenchmarkError

_SCRIPT = Path(__file__).with_name("load.lua")


@dataclass(frozen=True, slots=True)
class Target:
    """A server under load: its address, and the prefix of every path."""

    name: str
    port: int
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """The result of one run; latencies of whole responses, in milliseconds."""

    seconds: float
    requests: int
    bytes: int
    p50_ms: float
    p99_ms: float
    failed: int
    """Responses with a status of 400 or more."""
    broken: int
    """Connections that were refused, cut or timed out."""

    @property
    def rate(self) -> float:
        """Responses per second."""
        return self.requests / self.seconds if self.seconds else 0.0


def run_load(
    target: Target,
    paths: Sequence[str],
    *,
    seconds: float,
    connections: int,
    first: int = 0,
    vary_host: bool = False,
    encoding: str | None = None,
    whole: bool = True,
) -> Load:
    """Request the paths in turn, starting with number `first`, for `seconds`.

    With `vary_host` every request has another host, so that no cache has its response. Raises BenchmarkError if wrk is
    missing or fails, or, if they must be `whole`, any response was an error: such a rate would mean nothing.
    """
    wrk = shutil.which("wrk")
    if wrk is None:
        raise BenchmarkError("wrk is not installed (on Debian and Ubuntu: apt-get install wrk)")
    file = FOLDER / "requests.txt"
    file.write_text("\n".join(paths) + "\n")
    command = [wrk, "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "--timeout", "120s"]
    command += ["-s", str(_SCRIPT), f"http://127.0.0.1:{target.port}/", "--", str(file), target.prefix]
    command += [str(first), "vary" if vary_host else "same", encoding or "none"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    line = next((line for line in answer.stdout.splitlines() if line.startswith("{")), None)
    if answer.returncode != 0 or line is None:
        raise BenchmarkError(f"wrk failed:\n{answer.stdout}{answer.stderr}")
    load = Load(**json.loads(line))
    if whole and (load.failed or load.broken):
        raise BenchmarkError(f"{target.name}: {load.failed} error answers, {load.broken} broken connections")
    return load
