"""GET .../style.json: a tileset as a MapLibre style."""

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.bbox import BBox
from libs.ogc.media_type import MediaType
from libs.selection.past import as_of
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.tiles.metadata.map_source import map_source
from services.tiles.resources import BASEMAP, CATALOGUE, STORE
from services.tiles.selecting import selecting_query
from services.tiles.styling.document import style_json
from services.tiles.styling.own_colors import own_colors


async def get_style(call: Call) -> web.StreamResponse:
    """Return a MapLibre style that draws the basemap and the collection above it."""
    base = base_url(call.request)
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    past = as_of(collection, call.query)
    tms = tile_matrix_set(call.path["tileMatrixSetId"])
    source = map_source(
        collection,
        tms,
        call.query,
        base,
        edition=call.request.app[STORE].edition([past]),
        selecting=selecting_query(call, [past], tms, several=False),
    )
    document = style_json(
        collection_id=collection.id,
        title=collection.title,
        geometry_type=source.geometry.type,
        properties={column.name: column.type for column in collection.columns},
        base_url=base,
        tile_matrix_set_id=source.tms.id,
        tiles_url_template=source.template,
        minzoom=source.minzoom,
        maxzoom=source.maxzoom,
        # the extent is that of the present features
        bounds=BBox(*source.geometry.bbox).widen() if source.geometry.bbox and past is collection else None,
        center=None,
        attribution=collection.attribution,
        basemap=call.request.app[BASEMAP],
        plain=bool(call.query.values["plain"]),
        own=collection.look,
        color=own_colors(call.request.app[CATALOGUE].collections.values()).get(collection.id),
    )
    document["metadata"].update(call.request.app[STORE].describe([past]))
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))
