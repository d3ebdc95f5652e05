"""The page of a map, one template for a collection's map and for the map of all; and its security policy."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from libs.catalogue.model import Collection
from libs.geo.zooms import IDS, WEB_MERCATOR, WORLD_CRS84
from libs.ogc.link import path_segment
from libs.web import html
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.basemap import Basemap
from libs.web.html import page_response
from libs.web.languages import current
from services.viewer.pages.page_data import describe, in_order, script_json
from services.viewer.resources import ASSETS, BASEMAP, EMBED_ORIGINS

_ENGINES = {
    "maplibre": ("engines/maplibre/library.js",),
    "openlayers": ("engines/openlayers/engine-openlayers.js", "engines/openlayers/openlayers.js"),
}


_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
_MOST_TOGETHER = 32
"""Number of collections whose styles the script requests together."""


def page_data(call: Call, collections: Mapping[str, Collection], tile_matrix_set: str) -> dict[str, Any]:
    """Return the page data: the input of every map's script."""
    return {
        "base": base_url(call.request),
        "edition": call.request.app[ASSETS].edition,
        "tileMatrixSet": tile_matrix_set,
        # MapLibre supports only Web Mercator
        "engine": "maplibre" if tile_matrix_set == WEB_MERCATOR else "openlayers",
        "farTileMatrixSet": WORLD_CRS84,
        "collections": [describe(collection) for collection in in_order(collections.values())],
    }


def map_page(
    call: Call, title: str, description: str | None, collection: Collection | None, data: dict[str, Any]
) -> web.Response:
    """Return the page; `data` are those of `page_data`, and the collections to show."""
    base, assets = base_url(call.request), call.request.app[ASSETS]
    segment = path_segment(collection.id) if collection else None
    embed_origins = call.request.app[EMBED_ORIGINS]
    maps = f"{base}/collections/{segment}/tiles" if segment else f"{base}/tiles"
    context = {
        "title": title,
        "description": description,
        "collection_id": collection.id if collection else None,
        "segment": segment,
        "data_url": f"{base}/collections/{segment}/items?f=html" if segment else f"{base}/collections?f=html",
        "tile_matrix_set": data["tileMatrixSet"],
        "projections": [(identifier, f"{maps}/{identifier}/map.html") for identifier in IDS],
        "address": f"{base}{call.request.rel_url}",
        "embeddable": bool(embed_origins),
        "page_data": script_json(data),
        "built": assets.name,
        "words": assets.words(current()),
        # all at once, not one after another; the library, the largest file, is among the six connections of HTTP/1.1
        "first_style": first_style(base, data),
        "preload": [*(assets.name(name) for name in _ENGINES[data["engine"]]), *assets.parts("map.js")],
    }
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": content_security_policy(
            call.request.app[BASEMAP], embed_origins, public_url=call.request.app[SETTINGS].public_url
        ),
    }
    return page_response(call.request, "map.html", context, headers=headers)


def first_style(base: str, data: Mapping[str, Any]) -> str | None:
    """Return the address of the first style that the map's script requests if the link has no state.

    A browser can then load it together with the scripts. Returns None if it cannot be predicted here. With another
    spelling of the address, the browser would load it twice.
    """
    drawn = {collection["id"] for collection in data["collections"] if collection["geometryType"]}
    opened = (data.get("present") or {}).get("shown") or data["shown"]
    shown = [identifier for identifier in opened if identifier in drawn][:_MOST_TOGETHER]
    if data.get("events") or not shown or not all(_PLAIN.fullmatch(identifier) for identifier in shown):
        return None
    if len(shown) > 1:
        return f"{base}/tiles/{data['tileMatrixSet']}/style.json?{urlencode({'collections': ','.join(shown)})}"
    path = f"{base}/collections/{shown[0]}/tiles/{data['tileMatrixSet']}/style.json"
    return f"{path}?{urlencode(data['styleParameters'])}" if data["styleParameters"] else path


def content_security_policy(
    basemap: Basemap | None, embed_origins: Sequence[str] = (), *, public_url: str | None = None
) -> str:
    """The policy of all pages; an operator's basemap adds its origin to images and requests, and `embed_origins` are
    those whose pages may show this one within them (CSP 3, `frame-ancestors`). All other sources stay closed.
    """
    opened = {"img_src": [basemap.origin], "connect_src": [basemap.origin]} if basemap else {}
    policy = html.content_security_policy(public_url, **opened)
    if embed_origins:
        policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {' '.join(embed_origins)}")
    return policy
