"""An encoded tile as an answer."""

from collections.abc import Mapping

from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.content_coding import takes_gzip
from services.tiles.store.compression import decompressed
from services.tiles.store.tile_store import Tile


async def tile_response(
    request: web.Request, tile: Tile, headers: Mapping[str, str], seconds: float
) -> web.StreamResponse:
    """The tile, gzip-compressed where the client takes that; an empty one is 200 with an empty body.

    `seconds` is how long it took.
    """
    why = f';desc="{tile.why}"' if tile.why else ""
    described = {
        **headers,
        "Content-Type": MediaType.MVT,
        # a structured field (RFC 9651): a number, with a parameter where it is an estimate
        "DAMS-Features-Omitted": f"{tile.left_out};estimate" if tile.estimated else str(tile.left_out),
        "Server-Timing": f"{tile.tier}{why};dur={seconds * 1000:.1f}",
    }
    body = tile.gzipped
    if body and takes_gzip(request.headers.get("Accept-Encoding")):
        described["Content-Encoding"] = "gzip"
    elif body:
        body = await decompressed(body)
    return web.Response(body=body, headers=described)
