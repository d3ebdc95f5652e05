"""GET /functions: the functions of filters (OGC 19-079r2, /req/filter/get-functions-operation)."""

from typing import Any

from aiohttp import web

from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations

_ARGUMENTS: list[dict[str, Any]] = [
    {"title": "geometry", "type": ["geometry"], "description": "A geometry of the features, or a literal"},
    {"title": "geometry", "type": ["geometry"], "description": "Another, such as POINT(longitude latitude)"},
    {"title": "distance", "type": ["number"], "description": "No less than 0; in metres where no units follow"},
    {
        "title": "units",
        "type": ["string"],
        "description": "May be left out: 'meters', 'kilometers', 'feet', 'statute miles', 'nautical miles'",
    },
]
_FUNCTIONS: list[dict[str, Any]] = [
    {
        "name": "S_DWITHIN",
        "description": (
            "Whether two geometries are no further apart than a distance, by the shortest way on the ellipsoid"
            " of WGS 84."
        ),
        # OGC 19-079r2 calls it `arguments`, OGC 21-065r2 `args`
        "arguments": _ARGUMENTS,
        "args": _ARGUMENTS,
        "returns": ["boolean"],
    }
]
EXAMPLE = "S_DWITHIN(geom, POINT(139.69 35.68), 200, 'kilometers')"


async def get_functions(call: Call) -> web.StreamResponse:
    """Return the functions of filters that the standard does not define."""
    call.query.check()
    base = base_url(call.request)
    links = links_json(
        [*representations(f"{base}/functions", call.media_type, call.offers), Link(f"{base}/", "up", MediaType.JSON)]
    )
    document = {"functions": _FUNCTIONS, "links": links}
    if call.media_type == MediaType.HTML:
        context = {"document": document, "links": links, "example": EXAMPLE}
        return conditional(call.request, page_response(call.request, "functions.html", context))
    return conditional(call.request, json_response(document))
