"""Rows of earthquakes and simulated floods from files with known content."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import shapely
from shapely.geometry import MultiPolygon, Point, box

from deploy.database.demo.alerts import flood_alerts, forecast_alerts, latest_of_watersheds, runs_of_watersheds
from deploy.database.demo.contours import intensity_contours
from deploy.database.demo.earthquakes import earthquake_events
from deploy.database.demo.floods import Flood, simulate_floods
from deploy.database.demo.gauges import gauge_forecasts
from deploy.database.demo.rivers import Country, Land, River, read_rivers
from deploy.loader.places.gazetteer import Gazetteer
from deploy.loader.places.topology import Shape, read_shapes
from tests.deploy.database.small_sources import small_sources
from tests.deploy.loader.places.small_places import small_gazetteer
from tests.deploy.loader.places.small_topology import topology

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[River], Land]:
    sources = small_sources(tmp_path_factory.mktemp("sources"))
    return read_rivers(sources.world), Land.read(sources.countries, sources.world)


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Gazetteer:
    return small_gazetteer(tmp_path_factory.mktemp("places"))


@pytest.fixture(scope="module")
def floods(place: tuple[list[River], Land], near: Gazetteer) -> list[Flood]:
    return simulate_floods(*place, near, NOW, count=20)


def test_earthquakes(tmp_path: Path) -> None:
    older, newer = earthquake_events(small_sources(tmp_path).earthquakes, small_gazetteer(tmp_path))
    assert (older.event_id, older.magnitude) == ("us1", None)
    assert newer.event_date == datetime(2018, 2, 7, 0, 0, 0, 250000, UTC)
    assert newer.updated == datetime(2018, 2, 7, 0, 0, 1, 750000, UTC)
    assert newer.geom.coords[0] == (-179.5, 51.25), "two dimensions: depth is a column"
    assert (newer.nearest_place, newer.country) == ("Dateline", None), "the nearest place, none's land"
    assert (newer.depth, newer.alert_level, newer.tsunami) == (12.5, "Green", False)
    assert newer.shakemap_url == newer.population_impact_url == newer.detail_url == "https://example.org/us2.geojson"
    assert older.shakemap_url is None
    assert older.population_impact_url is None


def test_topology_joins_shared_and_reversed_arcs(tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    left, right = [(1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0)], [(1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0)]
    shared = [(1.0, 0.0), (1.0, 1.0)]
    two: list[dict[str, Any]] = [
        {"type": "Polygon", "id": "a", "arcs": [[0, 2]]},
        {"type": "MultiPolygon", "id": "b", "arcs": [[[1, ~2]]]},
    ]
    file.write_text(json.dumps(topology([left, right, shared], {"lands": two})))
    first, second = read_shapes(file, "lands")
    assert first.geometry.equals(box(0, 0, 1, 1))
    assert second.geometry.equals(box(1, 0, 2, 1))


def test_country_by_place(place: tuple[list[River], Land]) -> None:
    _, land = place
    assert land.country_at(Point(5, 5)) == Country("Exampleland", "EXA")
    assert land.country_at(Point(-5, 5)) is None
    assert land.clip(box(-5, 5, 5, 6)).equals(box(0, 5, 5, 6))
    # a country beyond the antimeridian is drawn around the Earth
    around = Shape("FJI", "Fiji", MultiPolygon([box(-180, 4, 180, 6)]))
    lands, codes = [around, *land.countries], [around, *land.coded]
    trees = [shapely.STRtree([shape.geometry for shape in shapes]) for shapes in (lands, codes)]
    assert Land(lands, trees[0], codes, trees[1]).country_at(Point(5, 5)) == Country("Exampleland", "EXA")


def test_floods_are_on_land_along_the_river_and_labelled(place: tuple[list[River], Land], floods: list[Flood]) -> None:
    rivers, _ = place
    for flood in floods:
        event = flood.event
        assert event.source == "simulated"
        assert event.geom.is_valid
        assert event.geom.intersects(rivers[0].line)
        assert box(0, 0, 40, 20).buffer(1e-4).contains(event.geom)
        assert event.geom.distance(flood.reach) == 0
        assert event.began < NOW
        assert event.ended is None or event.began < event.ended < NOW
        assert event.severity in (1.0, 1.5, 2.0)
        assert event.country == "Exampleland"
        assert 1 < event.area_km2 < 60_000
        # Not a plain buffer: its outline is much longer than that of a disc of its area.
        assert event.geom.length > 1.3 * 2 * (3.1416 * event.geom.area) ** 0.5
    assert [flood.event.began for flood in floods] == sorted(flood.event.began for flood in floods)


def test_simulation_is_reproducible(place: tuple[list[River], Land], near: Gazetteer, floods: list[Flood]) -> None:
    assert [flood.event for flood in simulate_floods(*place, near, NOW, count=20)] == [flood.event for flood in floods]


def test_on_another_day_the_same_floods_are_as_much_later(
    place: tuple[list[River], Land], near: Gazetteer, floods: list[Flood]
) -> None:
    days = timedelta(days=153)
    later = simulate_floods(*place, near, NOW + days, count=20)
    assert [flood.event.began - days for flood in later] == [flood.event.began for flood in floods]
    assert [flood.event.geom for flood in later] == [flood.event.geom for flood in floods]
    assert [flood.event.ended is None for flood in later] == [flood.event.ended is None for flood in floods]
    alerts = flood_alerts(later, *place, near, NOW + days, others=3)
    assert all(alert.issued < NOW + days and alert.expires >= NOW + days + timedelta(days=2) for alert in alerts)


def test_alerts_share_the_events_of_floods_under_way(
    place: tuple[list[River], Land], near: Gazetteer, floods: list[Flood]
) -> None:
    alerts = flood_alerts(floods, *place, near, NOW, others=3)
    assert all(alert.place and alert.population_in_places >= 0 for alert in alerts)
    under_way = {flood.event.event_id for flood in floods if flood.event.ended is None}
    assert under_way
    assert {alert.event_id for alert in alerts if alert.event_id.startswith("SIM-FL")} == under_way
    assert len(alerts) == len(under_way) + 3
    assert all(alert.expires > NOW and alert.source == "simulated" and alert.geom.is_valid for alert in alerts)


def test_forecast_alerts(place: tuple[list[River], Land]) -> None:
    alerts = forecast_alerts(*place, NOW, watersheds=5)
    assert alerts
    assert {alert.forecast_date.month for alert in alerts} <= {8, 9, 10, 11}
    assert {alert.alert_level for alert in alerts} <= {"Green", "Orange", "Red"}
    areas = {(alert.watershed_id, shapely.to_wkb(alert.geom)) for alert in alerts}
    assert len(areas) == len({alert.watershed_id for alert in alerts}) <= 5, "a watershed keeps its area"
    assert len({alert.event_id for alert in alerts}) == len(alerts)
    latest = latest_of_watersheds(alerts)
    assert len(latest) == len({alert.watershed_id for alert in alerts}) < len(alerts), "one of each"
    for one in latest:
        assert one.forecast_date == max(alert.forecast_date for alert in alerts if alert.alert_id == one.alert_id)
    runs = list(runs_of_watersheds(alerts))
    assert [(run.event_id, run.forecast_date) for run in runs] == [(a.event_id, a.forecast_date) for a in alerts]
    assert all(alert.geom.contains(run.geom) for run, alert in zip(runs, alerts, strict=True))


def test_forecasts_of_the_first_months_of_a_year_began_in_the_last(place: tuple[list[River], Land]) -> None:
    alerts = forecast_alerts(*place, datetime(2027, 2, 3, tzinfo=UTC), watersheds=5)
    assert {f"{alert.forecast_date:%Y-%m}" for alert in alerts} == {"2026-11", "2026-12", "2027-01", "2027-02"}


def test_gauges(place: tuple[list[River], Land], floods: list[Flood]) -> None:
    rivers, land = place
    gauges = list(gauge_forecasts(rivers, floods, land, NOW))
    assert len(gauges) == int(rivers[0].length_km / 220)
    for gauge in gauges:
        series = json.loads(gauge.time_series)
        assert len(series) == 30
        assert series[-1]["time"] == f"{gauge.valid_to:%Y-%m-%dT%H:%M:%SZ}"
        assert series[0] == series[0] | {"time": "2026-11-01T00:00:00Z", "discharge_m3s": gauge.discharge_m3s}
        assert max(step["discharge_m3s"] for step in series) == gauge.peak_discharge_m3s
        assert all(step["p25_m3s"] <= step["discharge_m3s"] <= step["p75_m3s"] for step in series)
        assert gauge.return_2y_m3s < gauge.return_5y_m3s < gauge.return_20y_m3s
        assert gauge.geom.distance(rivers[0].line) < 1e-4
    risen = [gauge for gauge in gauges if gauge.event_id.startswith("SIM-FL")]
    assert risen
    assert all(gauge.alert_level != "Green" for gauge in risen)


def test_contours_surround_strong_earthquakes(tmp_path: Path) -> None:
    events = list(earthquake_events(small_sources(tmp_path).earthquakes, small_gazetteer(tmp_path)))
    contours = list(intensity_contours(events))
    assert {contour.event_id for contour in contours} == {"us2"}, "the other one has no magnitude"
    intensities = [contour.intensity for contour in contours]
    assert intensities == sorted(set(intensities))
    assert "simulated" in contours[0].source
    # the weakest reaches farthest, across 180° here, where it has no edge
    assert contours[0].geom.length > contours[-1].geom.length
    longitudes = shapely.get_coordinates(contours[0].geom)[:, 0]
    assert (abs(longitudes) == 180).sum() == 4, "the ends of the lines on both sides"
