"""GET .../tiles/{tileMatrixSetId}/{z}/{x}/{y}: a vector tile (OGC API Tiles, /req/core/tc-op)."""

import time

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.media_type import MediaType
from libs.selection.past import as_of
from libs.web.app import Call
from libs.web.base_url import SETTINGS
from libs.web.conditional import check_preconditions, data_headers
from services.tiles.inspection.representation import tile_representation
from services.tiles.metadata.limits import refuse_outside
from services.tiles.request.tile_request import parse_tile
from services.tiles.request.version import wanted_version
from services.tiles.resources import CATALOGUE, FOLDING, MAX_FEATURES, STORE
from services.tiles.tile_headers import tile_headers
from services.tiles.tile_response import tile_response


async def get_tile(call: Call) -> web.StreamResponse:
    """Return the tile, gzip-compressed if the client accepts that; an empty tile is 200 with an empty body.

    If invalid parameters get 400, as in the standards, an empty tile outside the limits of the tileset is 404. `f=json`
    and `f=html` show the tile's content.
    """
    started = time.perf_counter()
    app, path, store = call.request.app, call.path, call.request.app[STORE]
    collection = as_of(app[CATALOGUE].collection(path["collectionId"]), call.query)
    usual = data_headers(call.request, call.media_type, store.version(collection), limits=store.limits)
    wanted, query = wanted_version(call.query, [collection])
    if call.media_type == MediaType.MVT:
        usual["Vary"] = "Accept-Encoding"
        headers = tile_headers(usual, store.edition([collection]), wanted, [collection])
    else:
        headers = tile_headers(usual, None, None, [collection])
    headers.check_tag(call.request)
    request = parse_tile(
        collection,
        tile_matrix_set(path["tileMatrixSetId"]),
        path["z"],
        path["x"],
        path["y"],
        query,
        app[MAX_FEATURES],
        app[FOLDING].current,
    )
    if headers.lasting is None:
        check_preconditions(call.request, headers.usual)
    tile = await store.tile(request, store.key(request), lasting=headers.lasting is not None)
    if not tile.gzipped and collection.past is None and app[SETTINGS].invalid_parameter_status == 400:
        # a tile with data is returned even if they are too new for the extent
        refuse_outside([request.geometry], request.tile_matrix_set, path["z"], path["x"], path["y"])
    if call.media_type != MediaType.MVT:
        return await tile_representation(call, [request], tile, headers.usual)
    return await tile_response(call.request, tile, headers.of(call.request, tile), time.perf_counter() - started)
