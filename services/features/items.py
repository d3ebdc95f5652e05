"""GET /collections/{collectionId}/items (OGC API Features, /req/core/fc-op)."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode

from aiohttp import web

from libs.ogc.link import REL_QUERYABLES, Link, path_segment
from libs.ogc.media_type import FORMAT_NAMES, MediaType
from libs.ogc.temporal import now
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.html import page_response
from libs.web.representations import representations
from libs.web.respond import body_response, links_json
from services.features import csv
from services.features.cursor import Position, encode_cursor
from services.features.geojson import encode, features
from services.features.items_html import items_context
from services.features.items_query import ItemsQuery, parse_items
from services.features.items_store import ItemsAnswer, Page, one_more
from services.features.resources import CATALOGUE, STORE
from services.features.sequences import geojsonseq, ndjson

OFFERS = (
    MediaType.GEOJSON,
    MediaType.HTML,
    MediaType.JSON,
    MediaType.CSV,
    MediaType.GEOJSONSEQ,
    MediaType.NDJSON,
)
GEOMETRY_AS = {MediaType.CSV: "wkt"}


async def get_items(call: Call) -> web.StreamResponse:
    """A page of the features that match."""
    app = call.request.app
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    query = parse_items(collection, call.query)
    media_type = MediaType(call.media_type)
    plan = one_more(query, GEOMETRY_AS.get(media_type, "geojson"))
    page, matched = await asyncio.gather(app[STORE].page(query, plan), app[STORE].matched(query))
    links = _links(call, query, page, matched)
    headers = _headers(links, page, matched)
    answer = ItemsAnswer(query, plan, page, matched, tuple(links))
    if media_type == MediaType.HTML:
        return page_response(call.request, "items.html", items_context(answer), headers=headers)
    return body_response(_body(media_type, answer), media_type=media_type, headers=headers)


def _body(media_type: MediaType, answer: ItemsAnswer) -> bytes:
    plan, rows = answer.plan, answer.page.rows
    if media_type == MediaType.CSV:
        return csv.header(plan) + csv.lines(rows, plan)
    if media_type == MediaType.GEOJSONSEQ:
        return geojsonseq(rows, plan)
    if media_type == MediaType.NDJSON:
        return ndjson(rows, plan)
    collection = answer.query.selection.collection
    document = {
        "type": "FeatureCollection",
        "id": collection.id,
        "title": collection.title,
        "description": collection.description,
        "timeStamp": now(),
        "numberMatched": answer.matched,
        "numberReturned": len(rows),
        "links": links_json(answer.links),
        "features": features(rows, plan),
    }
    if answer.matched is None:
        # the standard allows to leave it out where it is hard to tell (/rec/core/fc-numberMatched)
        del document["numberMatched"]
    return encode(document)


def _links(call: Call, query: ItemsQuery, page: Page, matched: int | None) -> list[Link]:
    base, collection_id = base_url(call.request), path_segment(query.selection.collection.id)
    address = f"{base}/collections/{collection_id}/items"
    given = {name: text for name, text in call.request.query.items() if name != "f"}
    links = representations(_with_query(address, given), call.media_type, OFFERS)
    links.append(Link(f"{base}/collections/{collection_id}", "collection", MediaType.JSON, "The collection"))
    given["f"] = FORMAT_NAMES[call.media_type]
    for rel, position in (("next", page.next), ("prev", page.prev)):
        if position is not None:
            links.append(Link(_turned(address, given, query, position), rel, call.media_type))
        elif not query.order or (rel == "next" and query.limit == 0):
            links += _offset_link(address, given, query, page, matched, rel, call.media_type)
    return links


def _turned(address: str, given: Mapping[str, str], query: ItemsQuery, position: Position) -> str:
    kept = {name: text for name, text in given.items() if name not in ("offset", "cursor")}
    return _with_query(address, {**kept, "cursor": encode_cursor(position, query.fingerprint)})


def _offset_link(  # noqa: PLR0917 what a link is made of
    address: str,
    given: Mapping[str, str],
    query: ItemsQuery,
    page: Page,
    matched: int | None,
    rel: str,
    media_type: str,
) -> list[Link]:
    """Links for rows without a key, and from a page of no rows to the first that has some."""
    kept = dict(given)
    if query.limit == 0:
        del kept["limit"]
        return [Link(_with_query(address, kept), "next", media_type)] if matched else []
    offset = query.offset + query.limit if rel == "next" else max(0, query.offset - query.limit)
    exists = (matched is None or matched > offset) and page.rows if rel == "next" else query.offset > 0
    return [Link(_with_query(address, {**kept, "offset": str(offset)}), rel, media_type)] if exists else []


def _with_query(address: str, parameters: Mapping[str, str]) -> str:
    return f"{address}?{urlencode(parameters)}" if parameters else address


def _headers(links: list[Link], page: Page, matched: int | None) -> dict[str, str]:
    wanted = ("self", "alternate", "next", "prev", "collection")
    queryables = [
        Link(link.href.partition("/items")[0] + "/queryables", REL_QUERYABLES, MediaType.SCHEMAJSON)
        for link in links[:1]
    ]
    headers = {
        "Link": ", ".join(link.to_header() for link in [*links, *queryables] if link.rel in (*wanted, REL_QUERYABLES)),
        "OGC-NumberReturned": str(len(page.rows)),
    }
    if matched is not None:
        headers["OGC-NumberMatched"] = str(matched)
    return headers
