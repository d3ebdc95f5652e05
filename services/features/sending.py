"""Send answers: complete bodies, pages in pieces, files, parts of files.

A client that reads too slowly is disconnected, to free the memory of the process and its gateway.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace

from aiohttp import web

from libs.ogc.errors import Fault, InvalidParameters, Unavailable
from libs.web.base_url import takes_chunks
from libs.web.compression import compress_stream
from services.features.answer import Answer, Pieces
from services.features.exporting.exports import Export

PIECE_SECONDS = 60.0
"""Maximum time for a client to read a piece, in seconds."""
_PIECE_BYTES = 256 * 1024
MOST_BYTES = 64_000_000
"""Maximum size of a page that is collected, in bytes."""
MOST_BYTES_TOGETHER = 256_000_000
"""Maximum size of all collected pages, in bytes; a page stays in memory while its client reads it."""
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})\Z", re.ASCII)


class WholePages:
    """Large pages for HTTP/1.0 clients, which cannot read chunks: collected, then sent with their length.

    Without a length, such a client cannot distinguish a complete response from one that was cut short.
    """

    def __init__(self) -> None:
        self._held = 0

    async def send(
        self, request: web.Request, headers: Mapping[str, str], pieces: AsyncIterator[bytes | memoryview], limit: int
    ) -> web.StreamResponse:
        """Send the response made of `pieces` once all of them are ready.

        Raises InvalidParameters if they are too large, Unavailable if other pages fill the memory, and errors of the
        pieces.
        """
        collected: list[bytes | memoryview] = []
        size = 0
        try:
            async for piece in pieces:
                collected.append(piece)
                size += len(piece)
                self._held += len(piece)
                if size > MOST_BYTES:
                    sentence = (
                        f"a page of {limit} features is larger than the {MOST_BYTES // 1_000_000} MB that are sent over"
                        " HTTP/1.0; ask for fewer, or speak HTTP/1.1"
                    )
                    raise InvalidParameters([Fault(("query", "limit"), sentence, limit, "less_than_equal")])
                if self._held > MOST_BYTES_TOGETHER:
                    raise Unavailable("Too many large pages are being sent over HTTP/1.0.")
            response = web.StreamResponse(headers={**headers, "Content-Length": str(size)})
            with suppress(ConnectionError):
                await response.prepare(request)
                for piece in collected:
                    await _write(request, response, piece)
                await response.write_eof()
            return response
        finally:
            self._held -= size


WHOLE_PAGES = web.AppKey("whole_pages", WholePages)


async def send(request: web.Request, answer: Answer) -> web.StreamResponse:
    """Send the answer; for HEAD only its headers. Raises errors of the pieces and of the export."""
    if isinstance(answer.body, Pieces):
        return await _send_pieces(request, answer, answer.body)
    if isinstance(answer.body, Export):
        if not answer.body.whole:
            return await _follow(request, answer, answer.body)
        return await _send_file(request, answer, answer.body)
    return web.Response(body=answer.body, status=answer.status, headers=answer.headers)


async def _send_pieces(request: web.Request, answer: Answer, body: Pieces) -> web.StreamResponse:
    limit, is_head = body.page_limit, request.method == "HEAD"
    if limit is not None and not is_head and not takes_chunks(request):
        return await request.app[WHOLE_PAGES].send(request, answer.headers, body.pieces, limit)
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    if limit is not None:
        compress_stream(request, response)
    # the client may have read enough, or have disconnected
    with suppress(ConnectionError):
        await response.prepare(request)
        # a body written for HEAD would be read as the start of the next response
        if not is_head:
            async for piece in body.pieces:
                await _write(request, response, piece)
    return response


async def _send_file(request: web.Request, answer: Answer, export: Export) -> web.StreamResponse:
    """Send a complete file, or the requested part of it."""
    size = export.size
    start, end = 0, size
    if part := requested_part(request, export):
        first, last = part
        start = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        if start >= size or start >= end:
            headers = answer.with_headers({"Content-Range": f"bytes */{size}"}).headers
            return web.Response(status=416, headers=headers)
        answer = replace(answer.with_headers({"Content-Range": f"bytes {start}-{end - 1}/{size}"}), status=206)
    answer = answer.of_numbers(None, omitted=export.omitted).with_headers({"Content-Length": str(end - start)})
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    with suppress(ConnectionError):
        await response.prepare(request)
        while start < end and request.method != "HEAD":
            piece = await export.read(start, min(_PIECE_BYTES, end - start))
            await _write(request, response, piece)
            start += len(piece)
    return response


def send_part(request: web.Request, answer: Answer) -> web.Response:
    """Send a complete body, or the requested range of its bytes if the client's copy has the same ETag."""
    body = answer.body
    if not isinstance(body, bytes):
        raise TypeError("only a complete body has parts")
    condition = request.headers.get("If-Range")
    try:
        wanted = request.http_range
    except ValueError:
        wanted = slice(None, None, 1)
    if (wanted.start is None and wanted.stop is None) or condition not in (None, answer.headers["ETag"]):
        return web.Response(body=body, headers=answer.headers)
    start, stop, _ = wanted.indices(len(body))
    if start >= stop:
        return web.Response(status=416, headers={"Content-Range": f"bytes */{len(body)}"})
    headers = answer.with_headers({"Content-Range": f"bytes {start}-{stop - 1}/{len(body)}"}).headers
    return web.Response(status=206, body=body[start:stop], headers=headers)


def requested_part(request: web.Request, export: Export) -> tuple[str, str] | None:
    """Return the first and last byte of a range request (RFC 9110 section 14); None for the whole file, as for HEAD.

    An export without a tag is written again for each request and always sent whole: parts might come from different
    files.
    """
    if request.method != "GET" or export.tag is None:
        return None
    asked = _RANGE.match(request.headers.get("Range", ""))
    condition = request.headers.get("If-Range")
    if asked and any(asked.groups()) and (condition is None or condition == export.tag):
        first, last = asked.groups()
        return first, last
    return None


async def _follow(request: web.Request, answer: Answer, export: Export) -> web.StreamResponse:
    """Send a file in chunks while it is written."""
    response = web.StreamResponse(headers=answer.headers)
    response.enable_chunked_encoding()
    sent = 0
    with suppress(ConnectionError):
        await response.prepare(request)
        while True:
            piece = await export.read(sent, _PIECE_BYTES) if export.streams or export.whole else b""
            if piece:
                await _write(request, response, piece)
                sent += len(piece)
            elif export.whole:
                break
            else:
                # aiohttp cancels this handler if the client disconnects during the wait
                await export.wait(sent if export.streams else export.size)
    return response


async def _write(request: web.Request, response: web.StreamResponse, chunk: bytes | memoryview) -> None:
    """Send a chunk. If the client does not read it, closes the connection and raises ConnectionResetError."""
    whole = memoryview(chunk)
    try:
        for start in range(0, len(whole), _PIECE_BYTES):
            async with asyncio.timeout(PIECE_SECONDS):
                await response.write(whole[start : start + _PIECE_BYTES])
    except TimeoutError:
        if request.transport is not None:
            # abort instead of closing in order, which would look like the end of the page
            request.transport.abort()
        raise ConnectionResetError("the client reads too slowly") from None
