"""Links of a page of features, in its body and in the HTTP `Link` header."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson

from libs.ogc.link import REL_QUERYABLES, Link, path_segment
from libs.ogc.media_type import FORMAT_NAMES, MediaType
from libs.web.representations import representations
from services.features.request.cursor import Position, encode_cursor
from services.features.request.items_query import ItemsQuery
from services.features.rows.items_store import PageEnds

OFFERS = (
    MediaType.GEOJSON,
    MediaType.HTML,
    MediaType.JSON,
    MediaType.CSV,
    MediaType.GEOJSONSEQ,
    MediaType.NDJSON,
)

_SHORT_HEADER = 4 * 1024
_LONGEST_HEADER = 7 * 1024

# stands for the base address until it is known; addresses are ASCII, so that it is nowhere else
_BASE = "\ue000"
_MARK = _BASE.encode()
# the same for the id of a feature
_ITEM = "\ue001"
_ITEM_MARK = _ITEM.encode()


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links of a page or a feature: members of a JSON array, and the value of the `Link` header."""

    json: bytes
    header: str

    def members(self) -> list[dict[str, Any]]:
        """As values, for a page."""
        members: list[dict[str, Any]] = orjson.loads(b"[" + self.json + b"]")
        return members


@dataclass(frozen=True, slots=True)
class LinkTemplate:
    """What links of a page follow from its request alone, but for the base address: made once for each request."""

    query: ItemsQuery
    media_type: str
    address: str
    given: Mapping[str, str]
    """Parameters of `next` and `prev`."""
    json: bytes
    header: Mapping[str, str]
    """By rel; alternates and the rest under an empty name."""


def link_template(query: ItemsQuery, media_type: str) -> LinkTemplate:
    """`self`, `alternate`, `collection` and the queryables (Features Part 3, /req/filter/queryables-link)."""
    collection = f"{_BASE}/collections/{path_segment(query.selection.collection.id)}"
    address = f"{collection}/items"
    given = {name: text for name, text in query.given.items() if name != "f"}
    links = representations(with_query(address, given), media_type, OFFERS)
    links.append(Link(collection, "collection", MediaType.JSON, "The collection"))
    queryables = Link(f"{collection}/queryables", REL_QUERYABLES, MediaType.SCHEMAJSON)
    # "f" last: a client that adds a parameter of its own overrides nothing
    given["f"] = FORMAT_NAMES[media_type]
    return LinkTemplate(
        query,
        media_type,
        address,
        given,
        _members(links),
        {
            REL_QUERYABLES: queryables.to_header(),
            "self": links[0].to_header(),
            "": ", ".join(link.to_header() for link in links[1:]),
        },
    )


def page_links(template: LinkTemplate, base: str, ends: PageEnds, matched: int | None) -> PageLinks:
    """The links of a page whose ends are known (/req/core/fc-links, /rec/core/fc-next)."""
    turning = {
        rel: _turned(template, position) if position is not None else _by_offset(template, rel, ends, matched)
        for rel, position in (("next", ends.next), ("prev", ends.prev))
    }
    links = [Link(address, rel, template.media_type) for rel, address in turning.items() if address is not None]
    members = b",".join((template.json, _members(links))) if links else template.json
    values = {**{link.rel: link.to_header() for link in links}, **template.header}
    return PageLinks(members.replace(_MARK, orjson.dumps(base)[1:-1]), _header(values).replace(_BASE, base))


@dataclass(frozen=True, slots=True)
class ItemLinkTemplate:
    """The links of a feature but for base address and id."""

    json: bytes
    header: str


def item_link_template(collection_id: str, given: Mapping[str, str], media_type: str) -> ItemLinkTemplate:
    """`self`, `alternate` and `collection` (/req/core/f-links) for a request with the given parameters."""
    collection = f"{_BASE}/collections/{path_segment(collection_id)}"
    kept = {name: text for name, text in given.items() if name != "f"}
    links = representations(with_query(f"{collection}/items/{_ITEM}", kept), media_type, OFFERS)
    links.append(Link(collection, "collection", MediaType.JSON, "The collection"))
    return ItemLinkTemplate(_members(links), ", ".join(link.to_header() for link in links))


def item_links(template: ItemLinkTemplate, base: str, item_id: str) -> PageLinks:
    """The links of the feature with this id."""
    item = path_segment(item_id)
    members = template.json.replace(_ITEM_MARK, item.encode()).replace(_MARK, orjson.dumps(base)[1:-1])
    return PageLinks(members, template.header.replace(_ITEM, item).replace(_BASE, base))


def _members(links: list[Link]) -> bytes:
    return orjson.dumps([link.to_json() for link in links])[1:-1]


def _header(values: Mapping[str, str]) -> str:
    """Long addresses would make a header that proxies and clients refuse (aiohttp's client more than 8 kB in one, Node
    more than 16 kB in all): `next`, which CSV has nowhere else, is always there, `prev`, `self` and then the others
    while it is short enough. The bodies of JSON have them all.
    """
    kept: list[str] = []
    length = 0
    for rel in ("next", REL_QUERYABLES, "prev", "self", ""):
        value = values.get(rel)
        if value is None:
            continue
        if rel == "next" or length + len(value) + 2 <= (_LONGEST_HEADER if rel else _SHORT_HEADER):
            kept.append(value)
            length += len(value) + 2
    return ", ".join(kept)


def _turned(template: LinkTemplate, position: Position) -> str:
    kept = {name: text for name, text in template.given.items() if name not in ("offset", "cursor")}
    return with_query(template.address, {**kept, "cursor": encode_cursor(position, template.query.fingerprint)})


def _by_offset(template: LinkTemplate, rel: str, ends: PageEnds, matched: int | None) -> str | None:
    """Where there is no key to make a cursor of; and from a page of no rows to the first that has some."""
    query, kept = template.query, dict(template.given)
    if query.limit == 0:
        del kept["limit"]
        return with_query(template.address, kept) if rel == "next" and query.offset < (matched or 0) else None
    if query.resumable:
        return None
    if rel == "next":
        kept["offset"] = str(query.offset + query.limit)
        return with_query(template.address, kept) if ends.more else None
    kept["offset"] = str(max(0, query.offset - query.limit))
    return with_query(template.address, kept) if query.offset else None


def with_query(address: str, parameters: Mapping[str, str]) -> str:
    """The address with a query string, if there are parameters."""
    return f"{address}?{urlencode(parameters)}" if parameters else address
