"""Conditional requests for rows: a matching tag costs nothing, and no invalid request counts as a valid one."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from libs.web import conditional
from services.features import facets as facets_handler
from services.features import feed as feed_handler
from services.features import item as item_handler
from services.features import items as items_handler
from services.features import schema as schema_handler
from services.features.rows.counts import Counts
from services.features.rows.items_store import ItemsStore
from services.features.rows.value_ranges import ValueRanges
from tests.eventually import eventually
from tests.services.features.conftest import Fetch
from tests.services.in_process import Client

_ITEMS = "/collections/hostile.events/items"
ADDRESSES = [
    f"{_ITEMS}?limit=3",
    f"{_ITEMS}?limit=3&f=csv",
    f"{_ITEMS}?limit=3&f=html",
    f"{_ITEMS}?filter=id%3C5",
    f"{_ITEMS}/1",
    f"{_ITEMS}/1?f=html",
    "/collections/hostile.events/schema",
    "/collections/hostile.events/facets?facets=category",
    "/collections/hostile.events/facets?facets=category&f=html",
    "/collections/hostile.events/facets?f=geojson",
    "/collections/hostile.events/feed?limit=3",
    "/collections/hostile.events/feed?limit=3&f=geojson",
]


@pytest.mark.parametrize("address", ADDRESSES)
async def test_a_tag_that_matches_asks_the_database_for_nothing(
    features: Client, fetches: list[Fetch], address: str
) -> None:
    # the service reads suggestions for pages in the background: here before the answers
    await features.get("/collections/hostile.events/schema")
    first = await features.get(address)
    assert first.status == 200
    fetches.clear()
    again = await features.get(address, headers={"If-None-Match": f'"x", {first.headers["ETag"]}'})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert "Content-Type" not in again.headers
    # tiles of other tests are made at the same time
    assert [fetch for fetch in fetches if '"events"' in fetch.text and "ST_AsMVT" not in fetch.text] == []


@pytest.mark.parametrize(
    ("handler", "parser", "address"),
    [
        (items_handler, "parse_items", f"{_ITEMS}?limit=3"),
        (item_handler, "select", f"{_ITEMS}/1"),
        (facets_handler, "select", "/collections/hostile.events/facets"),
        (feed_handler, "parse_items", "/collections/hostile.events/feed"),
        (schema_handler, "check_preconditions", "/collections/hostile.events/schema"),
    ],
)
async def test_a_tag_that_matches_is_answered_before_the_request_is_parsed(
    features: Client, monkeypatch: pytest.MonkeyPatch, handler: Any, parser: str, address: str
) -> None:
    tag = (await features.get(address)).headers["ETag"]

    def parse(*_: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr(handler, parser, parse)
    assert (await features.get(address, headers={"If-None-Match": tag})).status == 304


@pytest.mark.parametrize("address", [f"{_ITEMS}?limit=wrong", f"{_ITEMS}?filter=nothing%3D1", f"{_ITEMS}?cursor=x"])
@pytest.mark.parametrize("condition", ["*", "tag", "date"])
async def test_an_invalid_request_is_refused_whatever_the_client_holds(
    features: Client, address: str, condition: str
) -> None:
    valid = await features.get(f"{_ITEMS}?limit=3")
    headers = {
        "*": {"If-None-Match": "*"},
        "tag": {"If-None-Match": valid.headers["ETag"]},
        "date": {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
    }[condition]
    assert (await features.get(address, headers=headers)).status == 422


@pytest.mark.parametrize(("path", "status"), [(f"{_ITEMS}/1", 304), (f"{_ITEMS}/none", 404)])
async def test_any_tag_is_that_of_what_exists(features: Client, path: str, status: int) -> None:
    assert (await features.get(path, headers={"If-None-Match": "*"})).status == status


@pytest.mark.parametrize("address", ADDRESSES)
async def test_any_tag_and_a_later_date_are_those_of_what_is_unchanged(features: Client, address: str) -> None:
    async def unchanged(condition: dict[str, str]) -> None:
        answer = await features.get(address, headers=condition)
        assert (answer.status, answer.body) == (304, b"")

    await unchanged({"If-None-Match": "*"})
    # there is a date once the second of the change is over
    await eventually(lambda: unchanged({"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}))
    earlier = await features.get(address, headers={"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"})
    assert earlier.status == 200


async def test_each_representation_address_and_host_has_a_tag_of_its_own(features: Client) -> None:
    asked: list[tuple[str, dict[str, str]]] = [
        *((address, {}) for address in ADDRESSES),
        (f"{_ITEMS}?limit=3&f=html", {"Host": "other.example"}),
        (f"{_ITEMS}?limit=3", {"Accept": "text/csv"}),
        (f"{_ITEMS}?limit=%33", {}),
    ]
    tags = [(await features.get(path, headers=headers)).headers["ETag"] for path, headers in asked]
    assert len(set(tags)) == len(tags)


async def test_another_release_has_other_tags(features: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tags = {address: (await features.get(address)).headers["ETag"] for address in ADDRESSES}
    for name in ("build_id", "page_build_id"):
        monkeypatch.setattr(conditional, name, lambda _: "another release")
    for address, tag in tags.items():
        answer = await features.get(address, headers={"If-None-Match": tag})
        assert answer.status == 200
        assert answer.headers["ETag"] != tag


async def test_another_style_sheet_has_other_tags_of_pages_alone(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, data = f"{_ITEMS}?limit=3&f=html", f"{_ITEMS}?limit=3"
    tags = {address: (await features.get(address)).headers["ETag"] for address in (page, data)}
    monkeypatch.setattr(conditional, "page_build_id", lambda _: "another style sheet")
    assert (await features.get(page, headers={"If-None-Match": tags[page]})).status == 200
    assert (await features.get(data, headers={"If-None-Match": tags[data]})).status == 304


@pytest.mark.usefixtures("empty_files")
@pytest.mark.parametrize("query", ["limit=3", "limit=3&f=html", "limit=60&f=csv", "limit=3&f=fgb"])
async def test_a_page_that_was_not_counted_in_time_has_no_tag_to_go_on_with(
    features: Client, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    async def too_late(*_: object) -> None:
        return None

    address = f"{_ITEMS}?filter=id%3C100&{query}"
    with monkeypatch.context() as patched:
        patched.setattr(ItemsStore, "count", too_late)
        patched.setattr(Counts, "recall", lambda *_: None)
        # so that the last of these pages streams
        patched.setattr(ItemsStore, "chunk", lambda *_: 50)
        early = await features.get(address)
    assert early.status == 200
    assert not {"OGC-NumberMatched", "ETag", "Last-Modified"} & early.headers.keys()
    # a cache keeps it as long as any other, and then asks for all of it
    complete = await features.get(address)
    assert complete.headers["OGC-NumberMatched"] == "99"
    assert "ETag" in complete.headers
    assert early.headers["Cache-Control"] == complete.headers["Cache-Control"]


async def test_schema_without_ranges_has_no_tag(features: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def too_late(*_: object) -> None:
        return None

    path = "/collections/hostile.events/schema"
    for f in ("schemajson", "html"):
        with monkeypatch.context() as patched:
            patched.setattr(ValueRanges, "ranges", too_late)
            early = await features.get(path, {"f": f})
        assert early.status == 200
        assert not {"ETag", "Last-Modified"} & early.headers.keys()
        assert "ETag" in (await features.get(path, {"f": f})).headers


async def test_a_change_of_rows_outdates_tags(features: Client, owner: asyncpg.Connection) -> None:
    answer = await features.get(f"{_ITEMS}?limit=3")
    await owner.execute("UPDATE hostile.events SET id = id WHERE id = 1")

    async def new_tag() -> None:
        again = await features.get(f"{_ITEMS}?limit=3", headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status == 200
        assert again.headers["ETag"] != answer.headers["ETag"]

    await eventually(new_tag)
