"""A request that says everything, and one of which everything is wrong: all that is made of them, in order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from math import inf
from typing import Any

import pytest
import shapely

from libs.catalogue.model import Argument, Column
from libs.ogc.crs import crs_uri
from libs.pg.text_folding import Folding, TextFolding
from libs.selection.selection import Selection, SortTerm, configured_order, select
from tests.libs.selection.selecting import COLUMNS, MAG_ABOVE, Query, collection, faults, selected, where

DEGREES, METRES = crs_uri(4326) or "", crs_uri(3857) or ""
LASTING = replace(collection(time_end="ended"), srids=(3857, 4326))
EVERYTHING: dict[str, Any] = {
    "ids": "1, 22",
    "bbox": [1, 2, 3, 4],
    "datetime": "2020-01-01T00:00:00Z/2020-02-01T00:00:00Z",
    "filter": "mag > 5 AND S_INTERSECTS(geom, POINT(1 2))",
    "properties": "place,id",
    "sortby": ["-mag", "place"],
}
BOX, PLACE = shapely.box(1, 2, 3, 4, ccw=False), shapely.Point(1, 2)


def _everything(**other: Any) -> tuple[Selection, list[tuple[str, str, str, object]]]:
    query = Query(EVERYTHING | other, {"place": "x", "mag": "7"})
    return select(LASTING, query), query.faults


def test_conditions_come_in_the_order_of_their_parameters() -> None:
    found, wrong = _everything()
    assert wrong == []
    text, args = found.where.render()
    assert text == (
        '(("id" = ANY($1::int8[])))'
        ' AND (ST_Intersects("geom", ST_GeomFromWKB($2::bytea, 4326)) OR "geom" IS NULL)'
        ' AND (("began" <= $3::timestamptz) AND ("ended" >= $4::date OR "ended" IS NULL))'
        ' AND ((("mag" > $5::float8 AND ("mag" < \'Infinity\') IS NOT FALSE))'
        ' AND (ST_Intersects("geom", ST_GeomFromWKB($6::bytea, 4326))))'
        ' AND ("place" = $7::text) AND ("mag" = $8::float8)'
    )
    binary: tuple[Any, ...] = args
    shapes = [shapely.from_wkb(binary[place]) for place in (1, 5)]
    assert [shapely.equals(one, other) for one, other in zip(shapes, (BOX, PLACE), strict=True)] == [True, True]
    assert (args[0], *args[2:5], *args[6:]) == ([1, 22], datetime(2020, 2, 1, tzinfo=UTC), date(2020, 1, 1), 5, "x", 7)
    assert found == Selection(
        LASTING,
        LASTING.geometries[0],
        found.conditions,
        (COLUMNS[2], COLUMNS[0]),
        (*configured_order(LASTING, ("-mag",)), SortTerm(COLUMNS[2])),
    )


def test_boxes_and_shapes_of_filters_have_a_crs_each() -> None:
    expected = _everything()[0].where.render()
    turned: list[dict[str, Any]] = [
        {"bbox": [2, 1, 4, 3], "bbox-crs": DEGREES},
        {"filter": "mag > 5 AND S_INTERSECTS(geom, POINT(2 1))", "filter-crs": DEGREES},
    ]
    for other in (*turned, turned[0] | turned[1]):
        found, wrong = _everything(**other)
        assert (found.where.render(), wrong) == (expected, [])
    # the meaning of a filter depends on its CRS, however often the text was read before
    for crs in (DEGREES, None):
        found, _ = _everything(**{"filter-crs": crs})
        assert (found.where.render() == expected) is (crs is None)


def test_all_that_is_wrong_is_told_at_once() -> None:
    query = Query(
        {
            "geom-column": "mag",
            "datetime-column": "mag",
            "ids": "x",
            "bbox": [1, 20, 3, 4],
            "datetime": "yesterday",
            "filter": "gone = 1",
            "properties": "magg",
            "sortby": ["doc"],
        },
        {"gone": "1", "mag": "big"},
    )
    found = select(collection(), query)
    columns = "id, mag, place, began, ended, reported, doc, tags, spot"
    unknown = "is not a property of this collection"
    time = "is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date"
    assert query.faults == [
        ("geom-column", "geom-column 'mag' is no geometry; there are geom, area", "value_error", "mag"),
        ("ids", "ids: 'x' is not a number", "value_error", "x"),
        ("bbox", "bbox south edge 20 is north of the north edge 4", "value_error", [1, 20, 3, 4]),
        ("datetime-column", "datetime-column 'mag' is no time; there are began, ended, reported", "value_error", "mag"),
        ("datetime", f"datetime 'yesterday' {time}", "value_error", "yesterday"),
        (
            "filter",
            f'filter: there is no property "gone"; there are {columns}, geom, area (at character 1)',
            "value_error",
            "gone = 1",
        ),
        (
            "gone",
            f"'gone' is not a parameter here, and 'gone' {unknown}; there are {columns}",
            "extra_forbidden",
            "1",
        ),
        ("mag", "mag: 'big' is not a number", "value_error", "big"),
        ("properties", f"properties: 'magg' {unknown}; did you mean mag?", "value_error", "magg"),
        ("sortby", "sortby: 'doc' is of type object, which has no order", "value_error", "doc"),
    ]
    assert (found.geometry, found.properties, found.sort, found.arguments) == (None, (), (), ())


@pytest.mark.parametrize(
    ("box", "crs", "message"),
    [
        ([1, 2, 3], None, "bbox must have 4 or 6 numbers, has 3"),
        ([1, 2, 3, 4, 5], METRES, "bbox must have 4 or 6 numbers, has 5"),
        ([1, inf, 3, 4], METRES, "bbox must have finite numbers only"),
        ([1, 95, 3, 96], None, "bbox south edge 95 is outside latitudes -90 to 90"),
        ([1, 20, 3, 4], METRES, "bbox has a least coordinate that is greater than the greatest"),
    ],
)
def test_a_box_that_is_none_is_told_in_words(box: list[float], crs: str | None, message: str) -> None:
    assert faults(LASTING, bbox=box, bbox_crs=crs) == [("bbox", message, "value_error", box)]


@pytest.mark.parametrize("length", [999, 1000, 1001, 4000])
def test_a_filter_of_any_length_is_read(length: int) -> None:
    expected = where(selected(LASTING, filter="S_INTERSECTS(geom, POINT(1 2))"))
    given = {"filter": "S_INTERSECTS(geom, POINT(2 1))".ljust(length), "filter_crs": DEGREES}
    assert where(selected(LASTING, **given)) == expected
    as_json = '{"op":">","args":[{"property":"mag"},5]}'.ljust(length)
    assert where(selected(LASTING, filter=as_json, filter_lang="cql2-json")) == (MAG_ABOVE, (5.0,))
    folding = TextFolding(accents=Folding("x.plain({text})"))
    folded = select(LASTING, Query({"filter": "ACCENTI(place) = 'a'".ljust(length)}), folding=folding)
    assert 'x.plain("place")' in folded.where.render()[0]


def test_a_parameter_that_is_none_here_is_not_proposed_though_it_has_a_value() -> None:
    query = Query({"bboxx": None}, {"bboxx": "1"})
    select(collection(), query)
    assert [message for _, message, *_ in query.faults] == ["'bboxx' is not a parameter here; did you mean bbox?"]


def test_ids_of_several_columns() -> None:
    several = collection(key=None, composite_key=("id", "place"))
    assert where(selected(several, ids="1~a, 2~b%2Cc,x~y")) == (
        '(("id", "place") IN (SELECT * FROM unnest($1::int8[], $2::text[])))',
        ([1, 2, 2], ["a", "b,c", "b,c"]),
    )


@pytest.mark.parametrize("key", [{}, {"key": None, "composite_key": ("id", "place")}])
def test_many_ids_are_as_many_parameters_as_two(key: dict[str, Any]) -> None:
    end = "" if not key else "~a"
    few, many = [
        where(selected(collection(**key), ids=",".join(f"{number}{end}" for number in range(count))))
        for count in (2, 4000)
    ]
    assert few[0] == many[0]
    assert len(few[1]) == len(many[1])


def test_ids_that_only_the_database_reads_are_read_once() -> None:
    by_spot = collection(key="spot")
    assert where(selected(by_spot, ids="(1%2C2)")) == ('("spot" = $1::text::point)', ("(1,2)",))


def test_a_moment_of_a_function_that_is_none_is_told_in_words() -> None:
    argument = Argument("at", "timestamp with time zone", "string", "date-time")
    function = collection(kind="function", arguments=(argument,), columns=(Column("id", "integer", "integer"),))
    said = "is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date"
    assert faults(function, {"at": "noon"}) == [("at", f"at 'noon' {said}", "value_error", "noon")]
