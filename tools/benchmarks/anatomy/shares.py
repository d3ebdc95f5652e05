"""Assign the samples of a service to libraries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tools.benchmarks.settings import REPOSITORY

_AIOHTTP = ("aiohttp", "aiosignal", "frozenlist", "multidict", "yarl", "propcache")
OURS = "ours"


def shares(lines: Iterable[str]) -> dict[str, float]:
    """Return the share of each library in samples written by `sampled`, by the innermost function, the largest first.

    Samples from before the service started serving are left out.
    """
    counted: Counter[str] = Counter()
    for line in lines:
        count, _, stack = line.rstrip("\n").partition("\t")
        functions = [function.split("|", 1) for function in stack.split(";")]
        if any(name == "run_app" for _, name in functions):
            counted[library(functions[0][0])] += int(count)
    return {name: count / counted.total() for name, count in counted.most_common()}


def library(file: str) -> str:
    """Return `ours`, the package of the file, or `python` for the standard library and generated code."""
    if file.startswith((f"{REPOSITORY}/libs/", f"{REPOSITORY}/services/")):
        return OURS
    _, found, path = file.partition("/site-packages/")
    if not found:
        return "python"
    package = path.split("/", 1)[0].removesuffix(".py")
    return "aiohttp" if package in _AIOHTTP else package
