from pathlib import Path

import pytest
import yaml

import libs.web
from libs.ogc.link import (
    LINK_TYPES,
    REL_CONFORMANCE,
    REL_DATA,
    REL_FUNCTIONS,
    REL_QUERYABLES,
    REL_SCHEMA,
    REL_SORTABLES,
    REL_TILESETS_VECTOR,
    REL_TILING_SCHEME,
    REL_TILING_SCHEMES,
    Link,
    is_web_address,
    path_segment,
)


def test_a_link_has_the_members_that_are_set() -> None:
    assert Link("/a", "self", "text/html").to_json() == {"href": "/a", "rel": "self", "type": "text/html"}
    assert Link("/{z}", "item", "text/csv", title="A", templated=True).to_json() == {
        "href": "/{z}",
        "rel": "item",
        "type": "text/csv",
        "title": "A",
        "templated": True,
    }


def test_json_leaves_out_types_that_the_contract_lacks() -> None:
    link = Link("/a", "enclosure", "application/flatgeobuf", "FlatGeobuf")
    assert link.to_json() == {"href": "/a", "rel": "enclosure", "title": "FlatGeobuf"}
    assert link.members() == {**link.to_json(), "type": "application/flatgeobuf"}


def test_alternate_link_of_unlisted_type_is_related_in_json() -> None:
    link = Link("/a", "alternate", "application/flatgeobuf")
    assert link.to_json() == {"href": "/a", "rel": "related"}
    assert link.to_header() == '</a>; rel="alternate"; type="application/flatgeobuf"'
    assert link.to_header().endswith('; type="application/flatgeobuf"')
    # the document of the API has the same list
    schemas = yaml.safe_load((Path(libs.web.__file__).parent / "components.yaml").read_text())["schemas"]
    assert set(schemas["MediaType"]["enum"]) == LINK_TYPES


def test_a_link_in_a_header_has_no_title() -> None:
    assert Link("/a", "next", "text/html", "Überall").to_header() == '</a>; rel="next"; type="text/html"'
    assert Link("/a", "license").to_header() == '</a>; rel="license"'


def test_an_id_is_one_segment_of_a_path() -> None:
    assert path_segment("a/b c?ü~.-_") == "a%2Fb%20c%3F%C3%BC~.-_"


def test_relations_of_the_ogc_are_those_of_its_register() -> None:
    """https://www.opengis.net/def/rel/ogc/1.0, by which clients find what they look for."""
    found = (
        REL_CONFORMANCE,
        REL_DATA,
        REL_FUNCTIONS,
        REL_QUERYABLES,
        REL_SCHEMA,
        REL_SORTABLES,
        REL_TILESETS_VECTOR,
        REL_TILING_SCHEME,
        REL_TILING_SCHEMES,
    )
    assert [
        str(Link("/", rel).to_json()["rel"]).removeprefix("http://www.opengis.net/def/rel/ogc/1.0/") for rel in found
    ] == [
        "conformance",
        "data",
        "functions",
        "queryables",
        "schema",
        "sortables",
        "tilesets-vector",
        "tiling-scheme",
        "tiling-schemes",
    ]


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("https://a.example/b", True),
        ("HTTP://a.example", True),
        ("https://a.example:444?b=c@d", True),
        ("https://[::1]/a", True),
        ("https://me:secret@a.example/b", False),
        ("https://token@a.example", False),
        ("https://a\\@b.example/", False),
        ("https://a b", False),
        ("https://", False),
        ("javascript:alert(1)", False),
        ("see https://a.example", False),
    ],
)
def test_what_pages_link_has_no_credentials(text: str, linked: bool) -> None:
    assert is_web_address(text) is linked
