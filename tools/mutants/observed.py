"""A pytest plugin that notes which tests run which lines of the modules, and how long they take."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest


class Observed:
    """Lines by test, durations, and the imported modules."""

    def __init__(self, modules: list[str]) -> None:
        self.coverage = coverage.Coverage(data_file=None, include=modules)
        # a session whose first test fails has none, and should say what failed
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.coverage.start()
        self.durations: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Lines that run from here on are this test's."""
        self.coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Time of the test and of what it sets up; of what is shared, the first one has it."""
        self.durations[report.nodeid] = self.durations.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Write it all down."""
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {
            str(Path(file).relative_to(Path.cwd())): data.contexts_by_lineno(file) for file in data.measured_files()
        }
        packages = sorted({name.partition(".")[0] for name, module in sys.modules.items() if _is_installed(module)})
        found = {"lines": lines, "durations": self.durations, "packages": packages}
        Path(os.environ["MUTANTS_OBSERVED"]).write_text(json.dumps(found), encoding="utf-8")


def _is_installed(module: object) -> bool:
    return "site-packages" in (getattr(module, "__file__", None) or "")


def pytest_configure(config: pytest.Config) -> None:
    """Observe the modules that the runner names."""
    config.pluginmanager.register(Observed(os.environ["MUTANTS_MODULES"].split(os.pathsep)))
