"""GET /tileMatrixSets and /tileMatrixSets/{tileMatrixSetId} (OGC 17-083r4)."""

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.tiles.metadata.addresses import tile_matrix_set_uri

_DAY = "public, max-age=86400"
"""For definitions of a standard.

Their pages have short cache times: they name assets by content, which releases change.
"""


async def get_tile_matrix_sets(call: Call) -> web.StreamResponse:
    """Return the tile matrix sets that every collection supports."""
    call.query.check()
    base = base_url(call.request)
    document = {
        "links": links_json(representations(f"{base}/tileMatrixSets", call.media_type, call.offers)),
        "tileMatrixSets": [
            {
                "id": tms.id,
                "title": tms.title,
                "uri": tile_matrix_set_uri(base, tms),
                "crs": tms.crs,
                "links": links_json(
                    [
                        Link(f"{base}/tileMatrixSets/{tms.id}", "self", MediaType.JSON, tms.title),
                        Link(f"{base}/tileMatrixSets/{tms.id}?f=html", "alternate", MediaType.HTML, tms.title),
                    ]
                ),
            }
            for tms in map(tile_matrix_set, IDS)
        ],
    }
    if call.media_type == MediaType.HTML:
        return conditional(call.request, page_response(call.request, "tile_matrix_sets.html", {"document": document}))
    return conditional(call.request, json_response(document), cache_control=_DAY)


async def get_tile_matrix_set(call: Call) -> web.StreamResponse:
    """Return the definition of one tile matrix set."""
    call.query.check()
    tms = tile_matrix_set(call.path["tileMatrixSetId"])
    base = base_url(call.request)
    address, uri = f"{base}/tileMatrixSets/{tms.id}", tile_matrix_set_uri(base, tms)
    links = links_json(representations(address, call.media_type, call.offers))
    if call.media_type == MediaType.HTML:
        page = page_response(call.request, "tile_matrix_set.html", {"tms": tms, "uri": uri, "links": links})
        return conditional(call.request, page)
    return conditional(call.request, json_response({**tms.document, "uri": uri, "links": links}), cache_control=_DAY)
