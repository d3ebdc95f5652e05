"""Style sheets and scripts have names that change with their content."""

from __future__ import annotations

import re

import pytest

from libs.web.assets import asset_path, shared_asset, shared_assets


@pytest.mark.parametrize(
    ("ending", "content_type"),
    [("css", "text/css; charset=utf-8"), ("js", "text/javascript; charset=utf-8"), ("svg", "image/svg+xml")],
)
def test_each_file_has_its_type(ending: str, content_type: str) -> None:
    found = {kind for name, (_, kind) in shared_assets().items() if name.endswith(f".{ending}")}
    assert found == {content_type}


def test_a_name_is_that_of_the_file_and_its_content() -> None:
    name = asset_path("site.css")
    assert re.fullmatch(r"site-[0-9a-f]{12}\.css", name)
    content, kind = shared_assets()[name]
    assert content
    response = shared_asset(name)
    assert response is not None
    assert (response.body, response.headers["Content-Type"]) == (content, kind)
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    with pytest.raises(FileNotFoundError):
        asset_path("lost.css")


def test_the_name_of_another_release_leads_to_ours_for_a_short_time() -> None:
    other = shared_asset("site-0123456789ab.css")
    assert other is not None
    assert other.body == shared_assets()[asset_path("site.css")][0]
    assert other.headers["Cache-Control"] == "public, max-age=60"


@pytest.mark.parametrize(
    "name", ["site.css", "site-0123456789a.css", "lost-0123456789ab.css", "site-0123456789ab.svg", "../app.py", ""]
)
def test_what_is_no_such_name_is_nothing(name: str) -> None:
    assert shared_asset(name) is None
