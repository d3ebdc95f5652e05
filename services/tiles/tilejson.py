"""GET .../tilejson.json: a tileset as TileJSON 3.0."""

from typing import Any

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.bbox import BBox
from libs.ogc.media_type import MediaType
from libs.selection.past import as_of
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.tiles.metadata.layer import vector_layer
from services.tiles.metadata.map_source import map_source
from services.tiles.resources import CATALOGUE, STORE
from services.tiles.selecting import selecting_query


async def get_tilejson(call: Call) -> web.StreamResponse:
    """Return TileJSON 3.0 of a tileset."""
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    past = as_of(collection, call.query)
    tms = tile_matrix_set(call.path["tileMatrixSetId"])
    source = map_source(
        collection,
        tms,
        call.query,
        base_url(call.request),
        edition=call.request.app[STORE].edition([past]),
        selecting=selecting_query(call, [past], tms, several=False),
    )
    # the extent is that of the present features
    bbox = source.geometry.bbox if past is collection else None
    # TileJSON has no negative zooms, but CDB1GlobalGrid does
    first, last = max(0, source.minzoom), max(0, source.maxzoom)
    document: dict[str, Any] = {
        "tilejson": "3.0.0",
        "name": collection.title,
        "description": collection.description or collection.title,
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [source.template],
        "minzoom": first,
        "maxzoom": last,
        "vector_layers": [vector_layer(collection, first, last)],
    }
    if collection.attribution:
        document["attribution"] = collection.attribution
    if bbox:
        # TileJSON does not say whether bounds may cross the antimeridian, and clients show nothing if they do
        document["bounds"] = list(BBox(*bbox).widen())
        document["center"] = [*BBox(*bbox).middle(), first]
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))
