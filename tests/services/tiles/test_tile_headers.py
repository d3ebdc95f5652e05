"""Which tile may be kept for ever: the one of exactly the version that its address names."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import make_mocked_request

from libs.web.conditional import NotModified
from services.tiles.store.tile_store import Tile
from services.tiles.tile_headers import LASTING, TileHeaders, tile_headers

USUAL = {"ETag": 'W/"a"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "Cache-Control": "max-age=1"}
EXACT, OTHER = Tile(b"x", "redis", exact=True), Tile(b"x", "redis")


def _of(headers: TileHeaders, tile: Tile, tag: str = "") -> dict[str, str]:
    return dict(headers.of(make_mocked_request("GET", "/", {"If-None-Match": tag} if tag else {}), tile))


def test_the_tile_of_the_version_that_is_asked_for_keeps_for_ever() -> None:
    found = tile_headers(USUAL, "7", "7")
    # dates cannot tell an exact copy from one that was made in the second before a change
    short = {"ETag": 'W/"a"', "Cache-Control": "max-age=1", "DAMS-Version": "7"}
    assert _of(found, OTHER) == short
    assert _of(found, EXACT) == {**short, "ETag": 'W/"ax"', "Cache-Control": LASTING}


@pytest.mark.parametrize(
    ("usual", "present", "wanted", "told"),
    [
        (USUAL, "7", "6", {"DAMS-Version": "7"}),
        (USUAL, "7", None, {"DAMS-Version": "7"}),
        (USUAL, None, "7", {}),
        (USUAL, None, None, {}),
        ({"Cache-Control": "no-cache"}, "7", "7", {"DAMS-Version": "7"}),
    ],
)
def test_any_other_keeps_a_second(
    usual: dict[str, str], present: str | None, wanted: str | None, told: dict[str, str]
) -> None:
    found = tile_headers(usual, present, wanted)
    assert found.lasting is None
    for tile in (EXACT, OTHER):
        assert _of(found, tile) == {**usual, **told}


@pytest.mark.parametrize(
    ("wanted", "tile", "tag", "unchanged"),
    [
        ("7", EXACT, 'W/"ax"', True),
        # a copy that was not known to be exact is not one of the exact tile, nor the other way round
        ("7", EXACT, 'W/"a"', False),
        ("7", OTHER, 'W/"ax"', False),
        ("7", OTHER, 'W/"a"', True),
        (None, EXACT, 'W/"a"', True),
        (None, EXACT, 'W/"ax"', False),
    ],
)
def test_who_holds_just_that_tile_is_told_so(wanted: str | None, tile: Tile, tag: str, unchanged: bool) -> None:
    headers = tile_headers(USUAL, "7", wanted)
    if unchanged:
        with pytest.raises(NotModified):
            _of(headers, tile, tag)
    else:
        assert _of(headers, tile, tag)


@pytest.mark.parametrize(
    ("wanted", "tag", "known"), [("7", 'W/"ax"', True), ("7", 'W/"a"', False), (None, 'W/"a"', True)]
)
def test_what_is_known_before_the_tile_is_looked_at(wanted: str | None, tag: str, known: bool) -> None:
    request = make_mocked_request("GET", "/", {"If-None-Match": tag})
    if known:
        with pytest.raises(NotModified):
            tile_headers(USUAL, "7", wanted).check_tag(request)
    else:
        tile_headers(USUAL, "7", wanted).check_tag(request)
