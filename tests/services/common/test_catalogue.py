"""Every service offers what the database offers, within the refresh interval."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services

TILES = "/collections/{}/tiles/WebMercatorQuad"
# each service's resource about a collection
VIEWS = {
    "common": "/collections/{}",
    "features": "/collections/{}/items",
    "tiles": TILES,
    "viewer": f"{TILES}/map.html",
}


@pytest.fixture(scope="module")
async def all_services(running: Services, hostile: HostileDatabase, dist: Path) -> Services:
    """The hostile services with a viewer, whose pages name what `dist` holds."""
    await running.start("viewer", hostile.env())
    return running


async def _status(services: Services, collection: str, expected: int) -> None:
    for name, path in VIEWS.items():
        answer = await services[name].get(path.format(collection))
        assert answer.status == expected, (name, answer.status)


async def test_tables_come_change_and_go_everywhere(all_services: Services, owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE TABLE hostile.fresh (id integer PRIMARY KEY, before text, geom geometry(Point, 4326));"
        "COMMENT ON TABLE hostile.fresh IS 'First title';"
        "INSERT INTO hostile.fresh VALUES (1, 'x', 'SRID=4326;POINT(1 2)');"
        "GRANT SELECT ON hostile.fresh TO hostile_reader"
    )
    try:
        await eventually(lambda: _status(all_services, "hostile.fresh", 200))
        await owner.execute(
            "ALTER TABLE hostile.fresh RENAME before TO after; COMMENT ON TABLE hostile.fresh IS 'Second title'"
        )

        async def altered() -> None:
            assert (await all_services["common"].json("/collections/hostile.fresh"))["title"] == "Second title"
            items = await all_services["features"].json("/collections/hostile.fresh/items")
            assert items["features"][0]["properties"] == {"id": 1, "after": "x"}
            tilejson = await all_services["tiles"].json(f"{TILES.format('hostile.fresh')}/tilejson.json")
            assert "after" in tilejson["vector_layers"][0]["fields"]
            page = await all_services["viewer"].get(VIEWS["viewer"].format("hostile.fresh"))
            assert b"Second title" in page.body

        await eventually(altered)
    finally:
        await owner.execute("DROP TABLE hostile.fresh")
    await eventually(lambda: _status(all_services, "hostile.fresh", 404))


async def test_what_the_role_may_not_read_is_not_offered(running: Services, owner: asyncpg.Connection) -> None:
    listed = {entry["id"] for entry in (await running["common"].json("/collections"))["collections"]}
    assert not {"hostile.forbidden", "hostile.half_forbidden"} & listed
    for name in ("common", "features", "tiles"):
        for collection in ("hostile.forbidden", "hostile.half_forbidden"):
            assert (await running[name].get(VIEWS[name].format(collection))).status == 404
    await owner.execute("REVOKE SELECT ON hostile.no_geometry FROM dams_reader")
    try:
        await eventually(lambda: _gone(running, "hostile.no_geometry"))
    finally:
        await owner.execute("GRANT SELECT ON hostile.no_geometry TO dams_reader")
    await eventually(lambda: running["features"].json("/collections/hostile.no_geometry/items"))


async def _gone(services: Services, collection: str) -> None:
    for name in ("common", "features"):
        assert (await services[name].get(VIEWS[name].format(collection))).status == 404


async def test_a_broken_view_is_logged_and_left_out_until_it_is_mended(
    common: Client, owner: asyncpg.Connection
) -> None:
    # the view's owner loses the right to the table under it, so that reading the view fails
    await owner.execute(
        "CREATE ROLE view_owner; GRANT USAGE, CREATE ON SCHEMA hostile TO view_owner;"
        "CREATE TABLE hostile.under (id integer PRIMARY KEY);"
        "CREATE VIEW hostile.broken AS SELECT * FROM hostile.under;"
        "ALTER VIEW hostile.broken OWNER TO view_owner; GRANT SELECT ON hostile.broken TO hostile_reader;"
        "CREATE TABLE hostile.sound (id integer PRIMARY KEY); GRANT SELECT ON hostile.sound TO hostile_reader"
    )
    try:
        await eventually(lambda: common.json("/collections/hostile.sound"))
        assert (await common.get("/collections/hostile.broken")).status == 404
        await owner.execute("GRANT SELECT ON hostile.under TO view_owner")
        await eventually(lambda: common.json("/collections/hostile.broken"))
    finally:
        await owner.execute(
            "DROP VIEW hostile.broken; DROP TABLE hostile.under, hostile.sound; DROP OWNED BY view_owner;"
            "DROP ROLE view_owner"
        )


KINDS = {
    "table": "hostile.events",
    "view": "hostile.event_view",
    "materialized view": "hostile.event_matview",
    "partitioned table": "hostile.parted",
    "foreign table": "hostile.foreign_events",
    "function": "hostile.strongest",
}


@pytest.fixture(scope="module")
async def every_kind(hostile: HostileDatabase, running: Services) -> AsyncIterator[None]:
    """A foreign table, of this same database, and a function beside the others."""
    owner = await asyncpg.connect(hostile.owner_url)
    database, port, user = await owner.fetchrow("SELECT current_database(), current_setting('port'), current_user")
    password = hostile.owner_url.partition("://")[2].partition("@")[0].partition(":")[2]
    await owner.execute(
        "CREATE EXTENSION IF NOT EXISTS postgres_fdw;"
        "CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw"
        f" OPTIONS (host '127.0.0.1', port '{port}', dbname '{database}');"
        f"CREATE USER MAPPING FOR PUBLIC SERVER itself OPTIONS (user '{user}', password '{password}')"
    )
    await owner.execute(
        "CREATE FOREIGN TABLE hostile.foreign_events (id integer NOT NULL, name text, magnitude double precision,"
        " at timestamptz, geom geometry(Point, 4326))"
        " SERVER itself OPTIONS (schema_name 'hostile', table_name 'events');"
        "CREATE FUNCTION hostile.strongest(at_least double precision) RETURNS SETOF hostile.events STABLE LANGUAGE sql"
        " AS 'SELECT * FROM hostile.events WHERE magnitude >= at_least';"
        "GRANT SELECT ON hostile.foreign_events TO dams_reader"
    )
    yield
    await owner.execute("DROP FUNCTION hostile.strongest; DROP SERVER itself CASCADE")
    await owner.close()


@pytest.mark.usefixtures("every_kind")
@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_relation_is_a_collection(running: Services, kind: str) -> None:
    collection = KINDS[kind]
    arguments = {"at_least": "7"} if kind == "function" else {}

    async def served() -> tuple[Any, Any]:
        return (
            await running["common"].json(f"/collections/{collection}"),
            await running["features"].json(f"/collections/{collection}/items", limit="3", **arguments),
        )

    document, items = await eventually(served)
    assert document["itemType"] == "feature"
    assert len(items["features"]) == 3
    assert all(feature["geometry"]["type"] == "Point" for feature in items["features"])
    expected = "Function" if kind == "function" else "Table"
    for type_ in ("Function", "Table"):
        listed = await running["common"].json("/collections", type=type_)
        assert (collection in {entry["id"] for entry in listed["collections"]}) is (type_ == expected)


@pytest.mark.parametrize(
    ("table", "near"),
    [
        # the root of an index
        ("hostile.events", 1e-4),
        # the statistics of the partitions
        ("hostile.parted", 1.0),
    ],
)
async def test_spatial_extents(common: Client, owner: asyncpg.Connection, table: str, near: float) -> None:
    extent = await owner.fetchval(
        "SELECT query_to_xml(format('SELECT ST_Extent(geom) FROM %s', $1::text), true, true, '')::text", table
    )
    exact = [float(number) for number in re.findall(r"-?[\d.]+", extent.partition("BOX(")[2].partition(")")[0])]
    (box,) = (await common.json(f"/collections/{table}"))["extent"]["spatial"]["bbox"]
    assert box == pytest.approx(exact, abs=near)


async def test_temporal_extents_are_exact_where_an_index_knows(common: Client, owner: asyncpg.Connection) -> None:
    interval = (await common.json("/collections/hostile.events"))["extent"]["temporal"]["interval"]
    assert interval == [["2020-01-02T00:00:00Z", "2020-08-25T00:00:00Z"]]
    # a committed row shows, though nothing of the table's shape has changed
    await owner.execute(
        "INSERT INTO hostile.events VALUES (9999, 'late', 1, 'low', '2031-05-06Z', 'SRID=4326;POINT(0 0)')"
    )
    try:

        async def grown() -> None:
            extent = (await common.json("/collections/hostile.events"))["extent"]
            assert extent["temporal"]["interval"][0][1] == "2031-05-06T00:00:00Z"

        await eventually(grown)
    finally:
        await owner.execute("DELETE FROM hostile.events WHERE id = 9999")


async def test_the_most_common_times_count_where_there_is_no_index(common: Client, owner: asyncpg.Connection) -> None:
    # five equal values make no histogram
    await owner.execute(
        "CREATE TABLE hostile.few_times (id integer PRIMARY KEY, at timestamptz);"
        "INSERT INTO hostile.few_times SELECT n, timestamptz '2024-02-29Z' FROM generate_series(1, 5) n;"
        "ANALYZE hostile.few_times; GRANT SELECT ON hostile.few_times TO hostile_reader"
    )
    try:

        async def listed() -> None:
            extent = (await common.json("/collections/hostile.few_times"))["extent"]
            assert extent["temporal"]["interval"] == [["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"]]

        await eventually(listed)
    finally:
        await owner.execute("DROP TABLE hostile.few_times")
