"""A cyclone of GDACS: where it was, where it is expected, and how far its winds reach."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.loader.records import storms as tables
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import gdacs_cyclones
from tests.deploy.loader.conftest import Load, Publisher

PAST: dict[str, Any] = {"fromdate": "30 Dec 2024 00:00:00", "todate": "31 Dec 2024 12:00:00"}


def _square(longitude: float, latitude: float, size: float = 0.5) -> dict[str, Any]:
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
    return {
        "type": "Polygon",
        "coordinates": [[[longitude + size * x, latitude + size * y] for x, y in corners]],
    }


def storm_features(longitude: float = 130.0, latitude: float = 15.0, **centre: Any) -> list[dict[str, Any]]:
    properties = {
        "eventid": 1001,
        "eventtype": "TC",
        "episodeid": 7,
        "eventname": "MADE-UP-26",
        "name": "Tropical Cyclone MADE-UP-26 (simulated)",
        "fromdate": "30 Dec 2026 00:00:00",
        "todate": "31 Dec 2026 12:00:00",
        "latitude": latitude,
        "longitude": longitude,
        "severity": 185.2,
        **centre,
    }
    point = {"type": "Point", "coordinates": [longitude, latitude]}
    features: list[tuple[str, dict[str, Any], dict[str, Any]]] = [("Point_Centroid", point, properties)]
    # the steps of a document are in no order
    for number, label in ((1, "31/12 12:00"), (0, "31/12 00:00"), (2, "01/01 00:00")):
        place = longitude + number
        features.append((f"Poly_Polygon_Point_{number}", _square(place, latitude), {"polygonlabel": label}))
        line = {"type": "LineString", "coordinates": [[place, latitude], [place + 1, latitude]]}
        features.append((f"Line_Line_{number}", line, {"polygonlabel": f"status {number}"}))
    features.append(("Poly_Green", _square(longitude, latitude, 3), {}))
    features.append(("Poly_WindRadii_64_2612311200", _square(longitude, latitude, 1), {}))
    features.append(("Poly_Cones", _square(longitude, latitude, 5), {}))
    return [
        {"type": "Feature", "id": f"f{at}", "geometry": geometry, "properties": {"Class": class_, **more}}
        for at, (class_, geometry, more) in enumerate(features)
    ]


def _read(folder: Path, features: list[dict[str, Any]]) -> tuple[Batch, Findings]:
    path = folder / "cyclone.json"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    findings = Findings()
    (batch,) = gdacs_cyclones.SOURCE.read([Document(path, "given", datetime.now(UTC))], findings)
    return batch, findings


def _rows(batch: Batch, target: Any) -> list[Any]:
    return [row for of, row in batch.rows if of is target]


def test_steps_are_in_the_order_of_time_and_what_lies_ahead_is_a_forecast(tmp_path: Path) -> None:
    batch, findings = _read(tmp_path, storm_features())
    (event,) = _rows(batch, tables.EVENTS)
    assert (event.event_id, event.name, event.season, event.max_wind_kt) == ("TC1001", "Made-Up", 2026, 100)
    assert (event.category, event.basin, event.start_date.day, event.end_date.hour) == ("C3", "WP", 30, 12)
    nodes = sorted(_rows(batch, tables.NODES), key=lambda node: node.valid_time)
    assert [(node.kind, node.valid_time.isoformat()[:16], node.geom.x) for node in nodes] == [
        ("analysed", "2026-12-31T00:00", 130),
        ("analysed", "2026-12-31T12:00", 131),
        # of the next year, as this is the nearest
        ("forecast", "2027-01-01T00:00", 132),
    ]
    assert [node.status for node in nodes] == ["status 0", "status 1", "status 2"]
    assert {track.kind for track in _rows(batch, tables.TRACKS)} == {"analysed", "forecast"}
    assert findings.read == 10
    assert [(each.record, "cones" in each.reason) for each in findings.left_out] == [("f9", True)]
    assert findings.rejected == []
    assert findings.issued == datetime(2026, 12, 31, 12, tzinfo=UTC)


def test_zones_are_of_a_step_or_of_all_of_its_life(tmp_path: Path) -> None:
    batch, _ = _read(tmp_path, storm_features())
    zones = {zone.scope: zone for zone in _rows(batch, tables.ADVISORY_ZONES)}
    assert (zones["step"].wind_speed_kt, zones["step"].kind, zones["step"].start_date) == (
        64,
        "analysed",
        datetime(2026, 12, 31, 12, tzinfo=UTC),
    )
    # 60 km/h, until the last step
    whole = zones["whole"]
    assert (whole.wind_speed_kt, whole.kind, whole.start_date.day, whole.end_date.year) == (32, "forecast", 31, 2027)
    assert zones["step"].area_km2 < whole.area_km2
    assert [zone.wind_speed_kt for zone in _rows(batch, tables.ZONES)] == [32]
    # what it does not tell any more goes: analysed and expected ones of the storm, and all of this advisory
    assert len(batch.parts) == 9
    assert batch.latest[0].times == {"TC1001": datetime(2026, 12, 31, 12, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("longitude", "latitude", "basin"),
    [
        (-60, 15, "NA"), (-90, 25, "NA"), (-95, 12, "EP"), (-110, 15, "EP"), (-78, 8, "NA"), (-82, 7.5, "EP"),
        (29, 35, "NA"), (31, 10, "NI"), (99.9, 10, "NI"), (100, 10, "WP"), (179, 10, "WP"),
        (-30, -20, "SA"), (-70, -20, "SA"), (-71, -20, "SP"), (19.9, -20, "SA"), (20, -20, "SI"),
        (134.9, -15, "SI"), (135, -15, "SP"), (-170, -15, "SP"),
    ],
)  # fmt: skip
def test_basins_by_the_place(tmp_path: Path, longitude: float, latitude: float, basin: str) -> None:
    batch, _ = _read(tmp_path, storm_features(longitude, latitude)[:1])
    (event,) = _rows(batch, tables.EVENTS)
    assert event.basin == basin


@pytest.mark.parametrize(
    ("latitude", "month", "season"), [(-15, "Jun", 2026), (-15, "Jul", 2027), (15, "Jul", 2026), (15, "Dec", 2026)]
)
def test_a_season_of_the_south_has_the_year_in_which_it_ends(
    tmp_path: Path, latitude: float, month: str, season: int
) -> None:
    features = storm_features(60, latitude, fromdate=f"01 {month} 2026 00:00:00", todate=f"02 {month} 2026 00:00:00")[
        :1
    ]
    (event,) = _rows(_read(tmp_path, features)[0], tables.EVENTS)
    assert event.season == season


def test_what_is_no_cyclone_is_refused_and_what_is_told_twice_is_told(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no cyclone"):
        _read(tmp_path, storm_features()[1:])
    features = storm_features()
    features[1]["properties"]["polygonlabel"] = "noon"
    batch, findings = _read(tmp_path, features)
    assert [(each.record, "'noon' is no time" in each.reason) for each in findings.rejected] == [("f1", True)]
    assert len(_rows(batch, tables.NODES)) == 2, "the other positions count"
    _, findings = _read(tmp_path, [*storm_features(), {**storm_features()[-1], "id": "again"}])
    assert findings.duplicates == ["f9"]
    _, findings = _read(tmp_path, [*storm_features(), {**storm_features()[-1], "properties": {"Class": "Other"}}])
    assert "not known: Other" in findings.left_out[-1].reason


def _document(folder: Path, features: list[dict[str, Any]]) -> Document:
    path = folder / "events.json"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return Document(path, "given", datetime.now(UTC))


def test_an_event_that_is_no_cyclone_is_left_out(tmp_path: Path) -> None:
    drought = storm_features(eventtype="DR", eventid=2002, severity=223_673, name="Drought (simulated)")
    for feature in drought:
        feature["properties"]["eventtype"] = "DR"
        feature["id"] = f"DR2002{feature['id']}"
    findings = Findings()
    batches = list(gdacs_cyclones.SOURCE.read([_document(tmp_path, [*storm_features(), *drought])], findings))
    events = [row for batch in batches for row in _rows(batch, tables.EVENTS)]
    assert [(event.event_id, event.max_wind_kt) for event in events] == [("TC1001", 100)]
    assert sum("type DR" in each.reason for each in findings.left_out) == len(drought)
    untyped = storm_features(eventtype=None)
    for features in (drought, untyped):
        with pytest.raises(DocumentError, match="no cyclone"):
            list(gdacs_cyclones.SOURCE.read([_document(tmp_path, features)], Findings()))


def test_two_storms_of_a_document_keep_their_own_features(tmp_path: Path) -> None:
    one, two = storm_features(), storm_features(longitude=-60.0, eventid=3003, eventname="OTHER-26", severity=92.6)
    for event, features in ((1001, one), (3003, two)):
        for feature in features:
            feature["id"] = f"TC{event}7{feature['id']}"
    stray = {**one[1], "id": "TC4004stray"}
    findings = Findings()
    batches = list(gdacs_cyclones.SOURCE.read([_document(tmp_path, [*one, *two, stray])], findings))
    found = {}
    for batch in batches:
        (event,) = _rows(batch, tables.EVENTS)
        found[event.event_id] = (event.max_wind_kt, {round(node.geom.x) for node in _rows(batch, tables.NODES)})
    assert found == {"TC1001": (100, {130, 131, 132}), "TC3003": (50, {-60, -59, -58})}
    assert ("TC4004stray", "no storm of the document has this feature") in findings.rejected


def _listed(event: int, geometry: str, current: str = "true", **more: Any) -> dict[str, Any]:
    """An event as geteventlist has it (simulated)."""
    properties = {
        "eventtype": "TC", "eventid": event, "episodeid": 7, "eventname": "MADE-UP-26", "iscurrent": current,
        "Class": "Point_Centroid", "alertlevel": "Green", "url": {"geometry": geometry, "report": "", "details": ""},
    } | more  # fmt: skip
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [130, 15]}, "properties": properties}


async def test_the_list_of_events_leads_to_current_cyclones(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    drawing = publisher.publish("/getgeometry", {"type": "FeatureCollection", "features": storm_features(**PAST)})

    def listed(*features: dict[str, Any]) -> str:
        return publisher.publish("/geteventlist/SEARCH", {"type": "FeatureCollection", "features": list(features)})

    ended, drought = f"{publisher.base}/ended", f"{publisher.base}/drought"
    address = listed(_listed(1001, drawing), _listed(2002, ended, "false"), _listed(3, drought, eventtype="DR"))
    outcome = await run(gdacs_cyclones.SOURCE, address)
    assert [each.path for each in publisher.asked] == ["/geteventlist/SEARCH", "/getgeometry"]
    assert outcome.findings.rejected == []
    expected = "SELECT event_id, count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'forecast' GROUP BY 1"
    assert [tuple(row) for row in await owner.fetch(expected)] == [("TC1001", 1)]
    assert (await run(gdacs_cyclones.SOURCE, address)).counts.changed == 0
    await run(gdacs_cyclones.SOURCE, listed(_listed(1001, drawing, "false")))
    assert await owner.fetch(expected) == []
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_events") == 1
    # without cyclones the list is empty
    assert (await run(gdacs_cyclones.SOURCE, listed())).findings.rejected == []
