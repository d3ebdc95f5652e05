"""GET /tiles/{tileMatrixSetId}: the metadata of a tileset of the dataset (OGC 17-083r4, /req/tileset)."""

from typing import Any

from aiohttp import web

from libs.catalogue.chosen_collections import Chosen
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.crs import CRS84
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
from services.tiles.metadata.dataset_source import DatasetSource, dataset_source
from services.tiles.metadata.layer import layer
from services.tiles.metadata.limits import limits


async def get_dataset_tileset(call: Call) -> web.StreamResponse:
    """Return the metadata of one tileset, with all its layers."""
    chosen, tms = choose_collections(call), tile_matrix_set(call.path["tileMatrixSetId"])
    source = dataset_source(chosen, tms, call.query, base_url(call.request))
    document = _tileset(call, chosen, source)
    if call.media_type == MediaType.HTML:
        context = {"tms": tms, "document": document, "chosen": chosen, "source": source}
        return conditional(call.request, page_response(call.request, "dataset_tileset.html", context))
    return conditional(call.request, json_response(document))


def _tileset(call: Call, chosen: Chosen, source: DatasetSource) -> dict[str, Any]:
    base, tms = base_url(call.request), source.tms
    address = dataset_tileset_address(base, tms)
    links = [
        *representations(with_collections(address, chosen), call.media_type, call.offers),
        tile_link(with_collections(address, chosen)),
        tiling_scheme_link(base, tms),
        Link(with_collections(f"{address}/tilejson.json", chosen), "describedby", MediaType.JSON, "TileJSON"),
        Link(with_collections(f"{address}/style.json", chosen), "stylesheet", MediaType.JSON, "Style"),
        Link(with_collections(f"{address}/map.html", chosen), "preview", MediaType.HTML, "Map"),
    ]
    document: dict[str, Any] = {
        "title": f"{call.request.app[SETTINGS].site_title} on {tms.id}",
        "description": describe(chosen),
        "dataType": "vector",
        "crs": tms.crs,
        "tileMatrixSetURI": tile_matrix_set_uri(base, tms),
        "links": links_json(links),
        "tileMatrixSetLimits": limits([geometry for _, geometry in source.layers], tms),
        "layers": [layer(collection, geometry, tms, base) for collection, geometry in source.layers],
        "mediaTypes": [MediaType.MVT],
    }
    if source.bounds:
        west, south, east, north = source.bounds
        document["boundingBox"] = {"lowerLeft": [west, south], "upperRight": [east, north], "crs": CRS84}
        document["centerPoint"] = {
            "coordinates": list(source.bounds.middle()),
            "crs": CRS84,
            "tileMatrix": tms.matrices[source.minzoom].id,
        }
    return document
