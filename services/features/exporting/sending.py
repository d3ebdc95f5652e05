"""Send a complete file with its length, or a part of it."""

import re
from collections.abc import Mapping

from aiohttp import web

from services.features.exporting.exports import Export
from services.features.slow_readers import write

PIECE = 256 * 1024
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})\Z", re.ASCII)


def part_asked_for(request: web.Request, export: Export) -> tuple[str, str] | None:
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


async def send(request: web.Request, export: Export, headers: Mapping[str, str]) -> web.StreamResponse:
    """Send the file or the requested part; for HEAD only the headers."""
    size = export.size
    start, end, status = 0, size, 200
    if part := part_asked_for(request, export):
        first, last = part
        start = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        if start >= size or start >= end:
            return web.Response(status=416, headers={**headers, "Content-Range": f"bytes */{size}"})
        status, headers = 206, {**headers, "Content-Range": f"bytes {start}-{end - 1}/{size}"}
    if export.omitted:
        headers = {**headers, "DAMS-Geometries-Omitted": str(export.omitted)}
    response = web.StreamResponse(status=status, headers={**headers, "Content-Length": str(end - start)})
    try:
        await response.prepare(request)
        if request.method == "HEAD":
            # a body written here would be read as the start of the next response
            return response
        while start < end:
            piece = await export.read(start, min(PIECE, end - start))
            await write(request, response, piece)
            start += len(piece)
    except ConnectionError:
        return response
    return response
