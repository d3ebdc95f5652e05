"""Answers are compressed where they are made: what the gateway keeps is compressed already, and not for each client."""

import asyncio
import re
import sys
from collections.abc import Mapping
from functools import lru_cache

import aiohttp
import brotli
from aiohttp import web
from isal import isal_zlib

from libs.web.content_coding import Coding, best_coding, takes_gzip

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP = 31
"""As zlib numbers its formats."""
_LARGE: Mapping[Coding, int] = {"gzip": 1024 * 1024, "zstd": 512 * 1024, "br": 128 * 1024}
"""Bytes that take some 2 ms."""
LEAST = 512
"""Bytes; less does not become smaller by what it takes, as the gateway has it, too."""
_TEXT = re.compile(r"text/|image/svg\+xml|application/(?:[\w.-]+[+.])?(?:x-)?(?:nd)?(?:json|xml)(?:-seq)?\s*(?:;|$)")


def compress(body: bytes, coding: Coding = "gzip") -> bytes:
    """The body in that coding."""
    # measured against zlib's level 6: 6 to 16 % larger, in a third (13 kB) to an eighteenth (400 kB) of the time
    if coding == "gzip":
        return isal_zlib.compress(body, 2, _GZIP)
    # a page of 100 features is smaller by a fifth in twice the time, and with Brotli by two fifths in ten times
    return zstd.compress(body, 3) if coding == "zstd" else brotli.compress(body, quality=5)


def decompress(gzipped: bytes) -> bytes:
    """The content of a gzip. Raises isal_zlib.error for bytes that are none."""
    return isal_zlib.decompress(gzipped, _GZIP)


async def compressed(body: bytes, coding: Coding = "gzip") -> bytes:
    """The body in that coding. A large one is compressed in a thread, so that no other request waits."""
    if len(body) > _LARGE[coding]:
        return await asyncio.to_thread(compress, body, coding)
    return compress(body, coding)


async def compress_response(request: web.Request, response: web.StreamResponse) -> None:
    """Compresses the body of an answer that is a text, as the client takes it. Streams see to it themselves."""
    if not isinstance(response, web.Response):
        return
    if response.status == 304:
        # it varies as the whole answer would (RFC 9110, section 15.4.5)
        _vary(response)
    elif _may_become_smaller(response):
        _vary(response)
        body = response.body
        coding = best_coding(request.headers.get("Accept-Encoding"))
        if isinstance(body, bytes) and len(body) >= LEAST and coding:
            response.body = await compressed(body, coding)
            response.headers["Content-Encoding"] = coding


def compress_stream(request: web.Request, response: web.StreamResponse) -> None:
    """Has a stream that is not prepared yet compressed on its way, where it is a text and the client takes gzip."""
    if not _may_become_smaller(response):
        return
    _vary(response)
    # of no body at all aiohttp would make a gzip, which the client of HEAD takes for the next answer
    if request.method != "HEAD" and takes_gzip(request.headers.get("Accept-Encoding")):
        response.enable_compression(web.ContentCoding.gzip)


def use_fast_compression() -> None:
    """Has aiohttp compress streams by ISA-L, too."""
    aiohttp.set_zlib_backend(isal_zlib)


def _may_become_smaller(response: web.StreamResponse) -> bool:
    return "Content-Encoding" not in response.headers and _is_text(response.headers.get("Content-Type", ""))


@lru_cache(maxsize=64)
def _is_text(content_type: str) -> bool:
    return _TEXT.match(content_type.lower()) is not None


def _vary(response: web.StreamResponse) -> None:
    varies = response.headers.get("Vary")
    if varies is None:
        response.headers["Vary"] = "Accept-Encoding"
    elif "Accept-Encoding" not in varies:
        response.headers["Vary"] = f"{varies}, Accept-Encoding"
