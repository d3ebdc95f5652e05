"""GET /conformance: the conformance classes of all running services (/req/core/conformance)."""

import re
from itertools import groupby

from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.common.resources import PARTS


async def get_conformance(call: Call) -> web.StreamResponse:
    """Return all conformance classes, each declared by the service that fulfils it."""
    call.query.check()
    document = {"conformsTo": sorted(call.request.app[PARTS].whole.conforms_to)}
    if call.media_type == MediaType.HTML:
        address = f"{base_url(call.request)}/conformance"
        context = {
            "document": document,
            "standards": [(name, list(uris)) for name, uris in groupby(document["conformsTo"], _standard)],
            "links": links_json(representations(address, call.media_type, call.offers)),
        }
        return conditional(call.request, page_response(call.request, "conformance.html", context))
    return conditional(call.request, json_response(document))


def _standard(uri: str) -> str:
    """Convert `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core` to `OGC API Features, Part 1 (1.0)`."""
    name, _, rest = uri.removeprefix("http://www.opengis.net/spec/").partition("/")
    found = re.fullmatch(r"ogcapi-(\w+)-(\d+)", name)
    title = f"OGC API {found.group(1).capitalize()}, Part {found.group(2)}" if found else name.upper()
    return f"{title} ({rest.partition('/')[0]})"
