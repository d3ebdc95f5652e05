"""Mutation testing: `make mutants ARGS="libs/selection"` breaks the code in one place at a time; the tests near it run.

Nothing is written into the tree: each broken module lives in a process of its own, forked from one that has the
packages loaded. Results are in .local/mutants and are not asked for again while the module stays as it is; `--again`
asks again for those that survived. What survives and is not in equivalent.txt ends the command with status 1.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import CodeType
from typing import Any

from tests.mutants.mutations import Mutation, mutations
from tests.mutants.near import REPOSITORY, tests_near
from tests.running_stack import running

RESULTS = REPOSITORY / ".local" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.txt")

# what is loaded before the fork cannot be rewritten for assertions any more, and need not be
_OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


class Broken(importlib.machinery.SourceFileLoader):
    """Gives the broken module in place of the one on disk."""

    def __init__(self, module: str, mutation: Mutation) -> None:
        super().__init__(
            module.removesuffix(".py").replace("/", ".").removesuffix(".__init__"), str(REPOSITORY / module)
        )
        self.mutation = mutation

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Of that one module."""
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )

    def get_code(self, fullname: str) -> CodeType:
        """Of the tree, not of the file."""
        return compile(self.mutation.tree, self.path, "exec")


class Chosen:
    """A pytest plugin: these tests only, in this order."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Drop and sort."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid]
        )


def observe(module: str) -> dict[str, Any]:
    """Which tests near the module run which of its lines; they must pass."""
    file = RESULTS / f"{module.replace('/', '.')}.observed"
    environment = os.environ | {"MUTANTS_MODULES": str(REPOSITORY / module), "MUTANTS_OBSERVED": str(file)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "tests.mutants.observed", *tests_near(module)]
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def tests_of(line: int, module: str, observed: dict[str, Any]) -> list[str]:
    """The quickest first; of what runs at import, all that run any line of the module."""
    lines = observed["lines"].get(module, {})
    tests = [test for test in lines.get(str(line), []) if test]
    tests = tests or sorted({test for found in lines.values() for test in found if test})
    return sorted(tests, key=lambda test: observed["durations"].get(test, 0.0))


def survives(module: str, mutation: Mutation, observed: dict[str, Any]) -> bool:
    """Whether no test fails."""
    tests = tests_of(mutation.line, module, observed)
    if not tests:
        return True
    limit = 30 + 5 * sum(observed["durations"].get(test, 0.0) for test in tests)
    child = os.fork()
    if child == 0:
        os.setsid()
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        for name in [name for name in sys.modules if name.partition(".")[0] in ("libs", "services", "gateway")]:
            del sys.modules[name]
        sys.meta_path.insert(0, Broken(module, mutation))
        import pytest  # noqa: PLC0415

        files = sorted({test.partition("::")[0] for test in tests})
        os._exit(int(pytest.main([*_OPTIONS, *files], plugins=[Chosen(tests)])))
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def run(module: str, sample: int | None, *, again: bool) -> list[str]:
    """Break the module in every place; what survives."""
    source = (REPOSITORY / module).read_text(encoding="utf-8")
    store = RESULTS / f"{module.replace('/', '.')}.{blake2b(source.encode(), digest_size=6).hexdigest()}.json"
    results: dict[str, bool] = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
    every = {
        f"{mutation.line} {number} {mutation.key()}": mutation for number, mutation in enumerate(mutations(source))
    }
    chosen = list(every) if sample is None else random.Random(1).sample(list(every), min(sample, len(every)))  # noqa: S311
    left = [key for key in chosen if key not in results or (again and results[key])]
    observed = observe(module) if left else {}
    for package in observed.get("packages", []):
        with suppress(ImportError):
            importlib.import_module(package)
    unbroken = Mutation("module", 0, "", "", ast.parse(source))
    if left and not survives(module, unbroken, observed):
        raise SystemExit(f"the tests near {module} fail although nothing is broken")
    for key in left:
        results[key] = survives(module, every[key], observed)
        store.write_text(json.dumps(results, indent=0), encoding="utf-8")
        print(f"{'SURVIVES' if results[key] else 'killed  '} {module}:{key}", flush=True)
    return [f"{module}:{key}" for key in chosen if results[key]]


def main() -> int:
    """For each module under the paths."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("paths", nargs="+", help="modules or folders")
    parser.add_argument("--sample", type=int, help="at the most so many in a module, always the same ones")
    parser.add_argument("--again", action="store_true", help="ask again for what survived")
    given = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    explained = {line.partition(" | ")[0] for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()}
    files = [
        file for path in given.paths for file in ([Path(path)] if path.endswith(".py") else Path(path).rglob("*.py"))
    ]
    survivors: list[str] = []
    with running("test-servers", "--servers-only", purge=True) as servers:
        os.environ["DAMS_TEST_SERVERS"] = str(servers)
        for file in sorted(files):
            survivors += run(str(file), given.sample, again=given.again)
    unexplained = [key for key in survivors if without_numbers(key) not in explained]
    print(*unexplained, f"{len(survivors)} survive, {len(unexplained)} of them unexplained", sep="\n")
    return 1 if unexplained else 0


def without_numbers(key: str) -> str:
    """`module: place: before -> after`, which stays when lines move."""
    module, _, rest = key.partition(":")
    return f"{module}: {rest.split(' ', 2)[2]}"


if __name__ == "__main__":
    sys.exit(main())
