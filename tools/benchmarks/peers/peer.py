"""The benchmark's description of a server to compare with the product."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tools.benchmarks.settings import BenchmarkError
from tools.benchmarks.workload import Workload


@dataclass(frozen=True, slots=True)
class Wanted:
    """The configuration: on `port`, with `processes` workers, for tables in `schemas`, ten connections each."""

    port: int
    processes: int
    database_url: str
    schemas: tuple[str, ...]


class Install(Protocol):
    """Installs a program if it is missing, and returns its version. Raises BenchmarkError if that fails."""

    def __call__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Peer:
    """A server with some or all of the product's responses."""

    name: str
    install: Install
    command: Callable[[Wanted], list[str]]
    environment: Callable[[Wanted], dict[str, str]]
    paths: Callable[[Workload], Sequence[str] | None]
    """Its addresses for a workload's responses, in the same order; None if it has none."""


def output_of(command: list[str], *, folder: Path | None = None) -> str:
    """Return the output of a command. Raises BenchmarkError with its end if it fails, or does not exist."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    except FileNotFoundError as error:
        raise BenchmarkError(f"{command[0]} is not installed") from error
    if result.returncode != 0:
        raise BenchmarkError(f"{' '.join(command)} failed:\n{result.stdout[-1000:]}{result.stderr[-3000:]}")
    return result.stdout
