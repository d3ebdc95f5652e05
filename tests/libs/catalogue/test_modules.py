"""The collections with the same event, and those with forecasts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.catalogue.modules import forecasts, hazard, is_forecast, module, of_events, siblings


def _collection(identifier: str, *columns: str) -> Collection:
    schema, _, name = identifier.partition(".")
    properties = tuple(Column(column, "text", "string") for column in columns)
    return Collection(identifier, schema, name, 1, "table", name, None, properties)


def test_siblings_are_the_others_of_the_module_that_have_events() -> None:
    own = _collection("hazard.gdacs_eq_events", "event_id")
    told = [_collection("hazard.gdacs_eq_areas", "event_id"), _collection("hazard.eq_places", "id", "event_id")]
    apart = [
        _collection("hazard.eq_bare"),
        _collection("hazard.gdacs_fl_events", "event_id"),
        _collection("other.gdacs_eq_events", "event_id"),
    ]
    assert siblings(own, [told[0], *apart, own, told[1]]) == told
    assert siblings(apart[0], [own, *told]) == []


def test_forecasts_are_those_of_the_module_that_have_places() -> None:
    place = (GeometryColumn("geom", "Point", 4326),)
    alerts = _collection("hazard.hazard_fl_alerts")
    gauges = replace(_collection("hazard.hazard_fl_gauges_forecast"), geometries=place)
    apart = [
        _collection("hazard.hazard_fl_table_forecast"),
        replace(_collection("hazard.hazard_fl_call_forecast"), geometries=place, kind="function"),
        replace(_collection("hazard.hazard_ts_winds_forecast"), geometries=place),
        replace(_collection("other.hazard_fl_gauges_forecast"), geometries=place),
    ]
    assert forecasts(alerts, [alerts, *apart, gauges]) == [gauges]
    # forecasts of forecasts do not exist
    assert forecasts(gauges, [alerts, gauges]) == []


@pytest.mark.parametrize(
    ("identifier", "of_module", "of_hazard"),
    [
        ("hazard.hazard_eq_events", "Earthquakes", "earthquakes"),
        ("hazard.fl_areas", "Floods", "floods"),
        ("hazard.gdacs_fl", "Floods", "floods"),
        ("hazard.ts_disturbance_areas", "Tropical disturbances", "storms"),
        ("hazard.hazard_ts_tracks", "Tropical storms", "storms"),
        # of no hazard: the schema's name
        ("city_plan.bts_events", "City plan", ""),
        ("hazard.equipment", "Hazard", ""),
    ],
)
def test_a_collection_is_of_the_module_that_its_name_tells(identifier: str, of_module: str, of_hazard: str) -> None:
    collection = _collection(identifier)
    assert (module(collection), hazard(collection)) == (of_module, of_hazard)


def test_events_are_those_of_what_has_them_and_is_no_function() -> None:
    own, bare = _collection("hazard.eq_events", "event_id"), _collection("hazard.eq_bare", "id")
    assert of_events([replace(own, kind="function"), bare, own]) == [own]


def test_a_forecast_is_told_by_the_end_of_its_name() -> None:
    place = (GeometryColumn("geom", "Point", 4326),)
    found = replace(_collection("hazard.fl_forecast"), geometries=place)
    assert is_forecast(found)
    assert not is_forecast(replace(found, name="fl_forecast_errors"))
    assert not is_forecast(replace(found, geometries=()))
    assert not is_forecast(replace(found, kind="function"))
