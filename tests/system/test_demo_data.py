"""The contents of the demo data: the packaged files as the documentation describes them, seen in the database."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.running_stack import RunningStack

pytestmark = pytest.mark.system


@pytest.fixture
async def owner(stack: RunningStack) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(stack.owner_url("dams"))
    yield connection
    await connection.close()


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("hazard_eq_events", 1707),
        ("hazard_ts_events", 4736),
        ("hazard_ts_nodes", 149_734 + 8),
        ("hazard_ts_disturbance_nodes", 11_327),
        ("hazard_ts_advisory_nodes", 6_046),
        ("hazard_ts_advisory_buffers", 12_126),
    ],
)
async def test_each_table_has_the_rows_of_the_files(owner: asyncpg.Connection, table: str, rows: int) -> None:
    assert await owner.fetchval(f"SELECT count(*) FROM hazard.{table}") == rows  # noqa: S608 - our own names


async def test_a_storm_is_there_with_its_landfalls(owner: asyncpg.Connection) -> None:
    assert await owner.fetch("SELECT event_id FROM hazard.hazard_ts_events WHERE name = 'Irma'") == [("AL112017",)]
    nodes = await owner.fetch("SELECT * FROM hazard.hazard_ts_nodes WHERE event_id = 'AL112017'")
    assert {(row["name"], row["kind"]) for row in nodes} == {("Irma", "analysed")}
    assert {row["landfall_place"] for row in nodes if row["landfall"]} >= {"Cuba", "United States of America"}


async def test_the_newest_storms_of_the_files_have_a_forecast(owner: asyncpg.Connection) -> None:
    expected = await owner.fetch("SELECT name, source FROM hazard.hazard_ts_nodes WHERE kind = 'forecast'")
    assert {row["name"] for row in expected} == {"Alvin", "Barbara"}
    assert all("newest of the demo data" in row["source"] for row in expected)


async def test_zones_of_wind_know_the_people_in_them(owner: asyncpg.Connection) -> None:
    zones = await owner.fetch("SELECT * FROM hazard.hazard_ts_advisory_buffers WHERE event_id = 'AL112017'")
    observed = [row for row in zones if row["advisory"] is None]
    assert {row["source"] for row in observed} == {"HURDAT2, derived from wind radii"}
    zones = [row for row in zones if row["advisory"] is not None]
    assert {row["scope"] for row in zones} == {"step", "whole"}
    assert len({row["advisory_time"] for row in zones}) == 51, "the last of 52 has no wind of 34 kt left"
    most = max(zones, key=lambda row: row["population_in_places"])
    assert (most["scope"], most["wind_speed_kt"]) == ("whole", 34)
    assert (most["largest_places"], most["population_in_places"] > 10_000_000) == (
        "Havana, Jacksonville, Atlanta",
        True,
    )
    assert any(row["scope"] == "step" and row["population_in_places"] for row in zones)


@pytest.mark.parametrize("table", ["hazard_ts_advisory_buffers", "hazard_ts_tracks"])
async def test_shapes_are_valid_and_within_the_world(owner: asyncpg.Connection, table: str) -> None:
    wrong = (
        f"SELECT count(*) FROM hazard.{table} WHERE NOT ST_IsValid(geom) OR ST_IsEmpty(geom)"  # noqa: S608 - our own names
        " OR ST_XMin(geom) < -180 OR ST_XMax(geom) > 180"
    )
    assert await owner.fetchval(wrong) == 0
