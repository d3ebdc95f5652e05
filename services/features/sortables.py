"""GET /collections/{collectionId}/sortables: what `sortby` may name (OGC 23-058r2, /req/sortables)."""

from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.link import path_segment
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.representations import representations
from libs.web.respond import json_response, links_json
from services.features.formats.json_schema import SCHEMA, column_members
from services.features.resources import CATALOGUE


async def get_sortables(call: Call) -> web.StreamResponse:
    """The properties that features may be sorted by."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    address = f"{base_url(call.request)}/collections/{path_segment(collection.id)}/sortables"
    document = sortables_json(collection, address)
    if call.media_type == MediaType.HTML:
        links = links_json(representations(address, call.media_type, call.offers))
        context = {"collection": collection, "document": document, "links": links}
        return conditional(call.request, page_response(call.request, "sortables.html", context))
    return conditional(call.request, json_response(document, media_type=MediaType.SCHEMAJSON))


def sortables_json(collection: Collection, address: str) -> dict[str, Any]:
    """A JSON Schema of the properties that have an order."""
    return {
        "$schema": SCHEMA,
        "$id": address,
        "title": collection.title,
        "type": "object",
        "properties": {
            column.name: {**column_members(column), "x-ogc-propertySeq": place}
            for place, column in enumerate((column for column in collection.columns if column.ordered), start=1)
        },
        "additionalProperties": False,
    }
