"""The gateway fetches a part from any process that answers, and only from the right service."""

from __future__ import annotations

import time

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from gateway.parts.fetch import PartsFetcher
from tests.gateway.harness import Upstream, make_part


async def test_the_next_address_is_asked_for_the_part(session: ClientSession) -> None:
    upstream = Upstream("tiles", part=make_part("tiles"))
    await upstream.start()
    try:
        fetcher = PartsFetcher(session)
        await fetcher.refresh({"tiles": ("127.0.0.1:9", f"127.0.0.1:{upstream.port}")})
        assert [part.name for part in fetcher.present()] == ["tiles"]
    finally:
        await upstream.stop()


async def test_the_part_of_another_service_is_none(session: ClientSession) -> None:
    """This happens if the address of one service is configured under the name of another."""
    upstream = Upstream("features", part=make_part("features"))
    await upstream.start()
    try:
        fetcher = PartsFetcher(session)
        addresses = (f"127.0.0.1:{upstream.port}",)
        for _ in range(3):
            await fetcher.refresh({"tiles": addresses, "features": addresses})
        assert [part.name for part in fetcher.present()] == ["features"]
        # it is there as soon as the right service answers
        upstream.part, upstream.part_tag = make_part("tiles"), upstream.part_tag + 1
        await fetcher.refresh({"tiles": addresses})
        assert sorted(part.name for part in fetcher.present()) == ["features", "tiles"]
    finally:
        await upstream.stop()


async def test_restarting_service_stays_and_a_lost_one_is_removed(
    session: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = Upstream("tiles", part=make_part("tiles"))
    await upstream.start()
    addresses = {"tiles": (f"127.0.0.1:{upstream.port}",)}
    fetcher = PartsFetcher(session, absent_seconds=10)
    now = time.monotonic()
    monkeypatch.setattr("gateway.parts.fetch.time.monotonic", lambda: now)
    await fetcher.refresh(addresses)
    await fetcher.refresh(addresses)
    assert upstream.part_status == [200, 304]
    await upstream.stop()
    # before the first step, the gateway itself paused for a minute
    for seconds, is_there in ((60, True), (9.75, True), (0.25, False)):
        now += seconds
        await fetcher.refresh(addresses)
        assert [part.name for part in fetcher.present()] == (["tiles"] if is_there else [])
    # it is there again as soon as it answers; a later absence starts from zero
    await upstream.start()
    for seconds in (1, 60):
        now += seconds
        await fetcher.refresh(addresses)
        assert [part.name for part in fetcher.present()] == ["tiles"]


async def test_what_answers_with_an_error_or_with_no_part_is_not_heard_of(session: ClientSession) -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.json_response(make_part("tiles"), status=500)

    app = web.Application()
    app.router.add_get("/internal/part", answer)
    async with TestServer(app) as server:
        fetcher = PartsFetcher(session)
        await fetcher.refresh({"tiles": (f"127.0.0.1:{server.port}",)})
        assert fetcher.present() == []


async def test_one_address_is_enough_and_what_is_unchanged_stays(session: ClientSession) -> None:
    first, second = (Upstream("tiles", part=make_part("tiles")) for _ in range(2))
    for upstream in (first, second):
        await upstream.start()
    try:
        fetcher = PartsFetcher(session)
        addresses = {"tiles": (f"127.0.0.1:{first.port}", f"127.0.0.1:{second.port}")}
        for _ in range(2):
            await fetcher.refresh(addresses)
        (part,) = fetcher.present()
        assert (first.part_status, second.part_status) == ([200, 304], [])
        # another tag is another part
        first.part, first.part_tag = {**make_part("tiles"), "assets": ["/new/"]}, 2
        await fetcher.refresh(addresses)
        (other,) = fetcher.present()
        assert (part.assets != other.assets, other.assets) == (True, ("/new/",))
        # without known addresses no process receives a request; the part stays for a while
        await fetcher.refresh({})
        assert [each.name for each in fetcher.present()] == ["tiles"]
    finally:
        for upstream in (first, second):
            await upstream.stop()
