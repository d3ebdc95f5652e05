"""`make try-fresh`: which release an upgrade begins at."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from deploy.local.settings import REPOSITORY

_CHANGELOG = "# Changelog\n\n## 2.0.0 - 2026-03-02\n\n## 1.0.0 - 2026-02-01\n"


def git(folder: Path, *arguments: str, day: str = "2026-03-01") -> str:
    time = f"{day}T12:00:00+0000"
    names = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **names, "GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize(("tag", "former"), [("", "second"), ("v1", "first")])
def test_former_release_is_the_newest_tag_or_the_day_of_the_changelog(tmp_path: Path, tag: str, former: str) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "CHANGELOG.md").write_text(_CHANGELOG)
    git(tmp_path, "add", ".")
    commits = {}
    for name, day in (
        ("first", "2026-03-01"),
        ("second", "2026-03-02"),
        ("third", "2026-03-03"),
        ("now", "2026-03-04"),
    ):
        git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", name, day=day)
        commits[name] = git(tmp_path, "rev-parse", "HEAD")
    if tag:
        git(tmp_path, "tag", tag, commits[former])
    script = f'source <(sed -n "/^former_release/,/^}}/p" {REPOSITORY}/tools/fresh/steps.sh); former_release'
    found = subprocess.run(["bash", "-ec", script], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert found.stdout.strip() in (commits[former], tag or None)
