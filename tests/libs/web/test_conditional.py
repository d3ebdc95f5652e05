"""What an answer says of how long it keeps, and which requests it answers again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from libs.ogc.media_type import MediaType
from libs.web.base_url import SETTINGS
from libs.web.build_id import SERVICE
from libs.web.conditional import DATA_CACHE, data_headers
from libs.web.settings import WebSettings


@dataclass
class Version:
    token: str = "a"
    since: datetime = field(default_factory=lambda: datetime.now(UTC) - timedelta(minutes=1))
    http_date: str = "Sun, 22 Nov 2026 12:00:00 GMT"


def request() -> web.Request:
    app = web.Application()
    app[SETTINGS] = WebSettings.from_env({"PORT": "1"})
    app[SERVICE] = "common"
    return make_mocked_request("GET", "/collections/a/items", app=app)


def test_what_has_no_version_is_asked_for_again_each_time() -> None:
    assert data_headers(request(), MediaType.JSON, None) == {"Cache-Control": "no-cache"}


def test_what_has_one_keeps_for_a_second_and_has_a_tag_of_the_version_and_the_limits() -> None:
    first = data_headers(request(), MediaType.JSON, Version())
    assert (first["Cache-Control"], first["Last-Modified"]) == (DATA_CACHE, Version.http_date)
    others = [
        data_headers(request(), MediaType.JSON, Version("b")),
        data_headers(request(), MediaType.JSON, Version(), limits="5"),
        data_headers(request(), "text/csv", Version()),
    ]
    assert len({first["ETag"], *(headers["ETag"] for headers in others)}) == 4
    assert data_headers(request(), MediaType.JSON, Version())["ETag"] == first["ETag"]


def test_a_second_that_is_not_over_was_no_last_modification() -> None:
    soon = Version(since=datetime.now(UTC) + timedelta(minutes=1))
    assert "Last-Modified" not in data_headers(request(), MediaType.JSON, soon)
