"""Links of pages and features: which there are, how their parameters are written, how long the header gets."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from libs.catalogue.model import Argument, Collection, Column
from libs.ogc.link import LINK_TYPES, REL_QUERYABLES
from libs.selection.selection import Selection, SortTerm
from services.features.formats.format import PageLinks
from services.features.formats.links import arguments_query, export_links, item_links, page_links, with_related
from services.features.formats.registry import EXPORT_FORMATS, FORMATS
from services.features.request.cursor import PageEnds, Position, encode_cursor
from services.features.request.items_query import AS_STORED, ItemsQuery
from services.features.request.long_parameters import unpack_cursor
from services.features.rows.layout import Layout, Rows

KEY = Column("id", "integer", "integer", not_null=True)
BASE = 'https://example.org/a"pi'
GEOJSON = "application/geo+json"


def query(given: dict[str, str], *, key: str | None = "id", limit: int = 10, offset: int = 0) -> ItemsQuery:
    # the rows of a function have no key
    kind = "table" if key else "function"
    collection = Collection("a.b c", "a", "b c", 1, kind, "B", None, (KEY,), key=key, sources=(1,))
    selection = Selection(collection, None, (), (KEY,), ())
    return ItemsQuery(selection, (SortTerm(KEY),), limit, offset, None, AS_STORED, given, "fingerprint")


def links(wanted: ItemsQuery, ends: PageEnds, matched: int | None = None) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for link in page_links(wanted, GEOJSON, BASE, ends, matched).members():
        found.setdefault(link["rel"], []).append(link)
    return found


def parameters(link: dict[str, Any]) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(link["href"]).query, strict_parsing=True))


def test_each_format_has_a_link_with_the_same_parameters() -> None:
    found = links(query({"f": "csv", "bbox": "1,2,3,4", "filter": "a='b&c'"}), PageEnds())
    assert set(found) == {"self", "alternate", "collection", "enclosure", "related", "describedby"}
    # formats that the contract does not list have no type, and so are related
    *files, _, feed = found["related"]
    assert (feed.get("type"), feed["href"].partition("?")[0]) == (
        None,
        f"{BASE}/collections/a.b%20c/feed",
    )
    assert parameters(feed) == {"f": "atom", "bbox": "1,2,3,4", "filter": "a='b&c'"}
    (whole,) = found["enclosure"]
    assert whole["href"].startswith(f"{BASE}/collections/a.b%20c/export?")
    assert parameters(whole) == {"f": "geojson", "bbox": "1,2,3,4", "filter": "a='b&c'"}
    assert [link["type"] for link in found["self"]] == [GEOJSON]
    for link in [*found["self"], *found["alternate"], *files]:
        assert link["href"].startswith(f"{BASE}/collections/a.b%20c/items?")
        assert {**parameters(link), "f": ""} == {"bbox": "1,2,3,4", "filter": "a='b&c'", "f": ""}
    names = [parameters(link)["f"] for link in [*found["self"], *found["alternate"], *files]]
    assert sorted(names) == sorted(entry.name for entry in FORMATS)


def _in_header(*found: dict[str, Any]) -> str:
    return ", ".join(f'<{link["href"]}>; rel="{link["rel"]}"; type="{link["type"]}"' for link in found)


def _in_json(*found: dict[str, Any]) -> list[dict[str, Any]]:
    """The same in a body of JSON: types that the contract does not list are left out, and `alternate` has a type."""
    return [
        link
        if link["type"] in LINK_TYPES
        else {**{name: value for name, value in link.items() if name != "type"}, "rel": _rel(link["type"], link["rel"])}
        for link in found
    ]


def _rel(kind: str, rel: str = "alternate") -> str:
    """The relation in JSON of a link that has `rel` in the header."""
    return "related" if rel == "alternate" and kind not in LINK_TYPES else rel


def _said(start: str, rel: str, own: str, others: str) -> list[dict[str, Any]]:
    """Links to the same in each format, and to the collection, of a document in CSV."""
    names = [(entry.name, entry.media_type) for entry in FORMATS if rel == "items" or entry.name != "html"]
    csv = {"href": f"{start}?{own}f=csv", "rel": "self", "type": "text/csv", "title": "This document as csv"}
    return [
        csv,
        *(
            {"href": f"{start}?{others}f={name}", "rel": "alternate", "type": kind, "title": f"This document as {name}"}
            for name, kind in names
            if name != "csv"
        ),
        {"href": HERE, "rel": "collection", "type": "application/json", "title": "The collection"},
    ]


HERE = "http://a/b/collections/a.b%20c"
GIVEN = {"limit": "10", "f": "csv", "bom": "true", "sortby": "id", "filter": "a='b&c'"}


def test_all_links_of_a_page() -> None:
    ends = PageEnds(Position(("10",)), Position(("1",), backwards=True), more=True)
    asked, match = query(GIVEN), "filter=a%3D%27b%26c%27&"
    found = page_links(asked, "text/csv", "http://a/b", ends, None)
    own, beside = (
        f"limit=10&bom=true&sortby=id&{match}",
        f"{HERE}/items?limit=10&bom=true&sortby=id&{match}f=csv&cursor=",
    )
    first, *others, collection = _said(f"{HERE}/items", "items", own, f"limit=10&sortby=id&{match}")
    more = [
        (f"export?bom=true&sortby=id&{match}f=csv", "enclosure", "text/csv", "All features that match, as CSV"),
        (f"facets?{match}f=facets", "related", "application/facets+json", "Counts by facets of all that match (JSON)"),
        (f"feed?{match}f=atom", "alternate", "application/atom+xml", "Newest features that match, as an Atom feed"),
    ]
    whole, facets, feed = (
        {"href": f"{HERE}/{end}", "rel": rel, "type": kind, "title": title} for end, rel, kind, title in more
    )
    described = {
        "href": f"{HERE}/schema/feature",
        "rel": "describedby",
        "type": "application/schema+json",
        "title": "Schema of a feature in GeoJSON",
    }
    following, preceding = (
        {"href": f"{beside}{encode_cursor(end, 'fingerprint')}", "rel": rel, "type": "text/csv"}
        for rel, end in (("next", ends.next), ("prev", ends.prev))
        if end is not None
    )
    assert found.members() == _in_json(first, *others, collection, whole, facets, described, feed, following, preceding)
    queryables = {"href": f"{HERE}/queryables", "rel": REL_QUERYABLES, "type": "application/schema+json"}
    in_order = [following, queryables, preceding, first, collection, whole, facets, *others, feed]
    assert found.header == _in_header(*in_order)


def test_all_links_of_a_feature_and_of_an_export() -> None:
    of_feature = item_links("a.b c", "text/csv", "http://a/b", {"bom": "true", "f": "json", "properties": "x y"}, "é/1")
    first, *others, collection = _said(
        f"{HERE}/items/%C3%A9%2F1", "items", "bom=true&properties=x+y&", "properties=x+y&"
    )
    assert of_feature.members() == _in_json(first, *others, collection)
    assert of_feature.header == _in_header(first, collection, *others)
    of_export = export_links(query({"bom": "true", "f": "json", "properties": "x y"}), "text/csv", "http://a/b")
    first, *others, collection = _said(f"{HERE}/export", "enclosure", "bom=true&properties=x+y&", "properties=x+y&")
    assert of_export.members() == _in_json(first, *others, collection)
    assert of_export.header == _in_header(first, collection, *others)


@pytest.mark.parametrize("media_type", [GEOJSON, "text/html"])
def test_what_has_links_itself_has_those_alone_in_its_header_that_lead_on(media_type: str) -> None:
    ends = PageEnds(Position(("10",)), Position(("1",), backwards=True), more=True)
    found = [
        page_links(query({}), media_type, "http://a/b", ends, None),
        item_links("a.b c", media_type, "http://a/b", {}, "1"),
        export_links(query({}), GEOJSON, "http://a/b"),
    ]
    rels = [[rel.rpartition("/")[2] for rel in re.findall('rel="([^"]*)"', each.header)] for each in found]
    assert rels == [["next", "queryables", "prev", "self", "collection"], *[["self", "collection"]] * 2]
    for each in found:
        said = re.findall(r'<([^>]*)>; rel="([^"/]*)"; type="([^"]*)"', each.header)
        assert set(said) < {(link["href"], link["rel"], link.get("type")) for link in each.members()}


@pytest.mark.parametrize("beyond", [0, 1])
def test_an_address_of_1536_bytes_is_written_as_it_is(beyond: int) -> None:
    ends = PageEnds(Position(("10",)), more=True)

    def following(length: int) -> str:
        header = page_links(query({"filter": "x" * length}), GEOJSON, "http://a", ends, None).header
        return header.partition("<")[2].partition(">")[0]

    room = 1536 - len(following(0))
    assert len(following(room)) == 1536
    assert ("filter=" in following(room + beyond)) is not bool(beyond)


def test_counts_and_the_feed_are_of_the_same_features() -> None:
    page = {"limit": "5", "offset": "5", "sortby": "id", "properties": "id", "crs": "x", "simplify": "1", "f": "csv"}
    selection = {"ids": "1,2", "datetime": "2020-01-01/..", "bbox": "1,2,3,4", "bbox-crs": "y", "geom-column": "g"}
    found = links(query({**page, **selection}), PageEnds())
    *_, facets, feed = found["related"]
    assert (facets.get("type"), facets["href"].partition("?")[0]) == (
        None,
        f"{BASE}/collections/a.b%20c/facets",
    )
    for link, name in ((facets, "facets"), (feed, "atom")):
        assert parameters(link) == {**selection, "f": name}


def test_pages_beside_this_one_are_named_by_cursors_alone() -> None:
    ends = PageEnds(Position(("10",)), Position(("1",), backwards=True), more=True)
    found = links(query({"limit": "10", "offset": "20", "cursor": "old", "f": "json"}), ends)
    following, preceding = parameters(found["next"][0]), parameters(found["prev"][0])
    assert following.keys() == preceding.keys() == {"limit", "f", "cursor"}
    assert following["f"] == "geojson"
    assert len({following["cursor"], preceding["cursor"], "old"}) == 3


@pytest.mark.parametrize(
    ("offset", "more", "following", "preceding"),
    [(0, True, "10", None), (5, True, "15", "0"), (25, False, None, "15"), (0, False, None, None)],
)
def test_where_nothing_tells_rows_apart_pages_go_by_offset(
    offset: int, more: bool, following: str | None, preceding: str | None
) -> None:
    found = links(query({"limit": "10"}, key=None, offset=offset), PageEnds(more=more))
    assert [parameters(link)["offset"] for link in found.get("next", [])] == ([following] if following else [])
    assert [parameters(link)["offset"] for link in found.get("prev", [])] == ([preceding] if preceding else [])


@pytest.mark.parametrize(("matched", "leads"), [(5, True), (0, False), (None, False)])
def test_a_page_of_no_rows_leads_to_those_that_there_are(matched: int | None, leads: bool) -> None:
    found = links(query({"limit": "0"}, limit=0), PageEnds(), matched)
    assert ("next" in found) is leads
    assert "prev" not in found
    if leads:
        assert parameters(found["next"][0]) == {"f": "geojson"}


@pytest.mark.parametrize(
    ("length", "rels"),
    [
        (10, {"next", "queryables", "prev", "self", "collection", "enclosure", "related", "alternate"}),
        (300, {"next", "queryables", "prev", "self", "collection", "enclosure", "related"}),
        (400, {"next", "queryables", "prev", "self", "collection", "enclosure"}),
        (600, {"next", "queryables", "prev", "self", "collection"}),
        (1000, {"next", "queryables", "prev", "collection"}),
        # its parameters move into the cursor
        (8000, {"next", "queryables", "collection"}),
    ],
)
def test_the_header_has_what_there_is_room_for(length: int, rels: set[str]) -> None:
    ends = PageEnds(Position(("10",)), Position(("1",), backwards=True), more=True)
    header = page_links(query({"filter": "x" * length}), "text/csv", "http://a", ends, None).header
    assert {rel.rpartition("/")[2] for rel in re.findall('rel="([^"]*)"', header)} == rels


def test_the_header_is_as_long_as_proxies_take_it() -> None:
    ends = PageEnds(Position(("10",)), Position(("1",), backwards=True), more=True)
    longest: dict[str, int] = {}
    for length in range(1500):
        header = page_links(query({"filter": "x" * length}), "text/csv", "http://a", ends, None).header
        last = re.findall('rel="([^"]*)"', header)[-1]
        longest[last] = max(longest.get(last, 0), len(header))
    # an "x" more is one in each link
    ends_with = ("alternate", "related", "enclosure", "collection", "self", "prev")
    assert {rel: -20 < longest[rel] - 2560 <= -2 for rel in ends_with} == dict.fromkeys(ends_with, True), longest
    assert max(longest.values()) <= 2560


def test_the_header_of_a_feature_has_a_length() -> None:
    header = item_links("a", "text/csv", "http://a", {"properties": "x" * 2000}, "1").header
    assert re.findall('rel="([^"]*)"', header) == ["self", "collection"]
    header = item_links("a", "text/csv", "http://a", {"properties": "x" * 9000}, "1").header
    assert re.findall('rel="([^"]*)"', header) == ["collection"]


def test_links_of_a_feature() -> None:
    found = item_links("a.b c", GEOJSON, BASE, {"properties": "", "f": "json"}, "é/1")
    own, *others = found.members()
    assert own["href"] == f"{BASE}/collections/a.b%20c/items/%C3%A9%2F1?properties=&f=geojson"
    rels = [_rel(entry.media_type) for entry in FORMATS if entry.name != "geojson"]
    assert [link["rel"] for link in others] == [*rels, "collection"]
    assert found.header.count("rel=") == 2
    (plain, *_) = item_links("a.b c", GEOJSON, BASE, {}, "1").members()
    assert plain["href"] == f"{BASE}/collections/a.b%20c/items/1?f=geojson"


def test_a_feature_leads_to_others_by_its_properties_where_it_has_them() -> None:
    found_by = (("storm", "storm"), ("issued", "before"))
    related_by = (("predecessor-version", found_by), ("successor-version", (("storm", "storm"), ("issued", "after"))))
    collection = Collection("a.b c", "a", "b c", 1, "table", "B", None, (KEY,), key="id", item_links=related_by)
    plain = item_links(collection.id, GEOJSON, BASE, {}, "1")

    def related(**properties: Any) -> PageLinks:
        columns = tuple(Column(name, "text", "string") for name in properties)
        layout = Layout(None, has_geometry=False, properties=columns, raw_json=(False,) * len(columns), times=())
        return with_related(plain, collection, GEOJSON, BASE, Rows(layout, [tuple(properties.values())]))

    found = related(storm="AL 1", before="2017-08-30T15:00:00Z")
    (link,) = [link for link in found.members() if link["rel"] == "predecessor-version"]
    assert link == {
        "href": f"{BASE}/collections/a.b%20c/items?storm=AL+1&issued=2017-08-30T15:00:00Z&f=geojson",
        "rel": "predecessor-version",
        "type": GEOJSON,
        "title": "The one before",
    }
    assert found.members() == [*plain.members(), link]
    assert found.header == f"{plain.header}, {_in_header(link)}"
    after = related(storm="AL 1", after="2017-08-30T21:00:00Z").members()
    assert [link["title"] for link in after if link["rel"] == "successor-version"] == ["The one after"]
    assert related(storm="AL 1", before=None) == plain, "the first has none"
    assert related(before="2017-08-30T15:00:00Z") == plain, "one of the properties was not asked for"


def test_the_header_leads_where_the_body_leads_and_to_the_queryables() -> None:
    ends = PageEnds(Position(("10",)), Position(("1",), backwards=True), more=True)
    found = page_links(query({"bbox": "1,2,3,4", "f": "csv", "bom": "true"}), "text/csv", "http://a/b", ends, None)
    said = re.findall(r'<([^>]*)>; rel="([^"]*)"; type="([^"]*)"', found.header)
    queryables = [link for link in said if link[1].startswith("http")]
    assert queryables == [
        (
            "http://a/b/collections/a.b%20c/queryables",
            "http://www.opengis.net/def/rel/ogc/1.0/queryables",
            "application/schema+json",
        )
    ]
    # of all links of the body, the schema alone is not in the header
    in_body = [
        (link["href"], link["rel"], link.get("type")) for link in found.members() if link["rel"] != "describedby"
    ]
    shown = {(href, _rel(kind, rel)) for href, rel, kind in said}
    assert shown - {link[:2] for link in queryables} == {link[:2] for link in in_body}
    offered = {*EXPORT_FORMATS, "application/facets+json", "application/atom+xml"}
    assert {kind for *_, kind in said} - LINK_TYPES == offered - LINK_TYPES
    assert {link for link in said if link[2] in LINK_TYPES} - set(queryables) == {each for each in in_body if each[2]}
    # what other formats do not have is in this one's links alone
    assert {rel for href, rel, _ in in_body if "bom=true" in href} == {"self", "next", "prev", "enclosure"}
    assert {parameters({"href": href})["f"] for href, rel, _ in in_body if rel == "enclosure"} == {"csv"}
    # a page is saved as features
    page = page_links(query({}), "text/html", "http://a/b", PageEnds(), None).members()
    assert [parameters(link)["f"] for link in page if link["rel"] == "enclosure"] == ["geojson"]


def test_links_of_an_export() -> None:
    found = export_links(query({"f": "csv", "bom": "true", "filter": "a=1"}), "text/csv", BASE)
    own, *others = found.members()
    assert own["href"] == f"{BASE}/collections/a.b%20c/export?bom=true&filter=a%3D1&f=csv"
    assert (own["rel"], own["type"]) == ("self", "text/csv")
    *others, collection = others
    rels = [_rel(kind) for kind in EXPORT_FORMATS if kind != "text/csv"]
    assert [link["rel"] for link in others] == rels
    names = [entry.name for entry in EXPORT_FORMATS.values() if entry.name != "csv"]
    assert [parameters(link) for link in others] == [{"filter": "a=1", "f": name} for name in names]
    assert (collection["rel"], collection["href"]) == ("collection", f"{BASE}/collections/a.b%20c")
    assert re.findall('rel="([^"]*)"', found.header) == ["self", "collection", *["alternate"] * len(names)]


def test_a_feature_of_a_function_is_asked_for_with_its_arguments_alone() -> None:
    arguments = (Argument("at_least", "real", "number"), Argument("f", "text", "string"))
    collection = Collection("a.f", "a", "f", 1, "function", "F", None, (KEY,), arguments=arguments)
    given = [("at_least", "1 & 2"), ("limit", "5"), ("f", "html")]
    assert arguments_query(collection, given) == "at_least=1+%26+2&"
    assert arguments_query(collection, given[1:]) == ""


def test_the_first_and_the_last_page_have_one_beside_them() -> None:
    assert "prev" not in links(query({}), PageEnds(Position(("10",)), more=True))
    assert "next" not in links(query({}), PageEnds(prev=Position(("1",), backwards=True)))
    # more are there, but nothing says where: by offset
    ((only,),) = (links(query({"limit": "10"}), PageEnds(more=True))["next"],)
    assert parameters(only) == {"limit": "10", "offset": "10", "f": "geojson"}
    assert "title" not in only
    assert "prev" not in links(query({"offset": "5"}, offset=5), PageEnds(more=True))
    unsure = links(query({"limit": "10"}, key=None), PageEnds(more=True))["next"][0]
    assert "rows may repeat" in unsure["title"]


def test_the_next_page_of_a_long_address_is_in_its_cursor() -> None:
    ends = PageEnds(Position(("10",)), more=True)
    given = {"filter": "x" * 8000, "limit": "10", "f": "json"}
    found = page_links(query(given), "text/csv", "http://a", ends, None)
    following = re.findall(r'<([^>]*)>; rel="next"; type="text/csv"', found.header)[0]
    assert following.startswith("http://a/collections/a.b%20c/items?limit=10&f=csv&cursor=z")
    # the body has the room
    (whole,) = [link for link in found.members() if link["rel"] == "next"]
    assert parameters(whole).items() >= {"filter": "x" * 8000, "limit": "10", "f": "csv"}.items()
    held, cursor = unpack_cursor(parameters({"href": following})["cursor"])
    assert (held, cursor) == ({"filter": "x" * 8000}, parameters(whole)["cursor"])
