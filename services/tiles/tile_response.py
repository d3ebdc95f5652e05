"""An encoded tile as a response."""

from collections.abc import Mapping

from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.compression import LEAST, compress_body
from libs.web.content_coding import best_coding, takes_gzip
from services.tiles.store.compression import decompress_tile
from services.tiles.store.tile_store import Tile


async def tile_response(
    request: web.Request, tile: Tile, headers: Mapping[str, str], seconds: float
) -> web.StreamResponse:
    """Return the tile in a coding that the client accepts; an empty one is 200 with an empty body.

    `seconds` is how long it took.
    """
    why = f';desc="{tile.why}"' if tile.why else ""
    described = {
        **headers,
        "Content-Type": MediaType.MVT,
        # a structured field (RFC 9651): a number, with a parameter if it is an estimate
        "DAMS-Features-Omitted": f"{tile.left_out};estimate" if tile.estimated else str(tile.left_out),
        "DAMS-Features-Simplified": str(tile.simplified),
        "Server-Timing": f"{tile.tier}{why};dur={seconds * 1000:.1f}",
    }
    body = tile.gzipped
    accepted = request.headers.get("Accept-Encoding")
    # another coding would make a small tile hardly smaller than the stored one
    coding = "gzip" if len(body) < LEAST and takes_gzip(accepted) else best_coding(accepted)
    if body and coding != "gzip":
        body = await decompress_tile(body)
        body = await compress_body(body, coding) if coding else body
    if body and coding:
        described["Content-Encoding"] = coding
    return web.Response(body=body, headers=described)
