"""The messages between services and gateway about the parts of each service."""

from __future__ import annotations

from typing import Any

import pytest

from libs.ogc.link import Link
from libs.ogc.service_part import CollectionLink, ServicePart, Whole

ITEMS = CollectionLink(Link("/collections/{collectionId}/items", "items", "application/geo+json", "Items"))
TILES = CollectionLink(Link("/collections/{collectionId}/tiles", "tilesets", templated=True), needs_geometry=True)
PART = ServicePart(
    "features",
    {"paths": {"/collections/{collectionId}/items": {}}},
    ("http://example.org/conf/core", "http://example.org/conf/geojson"),
    (Link("/events", "events"), Link("/feed", "feed", "application/atom+xml")),
    (ITEMS, TILES),
    ("/assets/", "/fonts/"),
)


def test_a_part_comes_through_as_it_was() -> None:
    assert ServicePart.from_json(PART.to_json()) == PART
    bare = ServicePart("features", {"paths": {}}, ())
    assert ServicePart.from_json(bare.to_json()) == bare
    # as releases had it that did not know them
    without_assets = {name: value for name, value in bare.to_json().items() if name != "assets"}
    assert ServicePart.from_json(without_assets) == bare


def test_a_part_in_json_has_the_members_that_the_gateway_reads() -> None:
    assert PART.to_json() == {
        "name": "features",
        "openapi": PART.openapi,
        "assets": ["/assets/", "/fonts/"],
        "conformsTo": ["http://example.org/conf/core", "http://example.org/conf/geojson"],
        "landingLinks": [
            {"href": "/events", "rel": "events"},
            {"href": "/feed", "rel": "feed", "type": "application/atom+xml"},
        ],
        "collectionLinks": [
            {
                "href": "/collections/{collectionId}/items",
                "rel": "items",
                "type": "application/geo+json",
                "title": "Items",
                "needsGeometry": False,
            },
            {
                "href": "/collections/{collectionId}/tiles",
                "rel": "tilesets",
                "templated": True,
                "needsGeometry": True,
            },
        ],
    }


def test_a_link_is_of_every_collection_unless_it_says_otherwise() -> None:
    link = {"href": "/a", "rel": "a"}
    assert not CollectionLink.from_json(link).needs_geometry
    assert CollectionLink.from_json(link | {"needsGeometry": True}).needs_geometry
    assert not CollectionLink(Link("/a", "a")).needs_geometry


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": 1}, "the part's name is missing or not a str"),
        ({"openapi": []}, "the part's openapi is missing or not a dict"),
        ({"openapi": {}}, "the part's document has no paths"),
        ({"conformsTo": None}, "the part's conformsTo is missing or not a list"),
        ({"landingLinks": {}}, "the part's landingLinks is missing or not a list"),
        ({"collectionLinks": {}}, "the part's collectionLinks is missing or not a list"),
        ({"assets": None}, "the part's assets is missing or not a list"),
        ({"assets": ["/a/", 2]}, "the part's assets are not all texts"),
        ({"landingLinks": [{"href": "/a"}]}, "the part has a link that is none"),
        ({"collectionLinks": [["/a"]]}, "the part has a link that is none"),
    ],
)
def test_what_is_no_part_is_told(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}"):
        ServicePart.from_json(PART.to_json() | wrong)


def test_what_is_no_object_is_no_part() -> None:
    with pytest.raises(ValueError, match=r"^the part is not an object$"):
        ServicePart.from_json([PART.to_json()])


def test_the_whole_has_what_all_parts_have_in_their_order() -> None:
    other = ServicePart(
        "tiles",
        {"paths": {}},
        ("http://example.org/conf/core", "http://example.org/conf/tiles"),
        (Link("/tiles", "tilesets"),),
        (TILES,),
    )
    whole = Whole.of(iter([PART, other]))
    assert whole.conforms_to == (
        "http://example.org/conf/core",
        "http://example.org/conf/geojson",
        "http://example.org/conf/tiles",
    )
    assert [link.href for link in whole.landing_links] == ["/events", "/feed", "/tiles"]
    assert whole.collection_links == (ITEMS, TILES, TILES)
    assert Whole.from_json(whole.to_json()) == whole
    assert set(whole.to_json()) == {"conformsTo", "landingLinks", "collectionLinks"}
