"""Links of a page of features, in its body and in the HTTP `Link` header."""

from collections.abc import Mapping
from urllib.parse import urlencode

from libs.ogc.link import REL_QUERYABLES, Link, path_segment
from libs.ogc.media_type import FORMAT_NAMES, MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.representations import representations
from services.features.cursor import Position, encode_cursor
from services.features.items_query import ItemsQuery
from services.features.items_store import PageEnds

OFFERS = (
    MediaType.GEOJSON,
    MediaType.HTML,
    MediaType.JSON,
    MediaType.CSV,
    MediaType.GEOJSONSEQ,
    MediaType.NDJSON,
)

_SHORT_HEADER = 8 * 1024
_LONGEST_HEADER = 32 * 1024


def items_links(call: Call, query: ItemsQuery, ends: PageEnds, matched: int | None) -> list[Link]:
    """`self`, `alternate`, `collection`, `next`, `prev` (/req/core/fc-links, /rec/core/fc-next)."""
    base, collection_id = base_url(call.request), path_segment(query.selection.collection.id)
    address = f"{base}/collections/{collection_id}/items"
    given = {name: text for name, text in call.request.query.items() if name != "f"}
    links = representations(with_query(address, given), call.media_type, OFFERS)
    links.append(Link(f"{base}/collections/{collection_id}", "collection", MediaType.JSON, "The collection"))
    # "f" last: a client that adds a parameter of its own overrides nothing
    given["f"] = FORMAT_NAMES[call.media_type]
    for rel, position in (("next", ends.next), ("prev", ends.prev)):
        if position is not None:
            links.append(Link(_turned(address, given, query, position), rel, call.media_type))
        else:
            links += _offset_links(
                address, given, query, ends=ends, rel=rel, media_type=call.media_type, matched=matched
            )
    return links


def _turned(address: str, given: Mapping[str, str], query: ItemsQuery, position: Position) -> str:
    kept = {name: text for name, text in given.items() if name not in ("offset", "cursor")}
    return with_query(address, {**kept, "cursor": encode_cursor(position, query.fingerprint)})


def _offset_links(
    address: str,
    given: Mapping[str, str],
    query: ItemsQuery,
    *,
    ends: PageEnds,
    rel: str,
    media_type: str,
    matched: int | None,
) -> list[Link]:
    """Where there is no key to make a cursor of; and from a page of no rows to the first that has some."""
    kept = dict(given)
    if query.limit == 0:
        del kept["limit"]
        return [Link(with_query(address, kept), "next", media_type)] if rel == "next" and matched else []
    if query.resumable:
        return []
    if rel == "next":
        kept["offset"] = str(query.offset + query.limit)
        return [Link(with_query(address, kept), rel, media_type)] if ends.more else []
    kept["offset"] = str(max(0, query.offset - query.limit))
    return [Link(with_query(address, kept), rel, media_type)] if query.offset else []


def with_query(address: str, parameters: Mapping[str, str]) -> str:
    """The address with a query string, if there are parameters."""
    return f"{address}?{urlencode(parameters)}" if parameters else address


def link_header(links: list[Link]) -> str:
    """The HTTP header of these links and of the queryables (Features Part 3, /req/filter/queryables-link).

    Long addresses would make a header that proxies and clients refuse: `next` is always there, `prev`, `self` and
    then the others while it is short enough. The body has them all.
    """
    queryables = Link(links[0].href.partition("/items")[0] + "/queryables", REL_QUERYABLES, MediaType.SCHEMAJSON)
    order = ("next", REL_QUERYABLES, "prev", "self")
    ranked = sorted([*links, queryables], key=lambda link: order.index(link.rel) if link.rel in order else len(order))
    kept: list[str] = []
    length = 0
    for link in ranked:
        value = link.to_header()
        length += len(value) + 2
        if length <= (_LONGEST_HEADER if link.rel in order else _SHORT_HEADER) or link.rel == "next":
            kept.append(value)
    return ", ".join(kept)
