"""Mutation testing: `make mutants ARGS="libs/selection"` breaks the code in one place at a time; the tests near it run.

It does not write into the tree: each broken module lives in a separate process, forked from one that has the packages
loaded. Results are in .local/mutants and are used again while the module stays the same; `--again` repeats the tests
of survivors. The exit status is 1 if a mutant survives that is not in equivalent.txt.
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
from contextlib import ExitStack, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from statistics import median
from types import CodeType
from typing import Any

from tests.running_stack import running
from tools.mutants.mutations import Mutation, mutations
from tools.mutants.near import REPOSITORY, tests_near

RESULTS = REPOSITORY / ".local" / "mutants"
SURVIVES, KILLED, TIMED_OUT = "SURVIVES", "killed", "timed out"
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
        """Return the spec of the broken module; None for other modules."""
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed tree instead of the file."""
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


@cache
def observe(tests: tuple[str, ...]) -> dict[str, Any]:
    """Which of these tests run which lines of the modules that they are near to; they must pass."""
    modules = [
        module
        for room in ("libs", "services", "gateway")
        for path in (REPOSITORY / room).rglob("*.py")
        if "node_modules" not in path.parts and tests_near(module := str(path.relative_to(REPOSITORY))) == [*tests]
    ]
    file = RESULTS / f"{'.'.join(tests).replace('/', '.')}.observed"
    environment = os.environ | {
        "MUTANTS_MODULES": os.pathsep.join(str(REPOSITORY / module) for module in modules),
        "MUTANTS_OBSERVED": str(file),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "tools.mutants.observed", *tests]
    result = subprocess.run(command, check=False, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{result.stdout}\nthe tests fail although nothing is broken")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    for package in found["packages"]:
        with suppress(ImportError):
            importlib.import_module(package)
    return found


def tests_of(line: int, module: str, observed: dict[str, Any]) -> list[list[str]]:
    """Return tests by group: those that run the line, then all others in their files and in the file named like the
    module.

    The others can need the line too, if its result is computed once and remembered. For a line that runs at import,
    these are all tests near the module, as they may use its constants. The quickest files are first. The tests of one
    file stay together and in order, because they share a setup.
    """
    lines, durations = observed["lines"].get(module, {}), observed["durations"]
    running = {test for test in lines.get(str(line), []) if test}
    near = {_file(test) for test in running or durations}
    own = f"/test_{Path(module).stem}.py"
    files: dict[str, list[str]] = {}
    for test in durations:
        if (file := _file(test)) in near or file.endswith(own):
            files.setdefault(file, []).append(test)
    quickest = sorted(files.values(), key=lambda of_file: median(durations[test] for test in of_file))
    ordered = [test for of_file in quickest for test in of_file]
    both = [test for test in ordered if test in running], [test for test in ordered if test not in running]
    return [tests for tests in both if tests]


def _file(test: str) -> str:
    return test.partition("::")[0]


def outcome(module: str, mutation: Mutation, observed: dict[str, Any]) -> str:
    """`SURVIVES` where no test fails; what takes far too long is looked at by a person, for it may be the machine."""
    for tests in tests_of(mutation.line, module, observed):
        found = _outcome(module, mutation, tests, 30 + 5 * sum(observed["durations"].get(test, 0.0) for test in tests))
        if found != SURVIVES:
            return found
    return SURVIVES


def _outcome(module: str, mutation: Mutation, tests: list[str], limit: float) -> str:
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

        files = sorted(set(map(_file, tests)))
        os._exit(int(pytest.main([*_OPTIONS, *files], plugins=[Chosen(tests)])))
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return KILLED if status else SURVIVES
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TIMED_OUT


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
    for key in left:
        observed = observe(tuple(tests_near(module)))
        unbroken = Mutation("module", 0, "", "", ast.parse(source))
        if "checked" not in observed and outcome(module, unbroken, observed) != SURVIVES:
            raise SystemExit(f"the tests near {module} fail although nothing is broken")
        observed["checked"] = True
        found = outcome(module, every[key], observed)
        results[key] = found == SURVIVES
        store.write_text(json.dumps(results, indent=0), encoding="utf-8")
        print(f"{found:<9} {module}:{key}", flush=True)
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
    with ExitStack() as servers:
        if "DAMS_TEST_SERVERS" not in os.environ:
            state_dir = servers.enter_context(running("test-servers", "--servers-only", purge=True))
            os.environ["DAMS_TEST_SERVERS"] = str(state_dir)
        for file in sorted(files):
            survivors += run(str(file), given.sample, again=given.again)
    unexplained = [key for key in survivors if remove_numbers(key) not in explained]
    print(*unexplained, f"{len(survivors)} survive, {len(unexplained)} of them unexplained", sep="\n")
    return 1 if unexplained else 0


def remove_numbers(key: str) -> str:
    """`module: place: before -> after`, which stays when lines move."""
    module, _, rest = key.partition(":")
    return f"{module}: {rest.split(' ', 2)[2]}"


if __name__ == "__main__":
    sys.exit(main())
