"""The catalogue that a service keeps across restarts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import blake2b
from pathlib import Path

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from prometheus_client import REGISTRY

from libs.catalogue import client as client_module
from libs.catalogue.client import CatalogueClient
from libs.catalogue.model import Argument, Collection, Column, GeometryColumn, TimeColumn
from libs.ogc.errors import NotFound, Unavailable
from tests.eventually import eventually


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the default waits for a catalogue, in seconds, and shorten them."""
    assert (client_module.FIRST_SECONDS, client_module.ANSWER_SECONDS) == (3.0, 10.0)
    monkeypatch.setattr(client_module, "FIRST_SECONDS", 0.2)
    monkeypatch.setattr(client_module, "ANSWER_SECONDS", 0.2)


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
    # nor is anything left that was begun
    (tmp_path / "folder").mkdir()
    async with TestServer(app) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, state_file=tmp_path / "folder") as client:
            assert await client.health() is None
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]  # noqa: PTH208 - in a coroutine


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
@pytest.mark.usefixtures("hasty")
async def test_invalid_catalogue_keeps_the_last_good_one(tmp_path: Path, body: bytes) -> None:
    file = tmp_path / "catalogue.json"
    file.write_bytes(_document("saved"))
    async with TestServer(_served(body)) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, state_file=file, refresh_seconds=0.05) as client:
            assert client.collection("hazard.0").title == "saved"
    assert file.read_bytes() == _document("saved")


@pytest.mark.usefixtures("hasty")
async def test_a_service_starts_without_common_on_what_it_kept(tmp_path: Path) -> None:
    file = tmp_path / "catalogue.json"
    async with TestServer(_served(_document("one", "two"))) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, state_file=file) as client:
            before = client.collections
    # no process listens there any more
    async with CatalogueClient(url, state_file=file) as client:
        assert await client.health() is None
        assert client.collections == before
        assert client.collection("hazard.1").geometries[0].bbox == (1.0, 2.0, 3.0, 4.0)


async def test_a_damaged_copy_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "catalogue.json"
    file.write_bytes(_document("one")[:-9])
    async with TestServer(_served(_document("fresh"))) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, state_file=file) as client:
            assert client.collection("hazard.0").title == "fresh"
    assert file.read_bytes() == _document("fresh")


class Common:
    """A `common` service whose catalogue and status change. It records the tags of the requests."""

    def __init__(self, body: bytes = b"", status: int = 200) -> None:
        self.body = body
        self.statuses: list[int] = [status]
        self.tags: list[str | None] = []

    async def catalogue(self, request: web.Request) -> web.Response:
        tag = f'"{blake2b(self.body).hexdigest()}"'
        self.tags.append(request.headers.get("If-None-Match"))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if status == 200 and self.tags[-1] == tag:
            return web.Response(status=304)
        return web.Response(body=self.body, status=status, headers={"ETag": tag})


@asynccontextmanager
async def following(common: Common, refresh_seconds: float = 0.02) -> AsyncIterator[CatalogueClient]:
    app = web.Application()
    app.router.add_get("/internal/catalogue", common.catalogue)
    async with TestServer(app) as server:
        url = str(server.make_url("")).rstrip("/")
        async with CatalogueClient(url, refresh_seconds=refresh_seconds) as client:
            yield client


async def test_when_common_was_heard_of_last_is_a_number() -> None:
    def heard() -> float:
        return REGISTRY.get_sample_value("dams_catalogue_timestamp_seconds") or 0

    common = Common(_document("one"))
    async with following(common):
        before = heard()

        # even without a change
        async def again() -> bool:
            return heard() > before

        await eventually(again)
        common.statuses = [500]

        # services that other tests share hear of theirs, but more seldom
        async def asked_in_vain() -> bool:
            last, asked = heard(), len(common.tags)

            async def asked_again() -> bool:
                return len(common.tags) > asked + 2

            await eventually(asked_again)
            return heard() == last

        await eventually(asked_in_vain)


async def test_the_catalogue_of_an_older_common_is_understood() -> None:
    document = orjson.loads(_document("one"))
    for entry in document["collections"]:
        del entry["time_end"]
        for time in entry["times"]:
            del time["nulls"]
    async with following(Common(orjson.dumps(document))) as old, following(Common(_document("one"))) as new:
        assert old.collection("hazard.0") == new.collection("hazard.0")
        assert old.collection("hazard.0").period_columns() is None


async def test_what_did_not_change_is_not_read_again() -> None:
    common = Common(_document("one", "two"))
    async with following(common) as client:
        first = client.collection("hazard.0")
        common.body = _document("one", "other")

        async def other() -> bool:
            return client.collection("hazard.1").title == "other"

        await eventually(other)
        assert client.collection("hazard.0") is first
        common.body = _document("one")

        async def gone() -> bool:
            return "hazard.1" not in client.collections

        await eventually(gone)
        with pytest.raises(NotFound, match=r"^There is no collection 'hazard\.1'\.$"):
            client.collection("hazard.1")
        assert list(client.collections.values()) == [first]


async def test_the_tag_of_the_last_catalogue_is_sent_and_304_changes_nothing() -> None:
    common = Common(_document("one"))
    async with following(common) as client:
        before = client.collections

        async def asked_again() -> bool:
            return len(common.tags) > 3

        await eventually(asked_again)
        assert client.collections is before
    assert common.tags[0] is None
    assert None not in common.tags[1:]


async def test_the_last_good_catalogue_stays_while_common_fails() -> None:
    common = Common(_document("one"))
    async with following(common) as client:
        before = client.collections
        common.body, common.statuses, asked = _document("two"), [500], len(common.tags)

        async def asked_again() -> bool:
            return len(common.tags) > asked + 2

        await eventually(asked_again)
        assert client.collections is before
        assert await client.health() is None
        common.statuses = [200]

        async def two() -> bool:
            return client.collection("hazard.0").title == "two"

        await eventually(two)


@pytest.mark.usefixtures("hasty")
async def test_a_common_that_hangs_is_asked_again() -> None:
    asked = 0

    async def answer(_: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        if asked == 1:
            await asyncio.sleep(60)
        return web.Response(body=_document("one"))

    app = web.Application()
    app.router.add_get("/internal/catalogue", answer)
    async with TestServer(app) as server, CatalogueClient(str(server.make_url("")).rstrip("/")) as client:
        assert await client.health() == "catalogue: none yet"

        async def known() -> bool:
            return await client.health() is None

        await eventually(known)
    assert asked == 2


@pytest.mark.usefixtures("hasty")
async def test_common_is_polled_often_before_the_first_catalogue() -> None:
    common = Common(_document("one"), status=503)
    async with following(common, refresh_seconds=3600) as client:
        with pytest.raises(Unavailable) as raised:
            client.collection("hazard.0")
        assert (str(raised.value), raised.value.cause, raised.value.retry_after) == (
            "The list of collections is not known yet; try again in a moment.",
            "catalogue",
            2,
        )
        assert client.known is None
        assert await client.health() == "catalogue: none yet"
        common.statuses = [503, 503, 200]

        async def known() -> bool:
            return await client.health() is None

        await eventually(known)
        assert client.collection("hazard.0").title == "one"
        assert client.known is client.collections


async def test_processes_that_save_at_the_same_time_do_not_share_a_scratch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratches: list[Path] = []
    replace = Path.replace

    def replaced(self: Path, target: Path) -> Path:
        scratches.append(self)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    file = tmp_path / "catalogue.json"
    for title in ("first", "second"):
        async with (
            TestServer(_served(_document(title))) as server,
            CatalogueClient(str(server.make_url("")).rstrip("/"), state_file=file) as client,
        ):
            assert await client.health() is None
    assert len(set(scratches)) == 2
    assert file.read_bytes() == _document("second")
