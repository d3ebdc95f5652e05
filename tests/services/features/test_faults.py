"""Failures of the database are reported as what they are; long addresses fit."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.in_process import Client


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("broken_view", "CREATE VIEW hostile.broken_view AS SELECT id, 1 / (id - id) AS quotient FROM hostile.events"),
    ],
)
async def test_what_is_stored_wrongly_is_no_fault_of_the_request(
    features: Client, owner: asyncpg.Connection, name: str, statement: str
) -> None:
    await owner.execute(f"{statement}; GRANT SELECT ON hostile.{name} TO hostile_reader")
    try:
        await eventually(lambda: features.json(f"/collections/hostile.{name}/queryables"))
        answer = await features.get(f"/collections/hostile.{name}/items", {"f": "geojson"})
        assert answer.status == 503, answer.body
        assert int(answer.headers["Retry-After"]) == 60
    finally:
        await owner.execute(f"DROP {name.partition('_')[2]} hostile.{name}")


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("invalid_numbers", "CREATE TABLE hostile.invalid_numbers AS SELECT n::float8 AS id, {geom} AS geom"),
        (
            "invalid_uuids",
            "CREATE TABLE hostile.invalid_uuids AS SELECT lpad(n::text, 32, '0')::uuid AS id, {geom} AS geom",
        ),
    ],
)
async def test_an_invalid_geometry_is_found_by_a_key_of_any_type(
    features: Client, owner: asyncpg.Connection, name: str, statement: str
) -> None:
    geom = "ST_SetSRID(ST_MakePoint(CASE WHEN n = 3 THEN 1e30 ELSE 1570000 END, 5180000), 2193)::geometry(Point, 2193)"
    await owner.execute(
        f"{statement.format(geom=geom)} FROM generate_series(1, 12) AS n;"
        f" ALTER TABLE hostile.{name} ADD PRIMARY KEY (id); GRANT SELECT ON hostile.{name} TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json(f"/collections/hostile.{name}/queryables"))
        page = await features.json(f"/collections/hostile.{name}/items", limit="12")
        assert [number for number, f in enumerate(page["features"], 1) if f["geometry"] is None] == [3]
    finally:
        await owner.execute(f"DROP TABLE hostile.{name}")


async def test_a_geometry_that_cannot_be_projected_is_null_and_spares_the_others(
    features: Client, owner: asyncpg.Connection
) -> None:
    await owner.execute(
        "CREATE TABLE hostile.invalid AS SELECT n AS id,"
        " ST_SetSRID(ST_MakePoint(CASE WHEN n IN (3, 10) THEN 1e30 ELSE 1570000 END, 5180000), 2193)"
        "::geometry(Point, 2193) AS geom FROM generate_series(1, 12) AS n;"
        " ALTER TABLE hostile.invalid ADD PRIMARY KEY (id); GRANT SELECT ON hostile.invalid TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.invalid/queryables"))
        seen = []
        address = "/collections/hostile.invalid/items?limit=5"
        while address:
            answer = await features.get(address)
            assert answer.status == 200, answer.body
            seen += [(feature["id"], feature["geometry"] is None) for feature in answer.json()["features"]]
            address = answer.link("next") or ""
        assert seen == [(number, number in {3, 10}) for number in range(1, 13)]
        assert (await features.json("/collections/hostile.invalid/items/3"))["geometry"] is None
        assert (await features.json("/collections/hostile.invalid/items/4"))["geometry"]["type"] == "Point"
        table = await features.get("/collections/hostile.invalid/items", {"f": "csv", "limit": "12"})
        assert table.body.count(b"POINT") == 10
    finally:
        await owner.execute("DROP TABLE hostile.invalid")


KEYLESS = {
    "table": "CREATE TABLE {name} AS SELECT n, {geom} AS geom FROM generate_series(1, 12) AS n",
    "view": "CREATE VIEW {name} AS SELECT n, {geom} AS geom FROM generate_series(1, 12) AS n",
    "partitioned": "CREATE TABLE {name} (n integer, geom geometry(Point, 2193)) PARTITION BY RANGE (n);"
    "CREATE TABLE {name}_1 PARTITION OF {name} FOR VALUES FROM (0) TO (6);"
    "CREATE TABLE {name}_2 PARTITION OF {name} DEFAULT;"
    "INSERT INTO {name} SELECT n, {geom} FROM generate_series(1, 12) AS n",
    "function": "CREATE FUNCTION {name}() RETURNS TABLE (n integer, geom geometry(Point, 2193)) STABLE"
    " LANGUAGE sql AS $$ SELECT n, {geom} FROM generate_series(1, 12) AS n $$",
}


@pytest.mark.parametrize("kind", KEYLESS)
async def test_an_invalid_geometry_of_rows_without_a_key_spares_the_others(
    features: Client, owner: asyncpg.Connection, kind: str
) -> None:
    geom = (
        "ST_SetSRID(ST_MakePoint(CASE WHEN n IN (1, 4, 5, 12) THEN 1e30 ELSE 1570000 + n * 1000 END, 5180000), 2193)"
        "::geometry(Point, 2193)"
    )
    # each has a different name: a name that returns as something else is reported as a changing collection
    name = f"hostile.invalid_{kind}"
    right = f"EXECUTE ON FUNCTION {name}()" if kind == "function" else f"SELECT ON {name}"
    await owner.execute(f"{KEYLESS[kind].format(geom=geom, name=name)}; GRANT {right} TO hostile_reader")
    try:
        path = f"/collections/{name}/items"
        await eventually(lambda: features.json(f"/collections/{name}/queryables"))
        places: dict[int, Any] = {}
        for parameters in ({}, {"sortby": "-n"}, {"filter": "n <> 7"}, {"bbox-only": "true"}, {"properties": "n"}):
            seen = []
            page = await features.get(path, {"limit": "5", **parameters})
            while True:
                assert page.status == 200, page.body
                seen += [(f["properties"]["n"], f["geometry"]) for f in page.json()["features"]]
                address = page.link("next")
                if address is None:
                    break
                page = await features.get(address)
            assert [n for n, _ in seen] == sorted((n for n, _ in seen), reverse="sortby" in parameters)
            assert len(seen) == (11 if "filter" in parameters else 12)
            assert {n for n, geometry in seen if geometry is None} == {1, 4, 5, 12}, parameters
            # each has its own geometry, on any page and in any order
            for n, geometry in seen:
                where = geometry and geometry["coordinates"]
                assert places.setdefault(n, where) == where
        assert len({tuple(where) for where in places.values() if where}) == 8
        table = await features.get(path, {"f": "csv", "limit": "12", "offset": "2"})
        assert table.body.count(b"POINT") == 7
        # nothing but the geometry
        page = await features.json(path, limit="12", properties="")
        assert [f["geometry"] is None for f in page["features"]].count(True) == 4
    finally:
        await owner.execute(f"DROP {kind if kind in ('view', 'function') else 'table'} {name}")


async def test_rights_that_were_taken_away_are_no_mistake_of_the_server(
    features: Client, owner: asyncpg.Connection
) -> None:
    await owner.execute("CREATE TABLE hostile.taken (id integer); GRANT SELECT ON hostile.taken TO hostile_reader")
    try:
        await eventually(lambda: features.json("/collections/hostile.taken/items"))
        await owner.execute("REVOKE ALL ON hostile.taken FROM hostile_reader")
        assert (await features.get("/collections/hostile.taken/items")).status in (503, 404)
    finally:
        await owner.execute("DROP TABLE hostile.taken")


@pytest.mark.parametrize("size", [5_000, 16_000])
async def test_a_long_filter_has_links_that_fit_a_header(features: Client, size: int) -> None:
    text = "name <> '" + "x" * size + "'"
    answer = await features.get("/collections/hostile.events/items", {"filter": text})
    assert answer.status == 200, answer.body[:300]
    assert 'rel="next"' in answer.headers["Link"]
    # the largest header that aiohttp's client accepts
    assert len(answer.headers["Link"]) < 8_190
    assert {link["rel"] for link in answer.json()["links"]} >= {"self", "alternate", "next"}


async def test_what_has_links_nowhere_else_has_all_in_its_header(features: Client) -> None:
    pages = [await features.get("/collections/hostile.events/items", {"f": name}) for name in ("geojson", "csv")]
    in_body = [link for link in pages[0].json()["links"] if link["rel"] in ("alternate", "related")]
    header = pages[1].headers["Link"]
    assert header.count('rel="alternate"') + header.count('rel="related"') == len(in_body) >= 9
    for page in pages:
        assert all(f'rel="{rel}"' in page.headers["Link"] for rel in ("next", "self", "collection"))
