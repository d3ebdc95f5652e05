"""Resources that list a collection's properties as JSON Schema (queryables, sortables), and their page."""

from collections.abc import Callable
from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.link import path_segment
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations


def property_list(
    call: Call, collection: Collection, resource: str, document_of: Callable[[Collection, str], dict[str, Any]]
) -> web.StreamResponse:
    """Return the response of `/collections/{collectionId}/<resource>`.

    `document_of` makes the document from collection and address. Raises NotModified.
    """
    address = f"{base_url(call.request)}/collections/{path_segment(collection.id)}/{resource}"
    document = document_of(collection, address)
    if call.media_type == MediaType.HTML:
        links = links_json(representations(address, call.media_type, call.offers))
        context = {"collection": collection, "document": document, "links": links}
        return conditional(call.request, page_response(call.request, f"{resource}.html", context))
    return conditional(call.request, json_response(document, media_type=call.media_type))
