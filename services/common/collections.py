"""GET /collections: the list of collections (OGC API Features, /req/core/fc-md-op; Common Part 2)."""

from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.bbox import BBox, bbox_of
from libs.ogc.link import Link
from libs.ogc.media_type import FORMAT_NAMES, MediaType
from libs.ogc.temporal import Interval, now, parse_instant, parse_interval
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url
from libs.web.conditional import check_preconditions, check_tag, state_headers
from libs.web.html import page_response
from libs.web.languages import gettext
from libs.web.query_params import QueryValues
from libs.web.respond import body_response, json_bytes, links_json, representations
from services.common.catalogue.text_search import matches
from services.common.resources import ENCODED, KEEPER, PARTS

ALL = 1000
"""Default of the limit: all collections, except in the largest services."""
PAGE = 50
"""Collections on a page for people."""


async def get_collections(call: Call) -> web.StreamResponse:
    """Return a page of the matching collections."""
    app, base, query = call.request.app, base_url(call.request), call.query
    headers = state_headers(call.request, call.media_type, app[KEEPER].etag, app[PARTS].etag)
    check_tag(call.request, headers)
    bbox, interval = _bbox(query), _interval(query)
    query.check()
    check_preconditions(call.request, headers)
    known, terms = app[KEEPER].collections, query.values["q"]
    matched = [
        collection
        for collection in known.values()
        if query.values["type"] in (None, collection.type)
        and (bbox is None or _meets_box(collection, bbox))
        and (interval is None or _meets_interval(collection, interval))
        and (terms is None or matches(collection, terms, _translations(call, collection)))
    ]
    window = _Window.of(call)
    page = matched[window.offset : window.offset + window.limit]
    links = links_json([*_representations(call, base), *_page_links(call, base, window, len(matched), len(page))])
    if call.media_type == MediaType.HTML:
        context = {
            "links": links,
            "page": page,
            "matched": len(matched),
            "offset": window.offset,
            "given": call.given,
        }
        return page_response(call.request, "collections.html", context, headers=headers)
    head = json_bytes({"timeStamp": now(), "links": links, "numberMatched": len(matched), "numberReturned": len(page)})
    collections = app[ENCODED].array(page, known, app[PARTS].whole, base)
    body = head[:-1] + b',"collections":' + collections + b"}"
    return body_response(body, media_type=MediaType.JSON, headers=headers)


@dataclass(frozen=True, slots=True)
class _Window:
    """The requested part of the matching collections."""

    offset: int
    limit: int

    @classmethod
    def of(cls, call: Call) -> Self:
        limit = call.query.values["limit"]
        if limit is None:
            limit = PAGE if call.media_type == MediaType.HTML else ALL
        return cls(call.query.values["offset"] or 0, limit)


def _bbox(query: QueryValues) -> BBox | None:
    numbers = query.values["bbox"]
    if numbers is None:
        return None
    try:
        return bbox_of(numbers)
    except ValueError as error:
        query.fault("bbox", f"bbox {error}", value=numbers)
        return None


def _interval(query: QueryValues) -> Interval | None:
    text = query.values["datetime"]
    if text is None:
        return None
    try:
        return parse_interval(text)
    except ValueError as error:
        query.fault("datetime", f"datetime {error}", value=text)
        return None


def _translations(call: Call, collection: Collection) -> tuple[str, ...]:
    # JSON is the same in every language
    return (gettext(collection.title),) if call.media_type == MediaType.HTML else ()


def _meets_box(collection: Collection, box: BBox) -> bool:
    extent = collection.bbox()
    return extent is not None and extent.intersects(box)


def _meets_interval(collection: Collection, interval: Interval) -> bool:
    start, end = collection.temporal_extent()
    if not (start or end):
        return False
    starts_before_end = interval.end is None or start is None or parse_instant(start) <= interval.end
    ends_after_start = interval.start is None or end is None or parse_instant(end) >= interval.start
    return starts_before_end and ends_after_start


def _parameters(call: Call, **changes: object) -> str:
    given = {name: text for name, text in sent_parameters(call.request) if name != "f"}
    merged = {**given, **{name: str(value) for name, value in changes.items()}}
    return f"?{urlencode(merged)}" if merged else ""


def _representations(call: Call, base: str) -> list[Link]:
    return representations(f"{base}/collections{_parameters(call)}", call.media_type, call.offers)


def _page_links(call: Call, base: str, window: _Window, matched: int, returned: int) -> list[Link]:
    turns = {}
    if window.limit and window.offset + returned < matched:
        turns["next"] = window.offset + window.limit
    if window.limit and window.offset > 0:
        turns["prev"] = max(0, window.offset - window.limit)
    f = FORMAT_NAMES[call.media_type]
    return [
        Link(f"{base}/collections{_parameters(call, offset=offset, limit=window.limit, f=f)}", rel, call.media_type)
        for rel, offset in turns.items()
    ]
