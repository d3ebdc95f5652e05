"""Pages that are collected before they are sent: the limit of one page, and of all together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from libs.ogc.errors import InvalidParameters, Unavailable
from services.features import sending
from services.features.sending import WholePages


def test_how_much_is_held_and_for_how_long() -> None:
    assert (sending.MOST_BYTES, sending.MOST_BYTES_TOGETHER) == (64_000_000, 256_000_000)
    assert sending.PIECE_SECONDS == 60


class Room:
    """A server that sends pages of pieces of the sizes that its query names; those of `wait` end when they may."""

    def __init__(self) -> None:
        self.pages = WholePages()
        self.refusals: list[InvalidParameters | Unavailable] = []
        self.may_end = asyncio.Event()
        self.waiting: asyncio.Queue[None] = asyncio.Queue()

    async def pieces(self, request: web.Request) -> AsyncIterator[bytes | memoryview]:
        for size in request.query["sizes"].split(","):
            yield b"x" * int(size)
        if "wait" in request.query:
            self.waiting.put_nowait(None)
            await self.may_end.wait()

    async def send(self, request: web.Request) -> web.StreamResponse:
        try:
            return await self.pages.send(request, {"X-Own": "1"}, self.pieces(request), 7)
        except (InvalidParameters, Unavailable) as error:
            self.refusals.append(error)
            raise web.HTTPBadRequest from None


async def test_a_page_may_have_so_many_bytes_and_all_together_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "MOST_BYTES", 10)
    monkeypatch.setattr(sending, "MOST_BYTES_TOGETHER", 25)
    room, app = Room(), web.Application()
    app.router.add_get("/", room.send)
    async with TestServer(app, host="127.0.0.1") as server, ClientSession() as session:

        async def length(query: str) -> int | None:
            async with session.get(server.make_url(f"/?{query}")) as response:
                if response.status == 400:
                    return None
                assert response.headers["X-Own"] == "1"
                assert response.content_length == len(await response.read())
                return response.content_length

        # a page returns its room, whether it is sent or refused
        for _ in range(3):
            assert await length("sizes=4,6") == 10
            assert await length("sizes=4,7") is None
        assert {type(error) for error in room.refusals} == {InvalidParameters}
        (fault,) = room.refusals[0].faults  # type: ignore[union-attr]
        assert (fault.loc, fault.input, fault.type) == (("query", "limit"), 7, "less_than_equal")
        assert fault.msg == (
            "a page of 7 features is larger than the 0 MB that are sent over HTTP/1.0; ask for fewer, or speak HTTP/1.1"
        )
        room.refusals.clear()
        held = [asyncio.create_task(length("sizes=10&wait")) for _ in range(2)]
        for _ in held:
            await room.waiting.get()
        assert await length("sizes=5") == 5
        assert await length("sizes=3,3") is None
        assert [str(error) for error in room.refusals] == ["Too many large pages are being sent over HTTP/1.0."]
        assert {type(error) for error in room.refusals} == {Unavailable}
        room.may_end.set()
        assert await asyncio.gather(*held) == [10, 10]
        assert await length("sizes=10") == 10
