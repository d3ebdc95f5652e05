"""Large pages for clients that know no chunks: collected first, so that they are sent with their length.

To HTTP/1.0 the end of a connection is the end of an answer: of one that was cut short, too.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress

from aiohttp import web

from libs.ogc.errors import Fault, InvalidParameters, Unavailable
from services.features.slow_readers import write

MOST_BYTES = 64_000_000
"""Of one page."""
MOST_BYTES_TOGETHER = 256_000_000
"""Of all that a process holds at the same time, which is as long as its clients read."""


class WholePages:
    """The pages that this process holds."""

    def __init__(self) -> None:
        self._held = 0

    async def send(
        self, request: web.Request, headers: Mapping[str, str], pieces: AsyncIterator[bytes | memoryview], limit: int
    ) -> web.StreamResponse:
        """The answer made of `pieces`, sent once all of them are there.

        Raises InvalidParameters where they are too many to hold, Unavailable where others are held already, and what
        making the pieces raises.
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
