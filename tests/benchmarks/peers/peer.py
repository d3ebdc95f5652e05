"""What the benchmark needs to know of a server to measure it beside the product."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.benchmarks.settings import BenchmarkError
from tests.benchmarks.workload import Workload


@dataclass(frozen=True, slots=True)
class Wanted:
    """How it is to run: on `port`, with `processes` workers, of the tables of `schemas`, ten connections each."""

    port: int
    processes: int
    database_url: str
    schemas: tuple[str, ...]


class Install(Protocol):
    """Installs a program where it is missing, and gives its version. Raises BenchmarkError where it cannot be had."""

    def __call__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Peer:
    """A server that answers what the product answers, or some of it."""

    name: str
    install: Install
    command: Callable[[Wanted], list[str]]
    environment: Callable[[Wanted], dict[str, str]]
    paths: Callable[[Workload], Sequence[str] | None]
    """Its own addresses for a workload's answers, in the same order; None where it does not give them."""


def output_of(command: list[str], *, folder: Path | None = None) -> str:
    """What a command prints. Raises BenchmarkError with its end where it fails, or is not there."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    except FileNotFoundError as error:
        raise BenchmarkError(f"{command[0]} is not installed") from error
    if result.returncode != 0:
        raise BenchmarkError(f"{' '.join(command)} failed:\n{result.stdout[-1000:]}{result.stderr[-3000:]}")
    return result.stdout
