"""The service follows what the gateway publishes of all services, and keeps it while the gateway is down or sends
nonsense.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from aiohttp import web
from aiohttp.test_utils import TestServer

from libs.ogc.link import Link
from libs.ogc.service_part import ServicePart, Whole
from services.common.parts import PartsClient
from tests.eventually import eventually

OWN = ServicePart("common", {"paths": {}}, ("core",))
OTHER = replace(OWN, name="tiles", conforms_to=("core", "tiles"), landing_links=(Link("/tiles", "tilesets-vector"),))


async def test_what_the_gateway_publishes_is_taken_over_and_kept() -> None:
    before = asyncio.all_tasks()
    answers: list[web.Response] = []
    asked = 0

    async def publish(_: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        last = answers[-1]
        return web.Response(status=last.status, body=last.body)

    async def asked_again() -> None:
        before = asked

        async def happened() -> bool:
            return asked >= before + 2

        await eventually(happened)

    def say(body: object, status: int = 200) -> None:
        answers.append(web.json_response(body, status=status))

    app = web.Application()
    app.router.add_get("/internal/parts", publish)
    # it trusts no answer of a gateway that is starting
    say(Whole.of([OWN, OTHER]).to_json(), 503)
    async with TestServer(app) as server:
        client = PartsClient(str(server.make_url("")).rstrip("/"), OWN, refresh_seconds=0.01)
        own, tag = client.whole, client.etag
        assert own == Whole.of([OWN])
        async with client:
            await asked_again()
            assert client.whole is own
            assert "parts" in {task.get_name() for task in asyncio.all_tasks() - before}
            say(Whole.of([OWN, OTHER]).to_json())
            await asked_again()
            known = client.whole
            assert (known.conforms_to, [link.href for link in known.landing_links]) == (("core", "tiles"), ["/tiles"])
            assert client.etag != tag
            links = {"conformsTo": [], "landingLinks": [1], "collectionLinks": []}
            nonsense: tuple[object, ...] = ({}, [], {"conformsTo": 1}, links)
            for each in nonsense:
                say(each)
                await asked_again()
                assert client.whole is known
            answers.append(web.Response(body=b"<html>"))
            await asked_again()
            say(Whole.of([OWN, OTHER]).to_json())
            await asked_again()
            assert client.whole is known
        # it has stopped following
        assert "parts" not in {task.get_name() for task in asyncio.all_tasks() - before}


async def test_without_a_gateway_its_own_part_is_all_there_is() -> None:
    async with PartsClient(None, OWN) as client:
        assert client.whole == Whole.of([OWN])
