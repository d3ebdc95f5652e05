"""A page that is opened under another name than `DAMS_PUBLIC_URL`."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web

from libs.web.app import Call
from libs.web.html import asset_folder, page_response
from tests.libs.web.test_app import THING
from tests.libs.web.test_app import _serving as serving


@pytest.mark.parametrize(
    ("public_url", "policy", "assets"),
    [
        (None, "script-src 'self';", "http://a.example/assets/"),
        ("https://maps.example.org:444/gis/api", "script-src 'self' https://maps.example.org:444;", "../../../assets/"),
    ],
)
async def test_a_page_works_under_another_name_than_the_public_one(
    tmp_path: Path, public_url: str | None, policy: str, assets: str
) -> None:
    (tmp_path / "page.html").write_text("{{ asset('site.css') }} {{ assets }} {{ base }}")

    async def page(call: Call) -> web.StreamResponse:
        return page_response(call.request, "page.html", {})

    settings = {"DAMS_PUBLIC_URL": public_url} if public_url else {}
    async with serving(tmp_path, page, templates=tmp_path, **settings) as ask:
        response = await ask(f"{THING}?f=html", Host="a.example")
        text = await response.text()
    assert policy in response.headers["Content-Security-Policy"]
    stylesheet, folder, base = text.split()
    assert stylesheet.startswith(f"{assets}site-")
    assert (f"{folder}/", base) == (assets, public_url or "http://a.example")


def test_the_first_page_has_two_addresses_and_absolute_assets() -> None:
    assert asset_folder("/", "https://a.example/api", fixed=True) == "https://a.example/api/assets"
    assert asset_folder("/map", "https://a.example/api", fixed=True) == "assets"
