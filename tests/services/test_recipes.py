"""The recipes for an endpoint and a parameter work as printed: a copy of the sources is changed and started."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services

_REPOSITORY = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(?:yaml|python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(recipe: str) -> list[str]:
    """Return the blocks of code of a recipe, in order."""
    return _BLOCK.findall((_REPOSITORY / "docs" / "recipes" / recipe).read_text(encoding="utf-8"))


def copied_sources(top: Path) -> Path:
    """Copy libraries and services into a folder and return it."""
    for folder in ("libs", "services"):
        ignored = shutil.ignore_patterns("node_modules", "dist", "__pycache__")
        shutil.copytree(_REPOSITORY / folder, top / folder, ignore=ignored)
    return top


def insert(file: Path, behind: str, text: str) -> None:
    """Insert a text behind the first match of a pattern."""
    before = file.read_text(encoding="utf-8")
    found = re.search(behind, before, re.DOTALL)
    assert found is not None, (file, behind)
    file.write_text(before[: found.end()] + text + before[found.end() :], encoding="utf-8")


@asynccontextmanager
async def started(service: str, top: Path, env: dict[str, str], like: Client) -> AsyncIterator[Client]:
    """Start a service of the copied sources and stop it in the end."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    variables = {**os.environ, **env, "PYTHONPATH": str(top), "DAMS_PORT": str(port), "DAMS_LOG_LEVEL": "ERROR"}
    command = [sys.executable, "-m", f"services.{service}"]
    process = await asyncio.create_subprocess_exec(*command, cwd=top, env=variables)
    client = Client(like.session, f"http://127.0.0.1:{port}")

    async def ready() -> None:
        assert process.returncode is None
        try:
            assert (await client.get("/internal/health")).status == 200
        except OSError:
            raise AssertionError("not yet") from None

    try:
        await eventually(ready)
        yield client
    finally:
        process.terminate()
        await process.wait()


async def test_the_endpoint_of_the_recipe_answers(running: Services, hostile: HostileDatabase, tmp_path: Path) -> None:
    top = copied_sources(tmp_path)
    operation, handler, imported, bound, row = blocks("endpoint.md")
    folder = top / "services" / "common"
    insert(folder / "openapi.yaml", r"^paths:\n|\npaths:\n", operation)
    (folder / "extent.py").write_text(handler, encoding="utf-8")
    insert(folder / "app.py", r"(?=from services\.)", imported)
    insert(folder / "app.py", r"handlers = \{\n", bound)
    async with started("common", top, hostile.env(), running["common"]) as common:
        extent = await common.json("/collections/hostile.events/extent")
        collection = await common.json("/collections/hostile.events")
        missing = await common.get("/collections/hostile.nothing/extent")
    assert extent == collection["extent"]
    assert missing.status == 404
    assert row.startswith("| `/collections/{collectionId}/extent` |")


async def test_the_parameter_of_the_recipe_filters(running: Services, hostile: HostileDatabase, tmp_path: Path) -> None:
    top = copied_sources(tmp_path)
    declared, reference, function, called, _ = blocks("parameter.md")
    insert(top / "libs" / "web" / "components.yaml", r"parameters:\n", declared)
    for service, operation in (("features", "getItems"), ("tiles", r"dams\.collection\.vector\.getTile")):
        document = top / "services" / service / "openapi.yaml"
        insert(document, rf"operationId: {operation}\n.*?      parameters:\n", reference)
    selection = top / "libs" / "selection" / "selection.py"
    insert(selection, r"\Z", f"\n\n{function}")
    insert(selection, r"conditions = \[\n", called)
    env = hostile.env(DAMS_CATALOGUE_URL=running["common"].base)
    async with started("features", top, env, running["common"]) as features:
        path = "/collections/hostile.geographies/items"
        everything = await features.json(path, limit="1000")
        pages = {wanted: await features.json(path, **{"has-geometry": wanted}) for wanted in ("true", "false")}
        wrong = await features.get(path, {"has-geometry": "perhaps"})
    assert {feature["geometry"] is not None for feature in pages["true"]["features"]} == {True}
    assert sum(page["numberMatched"] for page in pages.values()) == everything["numberMatched"]
    assert wrong.status == 422
