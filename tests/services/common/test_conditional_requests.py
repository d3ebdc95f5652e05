"""Conditional requests for the list of collections: a matching tag costs nothing, however long the list is."""

from __future__ import annotations

from dataclasses import replace

import asyncpg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from libs.ogc.link import Link
from libs.ogc.service_part import CollectionLink, Whole
from services.common import collections as handler
from services.common.part import PART
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, services

ADDRESSES = ["/collections", "/collections?limit=3", "/collections?type=Table&bbox=1,2,3,4", "/collections?f=html"]


@pytest.mark.parametrize("address", ADDRESSES)
async def test_a_tag_that_matches_is_answered_before_anything_is_put_together(
    common: Client, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    async def unchanged() -> None:
        first = await common.get(address)
        with monkeypatch.context() as patch:
            # nor is anything parsed
            for name in ("bbox_of", "links_json"):
                patch.setattr(handler, name, pytest.fail)
            again = await common.get(address, headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]

    # extents that a start left to be measured make a new list
    await eventually(unchanged)


async def test_each_window_and_format_has_a_tag_of_its_own(common: Client) -> None:
    tags = [(await common.get(address)).headers["ETag"] for address in ADDRESSES]
    assert len(set(tags)) == len(tags)


async def test_an_invalid_request_is_refused_whatever_the_client_holds(common: Client) -> None:
    valid = (await common.get("/collections")).headers["ETag"]
    for tag in (valid, "*"):
        assert (await common.get("/collections?bbox=1", headers={"If-None-Match": tag})).status == 422
    assert (await common.get("/collections", headers={"If-None-Match": "*"})).status == 304


async def test_another_title_outdates_the_tag(common: Client, owner: asyncpg.Connection) -> None:
    tag = (await common.get("/collections")).headers["ETag"]
    try:
        await owner.execute("COMMENT ON TABLE hostile.no_geometry IS 'Another title'")

        async def listed() -> None:
            answer = await common.get("/collections", headers={"If-None-Match": tag})
            assert answer.status == 200
            assert "Another title" in {entry["title"] for entry in answer.json()["collections"]}

        await eventually(listed)
    finally:
        await owner.execute("COMMENT ON TABLE hostile.no_geometry IS NULL")


async def test_other_parts_outdate_the_tag(hostile: HostileDatabase) -> None:
    link = CollectionLink(Link("/collections/{collectionId}/else", "related", "text/html", "Somewhere else"))
    published = Whole.of([PART])

    async def parts(_: web.Request) -> web.Response:
        return web.json_response(published.to_json())

    gateway = web.Application()
    gateway.router.add_get("/internal/parts", parts)
    async with TestServer(gateway) as server, services() as started:
        common = await started.start(
            "common", {**hostile.env(), "DAMS_PARTS_URL": str(server.make_url("")).rstrip("/")}
        )
        tag = (await common.get("/collections")).headers["ETag"]
        published = replace(published, collection_links=(*published.collection_links, link))

        async def another() -> None:
            answer = await common.get("/collections", headers={"If-None-Match": tag})
            assert b"Somewhere else" in answer.body

        await eventually(another)
