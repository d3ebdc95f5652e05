"""GET /events/{eventId}/impact and /events/{eventId}/facilities: people and facilities in the zones of an event."""

from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from libs.catalogue.modules import of_events
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.web.accept_language import mark
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import DATA_CACHE, conditional
from libs.web.html import page_response
from libs.web.impact_sentence import sentence
from libs.web.languages import gettext
from libs.web.respond import body_response, json_response, links_json, representations
from services.features.event_alias import redirect_alias
from services.features.impacts.schema import json_schema
from services.features.impacts.tables import facilities_csv, people_csv
from services.features.pages.impact_page import facilities_context, impact_context
from services.features.part import PART
from services.features.resources import CATALOGUE, IMPACTS, STORE
from services.features.rows.event_impacts import Impact, summary_of
from services.features.rows.event_parts import event_parts

CSV = "text/csv"
_NOT_YET = mark("The impact of this event is not computed yet.")
_UNSUPPORTED = mark("This database has no tables of impacts.")

Document = dict[str, Any]


async def get_impact(call: Call) -> web.StreamResponse:
    """Return how many people are in the zones of an event, by country and province."""
    return await _get(call, "impact", "Impact", people_csv, impact_context)


async def get_facilities(call: Call) -> web.StreamResponse:
    """Return the facilities in the zones of an event."""
    return await _get(call, "facilities", "Facilities", facilities_csv, facilities_context)


async def _get(
    call: Call,
    product: str,
    schema: str,
    to_csv: Callable[[Document], bytes],
    context: Callable[[Document], Mapping[str, Any]],
) -> web.StreamResponse:
    call.query.check()
    request, name = call.request, call.path["eventId"]
    base = base_url(request)
    address = f"{base}/events/{path_segment(name)}/{product}"
    if call.media_type == MediaType.SCHEMAJSON:
        described = json_schema(PART.openapi, schema, f"{address}?f=schemajson")
        return conditional(request, json_response(described, media_type=call.media_type))
    impacts = request.app[IMPACTS]
    found = await (impacts.people(name) if product == "impact" else impacts.facilities(name))
    if found is None and (moved := await _redirect(call, name, product)) is not None:
        return moved
    links = links_json(
        [
            *representations(
                address, call.media_type, [offer for offer in call.offers if offer != MediaType.SCHEMAJSON]
            ),
            Link(f"{address}?f=schemajson", "describedby", MediaType.SCHEMAJSON, "Schema of this document"),
            Link(f"{base}/events/{path_segment(name)}", "up", MediaType.JSON, "The event"),
        ],
        call.media_type,
    )
    has_tables = await impacts.are_computed()
    trouble = await impacts.trouble() if has_tables else None
    document = _document(name, found, pending=gettext(_NOT_YET if has_tables else _UNSUPPORTED), trouble=trouble)
    document["links"] = links
    response = _response(call, product, document, to_csv, context)
    return conditional(request, response, cache_control=DATA_CACHE)


def _response(
    call: Call,
    product: str,
    document: Document,
    to_csv: Callable[[Document], bytes],
    context: Callable[[Document], Mapping[str, Any]],
) -> web.Response:
    if call.media_type == MediaType.HTML:
        page = {"document": document, "links": document["links"], **context(document)}
        return page_response(call.request, f"{product}.html", page)
    if call.media_type == CSV:
        return body_response(to_csv(document), media_type=CSV)
    return json_response(document)


async def _redirect(call: Call, name: str, product: str) -> web.StreamResponse | None:
    """A redirection where the event has another identifier now. Raise NotFound where there is no such event."""
    app = call.request.app
    parts = await event_parts(app[STORE], of_events(app[CATALOGUE].collections.values()), name, 1)
    if parts:
        return None
    return await redirect_alias(call, product)


def _document(name: str, found: Impact | None, *, pending: str, trouble: str | None) -> Document:
    """The stored document with its state; figures that were not computed are absent rather than 0."""
    if found is None or found.document is None:
        reason = " ".join(filter(None, (pending, trouble)))
        return {"id": name, "title": name, "status": "pending", "reason": reason, "summary": None, **_EMPTY}
    head = found.headline
    summary = None
    if head is not None:
        title = found.document["title"]
        summary = summary_of(head, sentence(head, title))
    missing = [*found.document["missing"], *([trouble] if trouble else [])]
    return {
        "id": name,
        "status": "computed" if found.has_zones else "unavailable",
        "reason": None if found.has_zones else " ".join(missing),
        "computed": found.computed,
        "version": found.digest,
        "summary": summary,
        **found.document,
        "missing": missing,
    }


_EMPTY: Document = {
    "hazard": None,
    "simulated": False,
    "computed": None,
    "version": None,
    "counts": None,
    "quality": None,
    "method": None,
    "exposure": [],
    "zones": [],
    "advisories": [],
    "facilities": [],
    "facilitiesOmitted": 0,
    "missing": [],
    "published": [],
}
"""Members of a document without figures."""
