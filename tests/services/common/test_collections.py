"""The list of collections: windows, filters, numbers, links."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import parse_qsl, quote, urlsplit

import asyncpg
import pytest

from services.common import collections
from tests.eventually import eventually
from tests.services.in_process import Client


async def _ids(common: Client, **parameters: str) -> set[str]:
    return {entry["id"] for entry in (await common.json("/collections", **parameters))["collections"]}


async def test_windows_cover_the_list_once(common: Client) -> None:
    whole = (await common.json("/collections"))["collections"]
    seen: list[str] = []
    path: str | None = "/collections?limit=7"
    backwards = None
    while path:
        answer = await common.get(path)
        document = answer.json()
        assert document["numberMatched"] == len(whole)
        assert document["numberReturned"] == len(document["collections"]) <= 7
        assert datetime.fromisoformat(document["timeStamp"]).tzinfo
        seen += [entry["id"] for entry in document["collections"]]
        path, backwards = answer.link("next"), answer.link("prev")
    assert seen == [entry["id"] for entry in whole]
    assert backwards is not None
    assert (await common.get(backwards)).json()["collections"]


@pytest.mark.parametrize("path", ["/", "/conformance", "/collections", "/collections/hostile.events"])
async def test_a_parameter_that_nobody_knows_is_told(common: Client, path: str) -> None:
    answer = await common.get(path, {"size": "1"})
    assert (answer.status, answer.json()["detail"][0]["loc"]) == (422, ["query", "size"])


@pytest.mark.parametrize(
    ("offset", "before", "after"), [(0, None, 2), (1, 0, 3), (2, 0, 4), (5, 3, 7), (100_000, 99_998, None)]
)
async def test_next_and_prev_are_the_windows_beside(
    common: Client, offset: int, before: int | None, after: int | None
) -> None:
    document = await common.json("/collections", offset=str(offset), limit="2", type="Table")
    beside = {
        link["rel"]: dict(parse_qsl(urlsplit(link["href"]).query))
        for link in document["links"]
        if link["rel"] in ("next", "prev")
    }
    expected = {"prev": before, "next": after}
    assert beside == {
        rel: {"offset": str(start), "limit": "2", "type": "Table", "f": "json"}
        for rel, start in expected.items()
        if start is not None
    }


async def test_the_last_window_has_no_next_and_the_one_before_has(common: Client) -> None:
    matched = (await common.json("/collections"))["numberMatched"]
    for offset, rels in ((matched - 2, {"prev"}), (matched - 3, {"prev", "next"})):
        document = await common.json("/collections", offset=str(offset), limit="2")
        assert document["numberReturned"] == 2
        assert {link["rel"] for link in document["links"]} & {"next", "prev"} == rels


@pytest.mark.parametrize("limit", ["0", "1000"])
async def test_the_ends_of_limit(common: Client, limit: str) -> None:
    document = await common.json("/collections", limit=limit)
    assert document["numberReturned"] == (0 if limit == "0" else document["numberMatched"])
    assert not [link for link in document["links"] if link["rel"] in ("next", "prev")]


async def test_behind_the_end_there_is_nothing_but_a_way_back(common: Client) -> None:
    document = await common.json("/collections", offset="100000", limit="5")
    assert (document["collections"], document["numberReturned"]) == ([], 0)
    assert [link["rel"] for link in document["links"] if link["rel"] in ("next", "prev")] == ["prev"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "-1"),
        ("limit", "1001"),
        ("limit", "many"),
        ("offset", "-1"),
        ("type", "View"),
        ("bbox", "1,2,3"),
        ("bbox", "1,2,3,4,5"),
        ("bbox", "1,2,3,4,5,6,7"),
        ("bbox", "0,0,0,91,1"),
        ("bbox", "0,50,10,40"),
        ("bbox", "a,b,c,d"),
        ("datetime", "yesterday"),
        ("datetime", "2020-01-02/2020-01-01"),
        ("query", "storm"),
    ],
)
async def test_what_is_malformed_is_named(common: Client, name: str, value: str) -> None:
    answer = await common.get("/collections", {name: value})
    assert answer.status == 422
    assert answer.json()["detail"][0]["loc"] == ["query", name]


async def test_all_that_is_malformed_is_told_at_once(common: Client) -> None:
    answer = await common.get("/collections", {"bbox": "0,50,10,40", "datetime": "yesterday"})
    assert answer.status == 422
    assert answer.json() == {
        "detail": [
            {
                "type": "value_error",
                "loc": ["query", "bbox"],
                "msg": "bbox south edge 50 is north of the north edge 40",
                "input": [0.0, 50.0, 10.0, 40.0],
            },
            {
                "type": "value_error",
                "loc": ["query", "datetime"],
                "msg": "datetime 'yesterday' is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date",
                "input": "yesterday",
            },
        ]
    }


async def test_the_document_has_its_links_before_its_collections(common: Client) -> None:
    document = await common.json("/collections", limit="1", offset="1", f="json")
    assert list(document) == ["timeStamp", "links", "numberMatched", "numberReturned", "collections"]
    base = f"{common.base}/collections"
    assert document["links"] == [
        {
            "href": f"{base}?limit=1&offset=1&f=json",
            "rel": "self",
            "type": "application/json",
            "title": "This document as json",
        },
        {
            "href": f"{base}?limit=1&offset=1&f=html",
            "rel": "alternate",
            "type": "text/html",
            "title": "This document as html",
        },
        {"href": f"{base}?limit=1&offset=2&f=json", "rel": "next", "type": "application/json"},
        {"href": f"{base}?limit=1&offset=0&f=json", "rel": "prev", "type": "application/json"},
    ]


async def test_a_page_for_people_has_fifty_collections_and_a_document_all(
    common: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (collections.PAGE, collections.ALL) == (50, 1000)
    known = [each["id"] for each in (await common.json("/collections"))["collections"]]

    async def shown(**parameters: str) -> list[str]:
        page = (await common.get("/collections", {"f": "html", **parameters})).body.decode()
        return [each for each in known if f"/collections/{quote(each, safe='')}?f=html" in page]

    monkeypatch.setattr(collections, "PAGE", 5)
    assert (await shown(), await shown(offset="5"), await shown(limit="7")) == (known[:5], known[5:10], known[:7])
    monkeypatch.setattr(collections, "ALL", 6)
    document = await common.json("/collections")
    assert [each["id"] for each in document["collections"]] == known[:6]
    assert (document["numberReturned"], document["numberMatched"]) == (6, len(known))


async def test_boxes_meet_extents_across_the_antimeridian_too(common: Client) -> None:
    # parted lies between 1 and 40 degrees in both directions, srid_2193 on both sides of the antimeridian
    assert "hostile.parted" in await _ids(common, bbox="39,39,50,50")
    assert "hostile.parted" not in await _ids(common, bbox="41,41,50,50")
    around = await _ids(common, bbox="170,-50,-170,-30")
    assert "hostile.srid_2193" in around
    assert "hostile.parted" not in around
    # from 30 degrees eastwards round the world to 20 degrees
    assert "hostile.parted" in await _ids(common, bbox="30,0,20,10")
    assert "hostile.no_geometry" not in await _ids(common, bbox="-180,-90,180,90")


async def test_times_meet_extents(common: Client) -> None:
    assert "hostile.events" in await _ids(common, datetime="2020-03-01")
    assert "hostile.events" in await _ids(common, datetime="../2020-01-02T00:00:00Z")
    assert "hostile.events" not in await _ids(common, datetime="../2020-01-01T23:59:59Z")
    assert "hostile.events" not in await _ids(common, datetime="2041-01-01/..")
    assert "hostile.no_geometry" not in await _ids(common, datetime="0001-01-01/..")


async def test_open_ends_meet_whatever_comes_before_or_after(common: Client, owner: asyncpg.Connection) -> None:
    ends = {"from_ever": ("-infinity", "2020-01-01Z"), "for_ever": ("2030-01-01Z", "infinity"), "at_no_time": ()}
    for name, moments in ends.items():
        await owner.execute(f"CREATE TABLE hostile.{name} (id serial PRIMARY KEY, at timestamptz)")
        for moment in moments:
            await owner.execute(f"INSERT INTO hostile.{name} (at) VALUES ('{moment}')")  # noqa: S608 ours
        await owner.execute(f"GRANT SELECT ON hostile.{name} TO hostile_reader")

    async def found(datetime: str) -> list[str]:
        ids = await _ids(common, datetime=datetime)
        return [name for name in ends if f"hostile.{name}" in ids]

    async def known() -> None:
        assert await found("2020-01-01/2030-01-01") == ["from_ever", "for_ever"]

    try:
        await eventually(known)
        assert await found("0001-02-03") == ["from_ever"]
        assert await found("2025-01-01/..") == ["for_ever"]
        assert await found("9998-01-01") == ["for_ever"]
        assert await found("../2025-01-01") == ["from_ever"]
        assert await found("2020-01-01T00:00:00Z") == ["from_ever"]
        assert await found("2020-01-01T00:00:01Z/2029-12-31T23:59:59Z") == []
        assert await found("2030-01-01T00:00:00Z") == ["for_ever"]
    finally:
        await owner.execute("DROP TABLE hostile.from_ever, hostile.for_ever, hostile.at_no_time")


async def test_pages_have_fifty_and_ways_on(common: Client) -> None:
    """Links to other pages keep the query parameters."""
    page = (await common.get("/collections", {"f": "html", "limit": "2", "offset": "2", "type": "Table"})).body.decode()
    for offset in (0, 4):
        assert re.search(rf'href="[^"]*collections\?limit=2&amp;offset={offset}&amp;type=Table&amp;f=html"', page), (
            offset
        )
    document = await common.json("/collections", limit="2", type="Table", f="json")
    assert all("type=Table" in link["href"] for link in document["links"])


async def test_a_page_says_which_of_how_many_it_shows_and_what_was_asked_for(common: Client) -> None:
    matched = (await common.json("/collections", type="Table", bbox="-180,-90,180,90"))["numberMatched"]
    asked = {"type": "Table", "bbox": "-180,-90,180,90", "datetime": "", "limit": "2", "offset": "2", "f": "html"}
    page = (await common.get("/collections", asked)).body.decode()
    assert f'<p class="lead">3 to 4 of {matched} collections.</p>' in page
    assert '<input name="bbox" value="-180,-90,180,90"' in page
    assert '<option value="Table" selected>Table</option>' in page


async def test_a_type_has_those_of_it_alone(common: Client) -> None:
    # there are no functions here
    assert await _ids(common, type="Table") == await _ids(common)
    assert await _ids(common, type="Function") == set()


async def test_filters_go_with_the_links(common: Client) -> None:
    answer = await common.get("/collections", {"limit": "2", "type": "Table", "bbox": "-180,-90,180,90"})
    following = answer.link("next")
    assert following is not None
    for part in ("type=Table", "bbox=-180%2C-90%2C180%2C90", "limit=2", "offset=2"):
        assert part in following
    assert "bbox=" in (answer.link("self") or "")


async def test_hostile_names_are_escaped_in_addresses_and_pages(common: Client) -> None:
    identifier = "hostile.émoji 🌋/table?x=1#y%41"
    listed = (await common.json("/collections"))["collections"]
    entry = next(entry for entry in listed if entry["id"] == identifier)
    (own,) = [link["href"] for link in entry["links"] if link["rel"] == "self"]
    assert (await common.get(own)).json()["id"] == identifier
    for path in ("/?f=html", "/collections?f=html&limit=1000"):
        text = (await common.get(path)).body.decode()
        assert "<img src=x" not in text
    page = (await common.get("/collections?f=html&limit=1000")).body.decode()
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
