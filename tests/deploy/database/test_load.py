"""The loader against a real database."""

from datetime import date
from pathlib import Path

import asyncpg
import pytest

from deploy.database.demo.collections import SIMULATED_TABLES, DemoCollections
from deploy.database.demo.load import DemoDataConflictError, load_demo, move_demo
from deploy.database.demo.progress import Bar
from deploy.database.demo.sources import Sources
from deploy.loader.places.packaged import SourceMissingError
from tests.deploy.database.conftest import Connect
from tests.deploy.database.small_sources import small_sources

TODAY = date(2026, 11, 1)


def small(sources: Sources, today: date = TODAY) -> DemoCollections:
    """Return few simulated objects."""
    return DemoCollections(sources, today, flood_count=12, alert_count=2, watersheds=2)


async def test_loading_twice_and_after_a_change(
    owner: asyncpg.Connection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = small_sources(tmp_path)
    assert await load_demo(owner, small(sources), progress=True, replace=False) == 18
    first = capsys.readouterr().out
    assert "hazard_ts_nodes: 9 rows\n" in first, "two of them are expected by the newest advisory"
    assert "18 tables loaded" in first
    assert await owner.fetchval("SELECT ST_AsText(geom) FROM hazard.hazard_eq_events WHERE id = 2") == (
        "POINT(-179.5 51.25)"
    )
    versions = await owner.fetch("SELECT relation, version FROM dams.data_versions() ORDER BY 1")

    assert await load_demo(owner, small(sources), progress=False, replace=False) == 0
    assert capsys.readouterr().out == "demo data: already loaded, nothing to do\n"
    assert await owner.fetch("SELECT relation, version FROM dams.data_versions() ORDER BY 1") == versions

    sources.earthquakes.write_text(sources.earthquakes.read_text().replace("12.5", "13.5"))
    assert await load_demo(owner, small(sources), progress=False, replace=False) == 18
    rows = await owner.fetch("SELECT id, depth FROM hazard.hazard_eq_events ORDER BY id")
    assert [tuple(row) for row in rows] == [(1, 13.5), (2, 13.5)], "the same identifiers as before"

    await owner.execute("DELETE FROM hazard.hazard_eq_events WHERE id = 1")
    with pytest.raises(DemoDataConflictError, match=r"hazard_eq_events holds 1 rows .*--replace"):
        await load_demo(owner, small(sources), progress=False, replace=False)
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 1
    assert await load_demo(owner, small(sources), progress=False, replace=True) == 18


async def test_rows_of_others_are_kept_and_their_table_left_alone(
    owner: asyncpg.Connection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after an upgrade, whose demo data differ."""
    await owner.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, event_date, geom) VALUES ('a', now(), 'SRID=4326;POINT(1 2)')"
    )
    sources = small_sources(tmp_path)
    assert await load_demo(owner, small(sources), progress=False, replace=False, keep=True) == 17
    assert await owner.fetchval("SELECT array_agg(event_id) FROM hazard.hazard_eq_events") == ["a"]
    assert "hazard_eq_events: left as it is" in capsys.readouterr().out
    assert await load_demo(owner, small(sources), progress=False, replace=False, keep=True) == 0


async def test_on_another_day_what_is_simulated_moves_and_nothing_else(
    owner: asyncpg.Connection, tmp_path: Path
) -> None:
    sources = small_sources(tmp_path)
    versions = "SELECT relation::regclass::text, version FROM dams.data_versions()"
    alerts = "SELECT id, place, issued, expires, ST_AsBinary(geom) AS area FROM hazard.hazard_fl_alerts ORDER BY id"
    await load_demo(owner, small(sources), progress=False, replace=False)
    before, first = dict(await owner.fetch(versions)), await owner.fetch(alerts)

    assert await load_demo(owner, small(sources, date(2027, 1, 2)), progress=False, replace=False) == 5
    after, moved = dict(await owner.fetch(versions)), await owner.fetch(alerts)
    changed = {table for table in after if after[table] != before[table]}
    assert changed == {f"hazard.{table}" for table in SIMULATED_TABLES}
    assert [(row["id"], row["place"], row["area"]) for row in moved] == [
        (row["id"], row["place"], row["area"]) for row in first
    ]
    assert {(row["issued"] - was["issued"]).days for row, was in zip(moved, first, strict=True)} == {62}
    today = "SELECT count(*) FROM hazard.hazard_fl_alerts WHERE issued <= '2027-01-02Z' AND expires > '2027-01-03Z'"
    assert await owner.fetchval(today) == len(moved), "all are in force on that day"

    assert await load_demo(owner, small(sources, date(2027, 1, 2)), progress=False, replace=False) == 0


async def test_the_clock_leaves_alone_what_live_data_were_loaded_into(
    owner: asyncpg.Connection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = small_sources(tmp_path)
    await load_demo(owner, small(sources), progress=False, replace=False)
    await owner.execute("DELETE FROM hazard.hazard_eq_events")
    await owner.execute(
        "INSERT INTO hazard.hazard_fl_alerts (event_id, alert_level, issued, source, geom) "
        "SELECT 'GDACS-FL1', 'Red', now(), 'GDACS', geom FROM hazard.hazard_fl_alerts LIMIT 1"
    )
    before = await owner.fetch("SELECT id, issued FROM hazard.hazard_fl_alerts ORDER BY id")
    assert await move_demo(owner, small(sources, date(2027, 1, 2)), progress=False) == 4
    assert "hazard_fl_alerts: not moved, as it holds rows that are not simulated" in capsys.readouterr().out
    assert await owner.fetch("SELECT id, issued FROM hazard.hazard_fl_alerts ORDER BY id") == before
    gauges = await owner.fetchval("SELECT max(forecast_date) FROM hazard.hazard_fl_glofas_gauges_forecast")
    assert gauges.date() == date(2027, 1, 2)
    assert await move_demo(owner, small(sources, date(2027, 1, 2)), progress=False) == 0


async def test_without_schema_it_says_what_to_do(connect: Connect, tmp_path: Path) -> None:
    with pytest.raises(DemoDataConflictError, match="apply"):
        await load_demo(await connect(), small(small_sources(tmp_path)), progress=False, replace=False)


def test_progress_on_a_terminal_is_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar(2) as bar:
        bar.begin("some_table")
        bar.finish("some_table", "7 rows")
    captured = capsys.readouterr()
    assert captured.out == "some_table: 7 rows\n"
    assert "50%" in captured.err


def test_missing_files_say_how_to_install_them(tmp_path: Path) -> None:
    with pytest.raises(SourceMissingError, match=r"earthquakes\.json is missing: run `npm ci"):
        Sources.find(tmp_path)
