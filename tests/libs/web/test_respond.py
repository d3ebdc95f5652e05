"""Bodies in JSON, with their type and what they vary with."""

from __future__ import annotations

from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.web.respond import body_response, json_bytes, json_response, links_json, vary


def test_names_of_members_may_be_numbers_and_nothing_is_between_them() -> None:
    assert json_bytes({1: [2, None], "ü": True}) == '{"1":[2,null],"ü":true}'.encode()


def test_an_answer_has_the_type_the_status_and_the_headers_that_are_given() -> None:
    plain = json_response({"a": 1})
    assert (plain.status, plain.body, plain.headers["Content-Type"]) == (200, b'{"a":1}', MediaType.JSON)
    other = json_response([], media_type="application/geo+json", status=503, headers={"Retry-After": "1"})
    assert (other.status, other.headers["Content-Type"]) == (503, "application/geo+json")
    assert other.headers["Retry-After"] == "1"
    page = body_response(b"<p>", media_type=MediaType.HTML)
    assert (page.status, page.body, page.headers["Content-Type"]) == (200, b"<p>", "text/html; charset=utf-8")
    # parameters of a type stay where they are
    versioned = body_response(b"{}", media_type="application/vnd.oai.openapi+json;version=3.0")
    assert versioned.headers["Content-Type"] == "application/vnd.oai.openapi+json;version=3.0"


def test_pages_vary_with_the_language_too() -> None:
    assert [vary(kind) for kind in (MediaType.HTML, MediaType.JSON)] == ["Accept, Accept-Language", "Accept"]


def test_links_are_written_in_their_order() -> None:
    links = [Link("/a", "self", "text/html", "A"), Link("/b", "next")]
    assert [(link["href"], link["rel"]) for link in links_json(iter(links))] == [("/a", "self"), ("/b", "next")]
