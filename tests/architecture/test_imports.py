"""The import rule of pyproject.toml holds, and a violation is detected."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    command = [str(program), "--config", str(folder / "pyproject.toml"), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_import_rule_holds() -> None:
    result = lint_imports(REPOSITORY)
    assert result.returncode == 0, result.stdout


def test_every_service_says_which_of_its_rooms_stand_on_which() -> None:
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layered = {name for contract in contracts if contract.get("exhaustive") for name in contract["containers"]}
    services = {f"services.{folder.parent.name}" for folder in (REPOSITORY / "services").glob("*/app.py")}
    assert len(services) == 4
    assert layered == {"libs", "gateway", "deploy.loader", *services}


def test_imports_between_services_and_backwards_are_found(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text((REPOSITORY / "pyproject.toml").read_text())
    for source in ("libs", "services", "gateway", "deploy", "tools"):
        for file in (REPOSITORY / source).rglob("*.py"):
            if "node_modules" not in file.parts:
                target = tmp_path / file.relative_to(REPOSITORY)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())
    with (tmp_path / "services" / "features" / "app.py").open("a") as module:
        module.write("\nimport services.tiles.app\n")
    with (tmp_path / "services" / "features" / "rows" / "counts.py").open("a") as module:
        module.write("\nimport services.features.pages.items_html\n")
    result = lint_imports(tmp_path)
    assert result.returncode == 1
    assert "services.features.rows is not allowed to import services.features.pages" in result.stdout
    assert "services.features is not allowed to import services.tiles" in result.stdout
