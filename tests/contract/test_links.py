"""A robot follows every link of the service, three deep: each target matches its link."""

from __future__ import annotations

import re
from collections import deque
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.contract.conftest import COLLECTION, Api, Response
from tests.eventually import eventually_true

pytestmark = pytest.mark.system

DEPTH = 3
# number of resources per kind to test: items and tilesets differ only in their names
EACH = 2
# formats without links; one address per path is tested, because each starts a writing process
FILES = {"fgb", "gpkg", "parquet"}
REL = "http://www.opengis.net/def/rel/ogc/1.0"


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = {"a": "href", "link": "href", "script": "src", "img": "src", "image": "href", "form": "action"}
        self.found += [value for name, value in attrs if name == wanted.get(tag) and value]


def _kind_of(address: str, base: str) -> str:
    """Return the address without the parts that differ between resources of one kind."""
    path, _, query = address.removeprefix(base).partition("?")
    path = re.sub(r"/collections/[^/]+", "/collections/x", path)
    path = re.sub(r"/items/[^/]+", "/items/x", path)
    path = re.sub(r"/(tiles|tileMatrixSets)/[^/]+", r"/\1/x", path)
    if (found := re.search(r"(?:^|&)f=(\w+)", query)) and found[1] in FILES:
        return f"{path}?f={found[1]}"
    return f"{path}?{'&'.join(sorted(re.sub(r'=.*', '', part) if not part.startswith('f=') else part for part in query.split('&')))}"  # noqa: E501


def _links(answer: Response) -> list[tuple[str, str | None]]:
    if answer.type.startswith("text/html"):
        parser = _Anchors()
        parser.feed(answer.body.decode())
        return [(href, None) for href in parser.found]
    if "json" not in answer.type or "seq" in answer.type or "ndjson" in answer.type:
        return []
    return list(_of_json(answer.json()))


def _of_json(node: Any) -> list[tuple[str, str | None]]:
    if isinstance(node, list):
        return [link for entry in node for link in _of_json(entry)]
    if not isinstance(node, dict):
        return []
    # a data query of EDR, which has variables, needs `coords`
    needs_values = node.get("templated") or "variables" in node
    is_link = isinstance(node.get("href"), str) and "rel" in node and not needs_values
    # /req/core/fc-links of Features Part 1
    assert not is_link or node["rel"] not in ("alternate", "collection") or node.get("type"), node
    # a stream has no end
    own = [(node["href"], node.get("type"))] if is_link and not node["href"].endswith("f=sse") else []
    return own + [link for value in node.values() for link in _of_json(value)]


def test_every_link_leads_somewhere(api: Api) -> None:
    waiting: deque[tuple[str, str | None, int]] = deque([(f"{api.base}/", None, 0), (f"{api.base}/?f=html", None, 0)])
    seen: set[tuple[str, str | None]] = set()
    kinds: dict[tuple[str, str | None], int] = {}
    while waiting:
        href, media_type, depth = waiting.popleft()
        address = href.partition("#")[0]
        kind = (_kind_of(address, api.base), media_type)
        most = 1 if kind[0].partition("?f=")[2] in FILES else EACH
        if not address.startswith(api.base) or (address, media_type) in seen or kinds.get(kind, 0) >= most:
            continue
        seen.add((address, media_type))
        kinds[kind] = kinds.get(kind, 0) + 1
        # request a page like a browser, and a document like a program that trusts the link's type
        answer = api.get(address, Accept=media_type or "*/*")
        assert answer.status == 200, (address, media_type, answer.status)
        if media_type is not None:
            assert answer.type.partition("; charset")[0] == media_type, (address, answer.type)
        if depth < DEPTH:
            waiting += [(found, kind_, depth + 1) for found, kind_ in _links(answer)]
    assert len(seen) > 150
    assert len(kinds) > 50


def test_a_collection_leads_to_everything_about_it(api: Api) -> None:
    links = api.get(f"/collections/{COLLECTION}", Accept="application/json").json()["links"]
    found = {(link["rel"], link.get("type")) for link in links}
    assert {
        ("license", None),
        ("self", "application/json"),
        ("alternate", "text/html"),
        ("items", "application/geo+json"),
        ("items", "application/json"),
        ("items", "text/html"),
        ("items", "text/csv"),
        ("items", "application/geo+json-seq"),
        ("items", "application/ndjson"),
        (f"{REL}/queryables", "application/schema+json"),
        (f"{REL}/schema", "application/schema+json"),
        (f"{REL}/tilesets-vector", "application/json"),
        (f"{REL}/tiling-schemes", "application/json"),
        ("describedby", "application/json"),
        ("stylesheet", "application/json"),
        ("preview", "text/html"),
    } <= found


def test_collections_state_item_count_and_licence(api: Api) -> None:
    collections: list[dict[str, Any]] = []

    def all_counted() -> bool:
        # a count that takes too long on a busy machine is made again later
        collections[:] = api.get("/collections", {"limit": "100"}, Accept="application/json").json()["collections"]
        return all("itemCount" in collection for collection in collections)

    eventually_true(all_counted)
    assert len(collections) >= 13
    for collection in collections:
        items = api.get(f"/collections/{collection['id']}/items", {"limit": "0", "f": "geojson"}).json()
        assert collection["itemCount"] == items["numberMatched"], collection["id"]
        licenses = [link for link in collection["links"] if link["rel"] == "license"]
        assert {link["href"][:8] for link in licenses} == {"https://"}
        # data with places have the places' licence, too
        names = api.get(f"/collections/{collection['id']}/schema").json()["properties"]
        of_places = names.keys() & {"nearest_place", "province", "population_in_places"}
        assert len(licenses) == (2 if of_places else 1), collection["id"]


def test_a_page_leads_to_counts_the_feed_and_the_file_of_the_same_features(api: Api) -> None:
    asked = {"filter": "event_date > TIMESTAMP('2018-02-01T00:00:00') AND magnitude >= 5", "limit": "3", "f": "geojson"}
    page = api.get(f"/collections/{COLLECTION}/items", asked).json()
    links = {(link["rel"], link.get("type")): link["href"] for link in page["links"]}
    (facets,) = (link["href"] for link in page["links"] if link.get("title", "").startswith("Counts by facets"))
    assert api.get(facets).json()["links"]
    counted = api.get(f"{facets}&facets=network").json()
    assert counted["numberMatched"] == page["numberMatched"] > 3
    whole = api.get(links["enclosure", "application/geo+json"]).json()
    assert whole["numberReturned"] == page["numberMatched"]
    (address,) = (link["href"] for link in page["links"] if link.get("title", "").endswith("as an Atom feed"))
    feed = api.get(address)
    assert feed.body.count(b"<entry>") == min(50, page["numberMatched"])
    # the interpretation of a time without a zone
    for link in ("self", "next"):
        assert "2018-02-01T00%3A00%3A00Z" in links[link, "application/geo+json"]
