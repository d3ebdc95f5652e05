"""GET /collections/{collectionId}: one collection (OGC API Features, /req/core/sfc-md-op)."""

from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response
from services.common.documents.collection import collection_json, facts
from services.common.resources import KEEPER, PARTS


async def get_collection(call: Call) -> web.StreamResponse:
    """Return the collection's title, extent and links."""
    call.query.check()
    app = call.request.app
    collection = app[KEEPER].collection(call.path["collectionId"])
    document = collection_json(collection, app[PARTS].whole, base_url(call.request), call.media_type)
    if call.media_type == MediaType.HTML:
        context = {"document": document, "collection": collection, "fact": facts(collection)}
        return conditional(call.request, page_response(call.request, "collection.html", context))
    return conditional(call.request, json_response(document))
