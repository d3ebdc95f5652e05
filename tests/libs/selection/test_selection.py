"""The selection that query parameters make: conditions with values, columns, order; and every fault, in the client's
words.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import pytest

from libs.catalogue.model import Argument, Column
from libs.ogc.crs import crs_uri
from libs.selection.selection import Selection, SortTerm, configured_order, select, unknown_name
from tests.libs.selection.selecting import COLUMNS, Query, collection, faults, selected

METRES = crs_uri(3857) or ""


def test_nothing_asked_for_is_everything() -> None:
    selection = selected()
    assert selection.conditions == ()
    assert (selection.properties, selection.sort, selection.arguments) == (COLUMNS, (), ())
    assert selection.geometry is not None
    assert selection.geometry.name == "geom"


def test_a_geometry_is_chosen() -> None:
    area = selected(geom_column="area").geometry
    assert area is not None
    assert area.name == "area"
    assert selected(geom_column="none").geometry is None
    assert selected(collection(geometries=())).geometry is None


@pytest.mark.parametrize(
    ("name", "members", "message"),
    [
        ("mag", {}, "geom-column 'mag' is no geometry; there are geom, area"),
        ("nothing", {}, "geom-column 'nothing' does not exist; there are geom, area"),
        ("geom", {"geometries": ()}, "geom-column 'geom' does not exist; there are no geometry columns"),
    ],
)
def test_a_geometry_that_is_none(name: str, members: dict[str, Any], message: str) -> None:
    assert faults(collection(**members), geom_column=name) == [("geom-column", message, "value_error", name)]


def test_ids_that_cannot_be() -> None:
    assert faults(ids="x") == [("ids", "ids: 'x' is not a number", "value_error", "x")]
    without = "ids cannot be used: this collection has no identifiers"
    assert faults(collection(key=None), ids="1") == [("ids", without, "value_error", "1")]
    assert faults(collection(key="gone"), ids="1") == [("ids", without, "value_error", "1")]


def test_bbox_that_cannot_be() -> None:
    # without a geometry every feature matches, but an invalid box is still a fault
    without = collection(geometries=())
    assert selected(without, bbox=[1, 2, 3, 4]).conditions == ()
    for wanted in (collection(), without):
        ((name, message, kind, value),) = faults(wanted, bbox=[1, 20, 3, 4])
        assert (name, kind, value) == ("bbox", "value_error", [1, 20, 3, 4])
        assert message.startswith("bbox ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mag", "datetime-column 'mag' is no time; there are began, ended, reported"),
        ("geom", "datetime-column 'geom' is no time; there are began, ended, reported"),
        ("gone", "datetime-column 'gone' does not exist; there are began, ended, reported"),
    ],
)
def test_a_time_that_is_none(name: str, message: str) -> None:
    expected = [("datetime-column", message, "value_error", name)]
    assert faults(datetime_column=name) == expected
    # and no second fault for the same
    assert faults(datetime_column=name, datetime="2020-01-01T00:00:00Z") == expected


def test_datetime_that_cannot_be() -> None:
    timeless = collection(times=())
    # without a time every feature matches
    assert selected(timeless, datetime="2020-01-01T00:00:00Z").conditions == ()
    missing = "datetime-column 'began' does not exist; there are no datetime columns"
    assert [fault[1] for fault in faults(collection(times=(), columns=COLUMNS[:1]), datetime_column="began")] == [
        missing
    ]
    for wanted in (collection(), timeless):
        ((name, message, kind, value),) = faults(wanted, datetime="yesterday")
        assert (name, kind, value) == ("datetime", "value_error", "yesterday")
        assert message.startswith("datetime ")


def test_a_filter_that_is_wrong_is_quoted_while_it_is_short() -> None:
    text = "gone = 1"
    ((name, message, kind, value),) = faults(filter=text)
    assert (name, kind, value) == ("filter", "value_error", text)
    assert message.startswith('filter: there is no property "gone"')
    assert message.endswith("(at character 1)")
    for length, quoted in ((500, True), (501, False)):
        text = "gone = 1".ljust(length)
        assert faults(filter=text)[0][3] == (text if quoted else None)


def test_each_parameter_that_is_a_property_is_checked() -> None:
    assert [fault[0] for fault in faults(extra={"gone": "1", "mag": "big"})] == ["gone", "mag"]
    assert faults(extra={"mag": "big"}) == [("mag", "mag: 'big' is not a number", "value_error", "big")]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("plce", "; did you mean place?"),
        ("Place", "; did you mean place?"),
        ("sort-by", "; did you mean sortby?"),
        ("SORTBY", "; did you mean sortby?"),
    ],
)
def test_an_unknown_parameter(name: str, hint: str) -> None:
    ((found, message, kind, value),) = faults(extra={name: "1"})
    assert (found, kind, value) == (name, "extra_forbidden", "1")
    assert message.startswith(f"'{name}' is not a parameter here")
    assert message.endswith(hint)


def test_names_without_end_are_compared_by_their_start() -> None:
    ((_, message, *_),) = faults(extra={"sortby" + "x" * 100: "1"})
    assert "did you mean sortby" not in message


def test_properties_that_are_shown() -> None:
    assert [column.name for column in selected(properties="mag, id,mag").properties] == ["mag", "id"]
    assert selected(properties="").properties == ()
    assert selected(properties="[]").properties == ()
    # as OWSLib sends a list
    for text in ("['mag', 'id']", '["mag","id"]', "['mag','id', 'mag']"):
        assert [column.name for column in selected(properties=text).properties] == ["mag", "id"]


def test_names_with_commas_are_escaped_in_lists() -> None:
    names = ("a,b", "50%", "a%2Cb")
    odd = collection(columns=tuple(Column(name, "text", "string") for name in names), key=None)
    for text, name in (("a%252Cb", "a%2Cb"), ("50%25", "50%"), ("50%", "50%"), ("a%2Cb", "a%2Cb")):
        assert [column.name for column in selected(odd, properties=text).properties] == [name]
        assert [term.column.name for term in selected(odd, sortby=[f"-{text}"]).sort] == [name]
    comma = collection(columns=(Column("a,b", "text", "string"),), key=None)
    assert [column.name for column in selected(comma, properties="a%2Cb").properties] == ["a,b"]
    assert [term.column.name for term in selected(comma, sortby=["a%2Cb"]).sort] == ["a,b"]
    (fault,) = faults(comma, sortby=["a%2Cb", "a%2Cb"])
    assert fault[1] == "sortby: 'a,b' is given more than once"
    assert faults(properties="mag,magg") == [
        (
            "properties",
            "properties: 'magg' is not a property of this collection; did you mean mag?",
            "value_error",
            "magg",
        )
    ]


def test_orders() -> None:
    mag, place = COLUMNS[1], COLUMNS[2]
    (by_magnitude,) = selected(sortby=["-mag"]).sort
    assert (by_magnitude.column, by_magnitude.descending) == (mag, True)
    for names in (["-mag", "place"], ["-mag", "+place"]):
        assert selected(sortby=names).sort == (by_magnitude, SortTerm(place))
    assert configured_order(collection(), ("-mag", "gone", "place")) == (by_magnitude, SortTerm(place))
    # an index serves the column alone
    indexed = collection(columns=(COLUMNS[0], replace(mag, indexed=True)))
    assert selected(indexed, sortby=["-mag"]).sort == (SortTerm(replace(mag, indexed=True), descending=True),)


@pytest.mark.parametrize(
    ("sortby", "message", "value"),
    [
        ("-", "sortby: the name of a property is missing", "-"),
        ("+", "sortby: the name of a property is missing", "+"),
        ("mag,", "sortby: the name of a property is missing", ""),
        ("mab", "sortby: 'mab' is not a property of this collection; did you mean mag?", "mab"),
        ("doc", "sortby: 'doc' is of type object, which has no order", "doc"),
        ("tags", "sortby: 'tags' is of type array, which has no order", "tags"),
        ("-spot", "sortby: 'spot' is of type point, which has no order", "-spot"),
        ("mag,-mag", "sortby: 'mag' is given more than once", "-mag"),
        ("-mag,mag", "sortby: 'mag' is given more than once", "mag"),
    ],
)
def test_orders_that_cannot_be(sortby: str, message: str, value: str) -> None:
    assert faults(sortby=sortby.split(",")) == [("sortby", message, "value_error", value)]


def test_unknown_names_come_with_the_nearest_or_with_all() -> None:
    start = "'x' is not a property of this collection; "
    assert unknown_name("x", []) == f"{start}there are none"
    assert unknown_name("x", ["mag", "place"]) == f"{start}there are mag, place"
    assert unknown_name("x", ["mAg"]) == f"{start}there are mAg"
    assert unknown_name("MaxWnd", ["MaxWind"]).endswith("; did you mean MaxWind?")
    assert unknown_name("x", map(str, range(100, 140))).endswith("128, 129")
    assert unknown_name("aaab", ["aaaa", "aaac", "aaad", "aaae"]).count(" or ") == 2


ARGUMENTS = (
    Argument("n", "integer", "integer"),
    Argument("x", "double precision", "number", default="1"),
    Argument("yes", "boolean", "boolean", default="true"),
    Argument("day", "date", "string", "date", default="now()"),
    Argument("at", "timestamp with time zone", "string", "date-time", default="now()"),
    Argument("place", "text", "string", default="''"),
)


def called(**extra: str) -> tuple[Selection, list[tuple[str, str, str, object]]]:
    query = Query({}, extra)
    return select(collection(kind="function", arguments=ARGUMENTS), query), query.faults


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("n", "5.5", "n must be a whole number"),
        ("n", "1" * 19, "n must be a whole number"),
        ("n", "5 ", "n must be a whole number"),
        ("x", "1e9999", "x must be a number"),
        ("x", ".", "x must be a number"),
        ("yes", "1", "yes must be true or false"),
        ("day", "2020-01-01/2020-01-02", "day must be one time, not an interval"),
        ("at", "..", "at "),
        ("at", "../2020-01-01T00:00:00Z", "at must be one time, not an interval"),
        ("at", "noon", "at "),
    ],
)
def test_arguments_that_cannot_be(name: str, text: str, message: str) -> None:
    selection, found = called(**{"n": "5", name: text, "place": "here"})
    assert [(fault[0], fault[2], fault[3]) for fault in found] == [(name, "value_error", text)]
    assert found[0][1] == message or (message == f"{name} " and found[0][1].startswith(message))
    # the others are looked at all the same
    assert selection.arguments[-1].render()[1] == ("here",)


def test_arguments_that_must_be_given() -> None:
    missing = "n must be given: it is an argument of this function"
    assert called()[1] == [("n", missing, "missing", None)]
    nameless = collection(kind="function", arguments=(Argument("", "integer", "integer"),))
    # nor is it what a parameter without a name gives
    query = Query({}, {"": "5"})
    selection = select(nameless, query)
    without = "an argument without a name"
    assert query.faults == [(without, f"{without} must be given: it is an argument of this function", "missing", None)]
    assert selection.arguments == ()
    assert called(n="+1", x=".5")[1] == []
    assert called(n="1", x="5.", yes="False")[1] == []


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
    assert faults(collection(srids=(3857, 4326)), bbox=box, bbox_crs=crs) == [("bbox", message, "value_error", box)]


def test_unsupported_parameter_is_not_proposed() -> None:
    query = Query({"bboxx": None}, {"bboxx": "1"})
    select(collection(), query)
    assert [message for _, message, *_ in query.faults] == ["'bboxx' is not a parameter here; did you mean bbox?"]


def test_a_moment_of_a_function_that_is_none_is_told_in_words() -> None:
    argument = Argument("at", "timestamp with time zone", "string", "date-time")
    function = collection(kind="function", arguments=(argument,), columns=(Column("id", "integer", "integer"),))
    said = "is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date"
    assert faults(function, {"at": "noon"}) == [("at", f"at 'noon' {said}", "value_error", "noon")]
