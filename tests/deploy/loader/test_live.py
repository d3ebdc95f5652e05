"""`DAMS_LIVE=yes make up`: the watchers run, and the start reports what each source loaded, or why it loaded none."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.documents.fetching import FetchError
from deploy.loader.source import DocumentError
from deploy.loader.sources import gdacs_floods, jtwc_warnings, usgs_geojson
from deploy.loader.sources.registry import SOURCES, sources_to_watch
from deploy.local.live import report_first_loads
from deploy.local.programs import worker_programs
from deploy.local.settings import StackError, read_settings
from deploy.local.state import StateFolder
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import feature, feed
from tests.deploy.loader.flood_documents import collection, gdacs


def programs(folder: Path, **environment: str) -> dict[str, tuple[str, ...]]:
    settings = read_settings({"DAMS_STATE_DIR": str(folder), **environment})
    return {each.name: each.command for each in worker_programs(settings, StateFolder(folder), None)}


def test_only_a_live_stack_watches_sources(tmp_path: Path) -> None:
    assert list(programs(tmp_path)) == ["impacts"]
    found = programs(tmp_path, DAMS_LIVE="yes", DAMS_IMPACTS="no")
    assert list(found) == ["loader"]
    assert found["loader"][-2:] == ("deploy.local.live", str(tmp_path))
    with pytest.raises(StackError, match="LIVE fills the stack's own database"):
        read_settings({"DAMS_LIVE": "yes", "DAMS_DATABASE_URL": "postgresql://a@b/c"})


@pytest.mark.parametrize("own", [{}, {"DAMS_DATABASE_URL": "postgresql://a@b/c"}])
def test_a_stack_with_subscriptions_sends_their_news(tmp_path: Path, own: dict[str, str]) -> None:
    found = programs(tmp_path, DAMS_NOTIFIER_CONFIG=str(tmp_path / "file.yaml"), DAMS_IMPACTS="no", **own)
    state = str(tmp_path / "services/notifier.sqlite")
    command = ("-m", "deploy.notifier", "watch", str(tmp_path / "file.yaml"), "--state", state)
    assert {name: each[1:] for name, each in found.items()} == {"notifier": command}


async def test_a_start_reports_each_source(
    owner: asyncpg.Connection, loader_url: str, run: Load, publisher: Publisher
) -> None:
    begun = datetime.now(UTC) - timedelta(seconds=1)
    await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(feature(), feature("us1", updated="soon"))))
    with suppress(FetchError):
        await run(replace(jtwc_warnings.SOURCE, addresses=lambda _since: [f"{publisher.base}/gone"]))
    lines = await said(loader_url, begun)
    needing = {name for name, source in SOURCES.items() if source.needs}
    assert lines.keys() == {*sources_to_watch()} | needing
    assert "not watched: set DAMS_LOADER_EWDS_TOKEN" in lines["glofas-gauges"]
    assert "2 records: 1 inserted, 1 rejected" in lines["usgs-earthquakes"]
    assert f"not loaded: {publisher.base}/gone: the server answers 404" in lines["jtwc-warnings"]
    assert "is still loading" in lines["ibtracs"]
    # results of an earlier start are not those of this one
    later = await said(loader_url, datetime.now(UTC) + timedelta(seconds=1))
    assert all("is still loading" in line for name, line in later.items() if name not in needing)


async def test_a_start_without_new_data_repeats_no_counts(
    owner: asyncpg.Connection, loader_url: str, run: Load, publisher: Publisher
) -> None:
    address = publisher.publish("/feed", feed(feature()), headers={"ETag": '"1"'})
    source = replace(usgs_geojson.SOURCE, addresses=lambda _since: [address])
    await run(source)
    begun = datetime.now(UTC)
    assert not (await run(source)).is_modified
    assert "nothing new since" in (await said(loader_url, begun))["usgs-earthquakes"]


async def said(url: str, since: datetime) -> dict[str, str]:
    """Return the report of a start by source; it runs in a thread because it has an event loop of its own."""
    lines: list[str] = []
    for name in ("DAMS_LOADER_ADDRESSES", "DAMS_LOADER_EWDS_TOKEN"):
        os.environ.pop(name, None)
    await asyncio.to_thread(report_first_loads, url, since, lines.append, wait=0)
    return {line.split()[1]: line for line in lines}


async def test_real_rows_replace_simulated_ones(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    simulated = (
        "INSERT INTO hazard.hazard_fl_events (event_id, began, source, geom) VALUES "
        "($1, now(), 'simulated', 'SRID=4326;MULTIPOLYGON(((34 -15, 35 -15, 35 -14, 34 -15)))')"
    )
    await owner.execute(simulated, "SIM-1")
    await owner.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, event_date, source, geom) VALUES "
        "('old', '2018-02-01', 'USGS', 'SRID=4326;POINT(0 0)')"
    )
    floods = "SELECT event_id FROM hazard.hazard_fl_events ORDER BY 1"
    # an empty document replaces nothing
    with suppress(DocumentError):
        await run(gdacs_floods.SOURCE, publisher.publish("/gdacs", collection()))
    assert [row[0] for row in await owner.fetch(floods)] == ["SIM-1"]
    await run(gdacs_floods.SOURCE, publisher.publish("/gdacs", collection(*gdacs("FL", 7, 1))))
    await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(feature())))
    assert [row[0] for row in await owner.fetch(floods)] == ["GDACS-FL7"]
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 2, "real rows stay"
    # rows simulated later are wanted
    await owner.execute(simulated, "SIM-2")
    await run(gdacs_floods.SOURCE, publisher.publish("/gdacs", collection(*gdacs("FL", 7, 2))))
    assert [row[0] for row in await owner.fetch(floods)] == ["GDACS-FL7", "SIM-2"]
