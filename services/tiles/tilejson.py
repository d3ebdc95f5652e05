"""GET .../tilejson.json: a tileset as TileJSON 3.0."""

from typing import Any

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.bbox import BBox
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.tiles.metadata.map_source import map_source
from services.tiles.resources import CATALOGUE

_FIELD_TYPES = {"integer": "Number", "number": "Number", "boolean": "Boolean"}
"""As MBTiles has them: clients such as GDAL take each field that is called otherwise for text."""


async def get_tilejson(call: Call) -> web.StreamResponse:
    """TileJSON 3.0 of a tileset."""
    source = map_source(
        call.request.app[CATALOGUE].collection(call.path["collectionId"]),
        tile_matrix_set(call.path["tileMatrixSetId"]),
        call.query,
        base_url(call.request),
    )
    collection, bbox = source.collection, source.geometry.bbox
    document: dict[str, Any] = {
        "tilejson": "3.0.0",
        "name": collection.title,
        "description": collection.description or collection.title,
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [source.template],
        "minzoom": source.minzoom,
        "maxzoom": source.maxzoom,
        "vector_layers": [
            {
                "id": collection.id,
                "description": collection.description or collection.title,
                "minzoom": source.minzoom,
                "maxzoom": source.maxzoom,
                "fields": {column.name: _FIELD_TYPES.get(column.type, "String") for column in collection.columns},
            }
        ],
    }
    if collection.attribution:
        document["attribution"] = collection.attribution
    if bbox:
        # whether bounds may cross the antimeridian is not said, and clients show nothing then
        document["bounds"] = list(BBox(*bbox).unbroken())
        document["center"] = [*BBox(*bbox).middle(), source.minzoom]
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))
