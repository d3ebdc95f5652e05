"""GET /collections/{collectionId}/feed: the newest features of a selection, as Atom or GeoJSON.

`last=P1D` selects a time that ends now, by an ISO 8601 duration.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.ogc.errors import StoredValueError
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import FORMAT_NAMES, MediaType
from libs.ogc.temporal import rfc3339
from libs.selection.past import as_of
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import check_preconditions, check_tag, data_headers
from libs.web.respond import json_bytes, links_json
from services.features.answer import Answer
from services.features.feeds.atom import feed
from services.features.feeds.cap import is_of_alerts
from services.features.feeds.entry import entry
from services.features.formats.format import PageLinks
from services.features.formats.geojson import FORMAT as GEOJSON
from services.features.formats.geojson import features
from services.features.formats.links import ATOM_TYPE
from services.features.request.cursor import encode_cursor
from services.features.request.items_query import GeometryOptions, parse_items
from services.features.resources import CATALOGUE, FOLDING, IMPACTS, STORE, VERSIONS
from services.features.sending import send

_AS_ITEMS: dict[str, Any] = {"offset": None, "crs": None, "simplify": None, "bbox-only": None}
"""Parameters of items that a feed does not have."""
_BOXES = GeometryOptions(bbox_only=True)
"""GeoRSS shows everything except points as a box."""


async def get_feed(call: Call) -> web.StreamResponse:
    """Return the features of a selection, the latest first."""
    app, request = call.request.app, call.request
    collection = as_of(app[CATALOGUE].collection(call.path["collectionId"]), call.query)
    version = app[VERSIONS].of_impacts(collection)
    since = _start_of_feed(call)
    answer = Answer(data_headers(request, call.media_type, version, limits=since))
    check_tag(request, answer.headers)
    values = {**_AS_ITEMS, "sortby": _newest_first(collection)}
    given = call.given
    if since:
        # the next page must use the same start, whenever it is requested
        values["datetime"] = f"{since}/.."
        given = {**_remove_parameters(given, "last"), "datetime": values["datetime"]}
    query = parse_items(collection, call.query.with_values(values), given, app[FOLDING].current, base=base_url(request))
    check_preconditions(request, answer.headers)
    query = await app[STORE].resolve(query)
    is_atom = call.media_type == ATOM_TYPE
    query = replace(query, options=_BOXES) if is_atom else query
    try:
        page, ends = await app[STORE].page(query, "geojson")
    except StoredValueError:
        query = await app[STORE].leave_out_failing(query)
        page, ends = await app[STORE].page(query, "geojson")
    token = encode_cursor(ends.next, query.fingerprint) if ends.next is not None else None
    links = _links(call, collection, query.given, token)
    in_header = ", ".join(link.to_header() for link in links if link.rel in ("self", "next"))
    answer = answer.with_failing(query.selection.failing).with_headers({"Link": in_header})
    if not is_atom:
        of_page = PageLinks(json_bytes(links_json(links))[1:-1], "")
        head = GEOJSON.head(collection, page.layout, None, of_page)
        body = head + bytes(GEOJSON.rows(page, first=True)) + GEOJSON.tail(len(page.rows), page.omitted)
        return await send(request, answer.with_body(body, call.media_type))
    known_since = min(version.since, datetime.now(UTC)) if version else datetime.now(UTC).replace(microsecond=0)
    base = base_url(request)
    found = features(page.rows, page.layout)
    headlines = await app[IMPACTS].headlines(collection, found)
    entries = [
        entry(collection, feature, base, known_since, headlines.get(str(feature["properties"].get(EVENT_KEY))))
        for feature in found
    ]
    body = feed(
        collection,
        entries,
        links,
        feed_id=_address(base, collection, _remove_parameters(call.given, "cursor", "limit", "f")),
        updated=max((each.updated for each in entries), default=known_since),
        author=app[SETTINGS].site_title,
        has_alerts=is_of_alerts(collection),
    )
    return await send(request, answer.with_body(body, call.media_type))


def _start_of_feed(call: Call) -> str:
    """Return the start that `last` means at this moment; empty without it."""
    text = call.query.values["last"]
    if text is None:
        return ""
    if call.query.values["datetime"] is not None:
        call.query.fault("last", "last and datetime cannot be combined", value=text)
    try:
        return rfc3339(start_of_last(duration(text)))
    except ValueError as error:
        call.query.fault("last", f"last {error}", value=text)
        return ""


def _newest_first(collection: Collection) -> list[str] | None:
    time = collection.time()
    column = collection.column(time.name) if time else None
    return [f"-{column.name}"] if column is not None and column.ordered else None


def _links(call: Call, collection: Collection, given: Mapping[str, str], token: str | None) -> list[Link]:
    base = base_url(call.request)
    sent, beside = _remove_parameters(call.given, "f"), _remove_parameters(given, "f", "cursor")
    links = [
        Link(
            _address(base, collection, {**sent, "f": FORMAT_NAMES[offer]}),
            rel,
            offer,
            f"This document as {FORMAT_NAMES[offer]}",
        )
        for offer, rel in sorted(
            ((offer, "self" if offer == call.media_type else "alternate") for offer in call.offers),
            key=lambda link: link[1] != "self",
        )
    ]
    about = f"{base}/collections/{path_segment(collection.id)}"
    links += [Link(f"{about}?f=html", "alternate", MediaType.HTML), Link(about, "collection", MediaType.JSON)]
    if token is not None:
        following = {**beside, "f": FORMAT_NAMES[call.media_type], "cursor": token}
        links.append(Link(_address(base, collection, following), "next", call.media_type))
    return links


def _address(base: str, collection: Collection, parameters: Mapping[str, str]) -> str:
    query = f"?{urlencode(parameters)}" if parameters else ""
    return f"{base}/collections/{path_segment(collection.id)}/feed{query}"


def _remove_parameters(parameters: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: text for name, text in parameters.items() if name not in names}


_DURATION = re.compile(
    r"P(?=.)(?:(?P<weeks>\d{1,4})W|(?:(?P<days>\d{1,5})D)?(?:T(?=.)(?:(?P<hours>\d{1,5})H)?(?:(?P<minutes>\d{1,6})M)?)?)\Z",
    re.ASCII,
)


def duration(text: str) -> timedelta:
    """Return the duration in `P1D`, `PT6H`, `P1DT12H` or `P2W`. Raises ValueError with the end of a sentence.

    Months and years have no fixed length. Seconds would make a different feed each second.
    """
    found = _DURATION.match(text)
    parts = {name: int(number) for name, number in found.groupdict().items() if number} if found else {}
    length = timedelta(**parts)
    if not length:
        raise ValueError("must be a duration of weeks, days, hours and minutes, such as P1D, PT6H or P2W")
    return length


def start_of_last(length: timedelta, moment: datetime | None = None) -> datetime:
    """Return the start of a time of this length that ends now, to the minute, so that responses within it are equal."""
    now = (moment or datetime.now(UTC)).replace(second=0, microsecond=0)
    earliest = datetime(1, 1, 1, tzinfo=UTC)
    return now - length if now - earliest > length else earliest
