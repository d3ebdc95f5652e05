"""GET .../tiles: the tilesets of a collection (OGC 17-083r4, /req/tilesets-list)."""

from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet, tile_matrix_set
from libs.geo.zooms import IDS
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.tiles.metadata.addresses import tile_matrix_set_uri, tileset_address, tiling_scheme_link
from services.tiles.request.tile_request import geometry_of
from services.tiles.resources import CATALOGUE


async def get_tilesets(call: Call) -> web.StreamResponse:
    """Return one tileset for each tile matrix set."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    geometry_of(collection)
    base = base_url(call.request)
    address = f"{base}/collections/{path_segment(collection.id)}/tiles"
    document = {
        "links": links_json(representations(address, call.media_type, call.offers)),
        "tilesets": [_summary(collection, tile_matrix_set(identifier), base) for identifier in IDS],
    }
    if call.media_type == MediaType.HTML:
        context = {"collection": collection, "document": document}
        return conditional(call.request, page_response(call.request, "tilesets.html", context))
    return conditional(call.request, json_response(document))


def _summary(collection: Collection, tms: TileMatrixSet, base: str) -> dict[str, Any]:
    address = tileset_address(base, collection, tms)
    links = [
        Link(address, "self", MediaType.JSON, f"Tileset of {collection.title} on {tms.id}"),
        tiling_scheme_link(base, tms),
    ]
    return {
        "title": f"{collection.title} on {tms.id}",
        "dataType": "vector",
        "crs": tms.crs,
        "tileMatrixSetURI": tile_matrix_set_uri(base, tms),
        "links": links_json(links),
    }
