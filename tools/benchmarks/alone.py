"""Run the parts of a benchmark so that a part that fails ends no other part."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from tools.benchmarks.settings import BenchmarkError

_Result = TypeVar("_Result")


async def run_alone(name: str, title: str, measuring: Awaitable[_Result], faults: list[str]) -> _Result | None:
    """Return the result of a part; None if it fails: then print the reason and add it to `faults`.

    Every exception counts, because the figures of the other parts take minutes to measure.
    """
    try:
        return await measuring
    except Exception as error:
        reason = str(error) if isinstance(error, BenchmarkError) else f"{type(error).__name__}: {error}"
    faults.append(f"{name}: {reason}")
    print(f"{title:<31}not counted: {reason}", flush=True)
    return None
