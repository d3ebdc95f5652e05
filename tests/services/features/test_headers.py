"""The headers of answers with features, however these are made: at once, in pieces, as files, as pages."""

from __future__ import annotations

import re

import pytest

from services.features.pages.items_html import PAGE_ROWS
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, services

EVENTS, MANY = "/collections/hostile.events/items", "/collections/hostile.many/items"
CRS84 = "<http://www.opengis.net/def/crs/OGC/1.3/CRS84>"
MERCATOR = "http://www.opengis.net/def/crs/EPSG/0/3857"
WAYS = {
    "at once": f"{EVENTS}?limit=3",
    "as rows": f"{EVENTS}?limit=3&f=csv",
    "in pieces": f"{MANY}?limit=10000",
    "rows in pieces": f"{MANY}?limit=10000&f=csv",
    "as a file": f"{EVENTS}?limit=3&f=fgb",
    "as a page": f"{EVENTS}?limit=3&f=html",
    "one": f"{EVENTS}/7",
    "one as a file": f"{EVENTS}/7?f=fgb",
    "one as a page": f"{EVENTS}/7?f=html",
}
_TYPES = {
    None: "application/geo+json",
    "csv": "text/csv; charset=utf-8",
    "fgb": "application/flatgeobuf",
    "html": "text/html; charset=utf-8",
}


@pytest.mark.parametrize("way", WAYS)
async def test_each_way_says_what_it_is_and_how_long_it_may_be_kept(features: Client, way: str) -> None:
    answer = await features.get(WAYS[way])
    form = re.search(r"f=(\w+)", WAYS[way])
    name = form and form[1]
    assert answer.type == _TYPES[name]
    assert {"Accept"} <= {word.strip() for word in answer.headers["Vary"].split(",")}
    assert answer.headers["ETag"].startswith('W/"')
    assert answer.headers["Cache-Control"] == (await features.get(f"{EVENTS}?limit=1")).headers["Cache-Control"]
    # pages are in longitude and latitude, and say so on their maps
    assert answer.headers.get("Content-Crs") == (None if "page" in way else CRS84)
    links = answer.headers["Link"]
    assert f"<{answer.url.partition('?')[0]}" in links
    assert f'type="{answer.type.partition(";")[0]}"' in links
    assert 'rel="self"' in links
    assert 'rel="collection"' in links
    assert ('rel="http://www.opengis.net/def/rel/ogc/1.0/queryables"' in links) is not way.startswith("one")
    # if the body has links, the header repeats only those that lead on
    alone = name in ("csv", "fgb")
    assert ('rel="alternate"' in links) is alone
    assert ('rel="enclosure"' in links) is (alone and not way.startswith("one"))
    saved = {"csv": "csv", "fgb": "fgb"}.get(name or "")
    collection = "hostile.many" if "pieces" in way else "hostile.events"
    expected = None if saved is None else f"attachment; filename={collection}.{saved}"
    assert answer.headers.get("Content-Disposition") == expected
    if not way.startswith("one"):
        matched = (await features.json(WAYS[way].partition("?")[0], limit="0"))["numberMatched"]
        assert answer.headers["OGC-NumberMatched"] == str(matched)
        # for an answer in pieces, the number is unknown beforehand
        assert answer.headers.get("OGC-NumberReturned") == (None if "pieces" in way else "3")
    assert not {"DAMS-Paging", "DAMS-Features-Omitted", "DAMS-Geometries-Omitted"} & answer.headers.keys()


@pytest.mark.parametrize("way", [way for way in WAYS if way != "one as a file"])
async def test_another_crs_is_said(features: Client, way: str) -> None:
    separator = "&" if "?" in WAYS[way] else "?"
    answer = await features.get(f"{WAYS[way]}{separator}crs={MERCATOR}")
    assert answer.status == 200
    assert answer.headers.get("Content-Crs") == (None if "page" in way else f"<{MERCATOR}>")


@pytest.mark.parametrize("way", ["at once", "in pieces", "as a page"])
async def test_who_wants_no_number_is_told_none(features: Client, way: str) -> None:
    answer = await features.get(f"{WAYS[way]}&filter=id%20%3C%201000&numberMatched=false")
    assert "OGC-NumberMatched" not in answer.headers
    # a later response has the same headers
    assert "ETag" in answer.headers


async def test_the_first_page_of_items_has_ten(features: Client) -> None:
    assert (await features.json(EVENTS))["numberReturned"] == 10
    # an HTML page has only the features that it can show, for any limit
    page = await features.get(MANY, {"limit": "10000", "f": "html"})
    assert page.headers["OGC-NumberReturned"] == str(PAGE_ROWS)
    assert 'rel="next"' in page.headers["Link"]


@pytest.mark.parametrize("form", ["geojson", "csv", "fgb", "html"])
@pytest.mark.parametrize(("ids", "number"), [("1,2", "2"), ("999999", "0")])
async def test_a_page_with_fewer_than_it_may_have_says_how_many(
    features: Client, form: str, ids: str, number: str
) -> None:
    headers = (await features.get(EVENTS, {"limit": "5", "ids": ids, "f": form})).headers
    assert (headers["OGC-NumberReturned"], headers["OGC-NumberMatched"]) == (number, number)


async def test_the_form_with_faults_is_nobodys_to_keep(features: Client) -> None:
    answer = await features.get(EVENTS, {"filter": "magnitud > 5"}, headers={"Accept": "text/html"})
    assert b'<input name="filter"' in answer.body
    assert (answer.status, answer.headers["Cache-Control"], answer.headers["Vary"].partition(",")[0]) == (
        422,
        "no-store",
        "Accept",
    )


async def test_in_the_mode_of_the_standard_the_form_has_its_status(hostile: HostileDatabase) -> None:
    async with services() as started:
        await started.start("common", hostile.env())
        client = await started.start("features", hostile.env(DAMS_INVALID_PARAMETER_STATUS="400"))
        answer = await client.get(EVENTS, {"filter": "magnitud > 5"}, headers={"Accept": "text/html"})
        assert (answer.status, answer.type) == (400, "text/html; charset=utf-8")


async def test_without_its_catalogue_the_service_is_not_ready(hostile: HostileDatabase) -> None:
    async with services() as started:
        client = await started.start("features", hostile.env(DAMS_CATALOGUE_URL="http://127.0.0.1:9"))
        answer = await client.get("/internal/health")
        assert answer.status == 503
        assert "catalogue" in answer.json()["detail"][0]
        assert (await client.get("/internal/health/live")).status == 200
        assert (await client.get(EVENTS)).status == 503


@pytest.mark.parametrize("path", [EVENTS, "/collections/hostile.events/export?f=csv", "/changes", f"{EVENTS}/1"])
async def test_with_its_database_the_service_is_ready_and_answers(features: Client, path: str) -> None:
    assert (await features.json("/internal/health")) == {"status": "ok"}
    assert (await features.get(path)).status == 200
