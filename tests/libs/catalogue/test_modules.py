"""Which collections tell of the same event, and which of what is expected."""

from __future__ import annotations

from dataclasses import replace

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.catalogue.modules import forecasts, siblings


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
    # what is expected of a forecast is it
    assert forecasts(gauges, [alerts, gauges]) == []
