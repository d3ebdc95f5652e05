"""Disconnect clients that read large pages too slowly, to free the memory of the process and its gateway."""

import asyncio

from aiohttp import web

PIECE_SECONDS = 60.0
"""Maximum time for a client to read a piece, in seconds."""
_PIECE_BYTES = 256 * 1024


async def write(request: web.Request, response: web.StreamResponse, chunk: bytes | memoryview) -> None:
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
