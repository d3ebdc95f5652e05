"""The contents of the images: each has the packages that its program imports, and runs confined."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architecture.programs import SETTINGS

REPOSITORY = Path(__file__).parents[2]
# requirements of an image, and the package that its program is
PROGRAMS = {
    "services/common/requirements.txt": "services.common",
    "services/features/requirements.txt": "services.features",
    "services/tiles/requirements.txt": "services.tiles",
    "services/viewer/requirements.txt": "services.viewer",
    "gateway/requirements.txt": "gateway",
    "deploy/database/requirements.txt": "deploy.database",
    "deploy/loader/requirements.txt": "deploy.loader",
    "deploy/impact/requirements.txt": "deploy.impact",
}
# two programs of one image
TOGETHER = [*PROGRAMS.items(), ("deploy/impact/requirements.txt", "deploy.notifier")]
# what a program has for use before it is in its image
NOT_IN_THE_IMAGE = ("services.viewer.build",)
# where a process listens and writes, which image and network settle
OF_THE_IMAGE = {
    *("DAMS_HOST", "DAMS_PORT", "DAMS_SOCKET", "DAMS_STATE_DIR"),
    *("DAMS_GATEWAY_HOST", "DAMS_GATEWAY_PORT", "DAMS_GATEWAY_INTERNAL_PORT", "DAMS_GATEWAY_DIR"),
}

# Imports all modules of a package where only some distributions are installed.
IMPORT_WITH = """
import importlib, importlib.machinery, importlib.metadata, pkgutil, re, sys
name, allowed, left_out = sys.argv[1], set(sys.argv[2].split(",")), tuple(sys.argv[3].split(","))
owners = importlib.metadata.packages_distributions()
class Installed(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, module, path=None, target=None):
        found = owners.get(module.partition(".")[0])
        if found and not allowed & {re.sub(r"[-_.]+", "-", owner).lower() for owner in found}:
            return None
        return super().find_spec(module, path, target)
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Installed
package = importlib.import_module(name)
for module in pkgutil.walk_packages(package.__path__, name + "."):
    if "node_modules" not in module.name and not module.name.startswith(left_out):
        importlib.import_module(module.name)
"""


@cache
def pinned(requirements: str) -> frozenset[str]:
    """`name==version` of a requirements file."""
    return frozenset(re.findall(r"^[a-z0-9][^ ]*", (REPOSITORY / requirements).read_text(), re.MULTILINE))


def imported(program: str, distributions: set[str]) -> subprocess.CompletedProcess[str]:
    arguments = [program, ",".join(distributions), ",".join(NOT_IN_THE_IMAGE)]
    command = [sys.executable, "-c", IMPORT_WITH, *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def dockerfiles() -> list[Path]:
    return [file for folder in ("services", "gateway", "deploy") for file in (REPOSITORY / folder).rglob("Dockerfile")]


def compose() -> Any:
    return yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())


def ours(service: Any) -> bool:
    """Return whether this repository builds the image."""
    return "build" in service


@pytest.mark.parametrize(("requirements", "program"), TOGETHER)
def test_an_image_has_all_that_its_program_imports(requirements: str, program: str) -> None:
    names = {pin.partition("==")[0] for pin in pinned(requirements)}
    result = imported(program, names)
    assert result.returncode == 0, result.stderr
    without_one = imported(program, names - {"asyncpg", "aiohttp", "httpx"})
    assert "No module named" in without_one.stderr, "this test no longer notices what is missing"


@pytest.mark.parametrize("requirements", PROGRAMS)
def test_what_is_tested_is_what_is_deployed(requirements: str) -> None:
    assert pinned(requirements) - pinned("tests/requirements.txt") == set()


def test_make_up_installs_what_each_program_needs_and_no_test_tools() -> None:
    installed = pinned("deploy/local/run-requirements.txt")
    sets = (*PROGRAMS, "deploy/local/requirements.txt")
    assert {name: pinned(name) - installed for name in sets} == {name: frozenset() for name in sets}
    # of tests, of the viewer's build, and of `make publish`: 220 MB
    assert {"pytest", "fonttools", "pyarrow", "obstore"} & {pin.partition("==")[0] for pin in installed} == set()
    assert installed < pinned("tests/requirements.txt")


def test_the_same_versions_whatever_the_python() -> None:
    """Images may have another Python than the tests."""
    names = [pin.partition("==")[0] for pin in pinned("tests/requirements.txt")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize("dockerfile", dockerfiles(), ids=lambda file: file.parent.name)
def test_an_image_runs_without_rights_and_without_build_tools(dockerfile: Path) -> None:
    stage = dockerfile.read_text().rpartition("\nFROM ")[2]
    user = re.findall(r"^USER (\w+)$", stage, re.MULTILINE)
    assert user == ["dams"]
    assert "--uid 10001" in stage
    assert re.search(r"install.*\b(npm|nodejs|gcc|build-essential)\b", stage) is None
    assert "--require-hashes" in stage
    # the one ends, the other listens nowhere
    if dockerfile.parent.name not in ("database", "impact"):
        assert "HEALTHCHECK" in stage


def test_every_container_of_ours_is_confined() -> None:
    services = compose()["services"]
    built = {service["build"]["dockerfile"] for service in services.values() if ours(service)}
    assert built == {str(file.relative_to(REPOSITORY)) for file in dockerfiles()}
    for name, service in services.items():
        if ours(service):
            assert service["read_only"] is True, name
            assert service["cap_drop"] == ["ALL"], name
            assert service["security_opt"] == ["no-new-privileges:true"], name
        for published in service.get("ports", []):
            assert (name, published.startswith("127.0.0.1:")) == ("gateway", True)


def test_no_container_has_more_rights_memory_or_disk_than_it_needs() -> None:
    for name, service in compose()["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["mem_limit"], name
        assert {"max-size", "max-file"} <= service["logging"]["options"].keys(), name
        # what runs once may end
        assert service["restart"] == ("no" if name == "database" else "unless-stopped"), name


def test_redis_wants_the_password_that_the_services_give(tmp_path: Path) -> None:
    service = compose()["services"]["redis"]
    address = compose()["services"]["tiles"]["environment"]["DAMS_REDIS_URL"]
    default = "${REDIS_PASSWORD:-demo-redis}"
    assert address == f"redis://:{default}@redis:6379/0"
    assert service["environment"] == {"REDIS_PASSWORD": default, "REDISCLI_AUTH": default}
    # as compose does it: the shell of the image, with one dollar of two
    *shell, script = service["command"]
    (tmp_path / "redis-server").write_text('#!/bin/sh\ncat\necho "$@"\n')
    (tmp_path / "redis-server").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "REDIS_PASSWORD": "a b"}
    ran = subprocess.run(
        [*shell, script.replace("$$", "$")], env=environment, capture_output=True, text=True, check=True
    )
    first, second = ran.stdout.splitlines()
    assert first == 'requirepass "a b"'
    assert second.startswith("- --save  --appendonly no --maxmemory 256mb")
    assert "a b" not in second


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_reaches_its_container(name: str) -> None:
    read = SETTINGS[name].variables().keys() - OF_THE_IMAGE
    assert read - compose()["services"][name]["environment"].keys() == set()
