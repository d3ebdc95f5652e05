"""GET /stac, /stac/conformance, /stac/collections and /stac/collections/{stacCollectionId}: the STAC catalogue."""

from typing import Any

from aiohttp import web

from libs.ogc.errors import NotFound
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response
from services.features.resources import CATALOGUE, SUMMARIES
from services.features.stac.documents import CONFORMS_TO, VERSION, collection, landing
from services.features.stac.items import ROLES
from services.features.stac.sources import sources


async def get_stac(call: Call) -> web.StreamResponse:
    """Return the catalogue."""
    call.query.check()
    settings = call.request.app[SETTINGS]
    document = landing(settings.site_title, settings.site_description, base_url(call.request))
    if call.media_type == MediaType.HTML:
        collections = [await _collection(call, name) for name in ROLES]
        links = [{"rel": "alternate", "href": f"{base_url(call.request)}/stac?f=json", "type": MediaType.JSON}]
        context = {"collections": collections, "links": links}
        return conditional(call.request, page_response(call.request, "stac.html", context))
    return conditional(call.request, json_response(document))


async def get_stac_conformance(call: Call) -> web.StreamResponse:
    """Return the conformance classes of the catalogue."""
    call.query.check()
    return conditional(call.request, json_response({"conformsTo": list(CONFORMS_TO)}))


async def get_stac_collections(call: Call) -> web.StreamResponse:
    """Return all collections of items."""
    call.query.check()
    base = base_url(call.request)
    found = [await _collection(call, name) for name in ROLES]
    links = [
        {"rel": "self", "href": f"{base}/stac/collections", "type": "application/json"},
        {"rel": "root", "href": f"{base}/stac", "type": "application/json"},
    ]
    return conditional(call.request, json_response({"collections": found, "links": links}))


async def get_stac_collection(call: Call) -> web.StreamResponse:
    """Return a collection of items."""
    call.query.check()
    return conditional(call.request, json_response(await _collection(call, known_collection(call))))


def known_collection(call: Call) -> str:
    """Return the requested collection. Raises NotFound."""
    name: str = call.path["stacCollectionId"]
    if name not in ROLES:
        raise NotFound(f"There is no collection '{name}'; there are {', '.join(ROLES)}.")
    return name


async def _collection(call: Call, name: str) -> dict[str, Any]:
    app = call.request.app
    found = sources(app[CATALOGUE].collections.values())
    version = app[SUMMARIES].version(found)
    summaries = await app[SUMMARIES].of(found)
    document = collection(name, found, summaries, app[SETTINGS].site_title, base_url(call.request))
    return document if version is None else {**document, VERSION: version}
