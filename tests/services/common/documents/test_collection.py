"""The Collection resource: its members, links and licences, as they follow from the collection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn, Publisher, TimeColumn
from libs.ogc.crs import CRS84, crs_uri
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import CollectionLink, Whole
from services.common.documents.collection import absolute, collection_json, extent_json, facts, publication_json

BASE = "https://example.org/api"
ITEMS = CollectionLink(Link("/collections/{collectionId}/items", "items", "application/geo+json", "Features"))
TILES = CollectionLink(
    Link("/collections/{collectionId}/tiles/{z}", "item", "image/png", templated=True), needs_geometry=True
)
WHOLE = Whole((), (), (ITEMS, TILES))
START, END = "2020-01-01T00:00:00Z", "2020-06-01T00:00:00Z"
AT = TimeColumn("at", "timestamptz", START, END)
PLACE = GeometryColumn("place", "Point", 3857, bbox=(170.0, -20.0, -160.0, 10.0))
PLAIN = Collection("a/b.c", "a/b", "c", 1, "table", "C", None, (Column("id", "integer", "integer"),))
GDACS = Publisher("GDACS", "CC BY 4.0", "https://example.org/by", "© GDACS", 360, "2020-01-01T00:00:00Z")
NOAA = Publisher("NOAA", "public domain", None, "NOAA", 3600, "2020-01-02T00:00:00Z")


def _document(collection: Collection, media_type: str = MediaType.JSON) -> dict[str, Any]:
    return collection_json(collection, WHOLE, BASE, media_type)


def _links(collection: Collection, *rels: str, media_type: str = MediaType.JSON) -> list[tuple[str, str]]:
    return [(link["rel"], link["href"]) for link in _document(collection, media_type)["links"] if link["rel"] in rels]


def test_what_is_not_known_is_left_out() -> None:
    document = _document(PLAIN)
    assert document.pop("links")
    assert document == {"id": "a/b.c", "title": "C", "itemType": "feature", "crs": [CRS84]}


def test_what_is_known_is_told() -> None:
    collection = replace(
        PLAIN,
        description="All of them",
        keywords=("one", "other"),
        attribution="Us",
        suggested_key="code",
        item_count=0,
        geometries=(PLACE,),
        times=(AT,),
        srids=(4326,),
    )
    document = _document(collection)
    assert document["description"] == "All of them"
    assert document["keywords"] == ["one", "other"]
    assert document["attribution"] == "Us"
    assert document["suggestedIdColumn"] == "code"
    # none at all is known, too
    assert document["itemCount"] == 0
    assert document["storageCrs"] == crs_uri(3857)
    assert document["crs"] == [CRS84, crs_uri(4326), crs_uri(3857)]
    assert document["extent"] == {
        "spatial": {"bbox": [[170.0, -20.0, -160.0, 10.0]], "crs": CRS84},
        "temporal": {
            "interval": [[START, END]],
            "trs": "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian",
        },
    }


def test_pages_of_rows_that_change_by_themselves_go_by_offset() -> None:
    assert _document(replace(PLAIN, kind="view"))["paging"] == "offset"
    assert "paging" not in _document(replace(PLAIN, kind="view", sources=(7,)))


def test_links_name_the_collection_below_the_base_url() -> None:
    # other braces are variables of a template
    with_place = replace(PLAIN, geometries=(PLACE,))
    tiles = f"{BASE}/collections/a%2Fb.c/tiles/{{z}}"
    assert _links(with_place, "items", "item") == [("items", f"{BASE}/collections/a%2Fb.c/items"), ("item", tiles)]
    assert _links(PLAIN, "items", "item") == [("items", f"{BASE}/collections/a%2Fb.c/items")]


@pytest.mark.parametrize(
    ("media_type", "own", "other"), [(MediaType.JSON, "json", "html"), (MediaType.HTML, "html", "json")]
)
def test_it_leads_to_its_other_representation(media_type: str, own: str, other: str) -> None:
    found = _links(PLAIN, "self", "alternate", media_type=media_type)
    assert [rel for rel, _ in found] == ["self", "alternate"]
    assert all(href.startswith(f"{BASE}/collections/a%2Fb.c") for _, href in found)
    assert [link["type"].partition("/")[2] for link in _document(PLAIN, media_type)["links"]][:2] == [own, other]


def test_each_part_of_the_data_has_its_licence() -> None:
    collection = replace(
        PLAIN,
        license="https://example.org/own",
        publishers=(GDACS, NOAA),
        part_licenses=(("Places", "https://example.org/places"),),
    )
    licences = [link for link in _document(collection)["links"] if link["rel"] == "license"]
    assert licences == [
        {"href": "https://example.org/own", "rel": "license", "title": "Licence of the data"},
        {"href": "https://example.org/by", "rel": "license", "title": "GDACS: CC BY 4.0"},
        {"href": "https://example.org/places", "rel": "license", "title": "Places"},
    ]
    assert _links(PLAIN, "license") == []


def test_publishers_are_told_and_the_newest_change_of_all() -> None:
    assert publication_json(PLAIN) == {}
    found = publication_json(replace(PLAIN, publishers=(NOAA, GDACS)))
    assert found["updated"] == "2020-01-02T00:00:00Z"
    assert found["publishers"] == [
        {
            "title": "NOAA",
            "attribution": "NOAA",
            "license": "public domain",
            "updateIntervalSeconds": 3600,
            "updated": "2020-01-02T00:00:00Z",
        },
        {
            "title": "GDACS",
            "attribution": "© GDACS",
            "license": "CC BY 4.0",
            "licenseUrl": "https://example.org/by",
            "updateIntervalSeconds": 360,
            "updated": "2020-01-01T00:00:00Z",
        },
    ]
    document = _document(replace(PLAIN, publishers=(NOAA,)))
    assert document["updated"] == "2020-01-02T00:00:00Z"
    fresh = publication_json(replace(PLAIN, publishers=(replace(NOAA, issued="2020-01-01T23:00:00Z", is_silent=True),)))
    assert (fresh["publishers"][0]["lastDocument"], fresh["publishers"][0]["isSilent"]) == (
        "2020-01-01T23:00:00Z",
        True,
    )
    assert fresh["publishers"][0]["delaySeconds"] == 3600
    # the newest document has not changed anything
    later = publication_json(replace(PLAIN, publishers=(replace(NOAA, issued="2020-01-02T01:00:00Z"),)))
    assert "delaySeconds" not in later["publishers"][0]


@pytest.mark.parametrize(
    ("geometries", "times", "members", "interval"),
    [
        ((), (), [], None),
        ((replace(PLACE, bbox=None),), (), [], None),
        ((PLACE,), (), ["spatial"], None),
        ((), (AT,), ["temporal"], [START, END]),
        ((), (replace(AT, end=None),), ["temporal"], [START, None]),
        ((), (replace(AT, start=None),), ["temporal"], [None, END]),
        ((), (replace(AT, start=None, end=None),), [], None),
    ],
)
def test_an_extent_is_as_far_as_it_is_known(
    geometries: tuple[GeometryColumn, ...],
    times: tuple[TimeColumn, ...],
    members: list[str],
    interval: list[str | None] | None,
) -> None:
    found = extent_json(replace(PLAIN, geometries=geometries, times=times))
    assert sorted(found) == members
    if interval is not None:
        assert found["temporal"]["interval"] == [interval]


def test_a_page_is_told_what_the_document_has_no_member_for() -> None:
    until = TimeColumn("until", "timestamptz", START, "2030-01-01T00:00:00Z")
    found = facts(replace(PLAIN, rows=7, geometries=(PLACE,), times=(AT, until)))
    assert (found["rows"], found["bbox"], found["geometry_type"]) == (7, PLACE.bbox, "Point")
    assert (found["properties"], found["time"], found["as_of"]) == (PLAIN.columns, (START, END), END)
    assert [*found["time_columns"]] == [AT]
    lasting = facts(replace(PLAIN, times=(AT, until), time_end="until"))
    assert [*lasting["time_columns"]] == [AT, until]
    nothing = facts(PLAIN)
    assert (nothing["bbox"], nothing["geometry_type"], [*nothing["time_columns"]]) == (None, None, [])


def test_links_of_other_servers_stay_as_they_are() -> None:
    links = [Link("/map", "map"), Link("https://elsewhere.example/", "about")]
    assert [link.href for link in absolute(BASE, links)] == [f"{BASE}/map", "https://elsewhere.example/"]
