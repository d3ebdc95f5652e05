"""How an export is answered: its parts, its tags, its headers."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import urlencode

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions
from services.features import export as export_handler
from services.features.exporting.exports import Export, Exports
from services.features.request.items_query import ItemsQuery
from services.features.rows.items_store import ItemsStore
from tests.eventually import eventually
from tests.services.in_process import Client

ADDRESS = "/collections/hostile.events/export"
MERCATOR = "http://www.opengis.net/def/crs/EPSG/0/3857"


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=7-7", 7, 8),
        (f"bytes=5-{'9' * 18}", 5, None),
        ("bytes=-1", -1, None),
        # more than there is: all of it, as a part
        (f"bytes=-{'9' * 18}", 0, None),
        (f"bytes={'0' * 17}5-9", 5, 10),
    ],
)
async def test_a_part_is_sent_as_it_is_asked_for(features: Client, asked: str, start: int, end: int | None) -> None:
    whole = (await features.get(f"{ADDRESS}?f=csv")).body
    part = await features.get(f"{ADDRESS}?f=csv", headers={"Range": asked})
    assert (part.status, part.body) == (206, whole[start:end])
    first = start % len(whole)
    assert part.headers["Content-Range"] == f"bytes {first}-{first + len(part.body) - 1}/{len(whole)}"
    assert part.headers["Content-Length"] == str(len(part.body))


async def test_who_goes_on_with_a_file_that_is_gone_waits_until_it_is_made_again(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_handler, "MOMENT", 0.0)
    address = f"{ADDRESS}?f=csv&filter=id%20%3C%2020%20OR%20id%20%3D%20-{time.time_ns()}"
    part = await features.get(address, headers={"Range": "bytes=9-"})
    assert part.status == 206
    assert part.headers["Content-Range"].startswith("bytes 9-")
    # a tag that belongs to no kept file gets the whole file, as soon as there are bytes
    other = await features.get(f"{address}%20OR%20id%20%3C%200", headers={"Range": "bytes=9-", "If-Range": '"gone"'})
    assert (other.status, "Content-Length" in other.headers) == (200, False)


async def test_full_file_sent_for_a_range_is_ready_next_time(
    features: Client, monkeypatch: pytest.MonkeyPatch, may_begin: asyncio.Event
) -> None:
    monkeypatch.setattr(export_handler, "PATIENCE", 0.05)
    address = f"{ADDRESS}?f=csv&filter=id%20%3C%2020%20OR%20id%20%3D%20-{time.time_ns()}"
    resumed = {"Range": "bytes=9-"}
    # as curl does, which takes no more than the rest
    async with features.session.get(f"{features.base}{address}", headers=resumed) as response:
        assert (response.status, "Content-Length" in response.headers) == (200, False)
        tag = response.headers["ETag"]
        response.close()
    may_begin.set()

    async def made() -> None:
        again = await features.get(address, headers=resumed)
        assert (again.status, again.headers["ETag"]) == (206, tag)

    await eventually(made)


def test_how_long_an_answer_waits_for_its_length() -> None:
    assert (export_handler.PATIENCE, export_handler.MOMENT) == (5.0, 0.3)


@pytest.mark.parametrize("asked", ["bytes=5-3", "bytes=-0"])
async def test_a_part_of_nothing_is_refused(features: Client, asked: str) -> None:
    answer = await features.get(f"{ADDRESS}?f=csv", headers={"Range": asked})
    assert (answer.status, answer.body) == (416, b"")
    assert answer.headers["Content-Range"].startswith("bytes */")


@pytest.mark.parametrize(
    "asked",
    [
        "bytes=-",
        "bytes=a-b",
        "bytes=0-1,3-4",
        "rows=0-1",
        "xbytes=0-1",
        f"bytes={'9' * 19}-",
        f"bytes=-{'9' * 19}",
        "bytes=٣-٤",
    ],
)
async def test_what_is_no_part_is_passed_over(features: Client, asked: str) -> None:
    # header values are sent as bytes; the service reads them as text
    answer = await features.get(f"{ADDRESS}?f=csv", headers={"Range": asked})
    assert (answer.status, "Content-Range" in answer.headers) == (200, False)


async def test_a_part_is_asked_for_by_get_alone(features: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[bool] = []
    leave = Exports.leave

    def noted(exports: Exports, export: Export, *, comes_again: bool = False) -> None:
        left.append(comes_again)
        leave(exports, export, comes_again=comes_again)

    monkeypatch.setattr(Exports, "leave", noted)
    for method in ("GET", "HEAD"):
        await features.get(f"{ADDRESS}?f=csv", method=method, headers={"Range": "bytes=0-9"})
    # a request for the headers keeps no file that is being made
    assert left == [True, False]


async def test_what_is_made_anew_for_each_request_is_sent_whole(features: Client) -> None:
    # the time is in it, so that parts of two make none
    page = await features.get("/collections/hostile.events/items?f=gpkg&limit=3", headers={"Range": "bytes=0-9"})
    assert (page.status, page.body[:16]) == (200, b"SQLite format 3\0")
    assert not {"Content-Range", "Accept-Ranges"} & set(page.headers)
    assert len(page.body) == int(page.headers["Content-Length"]) > 10_000


async def test_whatever_changes_the_file_changes_its_tag(features: Client) -> None:
    asked: list[dict[str, str]] = [
        {"f": "csv"},
        {"f": "csv", "bom": "true"},
        {"f": "csv", "filter": "id < 5"},
        {"f": "csv", "properties": "name"},
        {"f": "csv", "properties": "magnitude"},
        {"f": "csv", "geom-column": "none"},
        # rows without a requested order are sent as they are found
        {"f": "csv", "sortby": "id"},
        {"f": "csv", "sortby": "magnitude"},
        {"f": "csv", "sortby": "-magnitude"},
        {"f": "csv", "crs": MERCATOR},
        {"f": "csv", "geometry": "lonlat"},
        {"f": "csv", "simplify": "0.5"},
        {"f": "csv", "bbox-only": "true"},
        {"f": "ndjson"},
        {"f": "geojson"},
        {"f": "geojson", "profile": "jsonfg"},
    ]
    tags = [(await features.get(ADDRESS, each)).headers["ETag"] for each in asked]
    assert len(set(tags)) == len(asked)
    # which is kept
    assert [(await features.get(ADDRESS, each)).headers["ETag"] for each in asked] == tags
    other = {"Host": "other.example"}
    assert (await features.get(f"{ADDRESS}?f=csv", headers=other)).headers["ETag"] == tags[0]
    # a FeatureCollection has links
    elsewhere = await features.get(f"{ADDRESS}?f=geojson", headers=other)
    assert elsewhere.headers["ETag"] not in tags
    assert "//other.example/" in elsewhere.json()["links"][0]["href"]


async def test_an_export_is_no_ones_to_keep_but_may_be_asked_for_again(features: Client) -> None:
    answer = await features.get(f"{ADDRESS}?{urlencode({'f': 'csv', 'crs': MERCATOR, 'ids': '1,2'})}")
    assert {name: answer.headers[name] for name in ("Cache-Control", "X-Accel-Expires", "Vary", "Content-Type")} == {
        "Cache-Control": "no-cache",
        "X-Accel-Expires": "0",
        "Vary": "Accept",
        "Content-Type": "text/csv; charset=utf-8",
    }
    assert answer.headers["Content-Crs"] == f"<{MERCATOR}>"
    links = answer.headers["Link"]
    assert {rel for rel in ("self", "alternate", "collection") if f'rel="{rel}"' in links} == {
        "self",
        "alternate",
        "collection",
    }
    # of the tag alone: another export has none
    assert (await features.get(f"{ADDRESS}?f=csv", headers={"If-None-Match": answer.headers["ETag"]})).status == 200
    unchanged = await features.get(answer.url, headers={"If-None-Match": answer.headers["ETag"]})
    assert (unchanged.status, unchanged.headers["ETag"]) == (304, answer.headers["ETag"])


async def test_head_tells_what_get_would(features: Client) -> None:
    address = f"{ADDRESS}?f=csv&ids=1,2,3"
    answer = await features.get(address)
    head = await features.get(address, method="HEAD", headers={"Range": "bytes=0-9"})
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == str(len(answer.body))
    # the length of a file that has not been made is unknown
    for filter_, number in (("id < 9", "8"), ("id < 0", "0")):
        other = await features.get(ADDRESS, {"f": "csv", "filter": filter_}, method="HEAD")
        assert (other.status, other.headers["OGC-NumberMatched"]) == (200, number)
        assert "Content-Length" not in other.headers or other.headers["Content-Length"] == "0"


async def test_a_cursor_of_items_is_none_of_an_export(features: Client) -> None:
    page = await features.get("/collections/hostile.events/items?limit=2")
    cursor = (page.link("next") or "").partition("cursor=")[2]
    for name, text in (("cursor", cursor), ("offset", "0"), ("limit", "3")):
        assert (await features.get(ADDRESS, {name: text})).status == 422


async def test_what_nobody_offers_is_not_acceptable(features: Client) -> None:
    assert (await features.get(ADDRESS, headers={"Accept": "text/html"})).status == 406
    assert (await features.get(ADDRESS, {"f": "geojson", "bom": "true"})).status == 422


async def test_what_changed_while_it_was_made_is_not_kept(features: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    told, flips, version, tried = ["a"], [True], DataVersions.version, ItemsStore.exclude_failing

    def of_test(versions: DataVersions, collection: Collection) -> DataVersion | None:
        found = version(versions, collection)
        return DataVersion(f"{told[0]} {found.token}", found.since) if found else None

    async def changing(store: ItemsStore, query: ItemsQuery) -> ItemsQuery:
        if flips[0]:
            told[0] = "b"
        return await tried(store, query)

    monkeypatch.setattr(DataVersions, "version", of_test)
    monkeypatch.setattr(ItemsStore, "exclude_failing", changing)

    async def tag(version_told: str = "a") -> str:
        told[0] = version_told
        answer = await features.get(f"{ADDRESS}?f=csv&ids=1,2,3,4")
        assert len(answer.body.splitlines()) == 5
        return answer.headers["ETag"]

    assert await tag() != await tag()
    flips[0] = False
    kept = await tag()
    assert await tag() == kept
    # of another version, or release, it is another
    assert await tag("c") != kept
    monkeypatch.setattr(export_handler, "build_id", lambda _: "another release")
    assert await tag() != kept


async def test_who_cannot_read_in_pieces_waits_for_all_of_it(features: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_handler, "MOMENT", 0.0)
    for name, number in (("HTTP/1.0", 7), ("HTTP/1.1", 8)):
        address = f"{ADDRESS}?f=csv&filter=id%20%3C%20{number}%20OR%20id%20%3D%20-{time.time_ns()}"
        answer = await features.get(address, headers={"X-Client-Protocol": name})
        assert (answer.status, len(answer.body.splitlines())) == (200, number)
        assert ("Content-Length" in answer.headers) is (name == "HTTP/1.0")


async def test_a_file_says_how_many_geometries_it_lacks(features: Client, owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE TABLE hostile.lost AS SELECT n AS id, ST_SetSRID(ST_MakePoint(CASE WHEN n > 3 THEN 'NaN' ELSE n::float8"
        " END, 0), 4326)::geometry(Point, 4326) AS geom FROM generate_series(1, 5) n;"
        "ALTER TABLE hostile.lost ADD PRIMARY KEY (id); GRANT SELECT ON hostile.lost TO hostile_reader"
    )
    try:
        path = "/collections/hostile.lost"
        await eventually(lambda: features.json(f"{path}/queryables"))

        async def says(address: str, number: str) -> str | None:
            # on a busy machine the answer may begin before the file is complete and the number known
            answer = await features.get(address)
            assert (answer.status, answer.headers.get("DAMS-Geometries-Omitted")) == (200, number)
            return answer.headers.get("ETag")

        first = await eventually(lambda: says(f"{path}/export?f=gpkg", "2"))
        # answers from the cache have it, too
        assert await says(f"{path}/export?f=gpkg", "2") == first is not None
        head = await features.get(f"{path}/export?f=gpkg", method="HEAD")
        assert (head.headers["DAMS-Geometries-Omitted"], head.headers["ETag"]) == ("2", first)
        await eventually(lambda: says(f"{path}/items?f=gpkg", "2"))
        await eventually(lambda: says(f"{path}/items/5?f=gpkg", "1"))
    finally:
        await owner.execute("DROP TABLE hostile.lost")
