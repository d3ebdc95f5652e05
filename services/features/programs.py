"""GET /collections/{collectionId}/programs: ready-made programs that read all matching features."""

from dataclasses import asdict

from aiohttp import web

from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.selection.past import as_of
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.features.request.items_query import parse_items
from services.features.resources import CATALOGUE, FOLDING
from services.features.rows.read_all import ALL
from services.features.samples.programs import programs_of
from services.features.samples.source import parameters_query, source_of


async def get_programs(call: Call) -> web.StreamResponse:
    """Return the programs for the given parameters, which are checked like those of an export."""
    collection = as_of(call.request.app[CATALOGUE].collection(call.path["collectionId"]), call.query)
    values = call.query.with_values({"limit": ALL, "offset": None, "cursor": None})
    given = dict(sent_parameters(call.request))
    query = parse_items(collection, values, given, call.request.app[FOLDING].current)
    base, shown = base_url(call.request), query.selection.geometry
    source = source_of(collection, query.given, base, geometry_type=shown.type if shown is not None else None)
    address = f"{base}/collections/{path_segment(collection.id)}"
    asked = parameters_query({name: text for name, text in query.given.items() if name != "f"})
    own = f"{address}/programs?{asked}" if asked else f"{address}/programs"
    links = links_json(
        [
            *representations(own, call.media_type, call.offers),
            Link(address, "collection", MediaType.JSON, "The collection"),
        ]
    )
    programs = programs_of(source)
    if call.media_type == MediaType.HTML:
        items = f"{address}/items?{asked}{'&' if asked else ''}f=html"
        context = {"collection": collection, "source": source, "programs": programs, "items": items, "links": links}
        return conditional(call.request, page_response(call.request, "programs.html", context))
    document = {
        "title": collection.title,
        "spreadsheet": source.spreadsheet,
        "files": source.files,
        "programs": [asdict(program) for program in programs],
        "links": links,
    }
    return conditional(call.request, json_response(document))
