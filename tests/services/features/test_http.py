"""What goes over the wire: HEAD, path parameters."""

from __future__ import annotations

import asyncio

import pytest

from tests.services.in_process import Client, Services


async def test_head_of_a_streamed_answer_has_no_body(running: Services, features: Client) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.servers["features"].port)
    writer.write(
        b"HEAD /collections/hostile.many/items?limit=10000 HTTP/1.1\r\nHost: a\r\n\r\n"
        b"GET /collections/hostile.many/items?limit=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    )
    first, _, rest = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert first.startswith(b"HTTP/1.1 200")
    assert rest.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("place", ["--5/0/0", "0/--0/0", "-/0/0", "1.0/0/0", "0/+0/0", "99999999999999999999/0/0"])
async def test_a_place_that_is_no_number_is_422(tiles: Client, place: str) -> None:
    answer = await tiles.get(f"/collections/hostile.events/tiles/WebMercatorQuad/{place}")
    assert (answer.status, answer.json()["detail"][0]["loc"][0]) == (422, "path")


async def test_an_id_may_hold_braces(features: Client) -> None:
    assert (await features.json("/collections/hostile.text_key/items/%7Bbrace%7D"))["id"] == "{brace}"
