"""Forms in which publishers give the same things: other names of columns, other dates, marks of byte order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.loader.records import storms as tables
from deploy.loader.records.floods import FloodAlert, WatershedRun
from deploy.loader.source import DocumentError, Findings
from deploy.loader.sources import (
    dfo_floods,
    gdacs_cyclones,
    gdacs_earthquakes,
    gdacs_floods,
    glofas_gauges,
    hurdat2,
    mom_alerts,
    nhc_advisories,
    usgs_geojson,
)
from deploy.loader.sources.nhc_text import is_text, read_text
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import FEBRUARY_2018, feature, feed
from tests.deploy.loader.flood_documents import SQUARE, collection, dfo, document, gdacs, rows_of, watershed
from tests.deploy.loader.storms.test_best_tracks import HURDAT2
from tests.deploy.loader.storms.test_nhc_advisories import IRMA

MARK = "\ufeff"


def test_a_mark_of_byte_order_is_no_part_of_a_document(tmp_path: Path) -> None:
    (row, *_), _ = rows_of(hurdat2.SOURCE, document(tmp_path, "h.txt", MARK + HURDAT2))
    assert row.event_id == "AL112017"
    index = document(tmp_path, "i.json", MARK + '{"activeStorms": [{"id": "al012026"}]}')
    assert rows_of(nhc_advisories.SOURCE, index)[0] == []
    geojson = document(tmp_path, "f.json", collection(dfo(1)))
    geojson.path.write_text(MARK + geojson.path.read_text())
    assert len(rows_of(dfo_floods.SOURCE, geojson)[0]) == 1


def test_values_that_are_none_of_json_refuse_one_record_alone(tmp_path: Path) -> None:
    text = document(tmp_path, "f.json", collection(dfo(1), dfo(2, Dead="nan"))).path.read_text()
    rows, findings = rows_of(dfo_floods.SOURCE, document(tmp_path, "f.json", text.replace('"nan"', "NaN")))
    assert [row.event_id for row in rows] == ["DFO-1"]
    assert [each.record for each in findings.rejected] == ["2"]
    with pytest.raises(DocumentError, match="not JSON, or not whole"):
        rows_of(dfo_floods.SOURCE, document(tmp_path, "f.json", text[:-20]))


def test_columns_of_dartmouth_in_capitals(tmp_path: Path) -> None:
    archive = dfo(5201)
    archive["properties"] = {name.upper(): value for name, value in archive["properties"].items()}
    (row,), _ = rows_of(dfo_floods.SOURCE, document(tmp_path, "f.json", collection(archive)))
    assert (row.event_id, row.country, row.dead, row.main_cause) == ("DFO-5201", "Nigeria", 35, "Heavy rain")


def test_a_run_of_the_model_of_models_as_it_writes_it(tmp_path: Path) -> None:
    text = (
        f"{MARK}pfaf_id,Hazard_Score,Severity,Alert,GloFAS_5yr,ISO,Admin0,Admin1\n1,12,0.4,Warning,60,TCD,Chad,Nord\n"
    )
    sheds = document(tmp_path, "sheds.json", collection(watershed(1)))
    rows, _ = rows_of(mom_alerts.SOURCE, document(tmp_path, "Final_Attributes_2026053106HWRF.csv", text), sheds)
    (run,) = (row for row in rows if isinstance(row, WatershedRun))
    assert (run.forecast_date, run.country, run.province) == (datetime(2026, 5, 31, 6, tzinfo=UTC), "Chad", "Nord")
    assert (run.alert_level, run.probability) == ("Red", 60)
    rows, findings = rows_of(mom_alerts.SOURCE, document(tmp_path, "other.csv", text), sheds)
    assert rows == []
    assert "run" in findings.rejected[0].reason, "nothing says which run it is"


async def test_the_page_of_runs_leads_to_the_newest(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    names = [f"Final_Attributes_{time}HWRF+MOM+DFO+VIIRSUpdated_PDC.csv" for time in ("2026053100", "2026053106")]
    links = "".join(f'<a href="{name}">{name}</a> 2026-05-31 06:12' for name in names)
    page = publisher.publish("/Final_Alert/", f"<html><head><title>Index</title></head><body>{links}</body></html>")
    publisher.publish(f"/Final_Alert/{names[1]}", "pfaf_id,Hazard_Score,Alert,name\n1,12,Watch,Chad\n")
    sheds = publisher.publish("/sheds.json", collection(watershed(1)))
    assert (await run(mom_alerts.SOURCE, sheds, page)).rejected == []
    row = await owner.fetchrow("SELECT alert_level, forecast_date FROM hazard.hazard_fl_alerts_mom_forecast")
    assert tuple(row) == ("Orange", datetime(2026, 5, 31, 6, tzinfo=UTC))
    other = publisher.publish("/other", "<html><head><title>Sign in</title></head></html>")
    with pytest.raises(DocumentError, match="Sign in"):
        await run(mom_alerts.SOURCE, sheds, other)


@pytest.mark.parametrize("name", ["dis24", "avg_dis"])
def test_discharge_by_either_name(tmp_path: Path, name: str) -> None:
    text = f"time,valid_time,number,latitude,longitude,{name}\n2026-05-31,2026-06-01,0,10,20,100\n"
    gauges = document(tmp_path, "g.json", collection({"type": "Feature", "properties": {"ID": 1}, "geometry": None}))
    (row,), findings = rows_of(glofas_gauges.SOURCE, document(tmp_path, "s.csv", text), gauges)
    assert row.discharge_m3s == 100
    assert [each.record for each in findings.rejected] == ["gauge 1"]
    with pytest.raises(DocumentError, match="no column dis24 or avg_dis"):
        rows_of(glofas_gauges.SOURCE, document(tmp_path, "s.csv", text.replace(name, "q")))


@pytest.mark.parametrize(
    ("heading", "status", "name", "number"),
    [
        ("EXTRATROPICAL STORM TWO FORECAST/ADVISORY NUMBER   1", "Extratropical Storm", "Two", 1),
        ("SUPER TYPHOON IOKE FORECAST/ADVISORY NUMBER  31", "Super Typhoon", "Ioke", 31),
        ("REMNANTS OF KARL FORECAST/ADVISORY NUMBER  12", "Remnants Of", "Karl", 12),
        ("HURRICANE IRMA FORECAST/ADVISORY NUMBER  29...CORRECTED", "Hurricane", "Irma", 29),
        ("HURRICANE IRMA SPECIAL FORECAST/ADVISORY\nNUMBER   4...CORRECTED", "Hurricane", "Irma", 4),
        ("POTENTIAL TROPICAL CYCLONE TWO\nFORECAST/ADVISORY NUMBER   1", "Potential Tropical Cyclone", "Two", 1),
        ("TROPICAL DEPRESSION TWO-E FORECAST/ADVISORY NUMBER   1", "Tropical Depression", "Two-E", 1),
    ],
)
def test_headings_of_advisories(heading: str, status: str, name: str, number: int) -> None:
    text = IRMA.replace("HURRICANE IRMA FORECAST/ADVISORY NUMBER  29", heading)
    assert is_text(text)
    advisory = read_text(text, "tcm")
    assert advisory.analysed is not None
    assert (advisory.analysed.status, advisory.name, advisory.number) == (status, name, number)


@pytest.mark.parametrize(
    ("year", "storm", "told"), [("99", "AL1199", 1999), ("04", "AL1104", 2004), ("1998", "AL111998", 1998)]
)
def test_years_of_two_digits(year: str, storm: str, told: int) -> None:
    text = IRMA.replace("0900 UTC WED SEP 06 2017", f"0900Z WED SEP 06 {year}").replace("AL112017", storm)
    advisory = read_text(text, "tcm")
    assert (advisory.time.year, advisory.event_id, advisory.season) == (told, f"AL11{told}", told)


def test_a_storm_that_dissipates_has_a_position() -> None:
    text = IRMA.replace("HURRICANE CENTER LOCATED NEAR", "TROPICAL DEPRESSION DISSIPATING NEAR")
    advisory = read_text(text, "tcm")
    assert advisory.analysed is not None
    assert (advisory.analysed.longitude, advisory.analysed.latitude) == (-63.3, 18.1)


@pytest.mark.parametrize(
    "began",
    ["20 Apr 2026 01:00:00", "20/Apr/2026 01:00:00", "2026-04-20T01:00:00", "Mon, 20 Apr 2026 01:00:00 GMT"],
)
def test_dates_of_gdacs(tmp_path: Path, began: str) -> None:
    features = gdacs("FL", 7, 1, fromdate=began)
    (flood, _), findings = rows_of(gdacs_floods.SOURCE, document(tmp_path, "f.json", collection(*features)))
    assert (flood.began, findings.rejected) == (datetime(2026, 4, 20, 1, tzinfo=UTC), [])


def of_api(kind: str, **properties: Any) -> dict[str, Any]:
    """Return the properties that all features of an event have in documents of the API."""
    address = "https://www.gdacs.org/{}?eventtype=" + kind + "&eventid=1001296&episodeid=2"
    return {
        "eventtype": kind, "eventid": 1001296, "episodeid": 2, "eventname": "MADE-UP-26",
        "name": f"{kind} MADE-UP-26 (simulated)",
        "alertlevel": "Red", "alertscore": 3, "episodealertlevel": "Green", "episodealertscore": 0.5,
        "severitydata": {"severity": 203.7024, "severitytext": "", "severityunit": "km/h"},
        "fromdate": "2026-05-24T15:00:00", "todate": "2026-05-24T21:00:00", "datemodified": "2026-05-24T20:54:23",
        "country": "Exampleland", "url": {"report": address.format("report.aspx")},
    } | properties  # fmt: skip


def test_documents_of_the_api_of_gdacs(tmp_path: Path) -> None:
    polygon = {"type": "Polygon", "coordinates": [SQUARE]}
    features = [
        {
            "properties": of_api("FL", Class="Point_Centroid"),
            "geometry": {"type": "Point", "coordinates": [10.5, 10.5]},
        },
        {"properties": of_api("FL", Class="Poly_Affected"), "geometry": polygon},
    ]
    (flood, alert), _ = rows_of(gdacs_floods.SOURCE, document(tmp_path, "f.json", collection(*features)))
    # the event's level is its highest, the alert's that of the episode
    assert (flood.alert_level, alert.alert_level, alert.alert_score) == ("Red", "Green", 0.5)
    assert alert.issued == datetime(2026, 5, 24, 20, 54, 23, tzinfo=UTC)


def test_an_edit_in_the_archive_issues_no_alert(tmp_path: Path) -> None:
    ended = datetime(2026, 4, 26, 1, tzinfo=UTC)
    said = {"todate": ended.isoformat(), "datemodified": "2026-05-30T00:00:00"}
    rows, _ = rows_of(gdacs_floods.SOURCE, document(tmp_path, "f.json", collection(*gdacs("FL", 7, 1, **said))))
    (alert,) = (row for row in rows if isinstance(row, FloodAlert))
    assert (alert.issued, alert.expires) == (ended, ended + timedelta(days=2))


def test_a_cyclone_of_the_api_of_gdacs(tmp_path: Path) -> None:
    def circle(longitude: float, size: float) -> dict[str, Any]:
        corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
        return {"type": "Polygon", "coordinates": [[[longitude + size * x, 15 + size * y] for x, y in corners]]}

    step = {"featuretype": "WindRadii", "Class": "Poly_Red"}
    line = {"type": "LineString", "coordinates": [[130, 15], [131, 15]]}
    drawn: list[tuple[dict[str, Any], Any]] = [
        ({"Class": "Point_Centroid"}, {"type": "Point", "coordinates": [131, 15]}),
        ({"Class": "Poly_Red", "polygonlabel": "120 km/h"}, circle(131, 3)),
        ({**step, "polygonlabel": "24/05 21:00", "key": "05242100"}, circle(131, 1)),
        ({**step, "polygonlabel": "25/05 09:00", "key": "05250900"}, circle(133, 1)),
        ({"Class": "Point_Polygon_Point_0", "polygonlabel": "24/05 15:00 UTC"}, circle(130, 0.1)),
        ({"Class": "Point_Polygon_Point_1", "polygonlabel": "24/05 21:00 UTC"}, circle(131, 0.1)),
        ({"Class": "Point_Polygon_Point_2", "polygonlabel": "25/05 09:00 UTC"}, circle(133, 0.1)),
        # its number is that of a class of winds, and it begins at the first position
        ({"Class": "Line_Line_0", "polygonlabel": "TS"}, line),
        ({"Class": "Line_Line_2", "polygonlabel": "HU"}, line),
    ]
    features = [{"properties": of_api("TC") | properties, "geometry": geometry} for properties, geometry in drawn]
    findings = Findings()
    given = document(tmp_path, "c.json", collection(*features))
    (batch,) = gdacs_cyclones.SOURCE.read([given], findings)
    rows: dict[Any, list[Any]] = {}
    for target, row in batch.rows:
        rows.setdefault(target, []).append(row)
    (event,) = rows[tables.EVENTS]
    assert (event.max_wind_kt, event.category, event.wind_minutes) == (110, "C3", 1)
    zones = [(zone.scope, zone.start_date.day, zone.wind_speed_kt) for zone in rows[tables.ADVISORY_ZONES]]
    assert sorted(zones) == [("step", 24, 65), ("step", 25, 65), ("whole", 24, 65)]
    nodes = sorted(rows[tables.NODES], key=lambda node: node.valid_time)
    assert [(node.kind, node.status) for node in nodes] == [("analysed", "TS"), ("analysed", None), ("forecast", None)]
    assert (findings.rejected, findings.duplicates) == ([], [])


RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#" xmlns:gdacs="http://www.gdacs.org"><channel>
<item><title>Green earthquake (simulated)</title>
<link>https://www.gdacs.org/report.aspx?eventtype=EQ&amp;eventid=8&amp;episodeid=3</link>
<guid>EQ8</guid><gdacs:fromdate>Wed, 27 May 2026 14:51:04 GMT</gdacs:fromdate>
<gdacs:todate>Wed, 27 May 2026 14:51:04 GMT</gdacs:todate>
<geo:Point><geo:lat>-50.5</geo:lat><geo:long>139.3</geo:long></geo:Point>
<gdacs:eventtype>EQ</gdacs:eventtype><gdacs:alertlevel>Green</gdacs:alertlevel><gdacs:alertscore>1</gdacs:alertscore>
<gdacs:eventid>8</gdacs:eventid><gdacs:episodeid>3</gdacs:episodeid>
<gdacs:severity unit="M" value="6.1">Magnitude 6.1M</gdacs:severity><gdacs:country>Exampleland</gdacs:country>
</item></channel></rss>
"""


def test_the_rss_feed_of_gdacs(tmp_path: Path) -> None:
    (row,), findings = rows_of(gdacs_earthquakes.SOURCE, document(tmp_path, "gdacs.xml", RSS))
    assert (row.event_id, row.magnitude, row.geom.x, row.alert_level) == ("GDACS-EQ8", 6.1, 139.3, "Green")
    assert findings.rejected == []
    with pytest.raises(DocumentError, match="no RSS, or not whole"):
        rows_of(gdacs_earthquakes.SOURCE, document(tmp_path, "gdacs.xml", RSS[:-40]))


async def test_an_older_document_takes_nothing_back(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    """An event gets another number. It keeps the new one, for any order of the documents."""
    names = ",ak1x,us1x,"
    first = publisher.publish("/a", feed(feature("ak1x", ids=names, updated=FEBRUARY_2018 + 1000)))
    second = publisher.publish("/b", feed(feature("us1x", ids=names, updated=FEBRUARY_2018 + 2000)))
    for address in (first, second, first, second, first):
        await run(usgs_geojson.SOURCE, address)
    standing = await owner.fetch("SELECT event_id FROM hazard.hazard_eq_events WHERE withdrawn IS NULL")
    assert [row["event_id"] for row in standing] == ["us1x"]


async def test_a_feed_that_comes_late_takes_nothing_back(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    now = datetime.now(UTC)

    def flood(number: int, hours: float) -> list[dict[str, Any]]:
        issued = f"{now - timedelta(hours=hours):%d %b %Y %H:%M:%S}"
        return gdacs("FL", number, 1, fromdate=issued, todate=issued)

    later = publisher.publish("/later", collection(*flood(1, 9), *flood(2, 1)))
    earlier = publisher.publish("/earlier", collection(*flood(1, 9), *flood(3, 5)))
    await run(gdacs_floods.SOURCE, later)
    assert (await run(gdacs_floods.SOURCE, earlier)).counts.withdrawn == 0
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_fl_alerts WHERE expires > now()") == 3
