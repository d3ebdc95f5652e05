"""What the database cannot do is told as what it is; long addresses fit."""

from __future__ import annotations

import asyncpg
import pytest

from tests.services.in_process import Client, eventually


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("broken_view", "CREATE VIEW hostile.broken_view AS SELECT id, 1 / (id - id) AS quotient FROM hostile.events"),
        ("broken_table", "CREATE TABLE hostile.broken_table AS SELECT 1 AS id,"
                  " ST_SetSRID(ST_MakePoint(1e30, 1), 2193)::geometry(Point, 2193) AS geom"),
    ],
)  # fmt: skip
async def test_what_is_stored_wrongly_is_no_fault_of_the_request(
    features: Client, owner: asyncpg.Connection, name: str, statement: str
) -> None:
    await owner.execute(f"{statement}; GRANT SELECT ON hostile.{name} TO hostile_reader")
    try:
        await eventually(lambda: features.json(f"/collections/hostile.{name}/queryables"))
        answer = await features.get(f"/collections/hostile.{name}/items", {"f": "json"})
        assert answer.status == 503, answer.body
        assert int(answer.headers["Retry-After"]) == 60
    finally:
        await owner.execute(f"DROP {name.partition('_')[2]} hostile.{name}")


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("sick_numbers", "CREATE TABLE hostile.sick_numbers AS SELECT n::float8 AS id, {geom} AS geom"),
        ("sick_uuids", "CREATE TABLE hostile.sick_uuids AS SELECT lpad(n::text, 32, '0')::uuid AS id, {geom} AS geom"),
    ],
)
async def test_a_sick_geometry_is_found_by_a_key_of_any_type(
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
        "CREATE TABLE hostile.sick AS SELECT n AS id,"
        " ST_SetSRID(ST_MakePoint(CASE WHEN n IN (3, 10) THEN 1e30 ELSE 1570000 END, 5180000), 2193)"
        "::geometry(Point, 2193) AS geom FROM generate_series(1, 12) AS n;"
        " ALTER TABLE hostile.sick ADD PRIMARY KEY (id); GRANT SELECT ON hostile.sick TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.sick/queryables"))
        seen = []
        address = "/collections/hostile.sick/items?limit=5"
        while address:
            answer = await features.get(address)
            assert answer.status == 200, answer.body
            seen += [(feature["id"], feature["geometry"] is None) for feature in answer.json()["features"]]
            address = answer.link("next") or ""
        assert seen == [(number, number in {3, 10}) for number in range(1, 13)]
        assert (await features.json("/collections/hostile.sick/items/3"))["geometry"] is None
        assert (await features.json("/collections/hostile.sick/items/4"))["geometry"]["type"] == "Point"
        table = await features.get("/collections/hostile.sick/items", {"f": "csv", "limit": "12"})
        assert table.body.count(b"POINT") == 10
    finally:
        await owner.execute("DROP TABLE hostile.sick")


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
    assert len(answer.headers["Link"]) < 40_000
    assert {link["rel"] for link in answer.json()["links"]} >= {"self", "alternate", "next"}


async def test_a_short_address_has_all_links_in_its_header(features: Client) -> None:
    header = (await features.get("/collections/hostile.events/items")).headers["Link"]
    assert header.count('rel="alternate"') == 5
    assert all(f'rel="{rel}"' in header for rel in ("next", "self", "collection"))
