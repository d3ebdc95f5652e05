"""GET /tiles/{tileMatrixSetId}/tilejson.json: a tileset of several collections as TileJSON 3.0."""

from typing import Any

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.tiles.dataset.chosen import choose_collections, describe
from services.tiles.metadata.dataset_source import dataset_source
from services.tiles.metadata.layer import vector_layer
from services.tiles.metadata.zoom_range import zoom_range
from services.tiles.resources import STORE
from services.tiles.selecting import selecting_query


async def get_dataset_tilejson(call: Call) -> web.StreamResponse:
    """Return TileJSON 3.0 with a vector layer for each collection."""
    chosen, tms = choose_collections(call), tile_matrix_set(call.path["tileMatrixSetId"])
    store = call.request.app[STORE]
    edition = store.edition(chosen.collections)
    selecting = selecting_query(call, chosen.collections, tms, several=True)
    source = dataset_source(chosen, tms, call.query, base_url(call.request), edition=edition, selecting=selecting)
    document: dict[str, Any] = {
        "tilejson": "3.0.0",
        "name": call.request.app[SETTINGS].site_title,
        "description": describe(chosen),
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [source.template],
        "minzoom": max(0, source.minzoom),
        "maxzoom": max(0, source.maxzoom),
        "vector_layers": [
            vector_layer(
                collection,
                # TileJSON has no negative zooms, but CDB1GlobalGrid does
                *(max(0, zoom) for zoom in zoom_range(collection, geometry, tms)),
                version=store.label([collection]),
            )
            for collection, geometry in source.layers
        ],
    }
    if source.attribution:
        document["attribution"] = source.attribution
    if source.bounds:
        document["bounds"] = list(source.bounds.widen())
        document["center"] = [*source.bounds.middle(), max(0, source.minzoom)]
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))
