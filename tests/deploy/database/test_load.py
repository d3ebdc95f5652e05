"""The loader against a real database."""

from pathlib import Path

import asyncpg
import pytest

from deploy.database.demo.collections import DemoCollections
from deploy.database.demo.load import DemoDataConflictError, load_demo
from deploy.database.demo.progress import Bar
from deploy.database.demo.sources import SourceMissingError, Sources
from tests.deploy.database.conftest import Connect
from tests.deploy.database.small_sources import small_sources

NPM = Path("deploy/database/node_modules")


def small(sources: Sources) -> DemoCollections:
    """Little to simulate."""
    return DemoCollections(sources, flood_count=12, alert_count=2, watersheds=2)


async def test_loading_twice_and_after_a_change(
    owner: asyncpg.Connection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = small_sources(tmp_path)
    assert await load_demo(owner, small(sources), progress=True, replace=False) == 13
    first = capsys.readouterr().out
    assert "hazard_ts_nodes: 7 rows\n" in first
    assert "13 tables loaded" in first
    assert await owner.fetchval("SELECT ST_AsText(geom) FROM hazard.hazard_eq_events WHERE id = 2") == (
        "POINT(-179.5 51.25)"
    )
    versions = await owner.fetch("SELECT relation, version FROM dams.data_versions() ORDER BY 1")

    assert await load_demo(owner, small(sources), progress=False, replace=False) == 0
    assert capsys.readouterr().out == "demo data: already loaded, nothing to do\n"
    assert await owner.fetch("SELECT relation, version FROM dams.data_versions() ORDER BY 1") == versions

    sources.earthquakes.write_text(sources.earthquakes.read_text().replace("12.5", "13.5"))
    assert await load_demo(owner, small(sources), progress=False, replace=False) == 13
    rows = await owner.fetch("SELECT id, depth FROM hazard.hazard_eq_events ORDER BY id")
    assert [tuple(row) for row in rows] == [(1, 13.5), (2, 13.5)], "the same identifiers as before"

    await owner.execute("DELETE FROM hazard.hazard_eq_events WHERE id = 1")
    with pytest.raises(DemoDataConflictError, match=r"hazard_eq_events holds 1 rows .*--replace"):
        await load_demo(owner, small(sources), progress=False, replace=False)
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 1
    assert await load_demo(owner, small(sources), progress=False, replace=True) == 13


async def test_without_schema_it_says_what_to_do(connect: Connect, tmp_path: Path) -> None:
    with pytest.raises(DemoDataConflictError, match="apply"):
        await load_demo(await connect(), small(small_sources(tmp_path)), progress=False, replace=False)


def test_progress_on_a_terminal_is_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar(2) as bar:
        bar.building("some_table")
        bar.done("some_table", "7 rows")
    captured = capsys.readouterr()
    assert captured.out == "some_table: 7 rows\n"
    assert "50%" in captured.err


def test_missing_files_say_how_to_install_them(tmp_path: Path) -> None:
    with pytest.raises(SourceMissingError, match=r"earthquakes\.json is missing: run `npm ci"):
        Sources.find(tmp_path)


@pytest.fixture(scope="module")
def packaged() -> Sources:
    try:
        return Sources.find(NPM)
    except SourceMissingError as missing:
        pytest.skip(str(missing))


def test_packaged_files_hold_what_the_documentation_says(packaged: Sources) -> None:
    builders = DemoCollections(packaged).builders()
    names = ("hazard_eq_events", "hazard_ts_events", "hazard_ts_nodes", "hazard_ts_disturbance_nodes")
    counts = {name: sum(1 for _ in builders[name]()) for name in names}
    assert counts == {
        "hazard_eq_events": 1707,
        "hazard_ts_events": 4736,
        "hazard_ts_nodes": 149_703,
        "hazard_ts_disturbance_nodes": 11_327,
    }
    tracks = list(builders["hazard_ts_tracks"]())
    assert all(track.geom.is_valid and not track.geom.is_empty for track in tracks)
    assert all(abs(place[0]) <= 180 for track in tracks for line in track.geom.geoms for place in line.coords)
