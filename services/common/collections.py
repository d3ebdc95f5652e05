"""GET /collections: the list of collections (OGC API Features, /req/core/fc-md-op; Common Part 2)."""

from urllib.parse import urlencode

from aiohttp import web

from libs.catalog.model import Collection
from libs.ogc.bbox import BBox, bbox_of
from libs.ogc.link import Link
from libs.ogc.media_type import FORMAT_NAMES, MediaType
from libs.ogc.temporal import Interval, now, parse_instant, parse_interval
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.html import page_response
from libs.web.query_params import QueryValues
from libs.web.representations import representations
from libs.web.respond import json_response, links_json
from services.common.catalogue import KEEPER
from services.common.collection import OFFERS, collection_json
from services.common.resources import PARTS


async def get_collections(call: Call) -> web.StreamResponse:
    """The collections that match, a page of them."""
    app, base, query = call.request.app, base_url(call.request), call.query
    bbox, interval = _bbox(query), _interval(query)
    query.check()
    matched = [
        collection
        for collection in app[KEEPER].collections.values()
        if query.values["type"] in (None, collection.type)
        and (bbox is None or _meets_box(collection, bbox))
        and (interval is None or _meets_interval(collection, interval))
    ]
    offset = query.values["offset"] or 0
    limit = query.values["limit"]
    page = matched[offset:] if limit is None else matched[offset : offset + limit]
    document = {
        "links": links_json([*_representations(call, base), *_paging(call, base, len(matched), len(page))]),
        "timeStamp": now(),
        "numberMatched": len(matched),
        "numberReturned": len(page),
        "collections": [collection_json(entry, app[PARTS].whole, base, call.media_type) for entry in page],
    }
    if call.media_type == MediaType.HTML:
        return page_response(call.request, "collections.html", {"document": document, "page": page})
    return json_response(document)


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


def _meets_box(collection: Collection, box: BBox) -> bool:
    extent = collection.bbox()
    return extent is not None and extent.intersects(box)


def _meets_interval(collection: Collection, interval: Interval) -> bool:
    time = collection.time()
    if time is None or not (time.start or time.end):
        return False
    starts_before_end = interval.end is None or time.start is None or parse_instant(time.start) <= interval.end
    ends_after_start = interval.start is None or time.end is None or parse_instant(time.end) >= interval.start
    return starts_before_end and ends_after_start


def _parameters(call: Call, **changes: object) -> str:
    given = {name: text for name, text in call.request.query.items() if name != "f"}
    merged = {**given, **{name: str(value) for name, value in changes.items()}}
    return f"?{urlencode(merged)}" if merged else ""


def _representations(call: Call, base: str) -> list[Link]:
    return representations(f"{base}/collections{_parameters(call)}", call.media_type, OFFERS)


def _paging(call: Call, base: str, matched: int, returned: int) -> list[Link]:
    offset, limit = call.query.values["offset"] or 0, call.query.values["limit"]
    f = FORMAT_NAMES[call.media_type]
    links = []
    if limit and offset + returned < matched:
        links.append(
            Link(f"{base}/collections{_parameters(call, offset=offset + limit, f=f)}", "next", call.media_type)
        )
    if limit and offset > 0:
        links.append(
            Link(
                f"{base}/collections{_parameters(call, offset=max(0, offset - limit), f=f)}",
                "prev",
                call.media_type,
            )
        )
    return links
