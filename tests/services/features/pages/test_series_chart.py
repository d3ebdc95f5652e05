"""Series of numbers become charts that can be read: axes, quartiles, return periods, today."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from libs.catalogue.model import Collection, Column
from services.features.pages.series_chart import charts_of

COLLECTION = Collection(
    id="s.gauges",
    schema="s",
    name="gauges",
    oid=1,
    kind="table",
    title="Gauges",
    description=None,
    columns=(
        Column("title", "text", "string"),
        Column("series", "jsonb", "array"),
        Column("discharge_m3s", "double precision", "number", title="Discharge", unit="m³/s"),
        Column("return_2y_m3s", "double precision", "number"),
        Column("return_20y_m3s", "double precision", "number"),
    ),
)


def _feature(series: Any) -> dict[str, Any]:
    values = {"title": "Rhine", "series": orjson.Fragment(orjson.dumps(series)), "return_2y_m3s": 130.0}
    return {"id": 1, "properties": {**values, "return_20y_m3s": 900.0}}


def test_a_forecast_has_axes_quartiles_return_periods_and_today() -> None:
    begins = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=3)
    days = [(begins + timedelta(days=day)).isoformat() for day in range(8)]
    series = [{"time": at, "p25_m3s": 40 + n, "discharge_m3s": 50 + n, "p75_m3s": 60 + n} for n, at in enumerate(days)]
    (chart,) = charts_of(COLLECTION, _feature(series))
    assert chart.title == "Discharge [m³/s], Rhine"
    assert chart.summary.startswith("Discharge of Rhine: 50 to 57 m³/s; shaded: 25th to 75th percentile; 2-year: 130")
    assert len(chart.line.split()) == 8
    assert len(chart.band.split()) == 16
    # those within it and the next above, where that is near
    assert [label for _, label in chart.thresholds] == ["2-year"]
    assert [label for _, label in chart.numbers] == ["50", "100"]
    assert len(chart.dates) == 8
    assert chart.now is not None
    assert chart.left < chart.now < chart.width
    # larger values are higher
    assert chart.numbers[0][0] > chart.numbers[1][0]


def test_the_least_and_the_highest_number_of_an_axis_are_on_it() -> None:
    series = [{"time": f"2026-11-0{day}", "discharge_m3s": value} for day, value in ((1, 0.1), (2, 0.3))]
    (chart,) = charts_of(COLLECTION, {"id": 1, "properties": {"series": orjson.Fragment(orjson.dumps(series))}})
    assert [label for _, label in chart.numbers] == ["0.1", "0.2", "0.3"]


@pytest.mark.parametrize(
    "series",
    [
        None,
        [],
        [1, 2],
        [{"time": "2020-01-01", "a": 1}],
        [{"time": "2020-01-01", "a": 1}, {"time": "2020-01-01", "a": 2}],
        [{"time": "never", "a": 1}, {"time": "2020-01-01", "a": 2}],
        [{"time": "2020-01-01"}, {"time": "2020-01-02"}],
        [{}, {"a": "b"}],
    ],
)
def test_what_is_no_series_makes_no_chart(series: Any) -> None:
    assert charts_of(COLLECTION, _feature(series)) == []


@pytest.mark.parametrize("values", [(5, 5), (0, 1e300), (-3, -1)])
def test_odd_series_are_drawn(values: tuple[float, float]) -> None:
    series = [{"time": at, "x": value} for at, value in zip(("0001-01-01", "2020-01-02"), values, strict=True)]
    (chart,) = charts_of(COLLECTION, _feature(series))
    assert chart.now is None
    assert len(chart.line.split()) == 2
    assert chart.dates
