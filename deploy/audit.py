"""What the advisory services know of every pinned package: `make audit`. Says of each set what could not be checked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PIP_AUDIT = ".local/audit/bin/pip-audit"
_PYTHON = (
    "tests/requirements.txt",
    "deploy/database/demo-requirements.txt",
    "deploy/audit-requirements.txt",
    "deploy/docs/requirements.txt",
)
_NPM = ("services/viewer", "deploy/database")


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found of a set of packages."""

    packages: str
    checked: int = 0
    weak: tuple[str, ...] = field(default=())
    """Package, version and what is known of it."""
    unchecked: str = ""
    """Why nothing is known of them; empty where they were checked."""

    def __str__(self) -> str:
        if self.unchecked:
            return f"{self.packages}: NOT CHECKED: {self.unchecked}"
        found = "none is known to be weak" if not self.weak else f"{len(self.weak)} weak:"
        return "\n".join(
            [f"{self.packages}: {self.checked} packages checked, {found}", *(f"  {one}" for one in self.weak)]
        )


def audit_python() -> Audit:
    """All that is installed from PyPI, development included."""
    command = [_PIP_AUDIT, "--strict", "--progress-spinner=off", "--disable-pip", "--require-hashes", "--format=json"]
    return _audit("Python", [*command, *(f"--requirement={file}" for file in _PYTHON)], None, _of_pip)


def audit_npm(folder: str) -> Audit:
    """All that the lock of a folder names."""
    return _audit(f"npm, {folder}", ["npm", "audit", "--package-lock-only", "--json"], Path(folder), _of_npm)


def _audit(name: str, command: list[str], folder: Path | None, read: Callable[[str, Any], Audit]) -> Audit:
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        return read(name, json.loads(ran.stdout))
    except OSError as error:
        return Audit(name, unchecked=str(error))
    except (ValueError, KeyError, TypeError):
        # no report: what the program says last is why
        said = [line for line in ran.stderr.splitlines() if line.strip()]
        return Audit(
            name, unchecked=said[-1].removeprefix("ERROR:pip_audit._cli:") if said else f"{command[0]} says nothing"
        )


def _of_pip(name: str, report: Any) -> Audit:
    skipped = [found["skip_reason"] for found in report["dependencies"] if "skip_reason" in found]
    if skipped:
        return Audit(name, unchecked=f"{len(skipped)} packages, such as: {skipped[0]}")
    weak = [
        f"{found['name']} {found['version']}: {', '.join(one['id'] for one in found['vulns'])}"
        for found in report["dependencies"]
        if found["vulns"]
    ]
    return Audit(name, len(report["dependencies"]), tuple(weak))


def _of_npm(name: str, report: Any) -> Audit:
    if "vulnerabilities" not in report:
        return Audit(name, unchecked=report["message"])
    weak = [f"{package}: {found['severity']}" for package, found in report["vulnerabilities"].items()]
    return Audit(name, report["metadata"]["dependencies"]["total"], tuple(weak))


def main() -> int:
    """Ends with 1 where a package is weak, with 2 where none is known to be and some were not checked."""
    audits = [audit_python(), *map(audit_npm, _NPM)]
    for audit in audits:
        print(audit)
    if any(audit.weak for audit in audits):
        return 1
    if any(audit.unchecked for audit in audits):
        print(
            "What was not checked may be weak: ask again where the advisory services can be reached.", file=sys.stderr
        )
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
