"""GET /conformance: the conformance classes of the services that are there (/req/core/conformance)."""

from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.html import page_response
from libs.web.respond import json_response
from services.common.resources import PARTS


async def get_conformance(call: Call) -> web.StreamResponse:
    """All conformance classes, each contributed by the service that fulfils it."""
    call.query.check()
    document = {"conformsTo": list(call.request.app[PARTS].whole.conforms_to)}
    if call.media_type == MediaType.HTML:
        return page_response(call.request, "conformance.html", {"document": document})
    return json_response(document)
