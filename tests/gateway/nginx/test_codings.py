"""The codings that nginx requests from the services, and the number of copies of an answer in its cache."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

import brotli
import pytest
from aiohttp import ClientSession, web

from libs.web.content_coding import takes_brotli, takes_gzip
from tests.gateway.harness import Gateway, running_gateway
from tests.libs.web.accept_encodings import DECODED, TAKES_BROTLI, TAKES_GZIP

_PATH = "/api/collections/a/tiles/x/0/0/0"
_ENCODED = {"br, gzip": brotli.compress, "br": brotli.compress, "gzip": gzip.compress, "identity": bytes}


@pytest.mark.parametrize("vary", ["Accept-Encoding", "Accept", "accept, Accept-Encoding"])
async def test_one_copy_for_all_who_take_the_same(gateway: Gateway, session: ClientSession, vary: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        accepted = request.headers["Accept-Encoding"]
        coding = {"Content-Encoding": accepted.partition(",")[0]} if accepted != "identity" else {}
        headers = {"Cache-Control": "public, max-age=5", "Vary": vary, "Content-Type": "application/octet-stream"}
        return web.Response(body=_ENCODED[accepted](b"tile"), headers=headers | coding)

    gateway.upstreams["tiles"].answer = answer
    url = f"{gateway.url}{_PATH}?{uuid4().hex}"
    for coding, spellings in (
        ("br", ("gzip, br", "br;q=0.1, gzip;q=0.5", "GZIP, deflate, BR, zstd", "br, *")),
        # for clients without gzip, a copy of their own
        ("br", ("br", "br, gzip;q=0", "gzip;q=0, br", "BR;q=0.5, identity")),
        ("gzip", ("gzip", "gzip, deflate", "GZIP;q=0.1, br;q=0", "*")),
        (None, ("", "br;q=0", "gzip;q=0", "identity")),
    ):
        states = []
        for spelling in spellings:
            async with session.get(url, headers={"Accept": "x", "Accept-Encoding": spelling}) as response:
                states.append(response.headers["X-Cache"])
                # caches on the way to the client have to know, too
                # one header, which names what the service and what the gateway looks at
                (said,) = response.headers.getall("Vary")
                assert said == (vary if "encoding" in vary.lower() else f"{vary}, Accept-Encoding")
                assert response.headers.get("Content-Encoding") == coding, spelling
                assert DECODED[coding](await response.read()) == b"tile"
        assert states == ["MISS", "MISS", "HIT", "HIT"], coding


async def _heard(gateway: Gateway, session: ClientSession, spelling: str, path: str = _PATH) -> str:
    """Return the `Accept-Encoding` that the service gets when a client sends this one."""
    url = f"{gateway.url}{path}?{uuid4().hex}"
    async with session.get(url, headers={"Accept": "x", "Accept-Encoding": spelling}) as response:
        assert response.status == 200
    service = "viewer" if "assets" in path else "tiles"
    return gateway.upstreams[service].seen[-1].headers["Accept-Encoding"]


async def test_services_hear_what_each_spelling_comes_to(gateway: Gateway, session: ClientSession) -> None:
    for spelling, taken in (TAKES_GZIP | TAKES_BROTLI).items():
        heard = await _heard(gateway, session, spelling)
        assert heard in ("identity", "gzip", "br, gzip", "br"), spelling
        assert takes_gzip(heard) is takes_gzip(spelling), spelling
        assert takes_brotli(heard) is takes_brotli(spelling), spelling
        assert taken in (takes_gzip(spelling), takes_brotli(spelling))


async def test_of_files_who_takes_brotli_says_so(gateway: Gateway, session: ClientSession) -> None:
    for number, (spelling, taken) in enumerate(TAKES_BROTLI.items()):
        heard = await _heard(gateway, session, spelling, f"/api/assets/map-{number}.js")
        assert (heard == "br") is taken, spelling
        assert takes_brotli(heard) is takes_brotli(spelling)
        assert takes_brotli(heard) or takes_gzip(heard) is takes_gzip(spelling)


@pytest.mark.parametrize(
    ("codings", "heard"),
    [
        ("gzip", {"gzip, br, zstd": "gzip", "br": "identity"}),  # no coding of the setting
        ("br", {"gzip, br, zstd": "br, gzip", "gzip, br;q=0": "gzip", "zstd, br": "br", "zstd": "identity"}),
    ],
)
async def test_the_setting_says_which_there_are_and_which_is_best(
    tmp_path: Path, session: ClientSession, codings: str, heard: Mapping[str, str]
) -> None:
    async with running_gateway(tmp_path / "gateway", DAMS_GATEWAY_CODINGS=codings) as gateway:
        await gateway.published()
        assert {spelling: await _heard(gateway, session, spelling) for spelling in heard} == heard
        assert await _heard(gateway, session, "gzip, br", "/api/assets/map.js") == "br"
