"""Made-up data in a real database: the requested number, labelled, the same from the same seed."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import asyncpg
import pytest
import shapely

from deploy.database.apply import apply_schema
from deploy.loader.generate import __main__ as generate
from deploy.loader.generate.areas import floods
from deploy.loader.generate.belts import earthquakes
from deploy.loader.generate.tracks import storm_nodes


@pytest.fixture
async def tables(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[asyncpg.Connection]:
    """Yield a database with the schema, whose address the program finds."""
    monkeypatch.setenv("DAMS_DATABASE_OWNER_URL", database_url)
    connection = await asyncpg.connect(database_url)
    await apply_schema(connection)
    yield connection
    await connection.close()


def test_epicentres_lie_along_belts_and_small_ones_are_many() -> None:
    (chunk,) = earthquakes(20_000, 7)
    magnitudes = chunk.values[chunk.names.index("magnitude")]
    assert 8 < sum(m >= 4 for m in magnitudes) / max(1, sum(m >= 5 for m in magnitudes)) < 12, "b = 1"
    pacific = shapely.contains(shapely.box(-180, -60, -60, 60), chunk.geometries).sum()
    africa = shapely.contains(shapely.box(-10, 5, 25, 33), chunk.geometries).sum()
    assert pacific > 50 * max(1, africa)
    bounds = shapely.total_bounds(chunk.geometries)
    assert bounds[0] >= -180
    assert bounds[2] <= 180


def test_storms_move_little_in_six_hours_and_begin_in_the_tropics() -> None:
    (chunk,) = storm_nodes(400, 7)
    events, at = chunk.values[0], chunk.values[chunk.names.index("valid_time")]
    assert len(set(events)) == 10
    for place, (one, other) in enumerate(pairwise(events)):
        if one == other:
            assert (at[place + 1] - at[place]).total_seconds() == 6 * 3600
            here, there = chunk.geometries[place], chunk.geometries[place + 1]
            assert min(here.distance(there), 360 - abs(here.x - there.x)) < 3
    assert all(abs(point.y) < 30 for point in chunk.geometries[::40])


def test_floods_have_the_corners_that_were_asked_for_and_are_valid() -> None:
    (chunk,) = floods(101, 7, vertices=20_000)
    corners = shapely.get_num_coordinates(chunk.geometries)
    assert (corners[0], corners[100]) == (20_001, 20_001)
    assert corners.max() <= 20_001
    assert shapely.is_valid(chunk.geometries).all()


def test_the_same_seed_gives_the_same_rows() -> None:
    one, other, third = (next(earthquakes(100, seed)) for seed in (1, 1, 2))
    assert list(one.records()) == list(other.records())
    assert list(one.records()) != list(third.records())


async def test_tables_are_made_filled_and_watched(tables: asyncpg.Connection) -> None:
    await _run("earthquakes", "--rows", "500", "--table", "trial.quakes")
    assert await tables.fetchval("SELECT count(*) FROM trial.quakes WHERE source = 'simulated'") == 500
    assert await tables.fetchval("SELECT max(id) FROM trial.quakes") == 500
    watched = "SELECT count(*) FROM dams.data_versions() WHERE relation = 'trial.quakes'::regclass"
    assert await tables.fetchval(watched) == 1
    assert "gist (geom)" in str(await tables.fetch("SELECT indexdef FROM pg_indexes WHERE tablename = 'quakes'"))
    await _run("earthquakes", "--rows", "10", "--table", "trial.quakes", "--seed", "2")
    assert await tables.fetchval("SELECT count(DISTINCT id) FROM trial.quakes") == 510

    await _run("storm-nodes", "--rows", "2000", "--table", "trial.nodes", "--by-season")
    parts = await tables.fetch(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'trial.nodes'::regclass"
    )
    assert len(parts) == 45
    assert await tables.fetchval("SELECT count(*) FROM trial.nodes_1980") > 0
    assert await tables.fetchval("SELECT count(*) FROM trial.nodes") == 2000


async def test_real_rows_are_left_alone_unless_told(
    tables: asyncpg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    await tables.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, event_date, source, geom) "
        "VALUES ('us1', now(), 'USGS', ST_SetSRID(ST_Point(0, 0), 4326))"
    )
    assert await _code("earthquakes", "--rows", "5", "--table", "hazard.hazard_eq_events") == 1
    assert "holds rows that are not simulated" in capsys.readouterr().err
    assert await tables.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 1
    assert await _code("earthquakes", "--rows", "5", "--table", "hazard.hazard_eq_events", "--with-real-rows") == 0
    assert await tables.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 6


@pytest.mark.parametrize("table", ["quakes", 'trial."quakes"', "trial.quakes; DROP TABLE x"])
async def test_names_that_need_quotes_are_refused(
    tables: asyncpg.Connection, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    assert await _code("earthquakes", "--rows", "5", "--table", table) == 1
    assert "is not a table as schema.name" in capsys.readouterr().err


async def _run(*arguments: str) -> None:
    assert await _code(*arguments) == 0


async def _code(*arguments: str) -> int:
    """Return the exit code; in a thread, because the program has its own event loop."""
    return await asyncio.to_thread(generate.main, list(arguments))
