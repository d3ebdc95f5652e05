"""The NHC's products for active storms: the list of storms, and a text and shapefiles for each."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import pyogrio
import pytest
import shapely

from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import nhc_advisories
from deploy.loader.sources.nhc_shapefiles import read_shapefiles
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.storms.test_nhc_advisories import IRMA

STEPS = (
    ("06/0900", -63.3, 18.1, 160, 195, 914),
    ("06/1800", -65.2, 18.7, 160, 195, 9999),
    ("11/0600", 179.5, 27.4, 105, 130, 9999),
)


def drawing(folder: Path, number: str = "al112017-029", **changed: Any) -> Path:
    """An archive of points, line and cone as the NHC makes it. `changed`: other values of columns, None: without it."""
    made = folder / "layers"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    count = len(STEPS)
    columns: dict[str, Any] = {
        "ADVDATE": ["500 AM AST Wed Sep 06 2017"] * count,
        "ADVISNUM": ["29"] * count,
        "STORMNAME": ["Hurricane Irma"] * count,
        "TCDVLP": ["Hurricane"] * count,
        "VALIDTIME": [step[0] for step in STEPS],
        "MAXWIND": [float(step[3]) for step in STEPS],
        "GUST": [float(step[4]) for step in STEPS],
        "MSLP": [float(step[5]) for step in STEPS],
    } | changed  # fmt: skip
    columns = {name: values for name, values in columns.items() if values is not None}
    places = [(step[1], step[2]) for step in STEPS]
    for layer, shapes, kind in (
        ("5day_pts", shapely.points(places), "Point"),
        ("5day_lin", [shapely.LineString(places[:2])], "LineString"),
        ("5day_pgn", [shapely.LineString(places[:2]).buffer(1)], "Polygon"),
    ):
        pyogrio.raw.write(
            made / f"{number}_{layer}.shp",
            shapely.to_wkb(np.array(list(shapes), dtype=object)),
            [
                np.array(values[: len(shapes)], dtype=object if isinstance(values[0], str) else None)
                for values in columns.values()
            ],
            list(columns),
            crs="EPSG:4326",
            geometry_type=kind,
        )
    path = folder / f"{number}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for part in sorted(made.iterdir()):
            archive.write(part, part.name)
    return path


def drawn(path: Path) -> Any:
    return read_shapefiles(Document(path, "drawing", datetime.now(UTC)), Findings())


def test_a_drawing_has_positions_and_winds(tmp_path: Path) -> None:
    advisory = drawn(drawing(tmp_path))
    assert (advisory.event_id, advisory.name, advisory.number) == ("AL112017", "Irma", 29)
    assert advisory.time == datetime(2017, 9, 6, 9, tzinfo=UTC)
    now = advisory.analysed
    assert (now.longitude, now.latitude, now.wind_kt, now.gust_kt, now.pressure_hpa) == (-63.3, 18.1, 160, 195, 914)
    assert [(fix.time.day, fix.longitude, fix.pressure_hpa) for fix in advisory.forecast] == [
        (6, -65.2, None),
        (11, 179.5, None),
    ]
    unnamed = drawing(tmp_path).rename(tmp_path / "download")
    assert drawn(unnamed) == advisory, "by what is in it, not by its name"
    short = drawn(
        drawing(tmp_path, "ep142018-012A", ADVDATE=["180901/2100"] * 3, VALIDTIME=["01/2100", "02/0600", "06/0600"])
    )
    assert (short.event_id, short.time, short.number) == ("EP142018", datetime(2018, 9, 1, 21, tzinfo=UTC), 29)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"MAXWIND": None}, "no column MAXWIND"),
        ({"ADVDATE": ["yesterday"] * 3}, "ADVDATE is 'YESTERDAY'"),
        ({"VALIDTIME": ["noon"] * 3}, "VALIDTIME is 'noon'"),
        ({"ADVISNUM": ["?"] * 3}, "none of a forecast"),
    ],
)
def test_changed_columns_are_refused(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        drawn(drawing(tmp_path, **changed))


def test_what_is_no_archive_of_a_forecast_is_refused(tmp_path: Path) -> None:
    whole = drawing(tmp_path).read_bytes()
    broken = tmp_path / "broken.zip"
    for content, said in (
        (whole[:-400], "not whole"),
        (b"<html>", "not whole"),
        (whole.replace(b"_pts", b"_sth"), "no points of"),
    ):
        broken.write_bytes(content)
        with pytest.raises(DocumentError, match=said):
            drawn(broken)


async def test_active_storms_lead_to_their_products(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path
) -> None:
    """Irma has both products, Jose's text is a page for people, Katia's products are missing."""
    jose = drawing(tmp_path, "al122017-005", STORMNAME=["Hurricane Jose"] * 3)
    storms = [
        {"id": "al112017", "name": "Irma", "forecastAdvisory": {"url": publisher.publish("/irma", IRMA)},
         "forecastTrack": {"zipFile": publisher.publish("/irma.zip", drawing(tmp_path).read_bytes())}},
        {"id": "al122017", "name": "Jose", "forecastAdvisory": {"url": publisher.publish("/jose", "<html>Soon")},
         "forecastTrack": {"zipFile": publisher.publish("/jose.zip", jose.read_bytes())}},
        {"id": "al132017", "name": "Katia", "forecastAdvisory": {"url": f"{publisher.base}/katia"}},
    ]  # fmt: skip
    index = publisher.publish("/CurrentStorms.json", {"activeStorms": storms}, headers={"ETag": '"1"'})
    outcome = await run(nhc_advisories.SOURCE, index)
    reasons = {each.record: each.reason for each in outcome.findings.rejected}
    assert "neither a forecast/advisory" in reasons[f"{publisher.base}/jose"]
    assert "404" in reasons[f"{publisher.base}/katia"]
    left_out = {each.record: each.reason for each in outcome.findings.left_out}
    assert left_out["al112017-029_5day_pgn.shp"] == "cones of uncertainty have no collection"
    assert outcome.findings.duplicates == ["AL112017 2017-09-06 09:00:00+00:00"]
    expected = (
        "SELECT name, count(*), max(ne34_nm) FROM hazard.hazard_ts_nodes WHERE kind = 'forecast' GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in await owner.fetch(expected)] == [("Irma", 3, 160), ("Jose", 2, None)]
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_events") == 2
    again = await run(nhc_advisories.SOURCE, index)
    assert again.counts.changed == 0
    # while a product is missing, the loader requests all of them, whether the list is new or not
    watched = replace(nhc_advisories.SOURCE, addresses=lambda _since: [index])
    publisher.asked.clear()
    for _ in range(2):
        await run(watched)
    publisher.publish("/katia", IRMA.replace("AL112017", "AL132017").replace("IRMA", "KATIA"))
    for _ in range(2):
        await run(watched)
    lists = [request for request in publisher.asked if request.path == "/CurrentStorms.json"]
    assert [request.headers.get("If-None-Match") for request in lists] == [None, None, None, '"1"']

    # the list no longer names Jose: the storm has ended and its forecasts expire; the other rows stay
    publisher.publish("/CurrentStorms.json", {"activeStorms": storms[:1]})
    assert (await run(nhc_advisories.SOURCE, index)).findings.rejected == []
    assert [row["name"] for row in await owner.fetch(expected)] == ["Irma"]
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_events") == 3
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_advisory_tracks") == 3
    publisher.publish("/CurrentStorms.json", {"activeStorms": []})
    await run(nhc_advisories.SOURCE, index)
    assert await owner.fetch(expected) == []


async def test_a_storm_of_the_list_whose_number_cannot_be_read_may_be_any(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    irma = {"id": "al112017", "forecastAdvisory": {"url": publisher.publish("/irma", IRMA)}}
    index = publisher.publish("/CurrentStorms.json", {"activeStorms": [irma]})
    await run(nhc_advisories.SOURCE, index)
    expected = "SELECT count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'forecast'"
    assert await owner.fetchval(expected) == 3
    katia = {"id": "al132017", "forecastAdvisory": {"url": None}, "forecastTrack": None}
    publisher.publish("/CurrentStorms.json", {"activeStorms": [katia, {"id": None}]})
    outcome = await run(nhc_advisories.SOURCE, index)
    assert (outcome.counts.removed, await owner.fetchval(expected)) == (0, 3)
    publisher.publish("/CurrentStorms.json", {"activeStorms": [katia]})
    await run(nhc_advisories.SOURCE, index)
    assert await owner.fetchval(expected) == 0


@pytest.mark.parametrize("content", ["{}", '{"activeStorms": [{"id": "../x"}]}', '{"activeStorms": ['])
async def test_a_list_of_another_kind_changes_nothing(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, content: str
) -> None:
    with pytest.raises(DocumentError, match=r"active storms|not whole"):
        await run(nhc_advisories.SOURCE, publisher.publish("/CurrentStorms.json", content))
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_events") == 0
