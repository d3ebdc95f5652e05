"""Each request is a line of the access log, as JSON or as text, whose fields programs can take apart."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from tests.eventually import eventually
from tests.gateway.harness import Gateway, running_gateway

PATH = "/api/collections?said=logged"
AGENT = 'a "quoted" \\ name'


async def logged(gateway: Gateway, session: ClientSession) -> tuple[str, str, int]:
    """The line of a request, its id, and how many bytes the body of its answer had."""
    async with session.get(f"{gateway.url}{PATH}", headers={"User-Agent": AGENT, "Accept-Encoding": "identity"}) as got:
        request_id, length = got.headers["X-Request-Id"], len(await got.read())

    return await line_of(gateway, request_id), request_id, length


async def line_of(gateway: Gateway, request_id: str) -> str:
    """The line of a request, once it has been written."""

    async def line() -> str:
        found = [line for line in gateway.log.read_text(encoding="utf-8").splitlines() if request_id in line]
        assert found
        return found[0]

    return await eventually(line)


async def said_of(gateway: Gateway, target: bytes, headers: bytes) -> Any:
    """Return the log entry of a request whose target and headers may contain any bytes."""
    host = gateway.url.removeprefix("http://")
    reader, writer = await asyncio.open_connection(*host.split(":"))
    head = b"GET " + target + b" HTTP/1.1\r\nHost: " + host.encode() + b"\r\nConnection: close\r\n"
    writer.write(head + headers + b"\r\n")
    answer = await reader.read()
    writer.close()
    request_id = re.search(rb"(?i)x-request-id: (\w+)", answer)
    assert answer.startswith(b"HTTP/1.1 ")
    assert request_id
    return json.loads(await line_of(gateway, request_id[1].decode()))


async def test_as_json_with_whatever_a_client_says(gateway: Gateway, session: ClientSession) -> None:
    line, request_id, length = await logged(gateway, session)
    said = json.loads(line)
    assert (said["request_id"], said["client"], said["method"]) == (request_id, "127.0.0.1", "GET")
    assert (said["path"], said["status"], said["bytes"], said["agent"]) == (PATH, 200, length, AGENT)
    assert (said["service"], said["level"], said["logger"]) == ("gateway", "INFO", "dams.access")


@pytest.mark.parametrize(
    ("sent", "agent"),
    [
        ("Zürich 東京 🌀".encode(), "Zürich 東京 🌀"),
        ("\ud7ff\ue000\uffff\U00010000\U0010ffff".encode(), "\ud7ff\ue000\uffff\U00010000\U0010ffff"),
        (b"Z\xfcrich", "not UTF-8"),
        (b"cut off \xe6\x9d", "not UTF-8"),
        (b"too long \xc0\xaf", "not UTF-8"),
        (b"a surrogate \xed\xa0\x80", "not UTF-8"),
        (b"beyond \xf4\x90\x80\x80", "not UTF-8"),
    ],
)
async def test_json_is_utf_8_whatever_bytes_a_client_sends(gateway: Gateway, sent: bytes, agent: str) -> None:
    said = await said_of(gateway, b"/api/collections?\xff", b"User-Agent: " + sent + b"\r\nReferer: \xfe\r\n")
    assert (said["path"], said["referrer"], said["agent"]) == ("not UTF-8", "not UTF-8", agent)


async def test_what_a_client_does_not_say_is_empty(gateway: Gateway) -> None:
    said = await said_of(gateway, b"/api/?%FF", b"")
    assert (said["path"], said["referrer"], said["agent"]) == ("/api/?%FF", "", "")


async def test_as_text_in_fields_apart(tmp_path: Path, session: ClientSession) -> None:
    async with running_gateway(tmp_path / "gateway", DAMS_LOG_FORMAT="text") as gateway:
        await gateway.published()
        line, request_id, length = await logged(gateway, session)
    _, client, request, status, size, _, last = shlex.split(line)
    assert (client, request, status) == ("127.0.0.1", f"GET {PATH} HTTP/1.1", "200")
    assert (size, last) == (str(length), request_id)
