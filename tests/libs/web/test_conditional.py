"""How long an answer says that it may be kept, and which conditional requests get a new body."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from libs.ogc.media_type import MediaType
from libs.web.accept_language import ENGLISH, LANGUAGES
from libs.web.base_url import SETTINGS
from libs.web.build_id import SERVICE, build_id, page_build_id
from libs.web.conditional import (
    CATALOGUE_CACHE,
    DATA_CACHE,
    NotModified,
    check_preconditions,
    check_tag,
    conditional,
    data_headers,
    etag_matches,
    incomplete,
    state_headers,
    unchanged_response,
    weak_etag,
)
from libs.web.languages import speak
from libs.web.respond import json_response
from libs.web.settings import WebSettings


@dataclass
class Version:
    token: str = "a"
    since: datetime = field(default_factory=lambda: datetime.now(UTC) - timedelta(minutes=1))
    http_date: str = "Sun, 22 Nov 2026 12:00:00 GMT"


def request(
    headers: dict[str, str] | None = None,
    *,
    path: str = "/collections/a/items",
    service: str = "common",
    **environment: str,
) -> web.Request:
    app = web.Application()
    app[SETTINGS] = WebSettings.from_env({"DAMS_PORT": "1", **environment})
    app[SERVICE] = service
    return make_mocked_request("GET", path, headers, app=app)


def test_what_has_no_version_is_asked_for_again_each_time() -> None:
    assert data_headers(request(), MediaType.JSON, None) == {"Cache-Control": "no-cache"}


def test_versioned_response_has_a_tag_of_version_and_limits() -> None:
    first = data_headers(request(), MediaType.JSON, Version())
    assert (first["Cache-Control"], first["Last-Modified"]) == (DATA_CACHE, Version.http_date)
    others = [
        data_headers(request(), MediaType.JSON, Version("b")),
        data_headers(request(), MediaType.JSON, Version(), limits="5"),
        data_headers(request(), "text/csv", Version()),
    ]
    assert len({first["ETag"], *(headers["ETag"] for headers in others)}) == 4
    assert data_headers(request(), MediaType.JSON, Version())["ETag"] == first["ETag"]


def test_a_tag_is_that_of_the_address_and_of_the_software() -> None:
    asked = [
        request(),
        request(path="/collections/b/items"),
        request(path="/collections/a/items?limit=1"),
        # absolute links make the body depend on the requested address
        request(DAMS_PUBLIC_URL="https://a.example/api"),
        request({"Host": "b.example"}),
        request(service="tiles"),
    ]
    assert len({data_headers(each, MediaType.JSON, Version())["ETag"] for each in asked}) == len(asked)


def test_how_long_caches_keep_an_answer_and_go_on_with_it() -> None:
    assert CATALOGUE_CACHE == "public, max-age=2, stale-while-revalidate=2, stale-if-error=60"
    assert DATA_CACHE == "public, max-age=1, stale-while-revalidate=2, stale-if-error=60"
    headers = data_headers(request(), MediaType.HTML, Version())
    assert headers["Vary"] == "Accept, Accept-Language"
    assert data_headers(request(), MediaType.JSON, Version())["Vary"] == "Accept"


def test_a_tag_is_made_of_all_that_decides_what_an_answer_says() -> None:
    asked = request(path="/a%20b?x=1", DAMS_PUBLIC_URL="https://a.example/api", DAMS_SITE_TITLE="Site")
    here = "https://a.example/api/a%20b?x=1"
    made_by = {
        MediaType.JSON: build_id("common"),
        MediaType.HTML: f"{page_build_id('common')}|Site|en",
    }
    for media_type, maker in made_by.items():
        assert state_headers(asked, media_type, "one", "two", cache_control="no-store") == {
            "ETag": weak_etag(f"{maker}|one|two|{media_type}|{here}"),
            "Cache-Control": "no-store",
            "Vary": "Accept, Accept-Language" if media_type == MediaType.HTML else "Accept",
        }
        assert state_headers(asked, media_type)["Cache-Control"] == CATALOGUE_CACHE
        expected = weak_etag(f"{maker}|a|5|{media_type}|{here}")
        assert data_headers(asked, media_type, Version(), limits="5")["ETag"] == expected
    # no two states have the same by chance
    assert weak_etag("a") == weak_etag(b"a") == 'W/"1ba3c523e770f3313cc91ab1"'


def test_a_second_that_is_not_over_was_no_last_modification() -> None:
    soon = Version(since=datetime.now(UTC) + timedelta(minutes=1))
    assert "Last-Modified" not in data_headers(request(), MediaType.JSON, soon)


MODIFIED = "Sun, 22 Nov 2026 12:00:00 GMT"
HEADERS = {"ETag": 'W/"a"', "Last-Modified": MODIFIED, "Content-Type": "text/csv"}


@pytest.mark.parametrize(
    ("sent", "unchanged", "known_at_once"),
    [
        ({}, False, False),
        ({"If-None-Match": 'W/"a"'}, True, True),
        ({"If-None-Match": '"x", "a"'}, True, True),
        ({"If-None-Match": "*"}, True, False),
        ({"If-None-Match": '"x"'}, False, False),
        ({"If-Modified-Since": MODIFIED}, True, False),
        ({"If-Modified-Since": "Sun, 22 Nov 2026 12:00:01 GMT"}, True, False),
        ({"If-Modified-Since": "Sun, 22 Nov 2026 11:59:59 GMT"}, False, False),
        # of no zone, and of another
        ({"If-Modified-Since": "Sun, 22 Nov 2026 12:00:00 -0000"}, True, False),
        ({"If-Modified-Since": "Sun, 22 Nov 2026 12:00:00 +0100"}, False, False),
        ({"If-Modified-Since": "yesterday"}, False, False),
        # the tag is what counts, where there is one
        ({"If-None-Match": '"x"', "If-Modified-Since": MODIFIED}, False, False),
        ({"If-None-Match": ""}, False, False),
    ],
)
def test_a_copy_is_still_right_by_its_tag_or_else_by_its_date(
    sent: dict[str, str], unchanged: bool, known_at_once: bool
) -> None:
    for check, expected in ((check_preconditions, unchanged), (check_tag, known_at_once)):
        if expected:
            with pytest.raises(NotModified) as raised:
                check(request(sent), HEADERS)
            assert (raised.value.headers, str(raised.value)) == (HEADERS, "the client holds the answer already")
        else:
            check(request(sent), HEADERS)
    check_preconditions(request(sent), {"Last-Modified": MODIFIED})
    check_preconditions(request({"If-Modified-Since": MODIFIED}), {"ETag": '"a"'})


def test_unchanged_response_has_no_body_headers() -> None:
    unchanged = unchanged_response(NotModified(HEADERS))
    assert (unchanged.status, unchanged.headers["ETag"]) == (304, HEADERS["ETag"])
    assert (unchanged.headers["Last-Modified"], unchanged.body) == (MODIFIED, None)
    assert unchanged.headers.get("Content-Type") != "text/csv"
    assert incomplete({**HEADERS, "Vary": "Accept"}) == {"Content-Type": "text/csv", "Vary": "Accept"}


def test_a_document_has_the_tag_of_its_body_and_type() -> None:
    def tag(document: object, media_type: str = MediaType.JSON, **sent: str) -> str:
        headers = {name.replace("_", "-"): text for name, text in sent.items()}
        response = conditional(request(headers), json_response(document, media_type=media_type))
        assert response.headers["Cache-Control"] == CATALOGUE_CACHE
        assert response.headers["Vary"] == ("Accept, Accept-Language" if media_type == MediaType.HTML else "Accept")
        return response.headers["ETag"]

    assert tag({"a": 1}) == tag({"a": 1}) != tag({"a": 2})
    assert tag({"a": 1}) != tag({"a": 1}, "application/geo+json")
    assert tag({"a": 1}) != tag({"a": 1}, MediaType.HTML)
    with pytest.raises(NotModified):
        tag({"a": 1}, If_None_Match=tag({"a": 1}))
    with pytest.raises(TypeError):
        conditional(request(), web.Response())
    assert (etag_matches(None, '"a"'), etag_matches(" * ", '"a"'), etag_matches('"b" , W/"a"', '"a"')) == (
        False,
        True,
        True,
    )


def test_tag_of_a_page_depends_on_language_and_site_name() -> None:
    def tag(media_type: str, title: str = "") -> str:
        return data_headers(request(DAMS_SITE_TITLE=title), media_type, Version())["ETag"]

    before = tag(MediaType.HTML), tag(MediaType.JSON)
    assert tag(MediaType.HTML, "Another") != before[0]
    assert tag(MediaType.JSON, "Another") == before[1]
    speak(LANGUAGES["es"])
    try:
        assert tag(MediaType.HTML) != before[0]
        assert tag(MediaType.JSON) == before[1]
    finally:
        speak(ENGLISH)
