"""Rules about the tree as a whole: sizes, names, addresses, settings."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SOURCES = ("libs", "services", "gateway", "deploy", "tests", "tools")
MOST_LINES = 400
MOST_FUNCTION_LINES = 80
MOST_IMPORTED_NAMES = 30
"""In the modules where a reader begins to follow a request."""
REFUSED_NAMES = {"utils", "util", "helpers", "helper", "misc", "base", "stuff", "tools", "shared"}


def python_files() -> Iterator[Path]:
    for source in SOURCES:
        for file in sorted((REPOSITORY / source).rglob("*.py")):
            if not {"node_modules", "dist"} & set(file.parts):
                yield file


def name(file: Path) -> str:
    return str(file.relative_to(REPOSITORY))


def committed_files() -> list[Path]:
    """Files that are in the repository, or would be with the next commit."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    found = subprocess.run(listing, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    files = (REPOSITORY / path for path in found.stdout.split("\0") if path)
    return [file for file in files if file.is_file()]


def test_no_file_is_too_long() -> None:
    lengths = {name(file): len(file.read_text().splitlines()) for file in python_files()}
    assert {file: lines for file, lines in lengths.items() if lines > MOST_LINES} == {}
    assert len(lengths) > 50


def test_no_function_is_too_long() -> None:
    long = {}
    for file in python_files():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MOST_FUNCTION_LINES:
                    long[f"{name(file)}:{node.name}"] = lines
    assert long == {}


def test_modules_of_the_request_path_import_few_names() -> None:
    imported = {}
    for file in ("features/items.py", "features/item.py", "features/export.py", "features/app.py", "tiles/tile.py"):
        tree = ast.parse((REPOSITORY / "services" / file).read_text())
        imported[file] = sum(
            len(node.names) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
        )
    assert {file: names for file, names in imported.items() if names > MOST_IMPORTED_NAMES} == {}
    assert min(imported.values()) > 5


def test_modules_are_named_for_a_concept() -> None:
    refused = []
    for file in python_files():
        folders = file.relative_to(REPOSITORY).parts[:-1]
        # the folders of tests mirror the source, whose first folder may be `tools`
        below = folders[2:] if folders[0] == "tests" else folders[1:]
        if REFUSED_NAMES & {file.stem, *(part.lower() for part in below)}:
            refused.append(name(file))
    assert refused == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        name(file)
        for file in python_files()
        if "tests" not in file.parts
        and file.read_text().strip()
        and ast.get_docstring(ast.parse(file.read_text())) is None
    ]
    assert silent == []


def test_no_registry_address_or_machine_path_is_committed() -> None:
    # Concatenated, so that this file itself does not match.
    hosts = ["npm" + "js.org", "python" + "hosted.org", "py" + "pi.org"]
    places = ["/ro" + "ot/", "/wo" + "rk/main", "/op" + "t/wheels"]
    pattern = re.compile("|".join(re.escape(text) for text in hosts + places))
    found = []
    for file in committed_files():
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        found += [f"{name(file)}: {match.group()}" for match in pattern.finditer(text)]
    assert found == []


def test_lock_files_name_no_registry() -> None:
    for lock in [file for file in committed_files() if file.name == "package-lock.json"]:
        assert '"resolved"' not in lock.read_text(), name(lock)
