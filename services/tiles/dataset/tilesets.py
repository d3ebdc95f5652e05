"""GET /tiles: the tilesets of the dataset (OGC 20-057, /req/dataset-tilesets)."""

from typing import Any

from aiohttp import web

from libs.catalogue.chosen_collections import Chosen
from libs.geo.tile_matrix_sets import TileMatrixSet, tile_matrix_set
from libs.geo.zooms import IDS
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.tiles.dataset.chosen import choose_collections, describe
from services.tiles.metadata.addresses import (
    dataset_tileset_address,
    tile_link,
    tile_matrix_set_uri,
    tiling_scheme_link,
    with_collections,
)
from services.tiles.metadata.dataset_source import default_geometries
from services.tiles.metadata.limits import limits


async def get_dataset_tilesets(call: Call) -> web.StreamResponse:
    """Return one tileset for each tile matrix set, with layers of several collections."""
    chosen, base = choose_collections(call), base_url(call.request)
    call.query.check()
    title = call.request.app[SETTINGS].site_title
    document = {
        "links": links_json(representations(with_collections(f"{base}/tiles", chosen), call.media_type, call.offers)),
        "tilesets": [_summary(chosen, tile_matrix_set(identifier), base, title) for identifier in IDS],
    }
    if call.media_type == MediaType.HTML:
        context = {"title": title, "about": describe(chosen), "chosen": chosen, "document": document}
        return conditional(call.request, page_response(call.request, "dataset_tilesets.html", context))
    return conditional(call.request, json_response(document))


def _summary(chosen: Chosen, tms: TileMatrixSet, base: str, title: str) -> dict[str, Any]:
    address = with_collections(dataset_tileset_address(base, tms), chosen)
    links = [
        Link(address, "self", MediaType.JSON, f"Tileset on {tms.id}"),
        tile_link(address),
        tiling_scheme_link(base, tms),
    ]
    return {
        "title": f"{title} on {tms.id}",
        "dataType": "vector",
        "crs": tms.crs,
        # not a member of the standard, but OGC's test suite reads it, and limits and tiles from this list
        "tileMatrixSetId": tms.id,
        "tileMatrixSetURI": tile_matrix_set_uri(base, tms),
        "tileMatrixSetLimits": limits([geometry for _, geometry in default_geometries(chosen.collections)], tms),
        "links": links_json(links),
    }
