"""Metadata may be cached for a while and are revalidated by ETag; a cache never gives the page instead of the JSON."""

from __future__ import annotations

import asyncio

import pytest

from tests.services.in_process import Answer, Client, Services

COLLECTION = "/collections/hostile.events"
TILESET = f"{COLLECTION}/tiles/WebMercatorQuad"
CATALOGUE, DAY = "max-age=2,", "max-age=86400"

RESOURCES = [
    ("common", "/", CATALOGUE),
    ("common", "/conformance", CATALOGUE),
    ("common", "/collections", CATALOGUE),
    ("common", COLLECTION, CATALOGUE),
    ("features", f"{COLLECTION}/queryables", CATALOGUE),
    ("tiles", f"{COLLECTION}/tiles", CATALOGUE),
    ("tiles", TILESET, CATALOGUE),
    ("tiles", f"{TILESET}/tilejson.json", CATALOGUE),
    ("tiles", f"{TILESET}/style.json", CATALOGUE),
    ("tiles", "/tileMatrixSets", DAY),
    ("tiles", "/tileMatrixSets/WebMercatorQuad", DAY),
]


_STARTS = 5
"""Times to ask again: extents and counts that a start left to be measured are new content."""


async def _asked_twice(service: Client, path: str, accept: str) -> tuple[Answer, Answer]:
    """Return the answer to a request, and the answer to a request that revalidates it."""
    for _ in range(_STARTS):
        first = await service.get(path, headers={"Accept": accept})
        again = await service.get(path, headers={"Accept": accept, "If-None-Match": first.headers["ETag"]})
        if again.status == 304:
            break
    return first, again


@pytest.mark.parametrize(("service", "path", "keeps"), RESOURCES)
async def test_metadata_are_asked_about_by_etag(running: Services, service: str, path: str, keeps: str) -> None:
    first, again = await _asked_twice(running[service], path, "*/*")
    assert first.status == 200
    assert f"{first.headers['Cache-Control']},".startswith(f"public, {keeps.rstrip(',')},")
    assert first.headers["Vary"] == "Accept, Accept-Encoding"
    assert (again.status, again.body) == (304, b"")
    assert {name: again.headers[name] for name in ("ETag", "Cache-Control", "Vary")} == {
        name: first.headers[name] for name in ("ETag", "Cache-Control", "Vary")
    }
    other = await running[service].get(path, headers={"If-None-Match": '"another"'})
    assert other.status == 200


@pytest.mark.parametrize(("service", "path"), [entry[:2] for entry in RESOURCES if not entry[1].endswith("json")])
async def test_a_page_has_an_etag_of_its_own(running: Services, service: str, path: str) -> None:
    document = await running[service].get(path)
    page = await running[service].get(path, headers={"Accept": "text/html", "If-None-Match": document.headers["ETag"]})
    assert (page.status, page.type) == (200, "text/html; charset=utf-8")
    # a page names scripts and styles of this release
    assert page.headers["Cache-Control"].startswith("public, max-age=2,")
    _, again = await _asked_twice(running[service], path, "text/html")
    assert again.status == 304


async def test_the_time_stamp_makes_no_new_list(running: Services) -> None:
    first = await running["common"].get("/collections")
    for _ in range(10):
        await asyncio.sleep(1.1)
        second = await running["common"].get("/collections")
        assert first.json()["timeStamp"] != second.json()["timeStamp"]
        if first.headers["ETag"] == second.headers["ETag"]:
            break
        first = second  # extents and counts that a start left to be measured are new content
    else:
        pytest.fail("no two lists within ten seconds have the same ETag")
    fewer = await running["common"].get("/collections", {"limit": "1"})
    assert fewer.headers["ETag"] != first.headers["ETag"]


async def test_the_address_that_links_are_made_of_is_in_the_etag(running: Services) -> None:
    here = await running["common"].get(COLLECTION)
    there = await running["common"].get(COLLECTION, headers={"X-Forwarded-Host": "example.org"})
    assert here.headers["ETag"] != there.headers["ETag"]


async def test_errors_are_not_kept(running: Services) -> None:
    answer = await running["common"].get("/collections/hostile.nowhere", headers={"If-None-Match": "*"})
    assert (answer.status, answer.headers["Cache-Control"]) == (404, "no-store")
    assert "ETag" not in answer.headers
