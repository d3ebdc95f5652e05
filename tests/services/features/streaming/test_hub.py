"""Listeners beside each other, and the one task that tells them all."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from aiohttp import ClientResponse, ClientSession, web
from aiohttp.test_utils import BaseTestServer, TestServer
from prometheus_client import REGISTRY

from libs.catalogue.versions import DataVersion, DataVersions
from libs.ogc.errors import Unavailable
from services.features.streaming.changed_items import Items
from services.features.streaming.hub import Hub, Listener
from services.features.streaming.journal import Journal
from tests.eventually import eventually

# with long names an event is large: more than the buffers of a connection hold
NAMES = ["small", *(f"{number}{'x' * 20_000}" for number in range(100))]


class Versions:
    """All collections change when `token` does."""

    server = "here"
    token = "1"

    def version(self, _: object) -> DataVersion:
        return DataVersion(self.token, datetime.now(UTC))


class Room:
    """A hub that ticks quickly, and a server whose only path listens to it."""

    def __init__(self, names: Sequence[str], items: Any = None) -> None:
        self.versions = Versions()
        self.names = names
        self.asked = 0
        journal = Journal(cast("DataVersions", self.versions))
        self.hub = Hub(journal, self.collections, most=5, tick_seconds=0.002, items=items)

    def collections(self) -> Any:
        self.asked += 1
        return dict.fromkeys(self.names)

    async def listen(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        assert request.transport is not None
        listener = Listener(response, request.transport, request.query.get("name"), "")
        await self.hub.listen(listener, request.query.get("last"))
        await response.write_eof()
        return response

    @asynccontextmanager
    async def open(self) -> AsyncIterator[BaseTestServer]:
        app = web.Application()
        app.router.add_get("/", self.listen)
        async with self.hub, TestServer(app, host="127.0.0.1") as server:
            yield server


async def _next(response: ClientResponse, start: bytes) -> bytes:
    """The next line of the stream that begins so."""
    line = b""
    while not line.startswith(start):
        line = await asyncio.wait_for(response.content.readline(), 10)
        assert line, "the stream has ended"
    return line


async def test_a_listener_that_does_not_read_keeps_nobody_waiting() -> None:
    room = Room(NAMES)
    async with room.open() as server, ClientSession() as session:
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", server.port))
            deaf.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            deaf.setblocking(False)
            assert b"200" in await asyncio.get_running_loop().sock_recv(deaf, 100)
            async with session.get(server.make_url("/?name=small")) as response:
                await _next(response, b"id: ")
                for token in ("2", "3"):
                    room.versions.token = token
                    assert f'"version":"{token}"'.encode() in await _next(response, b"data: ")


async def test_changes_are_noted_only_for_a_while_where_nobody_listens() -> None:
    room = Room(["small"])
    async with room.open() as server, ClientSession() as session:
        async with session.get(server.make_url("/")) as response:
            left_at = (await _next(response, b"id: "))[4:-1].decode()

        async def rests() -> None:
            asked = room.asked
            await asyncio.sleep(0.1)
            assert room.asked == asked

        await eventually(rests)
        room.versions.token = "2"
        async with session.get(server.make_url(f"/?last={left_at}")) as response:
            assert await _next(response, b"event: ") == b"event: reload\n"
            room.versions.token = "3"
            assert b'"version":"3"' in await _next(response, b'data: {"spec')


async def test_who_comes_as_the_process_ends_is_sent_away() -> None:
    room = Room(["small"])
    async with room.open() as server, ClientSession() as session:
        room.hub.close()
        async with session.get(server.make_url("/")) as response:
            assert (await asyncio.wait_for(response.read(), 10)).startswith(b"retry: ")


class Named:
    """Names feature 7 in every change."""

    def __init__(self) -> None:
        self.has_begun = False
        self.looked = 0

    async def begin(self) -> None:
        self.has_begun = True

    async def begun(self) -> bool:
        """The event that a test waits for."""
        return self.has_begun

    async def read(self, changed: Sequence[Any]) -> dict[str, Items]:
        assert self.has_begun
        self.looked += 1
        return dict.fromkeys(["small"], Items((("7", "update"),), is_complete=True)) if changed else {}


async def test_changed_features_are_read_only_after_a_change() -> None:
    named = Named()
    room = Room(["small", "other"], named)
    async with room.open() as server, ClientSession() as session, session.get(server.make_url("/")) as response:
        await _next(response, b"id: ")
        await eventually(named.begun)
        for looked, token in enumerate(("2", "3"), start=1):
            room.versions.token = token
            told = [json.loads((await _next(response, b"data: "))[6:])["data"] for _ in range(2)]
            assert {each["collectionId"]: "items" in each for each in told} == {"small": True, "other": False}
            # ticks go by
            await asyncio.sleep(0.02)
            assert named.looked == looked


async def test_in_silence_each_listener_hears_a_beat_now_and_then() -> None:
    room = Room(["small"])
    async with room.open() as server, ClientSession() as session, AsyncExitStack() as stack:
        responses = [await stack.enter_async_context(session.get(server.make_url("/"))) for _ in range(4)]
        for response in responses:
            await _next(response, b"id: ")
        for response in responses * 2:
            assert await _next(response, b":") == b":\n"


async def test_what_a_stream_says_first_and_of_each_change() -> None:
    room = Room(["small", "other"])
    async with room.open() as server, ClientSession() as session, AsyncExitStack() as stack:
        every, one = [
            await stack.enter_async_context(session.get(server.make_url(path))) for path in ("/", "/?name=small")
        ]
        for response in (every, one):
            assert 1000 <= int((await _next(response, b"retry: "))[7:]) < 4000
        # of one collection its version, of all of them a name of their own
        assert await _next(one, b"id: ") == b"id: 1\n"
        assert len(await _next(every, b"id: ")) > 10
        room.versions.token = "2"
        assert await _next(one, b"id: ") == b"id: 2\n"
        assert json.loads((await _next(one, b"data: "))[6:])["id"] == "2.small"
        ids = [(await _next(every, b"id: "))[4:-1].decode() for _ in range(2)]
        assert len(set(ids)) == 2
        # a dropped collection has no version, and is still reported
        room.names = ["other"]
        gone = await _next(one, b"id: ")
        assert gone[4:-1].decode() not in {"", "2", *ids}
        event = json.loads((await _next(one, b"data: "))[6:])
        assert (event["type"], event["subject"]) == ("org.ogc.api.collection.delete", "collections/small")


async def test_a_collection_that_goes_hides_no_names_of_others() -> None:
    named = Named()
    room = Room(["small", "other"], named)
    async with room.open() as server, ClientSession() as session, session.get(server.make_url("/")) as response:
        await _next(response, b"id: ")
        await eventually(named.begun)
        room.names, room.versions.token = ["small"], "2"
        told = [json.loads((await _next(response, b"data: "))[6:]) for _ in range(2)]
        assert [event["subject"] for event in told] == ["collections/other", "collections/small"]
        assert told[1]["data"]["items"] == [{"itemId": "7", "change": "update"}]


async def test_room_is_counted() -> None:
    room = Room(["small"])
    async with room.open() as server, ClientSession() as session:
        async with AsyncExitStack() as stack:
            for _ in range(5):
                room.hub.check_room()
                await _next(await stack.enter_async_context(session.get(server.make_url("/"))), b"id: ")
            assert REGISTRY.get_sample_value("dams_change_listeners") == 5
            with pytest.raises(Unavailable) as refused:
                room.hub.check_room()
            assert (refused.value.retry_after, refused.value.cause) == (30, "listeners")

        async def has_room() -> bool:
            room.hub.check_room()
            return REGISTRY.get_sample_value("dams_change_listeners") == 0

        # a closed connection is noticed when an event is sent to it
        room.versions.token = "2"

        async def has_room_again() -> None:
            with suppress(Unavailable):
                if await has_room():
                    return
            raise AssertionError

        await eventually(has_room_again)
        room.hub.close()
        with pytest.raises(Unavailable):
            room.hub.check_room()


class Connection:
    """A response and its transport, as a client's connection looks to the hub."""

    def __init__(self, *, unread: int = 0, fails: bool = False) -> None:
        self.unread = unread
        self.fails = fails
        self.heard = b""
        self.is_aborted = False

    async def write(self, data: bytes) -> None:
        assert len(data) <= 16 * 1024
        if self.fails and self.heard:
            raise ConnectionResetError
        self.heard += data

    def get_write_buffer_size(self) -> int:
        return self.unread if self.heard else 0

    def abort(self) -> None:
        self.is_aborted = True

    def is_closing(self) -> bool:
        return self.is_aborted

    async def listen(self, room: Room) -> None:
        await room.hub.listen(Listener(cast("Any", self), cast("Any", self), None, ""), None)


async def test_listeners_that_do_not_read_or_are_gone_are_let_go_and_others_hear() -> None:
    room = Room(["small", "x" * 20_000])
    slow, gone, fine, busy = (
        Connection(unread=32 * 1024 + 1),
        Connection(fails=True),
        Connection(),
        # as much as may wait
        Connection(unread=32 * 1024),
    )
    before = REGISTRY.get_sample_value("dams_change_listeners_dropped_total") or 0
    async with room.hub:
        listening = [asyncio.create_task(each.listen(room)) for each in (slow, gone, fine, busy)]
        await asyncio.sleep(0)
        room.versions.token = "2"
        await asyncio.wait_for(asyncio.gather(*listening[:2]), 20)

        async def heard() -> None:
            for each in (fine, busy):
                assert each.heard.count(b'"version":"2"') == 2

        await eventually(heard)
        assert [each.is_aborted for each in (slow, gone, fine, busy)] == [True, False, False, False]
        assert REGISTRY.get_sample_value("dams_change_listeners_dropped_total") == before + 1
        # one whose connection closes is let go as well
        fine.abort()
        await asyncio.wait_for(listening[2], 20)
        assert not listening[3].done()
    # the hub ends, and with it all that listens
    await asyncio.wait_for(listening[3], 20)
