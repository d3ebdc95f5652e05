"""GET /tiles/{tileMatrixSetId}/{z}/{x}/{y}: a vector tile with a layer for each of several collections."""

import time

from aiohttp import web

from libs.catalogue.chosen_collections import Chosen
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.media_type import MediaType
from libs.selection.past import AS_OF
from libs.web.app import Call
from libs.web.base_url import SETTINGS
from libs.web.conditional import DATA_CACHE, check_preconditions, state_headers
from libs.web.surrogate_keys import surrogate_keys
from services.tiles.dataset.chosen import choose_collections
from services.tiles.inspection.representation import tile_representation
from services.tiles.metadata.limits import refuse_outside
from services.tiles.request.layers_request import parse_layers
from services.tiles.request.version import wanted_version
from services.tiles.resources import FOLDING, MAX_FEATURES, STORE
from services.tiles.store.layers import joined_tile
from services.tiles.store.tile_store import TileStore
from services.tiles.tile_headers import TileHeaders, tile_headers
from services.tiles.tile_response import tile_response


async def get_dataset_tile(call: Call) -> web.StreamResponse:
    """Return the tiles of the collections as one, gzip-compressed if the client accepts that.

    It has all layers, or is an error that names the collection whose tile failed.
    """
    started = time.perf_counter()
    app, path, store = call.request.app, call.path, call.request.app[STORE]
    chosen = choose_collections(call)
    wanted, query = wanted_version(call.query, chosen.collections)
    headers = _headers(call, chosen, store, wanted)
    headers.check_tag(call.request)
    tms = tile_matrix_set(path["tileMatrixSetId"])
    place = path["z"], path["x"], path["y"]
    requests = parse_layers(chosen.collections, tms, *place, query, app[MAX_FEATURES], app[FOLDING].current)
    if headers.lasting is None:
        check_preconditions(call.request, headers.usual)
    tile = await joined_tile(store, requests, lasting=headers.lasting is not None)
    if not tile.gzipped and call.query.values[AS_OF] is None and app[SETTINGS].invalid_parameter_status == 400:
        # a tile with data is returned even if they are too new for the extent
        refuse_outside([request.geometry for request in requests], tms, *place)
    if call.media_type != MediaType.MVT:
        return await tile_representation(call, requests, tile, headers.usual)
    return await tile_response(call.request, tile, headers.of(call.request, tile), time.perf_counter() - started)


def _headers(call: Call, chosen: Chosen, store: TileStore, wanted: str | None) -> TileHeaders:
    """Return headers like those of a collection's tile; without a time, which two changes in a second would share."""
    said = {"DAMS-Collections-Omitted": str(chosen.omitted)} if chosen.omitted else {}
    tokens = [store.token(collection) for collection in chosen.collections]
    known = [token for token in tokens if token is not None]
    if len(known) < len(tokens):
        return tile_headers({"Cache-Control": "no-cache"} | said, None, None, chosen.collections)
    headers = said | state_headers(call.request, call.media_type, *known, store.limits, cache_control=DATA_CACHE)
    if call.media_type != MediaType.MVT:
        return tile_headers(headers, None, None, chosen.collections)
    headers |= {"Vary": "Accept-Encoding", "Surrogate-Key": surrogate_keys(each.id for each in chosen.collections)}
    return tile_headers(headers, store.edition(chosen.collections), wanted, chosen.collections)
