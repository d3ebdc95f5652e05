"""Long parameters in a cursor, and pages that are read by them to the end."""

from __future__ import annotations

import base64
import re
import zlib
from random import getrandbits
from uuid import UUID

import asyncpg
import pytest

from services.features.request.long_parameters import pack_parameters, unpack_cursor
from tests.conftest import MakeDatabase
from tests.services.in_process import Client, services

POLYGON = ", ".join(f"{-170 + n * 0.1:.2f} {-80 + n * 0.05:.2f}" for n in range(900))
FILTER = f"S_INTERSECTS(geom, BBOX(-180, -90, 180, 90)) OR S_INTERSECTS(geom, LINESTRING({POLYGON}))"


def test_what_is_packed_comes_out_again() -> None:
    kept, cursor = pack_parameters({"filter": FILTER, "limit": "5", "ids": "1,2"}, "abc")
    assert kept == {"limit": "5", "ids": "1,2"}
    assert unpack_cursor(cursor) == ({"filter": FILTER}, "abc")
    assert unpack_cursor(pack_parameters({"ids": "1," * 5000}, "")[1]) == ({"ids": "1," * 5000}, None)
    for plain in ("plain", "z", "zzz", "a.b"):
        assert unpack_cursor(plain) == ({}, plain)


@pytest.mark.parametrize("name", ["filter", "ids"])
def test_what_is_long_is_packed_as_far_as_a_request_line_holds_it(name: str) -> None:
    assert pack_parameters({name: "x" * 500}, "")[0] == {name: "x" * 500}
    assert pack_parameters({name: "x" * 501}, "")[0] == {}
    most = "x" * (64 * 1024 - len(f'{{"{name}":""}}'))
    assert unpack_cursor(pack_parameters({name: most}, "abc")[1]) == ({name: most}, "abc")
    with pytest.raises(ValueError, match="not one of this service"):
        unpack_cursor(pack_parameters({name: f"{most}x"}, "abc")[1])


def _of(body: bytes) -> str:
    return f"z{base64.urlsafe_b64encode(zlib.compress(body)).decode()}.x"


@pytest.mark.parametrize(
    "cursor",
    [
        "z!.x",
        "zAAAA.x",
        _of(b"[1]"),
        _of(b'{"limit":"5"}'),
        _of(b'{"filter":5}'),
        _of(b'{"filter":"' + b"x" * 10**6 + b'"}'),
    ],
    ids=["no base64", "nothing packed", "no object", "another parameter", "no text", "too large"],
)
async def test_what_is_none_of_ours_is_refused(features: Client, cursor: str) -> None:
    with pytest.raises(ValueError, match="not one of this service"):
        unpack_cursor(cursor)
    answer = await features.get("/collections/hostile.events/items", {"cursor": cursor})
    assert answer.status == 422
    assert b"cursor is not one of this service" in answer.body


async def test_a_parameter_is_given_once(features: Client) -> None:
    _, cursor = pack_parameters({"filter": FILTER}, "")
    answer = await features.get("/collections/hostile.events/items", {"cursor": cursor, "filter": "id = 1"})
    assert answer.status == 422
    assert b"filter is already part of the cursor" in answer.body


@pytest.mark.parametrize("name", ["events", "no_key"])
async def test_pages_of_csv_are_read_to_the_end_by_the_header_alone(features: Client, name: str) -> None:
    assert len(FILTER) > 11_000
    address = f"/collections/hostile.{name}/items"
    answer = await features.get(address, {"filter": FILTER, "f": "csv", "limit": "20"})
    rows = answer.body.splitlines()[1:]
    whole = int(answer.headers["OGC-NumberMatched"])
    while found := re.search(r'<([^>]*)>; rel="next"', answer.headers["Link"]):
        assert len(answer.headers["Link"]) < 8_190
        answer = await features.get(found[1])
        assert answer.status == 200, answer.body[:300]
        rows += answer.body.splitlines()[1:]
    assert len(rows) == len(set(rows)) == whole > 40


async def reports(owner: asyncpg.Connection) -> None:
    """Three texts of 12 kB."""
    await owner.execute(
        "CREATE SCHEMA own; CREATE TABLE own.reports (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), body text);"
        "INSERT INTO own.reports (body) SELECT string_agg(md5(n || ' ' || m), '') FROM generate_series(1, 400) n,"
        " generate_series(1, 3) m GROUP BY m"
    )


async def test_no_page_passes_for_the_last_one_because_the_next_address_is_long(make_database: MakeDatabase) -> None:
    """Sorted by long texts, and with parameters that are long even when they are packed."""
    url = await make_database(reports)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "own"})
        await _read_to_the_end(running["features"], "/collections/own.reports/items")


async def _read_to_the_end(client: Client, address: str) -> None:
    known = [str(feature["id"]) for feature in (await client.json(address))["features"]]
    others = [str(UUID(int=getrandbits(128), version=4)) for _ in range(300)]
    for parameters in ({"sortby": "body"}, {"ids": ",".join([*known, *others])}):
        answer = await client.get(address, {"f": "csv", "limit": "1", **parameters})
        found = answer.body.splitlines()[1:]
        while following := re.search(r'<([^>]*)>; rel="next"', answer.headers["Link"]):
            answer = await client.get(following[1])
            assert answer.status == 200, answer.body[:300]
            found += answer.body.splitlines()[1:]
        assert len(found) == len(set(found)) == len(known)


async def test_links_in_the_body_say_all(features: Client) -> None:
    answer = await features.get("/collections/hostile.events/items", {"filter": FILTER, "limit": "20"})
    following = re.search(r'<([^>]*)>; rel="next"', answer.headers["Link"])
    assert following
    second = await features.get(following[1])
    by_body = await features.get(answer.link("next") or "")
    assert [feature["id"] for feature in second.json()["features"]] == [
        feature["id"] for feature in by_body.json()["features"]
    ]
    assert "filter=S_INTERSECTS" in (second.link("next") or "")
    again = await features.get(second.link("self") or "")
    assert again.json()["features"] == second.json()["features"]
