"""Check every pinned package against advisory services: `make audit`. Reports which sets could not be checked."""

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
    "deploy/local/node-requirements.txt",
    "deploy/audit-requirements.txt",
    "deploy/docs/requirements.txt",
)
_NPM = ("services/viewer", "deploy/database")


@dataclass(frozen=True, slots=True)
class Audit:
    """The result for a set of packages."""

    packages: str
    checked: int = 0
    weak: tuple[str, ...] = field(default=())
    """Package, version and advisory of each vulnerable package."""
    unchecked: str = ""
    """Why some or all packages could not be checked; empty if all were checked."""

    def __str__(self) -> str:
        lines = []
        if self.checked or not self.unchecked:
            found = "none is known to be weak" if not self.weak else f"{len(self.weak)} weak:"
            lines = [f"{self.packages}: {self.checked} packages checked, {found}", *(f"  {one}" for one in self.weak)]
        if self.unchecked:
            lines.append(f"{self.packages}: NOT CHECKED: {self.unchecked}")
        return "\n".join(lines)


def audit_python() -> Audit:
    """All that is installed from PyPI, development included."""
    # not --strict, which gives up at the first package that a mirror knows nothing of, and reports none
    command = [_PIP_AUDIT, "--progress-spinner=off", "--disable-pip", "--require-hashes", "--format=json"]
    return _audit("Python", [*command, *(f"--requirement={file}" for file in _PYTHON)], None, _of_pip)


def audit_npm(folder: str) -> Audit:
    """Audit everything in the lock file of a folder."""
    return _audit(f"npm, {folder}", ["npm", "audit", "--package-lock-only", "--json"], Path(folder), _of_npm)


def _audit(name: str, command: list[str], folder: Path | None, read: Callable[[str, Any], Audit]) -> Audit:
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        return read(name, json.loads(ran.stdout))
    except OSError as error:
        return Audit(name, unchecked=str(error))
    except (ValueError, KeyError, TypeError):
        # without a report, the program's last line is the reason
        said = [line for line in ran.stderr.splitlines() if line.strip()]
        return Audit(
            name, unchecked=said[-1].removeprefix("ERROR:pip_audit._cli:") if said else f"{command[0]} says nothing"
        )


def _of_pip(name: str, report: Any) -> Audit:
    every = report["dependencies"]
    skipped = [found["skip_reason"] for found in every if "skip_reason" in found]
    weak = [
        f"{found['name']} {found['version']}: {', '.join(one['id'] for one in found['vulns'])}"
        for found in every
        if found.get("vulns")
    ]
    unchecked = f"{len(skipped)} of {len(every)} packages, such as: {skipped[0]}" if skipped else ""
    return Audit(name, len(every) - len(skipped), tuple(weak), unchecked)


def _of_npm(name: str, report: Any) -> Audit:
    if "vulnerabilities" not in report:
        return Audit(name, unchecked=report["message"])
    weak = [f"{package}: {found['severity']}" for package, found in report["vulnerabilities"].items()]
    return Audit(name, report["metadata"]["dependencies"]["total"], tuple(weak))


def main() -> int:
    """Return exit status 1 if a package is vulnerable, 2 if none is known to be, but some were not checked."""
    audits = [audit_python(), *map(audit_npm, _NPM)]
    for audit in audits:
        print(audit)
    if unchecked := [audit.packages for audit in audits if audit.unchecked]:
        print(
            f"Not checked, or not all of them: {'; '.join(unchecked)}. They may be weak. A mirror of a registry has no"
            " advisories: run this where the registries themselves can be reached.",
            file=sys.stderr,
        )
    if any(audit.weak for audit in audits):
        return 1
    return 2 if unchecked else 0


if __name__ == "__main__":
    sys.exit(main())
