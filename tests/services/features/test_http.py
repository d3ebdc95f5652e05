"""HTTP details: HEAD, path parameters."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import asyncpg
import pytest

from services.features.resources import CATALOGUE
from tests.eventually import eventually
from tests.services.in_process import Client, Services


@pytest.mark.parametrize("path", ["many/items?limit=10000", "events/items?f=fgb&limit=3", "events/items/1?f=gpkg"])
@pytest.mark.parametrize("coding", [b"identity", b"gzip"])
async def test_head_of_what_is_written_piece_by_piece_has_no_body(
    running: Services, features: Client, path: str, coding: bytes
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.servers["features"].port)
    writer.write(
        b"HEAD /collections/hostile.%b HTTP/1.1\r\nHost: a\r\nAccept-Encoding: %b\r\n\r\n" % (path.encode(), coding)
        + b"GET /collections/hostile.many/items?limit=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    )
    first, _, rest = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert first.startswith(b"HTTP/1.1 200")
    assert rest.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("collection", "kept"), [("hostile.many", True), ("hostile.large_rows", False)])
async def test_gateway_may_cache_a_streamed_page_of_small_rows(
    running: Services, features: Client, owner: asyncpg.Connection, collection: str, kept: bool
) -> None:
    if not kept:
        await owner.execute(
            "CREATE TABLE hostile.large_rows AS SELECT n AS id, repeat(md5(n::text), 60) AS word"
            " FROM generate_series(1, 2500) AS n; ALTER TABLE hostile.large_rows ADD PRIMARY KEY (id);"
            "ANALYZE hostile.large_rows; GRANT SELECT ON hostile.large_rows TO hostile_reader"
        )
    try:
        await eventually(lambda: features.json(f"/collections/{collection}/items"))
        most = 4_000_000 // (running.apps["features"][CATALOGUE].collection(collection).row_bytes or 1)
        for limit in (2500,) if kept else (most, most + 1):
            answer = await features.get(f"/collections/{collection}/items?limit={limit}")
            assert answer.headers["Transfer-Encoding"] == "chunked"
            assert answer.headers.get("X-Accel-Expires") == (None if limit <= most else "0")
    finally:
        await owner.execute("DROP TABLE IF EXISTS hostile.large_rows")


async def test_a_header_as_long_as_the_gateway_lets_pass_is_read(features: Client) -> None:
    answer = await features.get("/collections/hostile.many/items?limit=1", headers={"X-Long": "x" * 32_000})
    assert answer.status == 200


@pytest.mark.parametrize("place", ["--5/0/0", "0/--0/0", "-/0/0", "1.0/0/0", "0/+0/0", "99999999999999999999/0/0"])
async def test_a_place_that_is_no_number_is_422(tiles: Client, place: str) -> None:
    answer = await tiles.get(f"/collections/hostile.events/tiles/WebMercatorQuad/{place}")
    assert (answer.status, answer.json()["detail"][0]["loc"][0]) == (422, "path")


@pytest.mark.parametrize(
    "identifier", ["49.0", "049", "4.9e1", "%2B49", "49.", "0x31", "%2049", "49%20", "-0", "4_9", "٤٩"]
)
async def test_a_number_has_one_name(features: Client, identifier: str) -> None:
    assert (await features.json("/collections/hostile.events/items/49"))["id"] == 49
    assert (await features.get(f"/collections/hostile.events/items/{quote(identifier, safe='%')}")).status == 404


async def test_numbers_below_nought_and_beyond_eighteen_digits_are_found(features: Client) -> None:
    for number, identifier in ((-1, -1), (9007199254740993, "9007199254740993")):
        assert (await features.json(f"/collections/hostile.types/items/{number}"))["id"] == identifier
    for number in (2**63 - 1, -(2**63), 2**63, 10**40):
        assert (await features.get(f"/collections/hostile.types/items/{number}")).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/collections/hostile.text_key/items/%FF",
        "/collections/%FF",
        "/collections/%C3%28/items",
        "/collections/%ED%A0%80/items",
    ],
)
async def test_escapes_of_the_path_that_are_no_text_are_refused(running: Services, path: str) -> None:
    for name in ("common",) if path.count("/") == 2 else ("features",):
        answer = await running[name].get(path)
        assert answer.status == 422, answer.body
        assert answer.json()["detail"][0]["loc"] == ["path"]
    # the escape of an escape is a name like any other
    assert (await running["features"].json("/collections/hostile.text_key/items/%252F"))["id"] == "%2F"


@pytest.mark.parametrize("path", ["items?limit=5", "items?limit=1000", "items?limit=1000&f=csv", "items/1", "schema"])
async def test_answers_are_compressed_for_who_takes_it(features: Client, path: str) -> None:
    address = f"/collections/hostile.events/{path}"
    small, whole = [await features.get(address, headers={"Accept-Encoding": coding}) for coding in ("gzip", "x")]
    assert (small.headers.get("Content-Encoding"), whole.headers.get("Content-Encoding")) == ("gzip", None)
    assert small.headers["Vary"] == whole.headers["Vary"] == "Accept, Accept-Encoding"
    assert len(small.body) == len(whole.body) > 512


@pytest.mark.parametrize("resource", ["queryables", "schema"])
async def test_a_schema_is_json_too(features: Client, resource: str) -> None:
    path = f"/collections/hostile.events/{resource}"
    for accept in ("application/json", "application/json, text/plain, */*", "text/html;q=0.5, application/json"):
        answer = await features.get(path, headers={"Accept": accept})
        assert (answer.status, answer.type) == (200, "application/schema+json"), accept
        assert answer.headers["Vary"] == "Accept, Accept-Encoding"
    assert (await features.get(path, headers={"Accept": "text/html, application/json;q=0.9"})).type.startswith(
        "text/html"
    )
    assert (await features.get(path, headers={"Accept": "application/geo+json"})).status == 406
    # a type of features is not a schema
    assert (await features.get("/collections/hostile.events/items", headers={"Accept": "application/json"})).type == (
        "application/json"
    )


async def test_letters_of_a_path_may_be_escaped(features: Client) -> None:
    plain = await features.json("/collections/hostile.events/items", limit="1")
    assert plain["numberReturned"] == 1
    escaped = await features.json("/%63ollections/hostile%2eevents/it%65ms", limit="1")
    assert {**escaped, "timeStamp": None} == {**plain, "timeStamp": None}
    for path in ("/%2563ollections/hostile.events/items", "/collections%2Fhostile.events/items"):
        assert (await features.get(path)).status == 404


async def test_an_id_may_hold_braces(features: Client) -> None:
    assert (await features.json("/collections/hostile.text_key/items/%7Bbrace%7D"))["id"] == "{brace}"


async def test_a_page_of_no_rows_leads_to_those_that_there_are(features: Client) -> None:
    path = "/collections/hostile.events/items"
    some = await features.get(path, {"limit": "0", "offset": "230"})
    assert (await features.get(some.link("next") or "")).json()["numberReturned"] == 7
    none = await features.get(path, {"limit": "0", "offset": "237"})
    assert (none.json()["numberMatched"], none.link("next")) == (237, None)


async def test_a_box_may_be_given_number_by_number(running: Services) -> None:
    for service, address in (
        ("features", "/collections/hostile.events/items?limit=1"),
        ("common", "/collections?limit=1"),
        ("tiles", "/collections/hostile.events/tiles/WebMercatorQuad/0/0/0?limit=1"),
    ):
        client = running[service]
        at_once, one_by_one, others = [
            await client.get(f"{address}&{box}")
            for box in ("bbox=-179,-80,0,80.5", "bbox=-179&bbox=-80&bbox=0&bbox=80.5", "bbox=0,0,1,1")
        ]
        assert at_once.status == one_by_one.status == 200
        assert at_once.body != others.body
        if service == "tiles":
            assert one_by_one.body == at_once.body
        else:
            links, expected = one_by_one.link("self") or "", at_once.link("self") or ""
            assert sorted(links.partition("?")[2].split("&")) == sorted(expected.partition("?")[2].split("&"))
            assert one_by_one.json()["numberMatched"] == at_once.json()["numberMatched"]


@pytest.mark.parametrize(
    ("query", "kind", "words"),
    [
        ("bbox=1&bbox=2&bbox=3", "minItems", "bbox has 3 items, minimum is 4"),
        ("bbox=1&bbox=2&bbox=x&bbox=4", "float_parsing", "bbox item 3 ('x') must be a number"),
        ("bbox=1,2&bbox=3,4", "repeated", "bbox is given more than once"),
        ("bbox=1,2,3,4&bbox=1", "repeated", "bbox is given more than once"),
        ("limit=1&limit=2", "repeated", "limit is given more than once"),
    ],
)
async def test_a_box_in_pieces_is_refused(features: Client, query: str, kind: str, words: str) -> None:
    answer = await features.get(f"/collections/hostile.events/items?{query}")
    assert answer.status == 422
    assert (kind, words) in [(fault["type"], fault["msg"]) for fault in answer.json()["detail"]]


async def test_where_there_is_nothing_to_choose_nothing_is_refused(running: Services) -> None:
    accept = {"Accept": "application/geo+json"}
    tileset = "/collections/hostile.events/tiles/WebMercatorQuad"
    for resource, media_type in (
        ("tilejson.json", "application/json"),
        ("style.json", "application/json"),
        ("0/0/0", "application/vnd.mapbox-vector-tile"),
    ):
        answer = await running["tiles"].get(f"{tileset}/{resource}", headers=accept)
        assert (answer.status, answer.type) == (200, media_type)
    assert (await running["tiles"].get(tileset, headers=accept)).status == 406
