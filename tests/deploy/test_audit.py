"""`make audit` reports the known vulnerabilities of each set of packages, and never takes silence for an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deploy import audit

_WEAK = {
    "dependencies": [
        {"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]},
        {"name": "b", "version": "2", "vulns": []},
    ]
}
_SOUND = {"dependencies": [{"name": "a", "version": "1", "vulns": []}]}
_SKIPPED = {"dependencies": [{"name": "a", "skip_reason": "not found"}]}
_NPM_SOUND = {"vulnerabilities": {}, "metadata": {"dependencies": {"total": 7}}}
_NPM_WEAK = {"vulnerabilities": {"c": {"severity": "high"}}, "metadata": {"dependencies": {"total": 7}}}
_NPM_REFUSED = {"message": "405 Method Not Allowed", "error": {}}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose programs take the places of the real ones."""
    monkeypatch.setattr(audit, "_PIP_AUDIT", str(tmp_path / "pip-audit"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path


def say(folder: Path, name: str, out: object, *, error: str = "") -> None:
    """Makes a program that reports that."""
    program = folder / name
    text = out if isinstance(out, str) else json.dumps(out)
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\necho '{error}' >&2\nexit 1\n")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("reports", "status", "said"),
    [
        ((_SOUND, _NPM_SOUND), 0, "Python: 1 packages checked, none is known to be weak\n"),
        ((_SOUND, _NPM_SOUND), 0, "npm, deploy/database: 7 packages checked, none is known to be weak\n"),
        ((_WEAK, _NPM_REFUSED), 1, "Python: 2 packages checked, 1 weak:\n  a 1: CVE-1\n"),
        ((_SOUND, _NPM_WEAK), 1, "npm, services/viewer: 7 packages checked, 1 weak:\n  c: high\n"),
        ((_SOUND, _NPM_REFUSED), 2, "npm, services/viewer: NOT CHECKED: 405 Method Not Allowed\n"),
        ((_SKIPPED, _NPM_SOUND), 2, "Python: NOT CHECKED: 1 of 1 packages, such as: not found\n"),
        (
            ({"dependencies": [*_WEAK["dependencies"], *_SKIPPED["dependencies"]]}, _NPM_SOUND),
            1,
            "Python: 2 packages checked, 1 weak:\n  a 1: CVE-1\n"
            "Python: NOT CHECKED: 1 of 3 packages, such as: not found\n",
        ),
        (("", "nonsense"), 2, "Python: NOT CHECKED: no network\nnpm, services/viewer: NOT CHECKED: no network\n"),
    ],
)
def test_what_is_said(
    programs: Path, capsys: pytest.CaptureFixture[str], reports: tuple[object, object], status: int, said: str
) -> None:
    for name, report in zip(("pip-audit", "npm"), reports, strict=True):
        say(programs, name, report, error="no network")
    assert audit.main() == status
    printed = capsys.readouterr()
    assert said in printed.out
    # the last line names each set of which something is not known
    sets = {line.partition(": NOT CHECKED")[0] for line in printed.out.splitlines() if "NOT CHECKED" in line}
    assert all(name in printed.err for name in sets)
    assert bool(printed.err) == bool(sets)


def test_a_program_that_is_missing_checks_nothing(programs: Path) -> None:
    assert "NOT CHECKED: " in str(audit.audit_python())
    assert not list(programs.iterdir())
