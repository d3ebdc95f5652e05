"""Large pages for HTTP/1.0 clients, which cannot read chunks: collected first, then sent with their length.

Without a length, such a client cannot distinguish a complete response from one that was cut short.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress

from aiohttp import web

from libs.ogc.errors import Fault, InvalidParameters, Unavailable
from services.features.slow_readers import write

MOST_BYTES = 64_000_000
"""Maximum size of one page, in bytes."""
MOST_BYTES_TOGETHER = 256_000_000
"""Maximum size of all pages in memory, in bytes; a page stays there while its client reads it."""


class WholePages:
    """The pages that this process holds in memory."""

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
                    await write(request, response, piece)
                await response.write_eof()
            return response
        finally:
            self._held -= size
