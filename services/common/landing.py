"""GET /: the landing page (OGC API Common, /req/landing-page)."""

from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.representations import representations
from libs.web.respond import json_response, links_json
from services.common.documents.links import absolute
from services.common.resources import KEEPER, PARTS

TITLE = "Disaster Analysis and Mapping Service"
DESCRIPTION = (
    "Earthquakes, floods and tropical storms as OGC API Features and OGC API Tiles. "
    "Public and read-only; no key is needed."
)
_CARDS = 30
"""Collections that the page shows; the list of collections has them all."""


async def get_landing(call: Call) -> web.StreamResponse:
    """The service's title, description and links."""
    call.query.check()
    app, base = call.request.app, base_url(call.request)
    links = [
        *representations(f"{base}/", call.media_type, call.offers),
        *absolute(base, app[PARTS].whole.landing_links),
    ]
    document = {"title": TITLE, "description": DESCRIPTION, "links": links_json(links)}
    if call.media_type == MediaType.HTML:
        collections = list(app[KEEPER].collections.values())
        context = {"document": document, "collections": collections[:_CARDS], "total": len(collections)}
        return conditional(call.request, page_response(call.request, "landing.html", context))
    return conditional(call.request, json_response(document))
