"""The catalogue that a service keeps across restarts."""

from __future__ import annotations

from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestServer

from libs.catalog.client import CatalogueClient


async def _catalogue(_: web.Request) -> web.Response:
    return web.json_response({"collections": []}, headers={"ETag": '"1"'})


async def test_a_state_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    app = web.Application()
    app.router.add_get("/internal/catalogue", _catalogue)
    file = tmp_path / "not" / "yet" / "catalogue.json"
    async with TestServer(app) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, state_file=file) as client:
            assert await client.health() is None
    assert file.read_bytes() == b'{"collections": []}'


async def test_a_catalogue_that_cannot_be_kept_serves_all_the_same(tmp_path: Path) -> None:
    app = web.Application()
    app.router.add_get("/internal/catalogue", _catalogue)
    (tmp_path / "file").write_text("in the way")
    async with TestServer(app) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, state_file=tmp_path / "file" / "catalogue.json") as client:
            assert await client.health() is None
            assert client.collections == {}
