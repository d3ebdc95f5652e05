"""A format is one module and its name in a list: links, pages, negotiation and the document then offer it.

The recipe is `docs/recipes/format.md`; it is carried out here on a copy of the sources.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.parts.merge import merge
from services.common.part import PART as COMMON
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services

_REPOSITORY = Path(__file__).parents[4]
_RECIPE = (_REPOSITORY / "docs" / "recipes" / "format.md").read_text(encoding="utf-8")
_TYPE = "text/tab-separated-values"
_ITEMS = "/collections/hostile.events/items"


@pytest.fixture(scope="module")
async def extended(
    running: Services, hostile: HostileDatabase, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Client]:
    """A features service with one more format, made as the recipe says."""
    if (_REPOSITORY / "services/features/formats/tsv.py").exists():
        pytest.skip("the recipe was carried out in this tree")
    top = tmp_path_factory.mktemp("extended")
    for folder in ("libs", "services"):
        shutil.copytree(
            _REPOSITORY / folder, top / folder, ignore=shutil.ignore_patterns("node_modules", "dist", "__pycache__")
        )
    formats = top / "services" / "features" / "formats"
    module, line = re.findall(r"```(?:python|text)\n(.*?)```", _RECIPE, re.DOTALL)
    (formats / "tsv.py").write_text(module, encoding="utf-8")
    registry = formats / "registry.py"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace('    "ndjson",\n', f'    "ndjson",\n{line}'), encoding="utf-8")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    env = hostile.env(DAMS_CATALOGUE_URL=running["common"].base, DAMS_PORT=str(port), DAMS_LOG_LEVEL="ERROR")
    command = [sys.executable, "-m", "services.features"]
    process = await asyncio.create_subprocess_exec(*command, cwd=top, env={**os.environ, "PYTHONPATH": str(top), **env})
    client = Client(running.session, f"http://127.0.0.1:{port}")

    async def listening() -> None:
        assert process.returncode is None
        try:
            assert (await client.get("/internal/health")).status == 200
        except OSError:
            raise AssertionError("not yet") from None

    try:
        await eventually(listening)
        yield client
    finally:
        process.terminate()
        await process.wait()


async def test_pages_and_features_come_in_it(extended: Client) -> None:
    page = await extended.get(f"{_ITEMS}?limit=2&properties=name&f=tsv")
    assert (page.status, page.type) == (200, f"{_TYPE}; charset=utf-8")
    lines = page.body.decode().splitlines()
    assert lines[0] == "id\tname"
    assert [line.split("\t")[0] for line in lines[1:]] == ["1", "2"]
    assert "f=tsv&cursor=" in page.headers["Link"]
    item = await extended.get(f"{_ITEMS}/1?properties=name", headers={"Accept": _TYPE})
    assert item.body.decode().splitlines() == [lines[0], lines[1]]
    streamed = await extended.get("/collections/hostile.many/items?limit=5000&properties=&f=tsv")
    assert len(streamed.body.splitlines()) == 5001


@pytest.mark.parametrize("path", [_ITEMS, f"{_ITEMS}/1"])
async def test_other_formats_link_to_it(extended: Client, path: str) -> None:
    header = (await extended.get(f"{path}?f=csv")).headers["Link"]
    assert re.findall(rf'f=(\w+)>; rel="alternate"; type="{_TYPE}"', header) == ["tsv"]
    assert '">TSV</a>' in (await extended.get(f"{path}?f=html")).body.decode()


async def test_the_document_and_every_collection_offer_it(extended: Client) -> None:
    part = (await extended.get("/internal/part")).json()
    document = merge([("common", COMMON.openapi), ("features", part["openapi"])])
    for path in (f"/collections/{{collectionId}}/items{end}" for end in ("", "/{itemId}")):
        content = document["paths"][path]["get"]["responses"]["200"]["content"]
        assert content[_TYPE] == {"schema": {"type": "string"}}
    assert document["components"]["parameters"]["fItems"]["schema"]["enum"][6] == "tsv"
    links = [link for link in part["collectionLinks"] if link["type"] == _TYPE]
    assert [(link["rel"], link["href"]) for link in links] == [
        ("items", "/collections/{collectionId}/items?f=tsv"),
        ("enclosure", "/collections/{collectionId}/export?f=tsv"),
    ]


async def test_the_error_for_an_unknown_format_names_it(extended: Client, features: Client) -> None:
    assert "ndjson, tsv" in (await extended.get(f"{_ITEMS}?f=xyz")).json()["detail"][0]["msg"]
    assert (await features.get(f"{_ITEMS}?f=tsv")).status == 422
