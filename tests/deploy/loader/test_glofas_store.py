"""Forecasts of GloFAS from a data store that makes the result of each request, and from its files."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.documents.datastore import TOKEN
from deploy.loader.documents.fetching import FetchError
from deploy.loader.source import Document, DocumentError
from deploy.loader.sources import glofas_gauges
from deploy.loader.sources.registry import sources_to_watch
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.flood_documents import collection, document, rows_of
from tests.deploy.loader.glofas_documents import Store, discharge, grib, levels, netcdf, netcdf_by_step, point
from tests.deploy.loader.test_mutations import MUTATIONS, SEED

SOURCE = glofas_gauges.SOURCE
RUN = (datetime.now(UTC) - timedelta(hours=8)).date()
SECRET = "simulated-token"


def given(path: Path) -> Document:
    return Document(path, path.name, datetime.now(UTC))


def gauges(folder: Path, **properties: object) -> Document:
    longitude, latitude = point(10, 20)
    listed = {
        "properties": {"ID": 7} | properties,
        "geometry": {"type": "Point", "coordinates": [longitude + 0.02, latitude]},
    }
    outside = {"properties": {"ID": 8}, "geometry": {"type": "Point", "coordinates": [10, 10]}}
    return document(folder, "gauges.json", collection(listed, outside))


@pytest.mark.parametrize("form", [netcdf, netcdf_by_step, grib])
def test_a_grid_has_the_ensemble_of_each_gauge(tmp_path: Path, form: object) -> None:
    path = form(tmp_path, RUN, discharge(5, 3))  # type: ignore[operator]
    (row,), findings = rows_of(SOURCE, given(path), gauges(tmp_path, rl_2=1500, rl_5=2500, rl_20=9000))
    start = datetime(RUN.year, RUN.month, RUN.day, tzinfo=UTC)
    assert (row.gauge_id, row.members, row.forecast_date) == ("GloFAS-7", 5, start)
    assert json.loads(row.time_series) == [
        {
            "time": f"{start + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}",
            "discharge_m3s": 1000 * day + 200,
            "p25_m3s": 1000 * day + 100,
            "p75_m3s": 1000 * day + 300,
        }
        for day in (1, 2, 3)
    ]
    assert (row.peak_date, row.alert_level) == (start + timedelta(days=3), "Orange")
    assert (findings.read, findings.rejected, findings.issued) == (1, [], start)


def test_without_a_list_the_largest_river_of_each_square_is_a_gauge(tmp_path: Path) -> None:
    maps = [given(levels(tmp_path, years, largest)) for years, largest in ((2, 2000), (5, 2500), (20, 3000))]
    rows, findings = rows_of(SOURCE, given(grib(tmp_path, RUN, discharge(1, 3))), *maps)
    # two squares of one degree and a part of a third have the river; the rest has small streams
    assert [(row.geom.x, row.geom.y) for row in rows] == [point(10, column) for column in (19, 39, 49)]
    last = rows[-1]
    assert (last.return_2y_m3s, last.return_5y_m3s, last.return_20y_m3s) == pytest.approx(
        (1830.5, 2288.1, 2745.8), abs=1
    )
    assert {row.alert_level for row in rows} == {"Red"}
    assert findings.rejected == []
    # a list has precedence, also with other levels
    (row,), _ = rows_of(SOURCE, given(tmp_path / "forecast.grib"), *maps, gauges(tmp_path, rl_2=1))
    assert (row.gauge_id, row.return_2y_m3s) == ("GloFAS-7", 1)
    assert row.return_20y_m3s == pytest.approx(1500 + 1500 * 20 / 59, abs=0.1)


def test_grids_that_say_too_little_are_refused(tmp_path: Path) -> None:
    forecast = given(grib(tmp_path, RUN, discharge(1, 2)))
    with pytest.raises(DocumentError, match="give them, too"):
        rows_of(SOURCE, forecast)
    with pytest.raises(DocumentError, match="gauges alone"):
        rows_of(SOURCE, given(levels(tmp_path, 2, 2000)))
    late = given(netcdf(tmp_path, RUN + timedelta(days=9), discharge(1, 2)))
    rows, findings = rows_of(SOURCE, late, gauges(tmp_path))
    assert rows == []
    assert "future" in findings.rejected[0].reason
    # a gauge in the sea has no discharge
    longitude, latitude = point(10, 55)
    at_sea = {"properties": {"ID": 9}, "geometry": {"type": "Point", "coordinates": [longitude, latitude]}}
    rows, findings = rows_of(SOURCE, forecast, document(tmp_path, "sea.json", collection(at_sea)))
    assert [(each.record, each.reason) for each in findings.rejected] == [("GloFAS-9", "it has no value")]


@pytest.mark.parametrize("form", [netcdf, grib])
def test_a_damaged_grid_is_read_or_refused(tmp_path: Path, form: object) -> None:
    content = form(tmp_path, RUN, discharge(2, 2)).read_bytes()  # type: ignore[operator]
    chance = random.Random(SEED)  # noqa: S311 - no secret
    known = gauges(tmp_path)
    for turn in range(MUTATIONS // 4):
        damaged = bytearray(content)
        for _ in range(chance.randrange(1, 20)):
            damaged[chance.randrange(4, len(damaged))] = chance.randrange(256)
        path = tmp_path / f"damaged-{turn}"
        path.write_bytes(damaged[: chance.choice([len(damaged), len(damaged) // 2])])
        with suppress(DocumentError):
            rows, _ = rows_of(SOURCE, given(path), known)
            assert {row.gauge_id for row in rows} <= {"GloFAS-7"}
        path.unlink()


async def test_the_store_is_asked_for_the_newest_run(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, SECRET)
    store = Store(publisher, SECRET)
    before = RUN - timedelta(days=1)
    store.runs[before] = grib(tmp_path, before, discharge(2, 3), "before.grib")
    listed = publisher.publish("/gauges.json", gauges(tmp_path).path.read_bytes(), headers={"ETag": '"1"'})
    level = str(levels(tmp_path, 2, 2000))
    request = f"{store.address}?product_type=control_forecast,ensemble_perturbed_forecasts&area=27,88,25,91"
    source = replace(SOURCE, addresses=lambda _since: [listed, level, request])

    outcome = await run(source)
    assert (outcome.rejected, outcome.counts.inserted) == ([], 1)
    forecast = "SELECT forecast_date::date, members, return_2y_m3s > 1000 FROM hazard.hazard_fl_glofas_gauges_forecast"
    assert tuple(await owner.fetchrow(forecast)) == (before, 2, True)
    # today's run was refused, then the day before was requested; jobs are deleted, because an account has few
    assert [asked["day"] for asked in store.asked] == [f"{RUN:%d}", f"{before:%d}"]
    assert store.asked[0]["area"] == [27, 88, 25, 91]
    assert store.asked[0]["product_type"] == ["control_forecast", "ensemble_perturbed_forecasts"]
    assert store.deleted == ["1", "2"]

    # without a newer run, the loader only reads the list of the store
    assert not (await run(source)).is_modified
    assert len(store.asked) == 3

    store.runs[RUN] = grib(tmp_path, RUN, discharge(3, 3), "today.grib")
    assert (await run(source)).is_modified
    assert tuple(await owner.fetchrow(forecast)) == (RUN, 3, True)
    # the newest run is not requested again
    assert not (await run(source)).is_modified
    assert len(store.asked) == 4
    tokens = {each.path: each.headers.get("PRIVATE-TOKEN") for each in publisher.asked}
    assert tokens["/gauges.json"] is tokens["/cache/today"] is None, "only the store receives the token"


async def test_a_refusal_of_the_store_says_why(
    run: Load, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = Store(publisher, "another")
    source = replace(SOURCE, addresses=lambda _since: [store.address])
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(FetchError, match="DAMS_LOADER_EWDS_TOKEN is missing"):
        await run(source)
    monkeypatch.setenv(TOKEN, SECRET)
    with pytest.raises(FetchError, match="401: authentication failed; invalid token"):
        await run(source)
    store.token = SECRET
    with pytest.raises(FetchError, match="MARS returned no data; the run of the day before is refused, too"):
        await run(source)
    assert SECRET not in str(store.asked)


def test_a_token_makes_the_source_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    assert "glofas-gauges" not in sources_to_watch()
    monkeypatch.setenv(TOKEN, SECRET)
    assert "glofas-gauges" in sources_to_watch()
    assert sum("/execution?" in address for address in SOURCE.addresses(None)) == 1
