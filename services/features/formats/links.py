"""Links of a page of features, in its body and in the HTTP `Link` header."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import quote_plus, urlencode

import orjson

from libs.catalogue.model import Collection
from libs.ogc.link import REL_QUERYABLES, Link, path_segment
from libs.ogc.media_type import FORMAT_NAMES, LABELS, MediaType, name_format
from libs.selection.past import AS_OF
from libs.web.accept_language import mark
from libs.web.respond import links_json, representations
from services.features.formats.format import PageLinks
from services.features.formats.geojson import encode, features
from services.features.formats.registry import EXPORT_FORMATS, MEDIA_TYPES, WITH_LINKS
from services.features.request.cursor import PageEnds, encode_cursor
from services.features.request.items_query import ItemsQuery
from services.features.request.long_parameters import pack_parameters
from services.features.rows.layout import Rows

ATOM_TYPE = "application/atom+xml"
FACETS_TYPE = "application/facets+json"
_LONGEST_NEXT = 1536
"""Bytes of an address that is written as it is; the long parameters of a longer one move into its cursor."""
_LONGEST_HEADER = 2560
"""Bytes. By default a proxy such as nginx has 4 kB for all headers of a response."""
_BY_OFFSET = "By offset: rows may repeat or be missing while the data change"

name_format("facets", FACETS_TYPE, "JSON of facets")
name_format("atom", ATOM_TYPE, "Atom")

# Placeholders of a template: the base address; the address of the page or feature up to `f`, for this format and for
# others; the query string before `f` for all matching features, and for the selection. Addresses are ASCII, so that
# placeholders occur nowhere else.
_BASE, _SELF, _OTHERS, _ALL, _SELECTION = "\x80", "\x81", "\x82", "\x83", "\x84"
_PLACEHOLDER = re.compile("([\x80-\x84])")
_OF_BODY = ("enclosure", "related", "")
"""Relations that the header omits if the body has them: they link to more than a feature."""
OF_PAGES = ("limit", "offset", "cursor", "numberMatched")
OF_FORMATS = ("bom", "separator", "geometry", "profile")
"""Parameters that only some formats have."""
_RELATED = {"predecessor-version": mark("The one before"), "successor-version": mark("The one after")}
"""Titles of links to other features, by relation type (RFC 5829)."""
NOT_SELECTING = (*OF_PAGES, *OF_FORMATS, "f", "crs", "bbox-only", "simplify", "properties", "sortby")
"""Parameters that do not select features: facets and feeds do not accept them."""


@dataclass(frozen=True, slots=True)
class _Template:
    """The links that do not depend on the result: members of a JSON array, and `Link` header values by rel.

    Alternates have an empty rel. Texts are split at their placeholders.
    """

    path: str
    json: Sequence[str]
    rels: tuple[str, ...]
    header: Sequence[str]
    """One line for each of `rels`."""

    def fill(self, base: str, given: Mapping[str, str], item_id: str = "") -> tuple[bytes, dict[str, str]]:
        """Return JSON and header with the base address, the parameters and the id filled in."""
        encoded = _encode_parameters(given)
        path = f"{self.path}/{path_segment(item_id)}" if item_id else self.path
        query, others = "".join(encoded.values()), "".join(_remove_parameters(encoded, *OF_FORMATS).values())
        of_page = {_ALL: OF_PAGES, _SELECTION: NOT_SELECTING}
        values = {name: "".join(_remove_parameters(encoded, *left_out).values()) for name, left_out in of_page.items()}
        json, header = (
            _fill(pieces, {_SELF: f"{start}{path}?{query}", _OTHERS: f"{start}{path}?{others}", **values, _BASE: start})
            for pieces, start in ((self.json, orjson.dumps(base)[1:-1].decode()), (self.header, base))
        )
        return json.encode(), dict(zip(self.rels, header.split("\n"), strict=True))


def _fill(pieces: Sequence[str], values: Mapping[str, str]) -> str:
    return "".join([values.get(piece, piece) for piece in pieces])


@lru_cache(maxsize=1024)
def _template(collection_id: str, media_type: str, *, of_item: bool, resource: str = "items") -> _Template:
    """Return `self`, `alternate`, `collection`; for a page also the queryables (/req/filter/queryables-link).

    Only items have a page for people; exports, facets and feeds do not know their parameters.
    """
    path = f"/collections/{path_segment(collection_id)}/{resource}"
    types = MEDIA_TYPES if resource == "items" else tuple(EXPORT_FORMATS)
    collection = f"{_BASE}/collections/{path_segment(collection_id)}"
    # `f` last: a parameter that a client appends cannot override it
    links = [
        replace(link, href=f"{_SELF if link.rel == 'self' else _OTHERS}{link.href.removeprefix('?')}")
        for link in representations("", media_type, types)
    ]
    links.append(Link(collection, "collection", MediaType.JSON, "The collection"))
    header = _header_values(links)
    if resource != "items":
        queryables = Link(f"{collection}/queryables", REL_QUERYABLES, MediaType.SCHEMAJSON)
        header[REL_QUERYABLES] = queryables.to_header()
    elif not of_item:
        format_ = media_type if media_type in EXPORT_FORMATS else MEDIA_TYPES[0]
        export = f"{collection}/export?{_ALL}f={FORMAT_NAMES[format_]}"
        title = f"All features that match, as {LABELS[format_]}"
        links.append(Link(export, "enclosure", format_, title))
        header["enclosure"] = links[-1].to_header()
        queryables = Link(f"{collection}/queryables", REL_QUERYABLES, MediaType.SCHEMAJSON)
        header[REL_QUERYABLES] = queryables.to_header()
        facets = f"{collection}/facets?{_SELECTION}f={FORMAT_NAMES[FACETS_TYPE]}"
        links.append(Link(facets, "related", FACETS_TYPE, "Counts by facets of all that match (JSON)"))
        header["related"] = links[-1].to_header()
        schema = f"{collection}/schema/feature"
        links.append(Link(schema, "describedby", MediaType.SCHEMAJSON, "Schema of a feature in GeoJSON"))
        feed = f"{collection}/feed?{_SELECTION}f={FORMAT_NAMES[ATOM_TYPE]}"
        links.append(Link(feed, "alternate", ATOM_TYPE, "Newest features that match, as an Atom feed"))
        header[""] += f", {links[-1].to_header()}"
    header = _not_of_body(header, media_type)
    json = orjson.dumps(links_json(links, media_type))[1:-1].decode()
    lines = "\n".join(header.values())
    return _Template(path, _PLACEHOLDER.split(json), tuple(header), _PLACEHOLDER.split(lines))


def _search_links(query: ItemsQuery, media_type: str, base: str, ends: PageEnds) -> PageLinks:
    """Return the links of a page that a body requested; the next page has the same body with another `cursor`."""
    collection = f"{base}/collections/{path_segment(query.selection.collection.id)}"
    links: list[dict[str, object]] = [
        {"href": f"{collection}/search", "rel": "self", "type": media_type, "method": "POST"},
        {"href": collection, "rel": "collection", "type": MediaType.JSON},
    ]
    for rel, position in (("next", ends.next), ("prev", ends.prev)):
        if position is not None:
            body = {"cursor": encode_cursor(position, query.fingerprint)}
            links.append({**links[0], "rel": rel, "body": body, "merge": True})
    return PageLinks(orjson.dumps(links)[1:-1], links_header(links))


def requested_links(
    query: ItemsQuery, media_type: str, base: str, ends: PageEnds, matched: int | None, *, method: str
) -> PageLinks:
    """Return the links of a page that an address requested, or a body (POST)."""
    if method == "POST":
        return _search_links(query, media_type, base, ends)
    return page_links(query, media_type, base, ends, matched)


def links_header(links: Iterable[Mapping[str, object]]) -> str:
    """Return the header that names the collection; a link that needs a body has no place in it."""
    return ", ".join(f'<{link["href"]}>; rel="{link["rel"]}"' for link in links if link["rel"] == "collection")


def page_links(query: ItemsQuery, media_type: str, base: str, ends: PageEnds, matched: int | None) -> PageLinks:
    """Return the links of a page with known ends (/req/core/fc-links, /rec/core/fc-next)."""
    template = _template(query.selection.collection.id, media_type, of_item=False, resource=query.resource)
    json, header = template.fill(base, query.given)
    links = []
    for rel, position in (("next", ends.next), ("prev", ends.prev)):
        token = "" if position is None else encode_cursor(position, query.fingerprint)
        cursor = f"&cursor={token}" if token else ""
        beside = (
            _remove_parameters(query.given, "offset", "cursor")
            if cursor
            else _offset_parameters(query, rel, ends, matched)
        )
        if beside is not None:
            address = f"{base}{template.path}?{_query_without_format(beside)}f={FORMAT_NAMES[media_type]}{cursor}"
            links.append(Link(address, rel, media_type, None if query.resumable else _BY_OFFSET))
            if rel == "next" and len(address) > _LONGEST_NEXT:
                kept, token = pack_parameters(beside, token)
                address = (
                    f"{base}{template.path}?{_query_without_format(kept)}f={FORMAT_NAMES[media_type]}&cursor={token}"
                )
                header["next"] = Link(address, rel, media_type).to_header()
    if links:
        json = b",".join((json, orjson.dumps(links_json(links, media_type))[1:-1]))
    return PageLinks(json, _header({**{link.rel: link.to_header() for link in links}, **header}))


def item_links(collection_id: str, media_type: str, base: str, given: Mapping[str, str], item_id: str) -> PageLinks:
    """Return a feature's `self`, `alternate`, `collection` (/req/core/f-links), for a request with these parameters."""
    json, header = _template(collection_id, media_type, of_item=True).fill(base, given, item_id)
    return PageLinks(json, _header(header))


def with_related(links: PageLinks, collection: Collection, media_type: str, base: str, rows: Rows) -> PageLinks:
    """Return the links of a feature, the only one of `rows`, with those to related features as the operator configured.

    A property that is null or was not requested gives no link.
    """
    if not collection.item_links:
        return links
    properties = orjson.loads(encode(features(rows.rows, rows.layout)[0]["properties"]))
    added = []
    for rel, found_by in collection.item_links:
        values = {name: properties.get(own) for name, own in found_by}
        if all(value is not None for value in values.values()):
            query = urlencode({name: str(value) for name, value in values.items()}, safe=":")
            address = f"{base}/collections/{path_segment(collection.id)}/items?{query}&f={FORMAT_NAMES[media_type]}"
            added.append(Link(address, rel, media_type, _RELATED.get(rel)))
    if not added:
        return links
    json = b",".join([links.json, *(orjson.dumps(each) for each in links_json(added, media_type))])
    return PageLinks(json, ", ".join([links.header, *(link.to_header() for link in added)]))


def export_links(query: ItemsQuery, media_type: str, base: str) -> PageLinks:
    """Return the links of an export of the query: itself, the other formats, its collection."""
    collection = f"{base}/collections/{path_segment(query.selection.collection.id)}"
    given, others = (
        _query_without_format(query.given),
        _query_without_format(_remove_parameters(query.given, *OF_FORMATS)),
    )
    links = [
        replace(link, href=link.href.replace("?", f"?{given if link.rel == 'self' else others}"))
        for link in representations(f"{collection}/export", media_type, EXPORT_FORMATS)
    ]
    links.append(Link(collection, "collection", MediaType.JSON, "The collection"))
    json = orjson.dumps(links_json(links, media_type))[1:-1]
    return PageLinks(json, _header(_not_of_body(_header_values(links), media_type)))


def _header_values(links: Sequence[Link]) -> dict[str, str]:
    """Return header values of `self`, the alternates and the collection, in this order."""
    first, *alternates, collection = (link.to_header() for link in links)
    return {"self": first, "collection": collection, "": ", ".join(alternates)}


def _not_of_body(header: Mapping[str, str], media_type: str) -> dict[str, str]:
    """Return the links for the header of a response of that type: those that are not in its body."""
    return _remove_parameters(header, *_OF_BODY if media_type in WITH_LINKS else ())


def arguments_query(collection: Collection, given: Iterable[tuple[str, str]]) -> str:
    """Return the parameters that a feature takes over, as the start of its query string: arguments, and `asOf`."""
    names = {AS_OF, *(argument.name for argument in collection.arguments)}
    return _query_without_format({name: text for name, text in given if name in names})


def _query_without_format(parameters: Mapping[str, str]) -> str:
    """Return the query string of all parameters except `f`, ready for `f` to be appended."""
    return "".join(_encode_parameters(parameters).values())


def _encode_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return each parameter except `f`, by name, ready for `f` to be appended."""
    return {name: f"{quote_plus(name)}={quote_plus(text)}&" for name, text in parameters.items() if name != "f"}


def _remove_parameters(parameters: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: text for name, text in parameters.items() if name not in names}


def _header(values: Mapping[str, str]) -> str:
    """Long addresses would make a header that proxies and clients refuse (nginx more than 4 kB in all, aiohttp's client
    8 kB in one, Node 16 kB in all): `prev`, `self`, the collection and the others are there while it is short enough.
    `next`, which CSV has nowhere else, always is: without it a page would pass for the last one. The bodies of JSON
    have all.
    """
    chosen: list[str] = []
    length = 0
    for rel in ("next", REL_QUERYABLES, "prev", "self", "collection", "enclosure", "related", ""):
        value = values.get(rel)
        if value is None:
            continue
        if rel == "next" or length + len(value) + 2 <= _LONGEST_HEADER:
            chosen.append(value)
            length += len(value) + 2
    return ", ".join(chosen)


def _offset_parameters(query: ItemsQuery, rel: str, ends: PageEnds, matched: int | None) -> dict[str, str] | None:
    """Return the parameters of a page by offset: for rows without a key, and after a page with `limit=0`."""
    if query.limit == 0:
        more = rel == "next" and query.offset < (matched or 0)
        return _remove_parameters(query.given, "limit") if more else None
    if query.resumable and not (rel == "next" and ends.more):
        return None
    if rel == "next":
        return {**query.given, "offset": str(query.offset + query.limit)} if ends.more else None
    return {**query.given, "offset": str(max(0, query.offset - query.limit))} if query.offset else None
