"""GET .../tiles/{tileMatrixSetId}/{z}/{x}/{y}: a vector tile (OGC API Tiles, /req/core/tc-op)."""

import time

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import SETTINGS
from libs.web.conditional import check_preconditions, check_tag, data_headers
from libs.web.content_coding import takes_gzip
from services.tiles.inspection.representation import tile_representation
from services.tiles.metadata.limits import refuse_beyond
from services.tiles.request.tile_request import parse_tile
from services.tiles.resources import CATALOGUE, FOLDING, MAX_FEATURES, STORE
from services.tiles.store.compression import decompressed


async def get_tile(call: Call) -> web.StreamResponse:
    """The tile, gzip-compressed where the client takes that; an empty tile is 200 with an empty body.

    But where invalid parameters are to be 400, as the standards have it, one that is empty and outside the limits that
    the tileset declares is 404. `f=json` and `f=html` tell what is in it.
    """
    started = time.perf_counter()
    app, path, store = call.request.app, call.path, call.request.app[STORE]
    collection = app[CATALOGUE].collection(path["collectionId"])
    headers = data_headers(call.request, call.media_type, store.version(collection), limits=store.limits)
    if call.media_type == MediaType.MVT:
        headers["Vary"] = "Accept-Encoding"
    check_tag(call.request, headers)
    request = parse_tile(
        collection,
        tile_matrix_set(path["tileMatrixSetId"]),
        path["z"],
        path["x"],
        path["y"],
        call.query,
        app[MAX_FEATURES],
        app[FOLDING].current,
    )
    check_preconditions(call.request, headers)
    tile = await store.tile(request, store.key(request))
    if not tile.gzipped and app[SETTINGS].invalid_parameter_status == 400:
        # what has data is given, even if it is so new that no extent tells of it
        refuse_beyond(request.geometry, request.tile_matrix_set, path["z"], path["x"], path["y"])
    if call.media_type != MediaType.MVT:
        return await tile_representation(call, request, tile, headers)
    headers["Content-Type"] = MediaType.MVT
    # a structured field (RFC 9651): a number, with a parameter where it is an estimate
    headers["DAMS-Features-Omitted"] = f"{tile.left_out};estimate" if tile.estimated else str(tile.left_out)
    why = f';desc="{tile.why}"' if tile.why else ""
    headers["Server-Timing"] = f"{tile.tier}{why};dur={(time.perf_counter() - started) * 1000:.1f}"
    body = tile.gzipped
    if body and takes_gzip(call.request.headers.get("Accept-Encoding")):
        headers["Content-Encoding"] = "gzip"
    elif body:
        body = await decompressed(body)
    return web.Response(body=body, headers=headers)
