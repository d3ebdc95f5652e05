"""GET /: the landing page (OGC API Common, /req/landing-page)."""

from datetime import UTC, datetime

from aiohttp import web

from libs.catalogue.modules import hazard
from libs.ogc.media_type import MediaType
from libs.ogc.temporal import rfc3339
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.common.documents.collection import absolute
from services.common.resources import KEEPER, PARTS, SITUATION

_CARDS = 30
"""Maximum number of collections on the page; the list of collections has all."""


async def get_landing(call: Call) -> web.StreamResponse:
    """Return the service's title, description and links."""
    call.query.check()
    app, base = call.request.app, base_url(call.request)
    settings = app[SETTINGS]
    links = [
        *representations(f"{base}/", call.media_type, call.offers),
        *absolute(base, app[PARTS].whole.landing_links),
    ]
    collections = list(app[KEEPER].collections.values())
    has_hazards = not collections or any(hazard(each) for each in collections)
    document = {
        "title": settings.site_title,
        "description": settings.describe_site(has_hazards=has_hazards),
        "links": links_json(links, call.media_type),
    }
    if call.media_type == MediaType.HTML:
        context = {
            "document": document,
            "collections": collections[:_CARDS],
            "total": len(collections),
            "topics": app[SITUATION].topics,
            "present": rfc3339(datetime.now(UTC).replace(second=0, microsecond=0)),
        }
        return conditional(call.request, page_response(call.request, "landing.html", context))
    return conditional(call.request, json_response(document))
