"""GET /collections/{collectionId}/tiles/{tileMatrixSetId}/map.html and /map: the map viewer."""

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from libs.catalogue.client import CatalogueClient
from libs.catalogue.model import Collection
from libs.geo.zooms import zoom_faults
from libs.ogc.errors import NotFound
from libs.ogc.link import path_segment
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.basemap import Basemap
from libs.web.html import CONTENT_SECURITY_POLICY, page_response
from services.viewer.assets import Assets
from services.viewer.page_data import describe, in_order, script_json

CATALOGUE = web.AppKey("catalogue", CatalogueClient)
ASSETS = web.AppKey("assets", Assets)
BASEMAP: web.AppKey[Basemap | None] = web.AppKey("basemap")

WEB_MERCATOR = "WebMercatorQuad"
_ENGINES = {
    "maplibre": ("engine-maplibre.js", "maplibre-gl.mjs"),
    "openlayers": ("engine-openlayers.js", "openlayers.js"),
}
_FIRST = ("hazard.hazard_eq_events", "hazard.hazard_ts_events", "hazard.hazard_fl_events")


async def get_map(call: Call) -> web.StreamResponse:
    """The map of one collection, in one tile matrix set."""
    catalogue = call.request.app[CATALOGUE]
    values = call.query.values
    collection = catalogue.collection(call.path["collectionId"])
    call.query.faults.extend(zoom_faults(call.path["tileMatrixSetId"], values.get("minzoom"), values.get("maxzoom")))
    _check_geometry(call, collection)
    call.query.check()
    parameters = {name: values[name] for name in ("minzoom", "maxzoom", "geom-column") if values.get(name) is not None}
    data = _page_data(call, catalogue.collections, call.path["tileMatrixSetId"])
    data |= {"collection": collection.id, "shown": [collection.id], "styleParameters": parameters}
    return _page(call, collection.title, collection.description, collection, data)


async def get_overview(call: Call) -> web.StreamResponse:
    """The map of all collections."""
    call.query.check()
    collections = call.request.app[CATALOGUE].collections
    drawable = [collection.id for collection in in_order(collections.values()) if collection.geometries]
    shown = [id_ for id_ in _FIRST if id_ in drawable] or drawable[:1]
    data = _page_data(call, collections, WEB_MERCATOR)
    data |= {"collection": None, "shown": shown, "styleParameters": {}}
    return _page(call, "Hazard map", "Earthquakes, floods and tropical storms on one map.", None, data)


def _check_geometry(call: Call, collection: Collection) -> None:
    if not collection.geometries:
        raise NotFound(f"Collection '{collection.id}' has no geometry, hence no map.")
    column = call.query.values.get("geom-column")
    if collection.geometry(column) is None:
        names = ", ".join(geometry.name for geometry in collection.geometries)
        call.query.fault("geom-column", f"geom-column '{column}' does not exist; there are {names}", value=column)


def _page_data(call: Call, collections: Mapping[str, Collection], tile_matrix_set: str) -> dict[str, Any]:
    base, assets = base_url(call.request), call.request.app[ASSETS]
    return {
        "base": base,
        "workerUrl": f"{base}/assets/{assets.name('maplibre-gl-worker.mjs')}",
        "edition": assets.edition,
        "tileMatrixSet": tile_matrix_set,
        "collections": [describe(collection) for collection in in_order(collections.values())],
    }


def _page(
    call: Call, title: str, description: str | None, collection: Collection | None, data: dict[str, Any]
) -> web.Response:
    base = base_url(call.request)
    segment = path_segment(collection.id) if collection else None
    context = {
        "title": title,
        "description": description,
        "collection_id": collection.id if collection else None,
        "segment": segment,
        "data_url": f"{base}/collections/{segment}/items?f=html" if segment else f"{base}/collections?f=html",
        "tile_matrix_set": data["tileMatrixSet"],
        "page_data": script_json(data),
        "built": call.request.app[ASSETS].name,
        "preload": _ENGINES["maplibre" if data["tileMatrixSet"] == WEB_MERCATOR else "openlayers"],
    }
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": content_security_policy(call.request.app[BASEMAP]),
    }
    return page_response(call.request, "map.html", context, headers=headers)


def content_security_policy(basemap: Basemap | None) -> str:
    """The policy of all pages; an operator's basemap adds its origin to images and requests, and to nothing else."""
    if basemap is None:
        return CONTENT_SECURITY_POLICY
    directives = (directive.strip() for directive in CONTENT_SECURITY_POLICY.split(";"))
    opened = ("img-src ", "connect-src ")
    return "; ".join(f"{each} {basemap.origin}" if each.startswith(opened) else each for each in directives)
