"""GET /impacts: the figures of several events, as a list and as a page that shows the events side by side."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import DATA_CACHE, conditional
from libs.web.html import page_response
from libs.web.impact_sentence import sentence
from libs.web.respond import json_response, links_json, representations
from services.features.pages.comparison import comparison_context
from services.features.resources import IMPACTS
from services.features.rows.event_impacts import EventImpacts, Impact, Summary, summary_of

MOST_COMPARED = 4
"""Events that the page shows side by side."""


async def get_impacts(call: Call) -> web.StreamResponse:
    """Return the figure of each of these events, in the order of the request."""
    request, impacts = call.request, call.request.app[IMPACTS]
    events = list(dict.fromkeys(call.query.values["events"] or ()))
    is_page = call.media_type == MediaType.HTML
    if is_page and len(events) > MOST_COMPARED:
        call.query.fault("events", f"events must be at most {MOST_COMPARED} on the page", value=len(events))
    call.query.check()
    base = base_url(request)
    links = links_json(
        representations(f"{base}/impacts?{urlencode({'events': ','.join(events)})}", call.media_type, call.offers),
        call.media_type,
    )
    if is_page:
        compared = await _fetch_impacts(impacts, events)
        page = {
            "links": links,
            "address": f"{base}/impacts",
            "events": events,
            **comparison_context(compared),
        }
        return conditional(request, page_response(request, "impacts.html", page), cache_control=DATA_CACHE)
    found = {each.event_id: each for each in await impacts.summaries(events)}
    document = {"impacts": [_entry(base, event, found.get(event)) for event in events], "links": links}
    return conditional(request, json_response(document), cache_control=DATA_CACHE)


async def _fetch_impacts(impacts: EventImpacts, events: Sequence[str]) -> list[tuple[str, Impact | None]]:
    return [(event, await impacts.people(event)) for event in events]


def _entry(base: str, event: str, found: Summary | None) -> dict[str, Any]:
    """An event of the list; without a figure where none is known, rather than 0."""
    head = found.headline if found else None
    links = [Link(f"{base}/events/{path_segment(event)}/impact", "related", MediaType.JSON, "People in its zones")]
    return {
        "id": event,
        "title": found.title if found else event,
        "status": "pending" if found is None else "unavailable" if head is None else "computed",
        "summary": None if found is None or head is None else summary_of(head, sentence(head, found.title)),
        "links": links_json(links),
    }
