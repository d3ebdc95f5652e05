"""Pages of items: at once, in pieces, as files and as pages for people, in chunks of five rows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientPayloadError

from libs.ogc.errors import StoredValueError
from services.features.exporting.exports import Export, Exports
from services.features.request.items_query import AS_STORED, GeometryOptions, ItemsQuery
from services.features.rows.items_store import ItemsStore
from services.features.rows.value_ranges import ValueRanges
from services.features.sending import WholePages
from tests.services.in_process import Client

EVENTS = "/collections/hostile.events/items"
LONG_AGO = "/collections/hostile.long_ago/items"
PROFILE = '<http://www.opengis.net/def/profile/OGC/0/jsonfg>; rel="profile"'


@pytest.fixture
def chunks_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ItemsStore, "chunk", lambda *_: 5)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[ItemsQuery]:
    """The pages that are fetched at once, from now on."""
    asked: list[ItemsQuery] = []
    page_and_count = ItemsStore.page_and_count

    async def noted(store: ItemsStore, query: ItemsQuery, *args: Any, **more: Any) -> Any:
        asked.append(query)
        return await page_and_count(store, query, *args, **more)

    monkeypatch.setattr(ItemsStore, "page_and_count", noted)
    return asked


def following(header: str) -> str:
    found = re.search(r'<([^>]*)>; rel="next"', header)
    assert found
    return found[1]


@pytest.mark.usefixtures("chunks_of_five")
async def test_what_fits_a_chunk_comes_at_once(features: Client) -> None:
    for limit, returned in (("5", "5"), ("6", None)):
        answer = await features.get(EVENTS, {"limit": limit})
        assert answer.headers.get("OGC-NumberReturned") == returned
        assert len(answer.json()["features"]) == int(limit)


@pytest.mark.usefixtures("chunks_of_five")
async def test_pieces_make_the_same_page(features: Client) -> None:
    page = await features.get(EVENTS, {"limit": "12"})
    document = page.json()
    assert [feature["id"] for feature in document["features"]] == [*range(1, 13)]
    assert (document["numberMatched"], document["numberReturned"]) == (237, 12)
    assert following(page.headers["Link"]) == page.link("next")
    more = await features.get(following(page.headers["Link"]))
    assert [feature["id"] for feature in more.json()["features"]] == [*range(13, 25)]
    for limit in ("3", "12"):
        table = await features.get(EVENTS, {"limit": limit, "f": "csv", "bom": "true"})
        plain = await features.get(EVENTS, {"limit": limit, "f": "csv"})
        in_utc = rb"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*Z"
        assert table.body == b"\xef\xbb\xbf" + re.sub(in_utc, rb"\1 \2", plain.body)
        assert len(plain.body.splitlines()) == int(limit) + 1


@pytest.mark.usefixtures("chunks_of_five")
@pytest.mark.parametrize("limit", [3, 12])
async def test_files_are_of_as_many_rows_whatever_a_chunk_holds(
    features: Client, tmp_path: Path, held: list[ItemsQuery], limit: int
) -> None:
    answer = await features.get(EVENTS, {"limit": str(limit), "f": "gpkg"})
    # at most one chunk is in memory
    assert [query.limit for query in held] == [limit] * (limit < 5)
    file = tmp_path / "page.gpkg"
    file.write_bytes(answer.body)
    with closing(sqlite3.connect(file)) as opened:
        ids = [row[0] for row in opened.execute('SELECT id FROM "hostile.events" ORDER BY 1')]
    assert ids == [*range(1, limit + 1)]
    assert (answer.headers["OGC-NumberReturned"], answer.headers["OGC-NumberMatched"]) == (str(limit), "237")
    more = following(answer.headers["Link"]).replace("f=gpkg", "f=geojson")
    assert (await features.get(more)).json()["features"][0]["id"] == limit + 1


# a page for people begins with the newest
@pytest.mark.parametrize(("form", "number"), [("gpkg", 1), ("html", 237), ("csv", 1)])
async def test_a_page_of_no_rows_leads_to_the_first_whatever_its_format(
    features: Client, form: str, number: int
) -> None:
    answer = await features.get(EVENTS, {"limit": "0", "f": form})
    assert answer.headers["OGC-NumberReturned"] == "0"
    first = await features.get(following(answer.headers["Link"]).replace(f"f={form}", "f=geojson"))
    assert first.json()["features"][0]["id"] == number


@pytest.mark.usefixtures("chunks_of_five")
@pytest.mark.parametrize(
    "path", [f"{EVENTS}?limit=3", f"{EVENTS}?limit=12", f"{EVENTS}/1", "/collections/hostile.events/export"]
)
async def test_a_profile_is_told_in_the_header(features: Client, path: str) -> None:
    sign = "&" if "?" in path else "?"
    answer = await features.get(f"{path}{sign}f=geojson&profile=jsonfg")
    assert answer.headers["Link"].endswith(f", {PROFILE}")
    assert "conformsTo" in answer.json()
    plain = await features.get(f"{path}{sign}f=geojson")
    assert 'rel="profile"' not in plain.headers["Link"]


async def test_files_that_are_made_for_one_answer_are_left(features: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[Export] = []
    leave = Exports.leave

    def noted(exports: Exports, export: Export, **more: Any) -> None:
        left.append(export)
        leave(exports, export, **more)

    monkeypatch.setattr(Exports, "leave", noted)
    for number, path in enumerate((f"{EVENTS}?f=gpkg&limit=3", f"{EVENTS}/1?f=gpkg"), start=1):
        assert (await features.get(path)).status == 200
        assert len(left) == number


@pytest.mark.parametrize(
    ("parameters", "first"),
    [({}, 2), ({"offset": "1"}, 2), ({"sortby": "id"}, 1), ({"sortby": "-at"}, 2), ({"sortby": "at"}, 2)],
)
async def test_pages_have_the_newest_first_where_nothing_says_otherwise(
    features: Client, parameters: dict[str, str], first: int
) -> None:
    page = (await features.get(LONG_AGO, {"f": "html", "limit": "1", **parameters})).body.decode()
    assert re.findall(r"items/(\d+)\?f=html", page)[:1] == [str(first)]


async def test_pages_go_on_where_a_cursor_leads(features: Client) -> None:
    address = following((await features.get(LONG_AGO, {"limit": "1"})).headers["Link"])
    page = (await features.get(address.replace("f=geojson", "f=html"))).body.decode()
    assert re.findall(r"items/(\d+)\?f=html", page)[:1] == ["2"]


async def test_a_page_that_knows_no_ranges_yet_has_no_tag_and_its_form_is_there(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def too_late(*_: object) -> None:
        return None

    monkeypatch.setattr(ValueRanges, "recent", too_late)
    page = await features.get(EVENTS, {"f": "html", "limit": "3"})
    assert (page.status, page.headers["OGC-NumberReturned"]) == (200, "3")
    assert not {"ETag", "Last-Modified"} & page.headers.keys()
    again = await features.get(EVENTS, {"f": "html", "limit": "x"}, {"Accept": "text/html"})
    assert (again.status, b'name="filter"' in again.body) == (422, True)


@pytest.mark.usefixtures("chunks_of_five")
async def test_nothing_is_collected_for_who_asks_for_the_head(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def collected(*_: object) -> None:
        raise AssertionError("collected")

    monkeypatch.setattr(WholePages, "send", collected)
    old = {"X-Client-Protocol": "HTTP/1.0"}
    answer = await features.get(EVENTS, {"limit": "12"}, old, method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert (await features.get(EVENTS, {"limit": "12"}, old)).status == 500


@pytest.mark.usefixtures("chunks_of_five")
async def test_a_row_that_fails_after_the_first_piece_cuts_the_page(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[ItemsQuery] = []
    chunks = ItemsStore.chunks

    async def failing(store: ItemsStore, *args: Any, **more: Any) -> AsyncGenerator[Any]:
        async for rows in chunks(store, *args, **more):
            yield rows
            raise StoredValueError

    async def again(_: ItemsStore, query: ItemsQuery) -> ItemsQuery:
        tried.append(query)
        return query

    monkeypatch.setattr(ItemsStore, "chunks", failing)
    monkeypatch.setattr(ItemsStore, "leave_out_failing", again)
    with pytest.raises(ClientPayloadError):
        await features.get(EVENTS, {"limit": "12"})
    # what has begun cannot begin once more
    assert tried == []


async def test_pages_are_one_for_each_minute_where_they_say_how_long_ago(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    minute = ["1"]
    for handler in ("items", "item"):
        monkeypatch.setattr(f"services.features.{handler}.tag_of_age", lambda *_: minute[0])
    for path in (f"{EVENTS}?f=html", f"{EVENTS}/1?f=html"):
        minute[0] = "1"
        first, second = [(await features.get(path)).headers["ETag"] for _ in range(2)]
        minute[0] = "2"
        assert first == second != (await features.get(path)).headers["ETag"]


@pytest.mark.parametrize("path", [f"{EVENTS}?limit=1", f"{EVENTS}/1"])
async def test_who_accepts_json_gets_features_and_who_names_it_rows(features: Client, path: str) -> None:
    sign = "&" if "?" in path else "?"
    named = (await features.get(f"{path}{sign}f=json")).json()
    row = named[0] if isinstance(named, list) else named
    assert (row["collectionId"], row["itemId"]) == ("hostile.events", 1)
    accepted = await features.get(path, headers={"Accept": "application/json"})
    assert accepted.type == "application/json"
    document = accepted.json()
    assert document["type"] == ("Feature" if path.endswith("/1") else "FeatureCollection")
    # which is what its links call it
    own = next(link for link in document["links"] if link["rel"] == "self")
    assert (own["type"], own["href"].endswith("f=geojson")) == ("application/geo+json", True)
    assert 'type="application/geo+json"' in re.split(r",\s*(?=<)", accepted.headers["Link"])[0]


async def test_files_of_a_feature_have_the_geometry_that_its_page_has(features: Client) -> None:
    found = {}
    for asked in ("geom-column=none&", ""):
        page = (await features.get(f"{EVENTS}/7?{asked}f=html")).body.decode().replace("&amp;", "&")
        files = re.findall(rf"{features.base}/collections/hostile.events/export\?([^\"'&\s]*&[^\"'\s<]*)", page)
        assert len(files) > 5
        assert {file.partition("f=")[0] for file in files} == {f"{asked}ids=7&"}
        found[asked] = [file.partition("f=")[2] for file in files]
    # a point is columns of a spreadsheet, and drawn by MapLibre
    assert ("csv&geometry=lonlat&bom=true" in found[""], "csv&bom=true" in found["geom-column=none&"]) == (True, True)


async def test_of_large_geometries_a_page_for_people_has_boxes_alone(features: Client, held: list[ItemsQuery]) -> None:
    for form in ("html", "geojson"):
        assert (await features.get(EVENTS, {"limit": "7", "f": form})).status == 200
    assert [(query.limit, query.options) for query in held] == [(7, GeometryOptions(bbox_only=True)), (7, AS_STORED)]


@pytest.mark.usefixtures("chunks_of_five")
async def test_page_of_rows_of_unknown_size_is_not_cached(features: Client) -> None:
    for name, kept in (("events", None), ("event_view", "0")):
        answer = await features.get(f"/collections/hostile.{name}/items", {"limit": "12"})
        assert (answer.status, answer.headers.get("X-Accel-Expires")) == (200, kept)


@pytest.mark.parametrize(("beside", "lonlat"), [({}, True), ({"geom-column": "none"}, False)])
async def test_files_of_a_page_are_of_all_that_matches_with_its_geometry(
    features: Client, beside: dict[str, str], lonlat: bool
) -> None:
    answer = await features.get(EVENTS, {"category": "low", "limit": "3", "f": "html", **beside})
    page = answer.body.decode().replace("&amp;", "&")
    files = re.findall(rf"{features.base}/collections/hostile.events/export\?([^\"'&\s]*&[^\"'\s<]*)", page)
    asked = "category=low&" if lonlat else "category=low&geom-column=none&"
    assert {file.partition("f=")[0] for file in files} == {asked, f"{asked}bom=true&"}
    # the form for spreadsheets asks for longitude and latitude
    assert ('<input type="hidden" name="geometry" value="lonlat">' in page) is lonlat


@pytest.mark.parametrize("path", [EVENTS, f"{EVENTS}/1"])
async def test_links_keep_what_is_empty_but_for_fields_of_forms(features: Client, path: str) -> None:
    answer = await features.get(f"{path}?properties=&f=geojson")
    assert (answer.link("self") or "").endswith("?properties=&f=geojson")
    assert "?properties=&f=geojson>" in answer.headers["Link"]
    # an empty field of the form of a page is none
    page = await features.get(f"{path}?crs=&f=html")
    assert (page.status, "crs=" in page.headers["Link"]) == (200, False)
    assert (await features.get(f"{path}?crs=&f=geojson")).status == 422
