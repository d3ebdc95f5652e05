"""Large pages go no slower than this: what a process and its gateway hold of one is given back."""

import asyncio

from aiohttp import web

PIECE_SECONDS = 60.0
"""In which a client has to take a piece."""
_PIECE_BYTES = 256 * 1024


async def write(request: web.Request, response: web.StreamResponse, chunk: bytes | memoryview) -> None:
    """Sends a chunk. Raises ConnectionResetError, the connection being closed, where the client does not take it."""
    whole = memoryview(chunk)
    try:
        for start in range(0, len(whole), _PIECE_BYTES):
            async with asyncio.timeout(PIECE_SECONDS):
                await response.write(whole[start : start + _PIECE_BYTES])
    except TimeoutError:
        if request.transport is not None:
            # not closed in order: that would look like the end of the page
            request.transport.abort()
        raise ConnectionResetError("the client reads too slowly") from None
