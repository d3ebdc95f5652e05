"""A faulty table affects at most itself; the others stay, and new ones appear."""

from __future__ import annotations

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.in_process import Client

BAD = {
    "a time before Christ": (
        "CREATE TABLE hostile.bad (id integer PRIMARY KEY, at timestamptz); CREATE INDEX ON hostile.bad (at);"
        "INSERT INTO hostile.bad VALUES (1, '0044-03-15 BC')"
    ),
    "the year 12345": (
        "CREATE TABLE hostile.bad (id integer PRIMARY KEY, at timestamp); CREATE INDEX ON hostile.bad (at);"
        "INSERT INTO hostile.bad VALUES (1, '12345-01-01')"
    ),
    "coordinates out of the projection": (
        "CREATE TABLE hostile.bad (id integer PRIMARY KEY, geom geometry(Point, 2193));"
        "INSERT INTO hostile.bad VALUES (1, 'SRID=2193;POINT(1e30 1e30)');"
        "CREATE INDEX ON hostile.bad USING gist (geom)"
    ),
}


@pytest.mark.parametrize("bad", BAD)
async def test_a_bad_table_does_not_stop_the_catalogue(common: Client, owner: asyncpg.Connection, bad: str) -> None:
    await owner.execute(
        BAD[bad] + "; CREATE TABLE hostile.canary (id integer PRIMARY KEY); ANALYZE hostile.bad;"
        "GRANT SELECT ON hostile.bad, hostile.canary TO hostile_reader"
    )
    try:
        await eventually(lambda: common.json("/collections/hostile.canary"))
        await common.json("/collections/hostile.bad")
    finally:
        await owner.execute("DROP TABLE hostile.bad, hostile.canary")
        await eventually(lambda: gone(common, "hostile.canary"))


async def gone(common: Client, collection: str) -> None:
    assert (await common.get(f"/collections/{collection}")).status == 404


async def test_rows_of_several_srids_have_one_extent(common: Client) -> None:
    async def box() -> list[float]:
        extent = (await common.json("/collections/hostile.mixed_srids")).get("extent", {})
        assert "spatial" in extent
        return extent["spatial"]["bbox"][0]  # type: ignore[no-any-return]

    west, south, east, north = await eventually(box)
    assert (west, south, east, north) == pytest.approx((30, -40, 175, 13), abs=2e-5)
    assert west <= 30
    assert south <= -40


async def test_what_changes_with_the_clock_has_no_version(features: Client, owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE VIEW hostile.recent AS SELECT id, at FROM hostile.events WHERE at > now() - interval '100 years';"
        "GRANT SELECT ON hostile.recent TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.recent/items"))
        answer = await features.get("/collections/hostile.recent/items")
        assert "ETag" not in answer.headers
        assert "ETag" in (await features.get("/collections/hostile.event_view/items")).headers
    finally:
        await owner.execute("DROP VIEW hostile.recent")
