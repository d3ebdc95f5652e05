"""The documents' promises about the running service: the commands of the tour and the CQL2 examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession

from tests.architecture.documents import REPOSITORY, code_in, page
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

ADDRESS = "http://127.0.0.1:8080/api"


def text_examples() -> Iterator[tuple[str, str, int]]:
    """(collection, filter, number of features) of each line of the tables."""
    collection = ""
    tokens = page("docs/cql2.md").tokens
    tables = iter(page("docs/cql2.md").tables)
    for token in tokens:
        named = [code for code in (child.content for child in token.children or []) if code.startswith("hazard.")]
        if token.type == "inline" and named:
            collection = named[-1]
        if token.type == "table_open":
            for row in next(tables)[1:]:
                [text] = code_in(row[0])
                yield collection, text, int(row[2].content)


def json_examples() -> Iterator[tuple[str, str, int]]:
    """The same of each block of JSON, with the line below it."""
    tokens = page("docs/cql2.md").tokens
    for place, token in enumerate(tokens):
        if token.type == "fence" and token.info == "json":
            count = re.fullmatch(r"(\d+) features of `([\w.]+)`", tokens[place + 2].content)
            assert count is not None, token.content
            yield count[2], token.content, int(count[1])


EXAMPLES = [
    *((*example, "cql2-text") for example in text_examples()),
    *((*example, "cql2-json") for example in json_examples()),
]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 30
    assert {language for *_, language in EXAMPLES} == {"cql2-text", "cql2-json"}


@pytest.mark.parametrize(("collection", "text", "number", "language"), EXAMPLES)
async def test_a_cql2_example(stack: RunningStack, collection: str, text: str, number: int, language: str) -> None:
    address = f"{stack.base_url}/collections/{collection}/items"
    parameters = {"filter": text, "filter-lang": language, "limit": "0", "f": "geojson"}
    async with ClientSession() as session, session.get(address, params=parameters) as response:
        answer = await response.json()
    assert response.status == 200, answer
    assert answer["numberMatched"] == number


def tour() -> Iterator[tuple[str, str]]:
    """(command, what it prints) of each command of docs/tour.md that is shown with a prompt."""
    for block in page("docs/tour.md").fences:
        for step in re.split(r"^\$ ", block.content, flags=re.MULTILINE)[1:]:
            lines = step.splitlines(keepends=True)
            length = next(number for number, line in enumerate(lines, 1) if not line.endswith("\\\n"))
            yield "".join(lines[:length]), "".join(lines[length:])


def shapes(text: str) -> str:
    """Without the numbers that depend on the machine and on what the cache held before."""
    return re.sub(r"\d[\d.,]*", "0", text)


def test_the_tour(stack: RunningStack, tmp_path: Path) -> None:
    """Run each command in the order of the page, in one folder; later commands know the variables of earlier ones.

    On a stack elsewhere, run only those that send requests, as `make` inspects a stack on this machine.
    """
    steps = list(tour())
    assert len(steps) == 11
    environment = dict(os.environ)
    if stack.is_here:
        port = str(urlsplit(stack.base_url).port)
        environment |= {
            "DAMS_STATE_DIR": str(stack.state_dir),
            "DAMS_GATEWAY_PORT": port,
            "DAMS_FEATURES_PROCESSES": "2",
            "DAMS_TILES_PROCESSES": "2",
        }
    else:
        steps = [step for step in steps if not step[0].startswith("make ")]
    before = ""
    for command, printed in steps:
        here = command.replace(ADDRESS, stack.base_url)
        if here.startswith("make tiles "):
            arguments = re.search(r'ARGS="(.*)"', here)
            assert arguments is not None, command
            here = f"cd {REPOSITORY}; {sys.executable} -m deploy.local run services.tiles.command {arguments[1]}"
        script = f"set -e; {before}{here}"
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}{done.stderr}"
        expected = printed.replace(ADDRESS, stack.base_url)
        if command.startswith("make "):
            assert shapes(done.stdout).startswith(shapes(expected)), command
        elif printed:
            assert done.stdout.rstrip("\n") == expected.rstrip("\n"), command
        if re.match(r"\w+=", command):
            before += f"{here.rstrip()}\n"
