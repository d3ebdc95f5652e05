"""The logic of the browser's scripts, tested by Node.js' own test runner."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

_FILES = sorted((Path(__file__).parent / "browser").rglob("*.test.mjs"))


@pytest.mark.parametrize("file", _FILES, ids=lambda file: file.relative_to(Path(__file__).parent).as_posix())
def test_in_node(file: Path) -> None:
    node = shutil.which("node")
    assert node
    run = subprocess.run([node, "--test-reporter=tap", str(file)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    passed = re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE)
    assert passed
    assert int(passed[1]) > 0


def test_files_are_found() -> None:
    assert len(_FILES) > 15
