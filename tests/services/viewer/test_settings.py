"""Settings of the viewer: an operator's basemap, and what it opens in the pages' policy."""

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from libs.web.basemap import Basemap
from libs.web.html import CONTENT_SECURITY_POLICY
from libs.web.settings import SettingsError
from services.viewer.app import make
from services.viewer.pages.map_page import content_security_policy
from services.viewer.settings import Settings

_TILES = "https://tiles.example.org:8443/light/{z}/{x}/{y}.png?key=1"
_ENV = {"DAMS_BASEMAP_TILES": _TILES, "DAMS_BASEMAP_ATTRIBUTION": "Example <b>maps</b>"}


def _directives(policy: str) -> dict[str, list[str]]:
    return {name: sources for name, *sources in (part.split() for part in policy.split(";"))}


def test_our_own_basemap_is_the_default() -> None:
    assert Settings.from_env({}).basemap is None
    assert content_security_policy(None) == CONTENT_SECURITY_POLICY


def test_an_operators_basemap() -> None:
    basemap = Settings.from_env(_ENV).basemap
    assert basemap == Basemap(_TILES, "Example <b>maps</b>", 19)
    assert Settings.from_env(_ENV | {"DAMS_BASEMAP_MAX_ZOOM": "12"}).basemap == Basemap(
        _TILES, "Example <b>maps</b>", 12
    )


def test_the_policy_opens_for_images_and_requests_of_that_origin_only() -> None:
    before = _directives(CONTENT_SECURITY_POLICY)
    after = _directives(content_security_policy(Settings.from_env(_ENV).basemap))
    origin = "https://tiles.example.org:8443"
    assert after.pop("img-src") == [*before.pop("img-src"), origin]
    assert after.pop("connect-src") == [*before.pop("connect-src"), origin]
    assert after == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"DAMS_BASEMAP_TILES": "tiles/{z}/{x}/{y}.png"}, "DAMS_BASEMAP_TILES"),
        ({"DAMS_BASEMAP_TILES": "https://example.org/{z}/{x}.png"}, "DAMS_BASEMAP_TILES"),
        ({"DAMS_BASEMAP_TILES": "https://example.org; script-src */{z}/{x}/{y}"}, "DAMS_BASEMAP_TILES"),
        ({"DAMS_BASEMAP_TILES": "https://a.example.org,b.example.org/{z}/{x}/{y}"}, "DAMS_BASEMAP_TILES"),
        ({"DAMS_BASEMAP_TILES": "https://example.org/{z}/{x}/{y};x"}, "DAMS_BASEMAP_TILES"),
        ({"DAMS_BASEMAP_ATTRIBUTION": " "}, "DAMS_BASEMAP_ATTRIBUTION"),
        ({"DAMS_BASEMAP_MAX_ZOOM": "99"}, "DAMS_BASEMAP_MAX_ZOOM"),
    ],
)
def test_faults_are_reported_at_start(change: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Settings.from_env(_ENV | change)


async def test_only_maps_open_to_its_origin(dist: Path, tmp_path: Path) -> None:
    (tmp_path / "viewer-catalogue.json").write_text('{"collections": []}')
    app = make({"DAMS_STATE_DIR": str(tmp_path), "DAMS_CATALOGUE_URL": "http://127.0.0.1:9"} | _ENV)
    async with TestClient(TestServer(app)) as client:
        response = await client.get("/map")
        assert "img-src 'self' data: https://tiles.example.org:8443;" in response.headers["Content-Security-Policy"]
        explorer = await client.get("/docs")
        assert explorer.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY


@pytest.mark.parametrize(
    ("text", "ancestors"),
    [
        ("https://a.example.org", ["https://a.example.org"]),
        ("https://*.example.org:8443, http://b.example.org", ["https://*.example.org:8443", "http://b.example.org"]),
        ("*", ["*"]),
        ("none", ["'none'"]),
    ],
)
def test_pages_of_these_origins_may_hold_a_map(text: str, ancestors: list[str]) -> None:
    origins = Settings.from_env({"DAMS_EMBED_ORIGINS": text}).embed_origins
    before = _directives(CONTENT_SECURITY_POLICY)
    after = _directives(content_security_policy(None, origins))
    assert before.pop("frame-ancestors") == ["'none'"]
    assert after.pop("frame-ancestors") == ancestors
    assert after == before


@pytest.mark.parametrize(
    "text",
    ["example.org", "https://a.example.org/page", "https://a.example.org; script-src *", "'self'", "ftp://a", "**"],
)
def test_what_is_no_origin_is_refused_at_start(text: str) -> None:
    with pytest.raises(SettingsError, match="DAMS_EMBED_ORIGINS"):
        Settings.from_env({"DAMS_EMBED_ORIGINS": text})


async def test_maps_alone_may_be_held_and_offer_their_code(dist: Path, tmp_path: Path) -> None:
    (tmp_path / "viewer-catalogue.json").write_text('{"collections": []}')
    env = {"DAMS_STATE_DIR": str(tmp_path), "DAMS_CATALOGUE_URL": "http://127.0.0.1:9"}
    for text, held in (("", "*"), ("none", "'none'"), ("https://a.example.org", "https://a.example.org")):
        async with TestClient(TestServer(make(env | {"DAMS_EMBED_ORIGINS": text}))) as client:
            response = await client.get("/map")
            assert _directives(response.headers["Content-Security-Policy"])["frame-ancestors"] == [held]
            assert ('name="embed"' in await response.text()) == (text != "none")
            explorer = await client.get("/docs")
            assert explorer.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY


async def test_a_map_says_to_other_programs_what_it_is(dist: Path, tmp_path: Path) -> None:
    (tmp_path / "viewer-catalogue.json").write_text('{"collections": []}')
    app = make(
        {
            "DAMS_STATE_DIR": str(tmp_path),
            "DAMS_CATALOGUE_URL": "http://127.0.0.1:9",
            "DAMS_PUBLIC_URL": "https://example.org/api",
        }
    )
    async with TestClient(TestServer(app)) as client:
        text = await (await client.get("/map?event=AL112017")).text()
    assert '<meta property="og:title" content="Map of all collections">' in text
    assert '<meta property="og:url" content="https://example.org/api/map?event=AL112017">' in text
