"""Each request is a line of the access log, as JSON or as text, whose fields programs can take apart."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from aiohttp import ClientSession

from tests.eventually import eventually
from tests.gateway.harness import Gateway, running_gateway

PATH = "/api/collections?said=logged"
AGENT = 'a "quoted" \\ name'


async def logged(gateway: Gateway, session: ClientSession) -> tuple[str, str, int]:
    """The line of a request, its id, and how many bytes the body of its answer had."""
    async with session.get(f"{gateway.url}{PATH}", headers={"User-Agent": AGENT, "Accept-Encoding": "identity"}) as got:
        request_id, length = got.headers["X-Request-Id"], len(await got.read())

    async def line() -> str:
        # of requests of other tests nginx writes what they sent, be it UTF-8 or not
        text = gateway.log.read_text(encoding="utf-8", errors="replace")
        found = [line for line in text.splitlines() if request_id in line]
        assert found
        return found[0]

    return await eventually(line), request_id, length


async def test_as_json_with_whatever_a_client_says(gateway: Gateway, session: ClientSession) -> None:
    line, request_id, length = await logged(gateway, session)
    said = json.loads(line)
    assert (said["request_id"], said["client"], said["method"]) == (request_id, "127.0.0.1", "GET")
    assert (said["path"], said["status"], said["bytes"], said["agent"]) == (PATH, 200, length, AGENT)
    assert (said["service"], said["level"], said["logger"]) == ("gateway", "INFO", "dams.access")


async def test_as_text_in_fields_apart(tmp_path: Path, session: ClientSession) -> None:
    async with running_gateway(tmp_path / "gateway", LOG_FORMAT="text") as gateway:
        await gateway.published()
        line, request_id, length = await logged(gateway, session)
    _, client, request, status, size, _, last = shlex.split(line)
    assert (client, request, status) == ("127.0.0.1", f"GET {PATH} HTTP/1.1", "200")
    assert (size, last) == (str(length), request_id)
