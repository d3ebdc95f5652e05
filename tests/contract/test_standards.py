"""Requirements of OGC's standards and their executable test suites, as far as a program can check them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest

from libs.ogc.link import LINK_TYPES
from tests.contract.conftest import COLLECTION, Api

pytestmark = pytest.mark.system

JSON = "application/json"
REL = "http://www.opengis.net/def/rel/ogc/1.0"
# TEAM Engine's headers for a document and for a tile
SUITE_JSON = "application/json, application/javascript, text/javascript, text/json"
SUITE_TILE = "text/html, image/gif, image/jpeg, */*; q=0.2"
FEATURES = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf"
TILES = "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf"
COMMON = "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf"

Links = list[dict[str, Any]]


def _only(links: Links, rel: str) -> dict[str, Any]:
    (found,) = [link for link in links if link["rel"] == rel]
    return found


def _with_links(api: Api) -> dict[str, Links]:
    """Return the links of one resource of each kind with links."""
    found = {}
    for operation in api.operations():
        if "application/schema+json" in operation.content() or operation.path.endswith("{y}"):
            continue
        media_type = next(iter(operation.content()))
        if "json" in media_type:
            body = api.get(api.address(operation.path), Accept=media_type).json()
            if "links" in body:
                found[operation.path] = body["links"]
    assert len(found) >= 9
    return found


def test_every_link_is_absolute_has_a_relation_and_leads_somewhere(api: Api) -> None:
    seen: set[tuple[str, str]] = set()
    for path, links in _with_links(api).items():
        for link in links:
            assert link["rel"], path
            assert re.match(r"https?://", link["href"]), (path, link)
            assert "charset" not in link.get("type", ""), (path, link)
            if link.get("templated") or not link["href"].startswith(api.base):
                continue
            seen.add((link["href"], link.get("type", "*/*")))
    for href, media_type in sorted(seen):
        answer = api.get(href, Accept=media_type)
        assert answer.status == 200, (href, media_type, answer.status)
        assert media_type in {"*/*", answer.type.partition("; charset")[0]}, (href, answer.type)


def test_self_and_alternate_for_every_encoding(api: Api) -> None:
    links_of = _with_links(api)
    for operation in api.operations():
        links = links_of.get(operation.path)
        if links is None:
            continue
        own = [link for link in links if link["rel"] in {"self", "alternate"}]
        assert set(operation.content()) & LINK_TYPES <= {link.get("type") for link in own}, operation.path
        # without a listed type, a link to another encoding is `alternate` in the header alone
        unlisted = [link for link in links if link["rel"] == "related" and "type" not in link]
        assert len(own) + len(unlisted) >= len(operation.negotiated()), operation.path
        assert _only(links, "self")["type"] == next(iter(operation.content())), operation.path


def test_landing_page(api: Api) -> None:
    answer = api.get("/", Accept=SUITE_JSON)
    links = answer.json()["links"]
    relations = {link["rel"] for link in links}
    assert {"self", "service-desc", "service-doc", "conformance", "data"} <= relations
    assert {f"{REL}/tiling-schemes", f"{REL}/conformance", f"{REL}/data"} <= relations
    description = _only(links, "service-desc")
    assert description["type"] == "application/vnd.oai.openapi+json;version=3.0"
    document = api.get(description["href"].partition("?")[0], Accept=description["type"])
    assert document.type == description["type"]
    assert document.json()["openapi"].startswith("3.0")


def test_conformance_declares_what_is_there(api: Api) -> None:
    declared = set(api.get("/conformance", Accept=SUITE_JSON).json()["conformsTo"])
    assert {f"{FEATURES}/{name}" for name in ("core", "geojson", "html", "oas30")} <= declared
    assert {f"{COMMON}/{name}" for name in ("core", "landing-page", "json", "html", "oas30")} <= declared
    assert {
        f"{TILES}/{name}"
        for name in ("core", "tileset", "tilesets-list", "dataset-tilesets", "geodata-tilesets", "mvt", "oas30")
    } <= declared
    assert all(uri.startswith("http://www.opengis.net/spec/") for uri in declared)


def test_a_collection_is_the_same_in_both_places(api: Api) -> None:
    listed = {entry["id"]: entry for entry in api.get("/collections?limit=1000").json()["collections"]}
    for identifier, entry in listed.items():
        one = api.get(f"/collections/{identifier}").json()
        for member in ("id", "title", "description", "extent", "itemType", "crs"):
            assert one.get(member) == entry.get(member), (identifier, member)
        assert _only([link for link in one["links"] if link["rel"] == "items"][:1], "items")
        types = {link.get("type") for link in one["links"] if link["rel"] == "items"}
        assert "application/geo+json" in types, identifier
        assert any(link["rel"] == f"{REL}/queryables" for link in one["links"]), identifier


def test_items_name_their_queryables_in_the_header(api: Api) -> None:
    answer = api.get(f"/collections/{COLLECTION}/items?limit=1", Accept="application/geo+json")
    assert f'rel="{REL}/queryables"' in " ".join(answer.headers.get_all("Link", []))


def test_items_page_to_the_end_and_count_right(api: Api) -> None:
    window = {"datetime": "2018-02-01T00:00:00Z/2018-02-03T00:00:00Z", "limit": "97"}
    page = api.get(f"/collections/{COLLECTION}/items", window, Accept="application/geo+json").json()
    matched, seen = page["numberMatched"], list[object]()
    while True:
        assert page["numberReturned"] == len(page["features"])
        assert datetime.fromisoformat(page["timeStamp"]).tzinfo
        seen += [feature["id"] for feature in page["features"]]
        following = [link for link in page["links"] if link["rel"] == "next"]
        if not following:
            break
        page = api.get(following[0]["href"], Accept="application/geo+json").json()
    assert len(seen) == len(set(seen)) == matched
    assert matched > 97


def test_a_feature_knows_itself_and_its_collection(api: Api) -> None:
    item = api.get(api.address("/collections/{collectionId}/items/{itemId}"), Accept="application/geo+json").json()
    assert str(item["id"]) == api.places["itemId"]
    assert {"self", "collection", "alternate"} <= {link["rel"] for link in item["links"]}


@pytest.mark.parametrize(
    ("bbox", "holds"),
    [
        (".5,-.25,60.75,40", lambda x, y: 0.5 <= x <= 60.75 and -0.25 <= y <= 40),
        ("177,-65,-177,70", lambda x, y: (x >= 177 or x <= -177) and -65 <= y <= 70),
        ("0,-40,-100,60,40,800", lambda x, y: 0 <= x <= 60 and -40 <= y <= 40),
        ("-180,60,180,90", lambda _, y: y >= 60),
    ],
)
def test_boxes_of_the_suite(api: Api, bbox: str, holds: object) -> None:
    assert callable(holds)
    for spelt in (bbox, bbox.replace(",", "%2C")):
        page = api.get(f"/collections/{COLLECTION}/items?limit=50&bbox={spelt}", Accept="application/geo+json").json()
        assert page["features"], bbox
        assert all(holds(*feature["geometry"]["coordinates"][:2]) for feature in page["features"]), bbox


@pytest.mark.parametrize(("start", "most"), [(f"/collections/{COLLECTION}", 13), ("/", 2)])
def test_tilesets(api: Api, start: str, most: int) -> None:
    entry = _only(api.get(start, Accept=SUITE_JSON).json()["links"], f"{REL}/tilesets-vector")
    tilesets = api.get(entry["href"].partition("?")[0], Accept=SUITE_JSON).json()["tilesets"]
    assert len(tilesets) == 13
    for item in tilesets[:most]:
        assert item["dataType"] == "vector"
        assert item["crs"]
        own = _only(item["links"], "self")
        assert own["type"] == JSON
        scheme = _only(item["links"], f"{REL}/tiling-scheme")
        definition = api.get(scheme["href"].partition("?")[0], Accept=SUITE_JSON).json()
        matrices, identifier = definition["tileMatrices"], definition["id"]
        # a set outside OGC's register is named by its address here
        here = identifier in {"LINZAntarticaMapTilegrid", "NZTM2000Quad", "WGS1984Quad"}
        uri = scheme["href"] if here else f"http://www.opengis.net/def/tilematrixset/OGC/1.0/{identifier}"
        assert definition["uri"] == item["tileMatrixSetURI"] == uri
        tileset = api.get(own["href"].partition("?")[0], Accept=SUITE_JSON).json()
        assert tileset["tileMatrixSetURI"] == item["tileMatrixSetURI"]
        assert _only(tileset["links"], f"{REL}/tiling-scheme")["href"] == scheme["href"]
        template = _only(tileset["links"], "item")
        assert template["templated"] is True
        assert template["type"] == "application/vnd.mapbox-vector-tile"
        assert template["href"].endswith("/{tileMatrix}/{tileCol}/{tileRow}")
        limits = tileset["tileMatrixSetLimits"]
        assert [limit["tileMatrix"] for limit in limits] == [matrix["id"] for matrix in matrices]
        for limit, matrix in zip(limits, matrices, strict=True):
            assert 0 <= limit["minTileRow"] <= limit["maxTileRow"] < matrix["matrixHeight"]
            assert 0 <= limit["minTileCol"] <= limit["maxTileCol"] < matrix["matrixWidth"]
        first = limits[0]
        for row, column in (("minTileRow", "minTileCol"), ("maxTileRow", "maxTileCol")):
            tile = (
                template["href"]
                .replace("{tileMatrix}", first["tileMatrix"])
                .replace("{tileRow}", str(first[row]))
                .replace("{tileCol}", str(first[column]))
            )
            answer = api.get(tile, Accept=SUITE_TILE)
            assert (answer.status, answer.type) == (200, "application/vnd.mapbox-vector-tile"), tile
        far = template["href"].replace("{tileMatrix}", first["tileMatrix"])
        for row, column in (("2147483647", "0"), ("0", "2147483647")):
            tile = far.replace("{tileRow}", row).replace("{tileCol}", column)
            assert api.get(tile, Accept=SUITE_TILE).status == 404, tile


def test_queryables_are_a_json_schema(api: Api) -> None:
    answer = api.get(f"/collections/{COLLECTION}/queryables", Accept="application/schema+json")
    assert answer.type == "application/schema+json"
    schema = answer.json()
    assert schema["$id"] == answer.url
    assert schema["type"] == "object"
    spatial = [entry for entry in schema["properties"].values() if str(entry.get("format", "")).startswith("geometry-")]
    assert spatial


def test_bad_requests_of_the_suite_are_refused(api: Api) -> None:
    items = f"/collections/{COLLECTION}/items"
    for query in ("limit=unlimited", "unknownQueryParameter=42", "bbox=1,2,3", "datetime=200-01-01"):
        assert api.get(f"{items}?{query}").status == 422, query
