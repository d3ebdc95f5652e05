"""The import rule of pyproject.toml holds, and would be seen to be broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    command = [str(program), "--config", str(folder / "pyproject.toml"), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_import_rule_holds() -> None:
    result = lint_imports(REPOSITORY)
    assert result.returncode == 0, result.stdout


def test_a_service_that_imports_another_is_caught(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text((REPOSITORY / "pyproject.toml").read_text())
    for source in ("libs", "services", "gateway", "deploy"):
        for file in (REPOSITORY / source).rglob("*.py"):
            if "node_modules" not in file.parts:
                target = tmp_path / file.relative_to(REPOSITORY)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())
    with (tmp_path / "services" / "features" / "app.py").open("a") as module:
        module.write("\nimport services.tiles.app\n")
    result = lint_imports(tmp_path)
    assert result.returncode == 1
    assert "services.features is not allowed to import services.tiles" in result.stdout
