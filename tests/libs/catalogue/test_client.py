"""The catalogue that a service keeps across restarts."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from libs.catalogue import client as client_module
from libs.catalogue.client import CatalogueClient
from libs.catalogue.model import Argument, Collection, Column, GeometryColumn, TimeColumn


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


def _served(body: bytes) -> web.Application:
    async def catalogue(_: web.Request) -> web.Response:
        return web.Response(body=body, headers={"ETag": f'"{len(body)}"'})

    app = web.Application()
    app.router.add_get("/internal/catalogue", catalogue)
    return app


def _document(*titles: str) -> bytes:
    collections = [
        Collection(
            id=f"hazard.{number}",
            schema="hazard",
            name=str(number),
            oid=number,
            kind="table",
            title=title,
            description=None,
            columns=(Column("id", "integer", "integer", enum=("a", "b")),),
            geometries=(GeometryColumn("geom", "Point", 4326, bbox=(1.0, 2.0, 3.0, 4.0)),),
            times=(TimeColumn("at", "date", "2020-01-01T00:00:00Z", None),),
            arguments=(Argument("n", "integer", "integer"),),
            sources=(1, 2),
        )
        for number, title in enumerate(titles)
    ]
    return orjson.dumps({"collections": collections})


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b'{"collections": 3}', b'{"collections": [{"id": "x"}]}', b'{"collections": ["x"]}']
)
async def test_what_is_no_catalogue_is_warned_of_once_and_the_last_good_one_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    file = tmp_path / "catalogue.json"
    file.write_bytes(_document("kept"))
    async with TestServer(_served(body)) as server:
        url = str(server.make_url("")).rstrip("/")
        with caplog.at_level("WARNING", "dams.catalogue"):
            async with CatalogueClient(url, state_file=file, refresh_seconds=0.05) as client:
                assert client.collection("hazard.0").title == "kept"
    told = [record.getMessage() for record in caplog.records]
    assert told == ["catalogue not understood; the last good one stays"]
    assert file.read_bytes() == _document("kept")


async def test_a_service_starts_without_common_on_what_it_kept(tmp_path: Path) -> None:
    file = tmp_path / "catalogue.json"
    async with TestServer(_served(_document("one", "two"))) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, state_file=file) as client:
            before = client.collections
    # nobody listens there any more
    async with CatalogueClient(url, state_file=file) as client:
        assert await client.health() is None
        assert client.collections == before
        assert client.collection("hazard.1").geometries[0].bbox == (1.0, 2.0, 3.0, 4.0)


async def test_a_damaged_copy_is_told_and_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "catalogue.json"
    file.write_bytes(_document("one")[:-9])
    async with TestServer(_served(_document("fresh"))) as server:
        url = str(server.make_url("")).rstrip("/")
        with caplog.at_level("WARNING", "dams.catalogue"):
            async with CatalogueClient(url, state_file=file) as client:
                assert client.collection("hazard.0").title == "fresh"
    assert [record.getMessage() for record in caplog.records] == ["saved catalogue not read"]
    assert file.read_bytes() == _document("fresh")


def test_the_catalogue_of_an_older_common_is_understood() -> None:
    document = orjson.loads(_document("one"))
    for entry in document["collections"]:
        del entry["time_end"]
        for time in entry["times"]:
            del time["nulls"]
    _, found = client_module._parse(orjson.dumps(document), {}, {})
    assert found["hazard.0"] == client_module._parse(_document("one"), {}, {})[1]["hazard.0"]
    assert found["hazard.0"].lasting() is None


def test_what_did_not_change_is_not_read_again() -> None:
    entries, known = client_module._parse(_document("one", "two"), {}, {})
    _, again = client_module._parse(_document("one", "other"), entries, known)
    assert again["hazard.0"] is known["hazard.0"]
    assert again["hazard.1"].title == "other"
    assert "hazard.1" not in client_module._parse(_document("one"), entries, known)[1]
