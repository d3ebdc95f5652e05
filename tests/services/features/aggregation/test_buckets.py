"""Edges of ranges, and buckets of the counts between them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import sqrt

import pytest

from libs.catalogue.model import Column, GeometryColumn
from services.features.aggregation.buckets import (
    as_number,
    closed_ranges,
    lasting_buckets,
    open_ranges,
    place_buckets,
    range_buckets,
    term_buckets,
)
from services.features.aggregation.edges import (
    calendar_edges,
    equal_numbers,
    equal_times,
    multiples,
    suitable_unit,
)
from services.features.aggregation.facet import PlaceFacet, TermFacet

WORD = Column("word", "text", "string")
FIRST = datetime(2020, 2, 29, 13, 14, 15, 16, tzinfo=UTC)


def _at(year: int, month: int = 1, day: int = 1, clock: str = "00:00:00") -> datetime:
    return datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}T{clock}Z")


@pytest.mark.parametrize(
    ("unit", "begin", "end"),
    [
        ("second", _at(2020, 2, 29, "13:14:15"), _at(2020, 2, 29, "13:14:16")),
        ("minute", _at(2020, 2, 29, "13:14:00"), _at(2020, 2, 29, "13:15:00")),
        ("hour", _at(2020, 2, 29, "13:00:00"), _at(2020, 2, 29, "14:00:00")),
        ("day", _at(2020, 2, 29), _at(2020, 3, 1)),
        ("week", _at(2020, 2, 24), _at(2020, 3, 2)),
        ("month", _at(2020, 2), _at(2020, 3)),
        ("quarter", _at(2020), _at(2020, 4)),
        ("year", _at(2020), _at(2021)),
    ],
)
def test_a_unit_begins_before_a_moment_and_ends_after_it(unit: str, begin: datetime, end: datetime) -> None:
    assert calendar_edges(unit, FIRST, FIRST, most=1) == [begin, end]
    # its end is the beginning of the next
    edges = calendar_edges(unit, FIRST, end, most=2)
    assert edges is not None
    assert (len(edges), edges[:2]) == (3, [begin, end])
    assert calendar_edges(unit, FIRST, end, most=1) is None


def test_of_too_many_units_none_are_made() -> None:
    assert calendar_edges("second", _at(1), _at(9999), most=1000) is None
    months = calendar_edges("month", _at(2019, 11, 5), _at(2020, 2, 1), most=4)
    assert months == [_at(2019, 11), _at(2019, 12), _at(2020, 1), _at(2020, 2), _at(2020, 3)]


@pytest.mark.parametrize(
    ("length", "unit"),
    [
        (timedelta(0), "second"),
        (timedelta(seconds=60), "second"),
        (timedelta(seconds=61), "minute"),
        (timedelta(hours=1), "minute"),
        (timedelta(hours=1.1), "hour"),
        (timedelta(hours=61), "day"),
        (timedelta(days=61), "week"),
        (timedelta(days=500), "month"),
        (timedelta(days=2000), "quarter"),
        (timedelta(days=6000), "year"),
        (timedelta(days=600_000), "year"),
        *(
            (timedelta(seconds=60 * length + more), unit)
            for length, units in (
                (1, ("second", "minute")),
                (60, ("minute", "hour")),
                (3600, ("hour", "day")),
                (86_400, ("day", "week")),
                (604_800, ("week", "month")),
                (2_629_746, ("month", "quarter")),
                (7_889_238, ("quarter", "year")),
            )
            for more, unit in enumerate(units)
        ),
    ],
)
def test_a_unit_suits_where_there_are_not_many(length: timedelta, unit: str) -> None:
    assert suitable_unit(_at(1), _at(1) + length) == unit


def test_ranges_of_equal_length_are_no_shorter_than_a_microsecond() -> None:
    last = FIRST + timedelta(microseconds=10)
    assert equal_times(FIRST, last, 2) == [FIRST, FIRST + timedelta(microseconds=5), last]
    assert equal_times(FIRST, FIRST + timedelta(microseconds=1), 5) == [FIRST, FIRST + timedelta(microseconds=1)]
    assert equal_times(FIRST, FIRST, 3) == [FIRST]


def test_ranges_of_equal_width_have_edges_that_a_double_holds() -> None:
    assert equal_numbers(Decimal("4.5"), Decimal("5.42"), 2) == ["4.5", "4.96", "5.42"]
    assert equal_numbers(Decimal(0), Decimal(1), 3) == ["0", "0.333333333333333", "0.666666666666667", "1"]
    assert equal_numbers(Decimal(7), Decimal(7), 3) == ["7"]
    # the ends as they are
    assert equal_numbers(Decimal("0.1234567890123456789"), Decimal(1), 1) == ["0.1234567890123456789", "1"]


@pytest.mark.parametrize(
    ("width", "first", "last", "edges"),
    [
        ("2.5", "0", "2.4", ["0.0", "2.5"]),
        ("2.5", "-0.1", "2.5", ["-2.5", "0.0", "2.5", "5.0"]),
        ("1", "0", "2.9", ["0", "1", "2", "3"]),
        ("1", "0", "3", None),
        ("1e-400", "0", "1e300", None),
        ("1e-300", "0", "1e300", None),
    ],
)
def test_multiples_of_a_width(width: str, first: str, last: str, edges: list[str] | None) -> None:
    assert multiples(Decimal(width), Decimal(first), Decimal(last), most=3) == edges


def test_bounds_are_between_edges_or_around_them() -> None:
    assert closed_ranges([1, 2, 3]) == [(1, 2), (2, 3)]
    assert closed_ranges([1]) == [(1, 1)]
    assert open_ranges([1, 2]) == [(None, 1), (1, 2), (2, None)]


def test_ranges_that_nothing_is_in_are_there() -> None:
    found = range_buckets([("1", "2"), ("2", "3.5"), ("3.5", None)], [(0, 4), (2, 5), (None, 6)], {"interval": "x"})
    assert found.buckets == (
        {"min": 1, "max": 2, "count": 4},
        {"min": 2, "max": 3.5, "count": 0},
        {"min": 3.5, "count": 5},
    )
    assert (found.values, found.nulls, found.more) == (9, 6, {"interval": "x"})
    assert (found.other, found.other_buckets) == (0, 0)
    empty = range_buckets([(None, FIRST)], [])
    assert empty.buckets == ({"max": "2020-02-29T13:14:15.000016Z", "count": 0},)
    assert (empty.values, empty.nulls, empty.more) == (0, 0, {})


def test_what_lasts_is_in_each_range_that_it_meets() -> None:
    bounds = [(_at(2020), _at(2021)), (_at(2021), _at(2022)), (_at(2022), _at(2023))]
    rows = [(0, 0, 1), (0, 1, 10), (None, 1, 100), (1, None, 1000), (None, None, 5), (2, 1, 7)]
    found = lasting_buckets(bounds, rows, {"interval": "year"})
    assert [bucket["count"] for bucket in found.buckets] == [111, 1110, 1000]
    assert found.buckets[0]["min"] == "2020-01-01T00:00:00Z"
    # each feature once; one that ends before it starts has a value, and is nowhere
    assert (found.values, found.nulls, found.more) == (1118, 5, {"interval": "year"})
    assert lasting_buckets(bounds, []).more == {}


def test_terms_that_are_too_few_are_counted_together() -> None:
    facet = TermFacet("word", WORD, size=3, least=2)
    found = term_buckets(facet, [("a", 5, 4, 9, 3), ("b", 2, 4, 9, 3), ("c", 1, 4, 9, 3)])
    assert found.buckets == ({"value": "a", "count": 5}, {"value": "b", "count": 2})
    assert (found.values, found.nulls, found.other, found.other_buckets) == (9, 3, 2, 2)
    # a row that is there to tell the sums
    none = term_buckets(facet, [(None, 3, 0, 0, 3)])
    assert (none.buckets, none.values, none.nulls, none.other, none.other_buckets) == ((), 0, 3, 0, 0)
    nothing = term_buckets(facet, [])
    assert (nothing.buckets, nothing.values, nothing.nulls) == ((), 0, 0)


@pytest.mark.parametrize(
    ("kind", "type_", "format_", "value", "shown"),
    [
        ("timestamp with time zone", "string", "date-time", "2020-01-01 00:00:00+00", "2020-01-01T00:00:00Z"),
        ("numeric", "number", None, "1.50", 1.5),
        ("integer", "integer", None, 7, 7),
        ("text", "string", None, "1.50", "1.50"),
        ("boolean", "boolean", None, True, True),
    ],
)
def test_terms_are_values_as_features_have_them(
    kind: str, type_: str, format_: str | None, value: object, shown: object
) -> None:
    found = term_buckets(TermFacet("c", Column("c", kind, type_, format_)), [(value, 1, 1, 1, 0)])
    assert found.buckets == ({"value": shown, "count": 1},)


@pytest.mark.parametrize("length", [999, 1000, 1001])
def test_terms_are_cut_where_they_are_long(length: int) -> None:
    (bucket,) = term_buckets(TermFacet("word", WORD), [("x" * length, 1, 1, 1, 0)]).buckets
    assert (len(bucket["value"]), "valueCut" in bucket) == (min(length, 1000), length > 1000)


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("-7", -7), ("7.0", 7.0), ("1e3", 1000.0), ("1E3", 1000.0), ("9223372036854775807", 2.0**63),
     ("9223372036854774784", 2**63 - 1024), ("1" + "0" * 30, 1e30)],
)  # fmt: skip
def test_numbers_are_whole_as_far_as_json_writers_hold_them(text: str, number: float) -> None:
    assert (as_number(text), type(as_number(text))) == (number, type(number))


def test_cells_are_ordered_and_lie_on_earth() -> None:
    facet = PlaceFacet("geom", GeometryColumn("geom", "Point", 4326), size=50.0)
    found = place_buckets(facet, [(7, 3, 2), (0, 0, 1), (1, 0, 4), (None, None, 5)])
    assert [(bucket["value"], bucket["count"]) for bucket in found.buckets] == [("0/0", 1), ("1/0", 4), ("7/3", 2)]
    assert (found.values, found.nulls) == (7, 5)
    first, _, last = found.buckets
    assert first["geometry"] == {
        "type": "Polygon",
        "coordinates": [[[-180, -90], [-130, -90], [-130, -40], [-180, -40], [-180, -90]]],
    }
    assert first["centre"] == [-155, -65]
    # cut where the world ends
    assert last["geometry"]["coordinates"] == [[[170, 60], [180, 60], [180, 90], [170, 90], [170, 60]]]
    assert last["centre"] == [180, 85]


def test_hexagons_are_those_of_postgis() -> None:
    facet = PlaceFacet("geom", GeometryColumn("geom", "Point", 4326), size=10.0, hexagons=True)
    even, odd, other = place_buckets(facet, [(0, 0, 1), (1, 0, 1), (2, 0, 1)]).buckets
    height = round(sqrt(3) * 5, 9)
    assert even["centre"] == [0, 0]
    assert even["geometry"]["coordinates"] == [
        [[-10, 0], [-5, -height], [5, -height], [10, 0], [5, height], [-5, height], [-10, 0]]
    ]
    assert (odd["centre"], other["centre"]) == ([15, height], [30, 0])
