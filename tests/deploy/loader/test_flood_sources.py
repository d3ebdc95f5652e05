"""The rows that flood sources make of documents, and the documents they refuse."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.places.gazetteer import installed_gazetteer
from deploy.loader.places.packaged import SourceMissingError
from deploy.loader.records.floods import WatershedAlert, WatershedRun
from deploy.loader.source import DocumentError
from deploy.loader.sources import dfo_floods, gdacs_earthquakes, gdacs_floods, glofas_gauges, mom_alerts
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.flood_documents import (
    MOM_HEADER,
    SQUARE,
    collection,
    dfo,
    document,
    gdacs,
    mom,
    rows_of,
    watershed,
)

BOWTIE = [[10.0, 10.0], [11.0, 11.0], [11.0, 10.0], [10.0, 11.0]]


@pytest.fixture(autouse=True, scope="module")
def places() -> None:
    try:
        installed_gazetteer()
    except SourceMissingError as missing:
        pytest.skip(str(missing))


def test_gdacs_floods_are_events_and_alerts_at_their_newest_episode(tmp_path: Path) -> None:
    feed = collection(
        *gdacs("FL", 7, 2),
        *gdacs("FL", 7, 3, alertlevel="Red", ring=BOWTIE),
        *gdacs("EQ", 8, 1),
        *gdacs("FL", 9, 1)[:1],
        *gdacs("FL", 10, 1, alertlevel="Purple"),
        *gdacs("FL", 11, 1, todate="19 Apr 2026 01:00:00"),
    )
    (flood, alert), findings = rows_of(gdacs_floods.SOURCE, document(tmp_path, "gdacs.geojson", feed))
    assert (flood.event_id, alert.event_id, alert.alert_id) == ("GDACS-FL7",) * 3
    assert (flood.episode_id, flood.alert_level, alert.alert_level) == (3, "Red", "Red")
    assert flood.url == "https://www.gdacs.org/report.aspx?eventtype=FL&eventid=7&episodeid=3"
    assert (flood.began, flood.ended) == (
        datetime(2026, 4, 20, 1, tzinfo=UTC),
        datetime(2026, 5, 26, 1, tzinfo=UTC),
    )
    assert (flood.title, alert.title) == ("FL somewhere, April 2026", "Red flood alert, Exampleland, 26 May 2026")
    assert (flood.country, alert.country, alert.alert_score, alert.episode_id) == ("Exampleland", "Exampleland", 1.5, 3)
    assert alert.issued == findings.issued == datetime(2026, 5, 26, 1, tzinfo=UTC)
    assert alert.expires == alert.issued + timedelta(days=2), "not renewed for two days, it is over"
    assert flood.geom.is_valid
    assert (flood.country, flood.nearest_place) != ("", "")
    assert findings.read == 5, "events, not features; those of another kind are no records of this source"
    assert findings.duplicates == ["FL7 episode 2"]
    assert [(found.record, found.reason.partition(";")[0]) for found in findings.repaired] == [
        ("FL7", "1 unclosed ring")
    ]
    assert {found.record: found.reason for found in findings.rejected} == {
        "FL9": "it has no affected area",
        "FL10": "its alert level is 'Purple', not Green, Orange, Red",
        "FL11": "it ends, 19 Apr 2026 01:00:00, before it begins, 20 Apr 2026 01:00:00",
    }


def test_gdacs_earthquakes_have_the_alert_level_of_the_source(tmp_path: Path) -> None:
    feed = collection(*gdacs("EQ", 8, 1), *gdacs("FL", 7, 2), *gdacs("EQ", 9, 1, severity=None))
    rows, findings = rows_of(gdacs_earthquakes.SOURCE, document(tmp_path, "gdacs.geojson", feed))
    row, unmeasured = sorted(rows, key=lambda row: row.event_id)
    assert (row.event_id, row.magnitude, row.alert_level, row.source) == ("GDACS-EQ8", 6.1, "Orange", "GDACS")
    assert row.geom.coords[0] == (10.5, 10.5)
    assert (row.event_date, row.updated) == (
        datetime(2026, 4, 20, 1, tzinfo=UTC),
        datetime(2026, 5, 26, 1, tzinfo=UTC),
    )
    assert (row.title, row.event_type, row.episode_id) == ("M 6.1 - EQ somewhere", "earthquake", 1)
    assert row.url == "https://www.gdacs.org/report.aspx?eventtype=EQ&eventid=8&episodeid=1"
    assert (unmeasured.event_id, unmeasured.magnitude, unmeasured.title) == ("GDACS-EQ9", None, "EQ somewhere")
    assert (findings.read, findings.rejected) == (2, [])


def test_a_feed_that_is_another_thing_is_refused(tmp_path: Path) -> None:
    for name, text in (("page.html", "<!DOCTYPE html><title>Busy</title>"), ("cut.json", '{"type": "FeatureColl')):
        with pytest.raises(DocumentError):
            rows_of(gdacs_floods.SOURCE, document(tmp_path, name, text))
    _, findings = rows_of(
        gdacs_floods.SOURCE, document(tmp_path, "odd.json", collection("no feature", {"properties": None}))
    )
    assert (findings.read, len(findings.rejected)) == (2, 2)


def test_dartmouth_floods(tmp_path: Path) -> None:
    far = [[x - 90, y + 30] for x, y in SQUARE]
    archive = collection(
        dfo(1, ring=BOWTIE),
        dfo(278),
        # the same number and facts, and an area on another continent
        dfo(278, ring=far),
        dfo(3, Began="1989-02-17"),
        dfo(4, Severity="heavy"),
        dfo(5, ring=[[0, 0], [1, 1]]),
        {"type": "Feature", "properties": None},
    )
    rows, findings = rows_of(dfo_floods.SOURCE, document(tmp_path, "dfo.geojson", archive))
    first, kept = rows
    assert (first.event_id, first.main_cause, first.title) == (
        "DFO-1",
        "Heavy rain",
        "Heavy rain, Nigeria, January 1989",
    )
    assert (first.glide_number, first.other_country) == (None, None), "0 stands for nothing"
    assert kept.geom.bounds == (10, 10, 11, 11), "that which lies in its country"
    assert kept.area_km2 == pytest.approx(12_100, rel=0.02), "measured, not as said"
    assert (findings.read, len(rows)) == (7, 2)
    assert findings.duplicates == ["278"]
    assert [found.record for found in findings.repaired] == ["1"]
    assert [found.record for found in findings.rejected] == ["3", "4", "5", "feature 7"]
    assert findings.read == len(rows) + len(findings.duplicates) + len(findings.rejected)


def test_of_each_watershed_the_newest_run_counts_and_all_are_kept(tmp_path: Path) -> None:
    table = "\n".join(
        [
            MOM_HEADER,
            mom(1, "2022-02-01T06:00:00Z"),
            mom(1, "2022-03-01T00:00:00Z", Alert="Watch", Status="Downgraded"),
            mom(2, "2022-02-01T06:00:00Z"),
            mom(2, "2022-02-01T06:00:00Z"),
            mom(3, "2022-02-01T06:00:00Z"),
            mom(1, "2022-02-02T06:00:00Z", Alert="Panic"),
            mom(1, "2032-02-02T06:00:00Z"),
            "",
        ]
    )
    sheds = document(tmp_path, "sheds.geojson", collection(watershed(1), watershed(2)))
    rows, findings = rows_of(mom_alerts.SOURCE, document(tmp_path, "alerts.csv", table), sheds)
    runs = [row for row in rows if isinstance(row, WatershedRun)]
    latest = {row.watershed_id: row for row in rows if isinstance(row, WatershedAlert)}
    assert [(run.watershed_id, f"{run.forecast_date:%m-%d}") for run in runs] == [
        ("1", "02-01"),
        ("2", "02-01"),
        ("1", "03-01"),
    ]
    assert {name: f"{row.forecast_date:%m-%d}" for name, row in latest.items()} == {"1": "03-01", "2": "02-01"}
    newest = latest["1"]
    assert (newest.alert_level, newest.source_level, newest.change) == ("Orange", "Watch", "Downgraded")
    assert (newest.probability, newest.exceeds_20y) == (4.0, None), "-9999 stands for nothing"
    assert newest.peak_date == newest.forecast_date + timedelta(days=3)
    assert newest.valid_to == newest.valid_from + timedelta(days=1)
    assert newest.geom.contains(runs[0].geom)
    assert (findings.read, findings.duplicates) == (7, ["2 2022-02-01T06:00:00Z"])
    reasons = {found.record.partition(" ")[0]: found.reason for found in findings.rejected}
    assert "watershed 3 is not among those given" in reasons["3"]
    assert len(findings.rejected) == 3
    with pytest.raises(DocumentError, match="two documents are needed"):
        rows_of(mom_alerts.SOURCE, sheds)


def test_gauges_from_members_as_a_table(tmp_path: Path) -> None:
    lines = ["time,valid_time,number,latitude,longitude,dis24"]
    for member in range(5):
        for day in range(1, 4):
            value = "" if (member, day) == (4, 1) else (member + 1) * day * 100
            lines.append(f"2026-05-01,2026-05-0{day + 1},{member},10.025,20.025,{value}")
    outlets = collection(
        {"properties": {"ID": 17, "area": 5000.04, "rl_2": 100, "rl_5": 500, "rl_20": 2000},
         "geometry": {"type": "Point", "coordinates": [20.03, 10.03]}}
    )  # fmt: skip
    (row,), findings = rows_of(
        glofas_gauges.SOURCE,
        document(tmp_path, "series.csv", "\n".join(lines) + "\n"),
        document(tmp_path, "o.json", outlets),
    )
    assert (row.gauge_id, row.members, row.upstream_area_km2) == ("GloFAS-17", 5, 5000.0)
    assert (row.forecast_date, row.valid_to) == (datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 4, tzinfo=UTC))
    series = json.loads(row.time_series)
    assert series[1] == {"time": "2026-05-03T00:00:00Z", "discharge_m3s": 600, "p25_m3s": 400, "p75_m3s": 800}
    assert series[0]["discharge_m3s"] == 250, "a member may lack a day"
    assert (row.peak_discharge_m3s, row.peak_date, row.alert_level) == (900, row.valid_to, "Orange")
    assert (findings.read, findings.issued) == (1, row.forecast_date)
    with pytest.raises(DocumentError, match="gauges alone"):
        rows_of(glofas_gauges.SOURCE, document(tmp_path, "o.json", outlets))


def test_gauges_from_the_flood_api(tmp_path: Path) -> None:
    days = ["2026-05-01", "2026-05-02"]
    members = {"time": days, "river_discharge_member01": [1, None], "river_discharge_member02": [3, None]}
    quartiles = {f"river_discharge_{name}": [number, number] for number, name in enumerate(("p25", "median", "p75"), 1)}
    answer = [
        {"latitude": 10.0, "longitude": 20.0, "daily": members},
        {"latitude": 11.0, "longitude": 20.0, "daily": {"time": days, **quartiles}},
        {"latitude": 12.0, "longitude": 20.0, "daily": {"time": days, "river_discharge": [1, 2]}},
        {"latitude": 13.0, "longitude": 20.0, "daily": {"time": days, **quartiles, "river_discharge_p25": [-5, 1]}},
    ]
    (one, other), findings = rows_of(glofas_gauges.SOURCE, document(tmp_path, "api.json", answer))
    assert (one.gauge_id, one.members, len(json.loads(one.time_series))) == ("GloFAS-10.000,20.000", 2, 1)
    assert one.discharge_m3s == 2
    assert (other.members, other.discharge_m3s, other.alert_level) == (0, 2, None), "levels of return are not known"
    assert findings.read == 4
    assert [found.reason for found in findings.rejected] == [
        "it has no 'river_discharge_p25'",
        "a discharge is negative",
    ]
    with pytest.raises(DocumentError, match="Daily limit"):
        rows_of(glofas_gauges.SOURCE, document(tmp_path, "e.json", {"error": True, "reason": "Daily limit exceeded"}))


async def test_an_alert_that_leaves_the_feed_before_its_end_is_taken_back(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    """Floods 1 to 3 were reported five hours ago, 4 three days ago; an earthquake tells how far back the feed goes."""

    now = datetime.now(UTC)

    def hours_ago(hours: float) -> str:
        return f"{now - timedelta(hours=hours):%d %b %Y %H:%M:%S}"

    def feed(*floods: int, since: float = 60, unreadable: int = 0, **properties: str) -> str:
        features = gdacs("EQ", 9, 1, fromdate=hours_ago(since), todate=hours_ago(since))
        for number in floods:
            said = {"fromdate": hours_ago(99), "todate": hours_ago(72 if number == 4 else 5)} | properties
            features += gdacs("FL", number, 1, **said | ({"alertlevel": "Purple"} if number == unreadable else {}))
        return publisher.publish("/gdacs.geojson", collection(*features))

    async def standing() -> tuple[set[str], set[str]]:
        """Alerts in force, and events that are not marked."""
        alerts = await owner.fetch("SELECT alert_id, withdrawn FROM hazard.hazard_fl_alerts WHERE expires > now()")
        assert not any(row["withdrawn"] for row in alerts), "what is taken back is no longer valid"
        events = await owner.fetch("SELECT event_id FROM hazard.hazard_fl_events WHERE withdrawn IS NULL")
        return {row[0][-1] for row in alerts}, {row[0][-1] for row in events}

    await run(gdacs_floods.SOURCE, feed(1, 2, 3, 4))
    assert await standing() == ({"1", "2", "3"}, {"1", "2", "3", "4"}), "that of 4 has ended by itself"
    gone = await run(gdacs_floods.SOURCE, feed(1, 4))
    assert gone.counts.withdrawn == 2
    assert await standing() == ({"1"}, {"1", "2", "3", "4"}), "the events were, whether they are over or not"
    assert (await run(gdacs_floods.SOURCE, feed(1, 4))).counts.changed == 0
    # rows left out by mistake are in force again, and unreadable rows count as present
    again = await run(gdacs_floods.SOURCE, feed(1, 2))
    assert (again.counts.updated, again.counts.withdrawn) == (1, 0)
    await run(gdacs_floods.SOURCE, feed(1, 2, unreadable=2))
    assert (await standing())[0] == {"1", "2"}
    # rows that may have aged out of the feed are not withdrawn, nor are those missing from a file or an empty feed
    await run(gdacs_floods.SOURCE, feed(1, since=1, todate=hours_ago(1)))
    assert (await standing())[0] == {"1", "2"}
    await run(gdacs_floods.SOURCE, publisher.publish("/gdacs.geojson", collection()))
    assert (await standing())[0] == {"1", "2"}
    # an alert that was to last longer is withdrawn completely
    await run(gdacs_floods.SOURCE, feed(1, 2, todate=hours_ago(-5), datemodified=hours_ago(5)))
    await run(gdacs_floods.SOURCE, feed(2))
    assert await standing() == ({"2"}, {"2", "3", "4"})
