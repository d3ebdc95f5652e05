"""GET .../tiles/{tileMatrixSetId}: the metadata of one tileset (OGC 17-083r4, /req/tileset)."""

from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import TileMatrixSet, tile_matrix_set
from libs.ogc.bbox import BBox
from libs.ogc.crs import CRS84
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.tiles.metadata.addresses import tile_link, tile_matrix_set_uri, tileset_address, tiling_scheme_link
from services.tiles.metadata.layer import layer
from services.tiles.metadata.limits import limits
from services.tiles.metadata.zoom_range import zoom_range
from services.tiles.request.tile_request import geometry_of
from services.tiles.resources import CATALOGUE


async def get_tileset(call: Call) -> web.StreamResponse:
    """Return the metadata of one tileset."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    geometry = geometry_of(collection)
    tms = tile_matrix_set(call.path["tileMatrixSetId"])
    document = _tileset(call, collection, geometry, tms)
    if call.media_type == MediaType.HTML:
        context = {"collection": collection, "tms": tms, "document": document}
        return conditional(call.request, page_response(call.request, "tileset.html", context))
    return conditional(call.request, json_response(document))


def _tileset(call: Call, collection: Collection, geometry: GeometryColumn, tms: TileMatrixSet) -> dict[str, Any]:
    base = base_url(call.request)
    address = tileset_address(base, collection, tms)
    links = [
        *representations(address, call.media_type, call.offers),
        tile_link(address),
        tiling_scheme_link(base, tms),
        Link(f"{address}/tilejson.json", "describedby", MediaType.JSON, "TileJSON"),
        Link(f"{address}/style.json", "stylesheet", MediaType.JSON, "Style"),
        Link(f"{address}/map.html", "preview", MediaType.HTML, "Map"),
    ]
    document: dict[str, Any] = {
        "title": f"{collection.title} on {tms.id}",
        "description": collection.description,
        "dataType": "vector",
        "crs": tms.crs,
        "tileMatrixSetURI": tile_matrix_set_uri(base, tms),
        "links": links_json(links),
        "tileMatrixSetLimits": limits([geometry], tms),
        "layers": [layer(collection, geometry, tms, base)],
        "mediaTypes": [MediaType.MVT],
    }
    if geometry.bbox:
        west, south, east, north = geometry.bbox
        document["boundingBox"] = {"lowerLeft": [west, south], "upperRight": [east, north], "crs": CRS84}
        document["centerPoint"] = {
            "coordinates": list(BBox(*geometry.bbox).middle()),
            "crs": CRS84,
            "tileMatrix": tms.matrices[zoom_range(collection, geometry, tms)[0]].id,
        }
    return {name: value for name, value in document.items() if value is not None}
