"""The selection that query parameters make: conditions with values, columns, order; and every fault, in the client's
words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Argument, Column, GeometryColumn
from libs.pg.text_folding import Folding, TextFolding
from libs.selection.ids import key_condition
from libs.selection.selection import Selection, SortTerm, configured_order, select, unknown_name
from tests.libs.selection.selecting import COLUMNS, MAG_ABOVE, Query, collection, faults, selected, where


def test_nothing_asked_for_is_everything() -> None:
    selection = selected()
    assert selection.table.render() == ('"s"."t"', ())
    assert selection.conditions == ()
    assert selection.where.render() == ("TRUE", ())
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


def test_ids() -> None:
    assert where(selected(ids="1, 22")) == ('("id" = ANY($1::int8[]))', ([1, 22],))
    # other spellings of a number are other ids, which no feature has
    assert where(selected(ids="049")) == ("FALSE", ())
    assert where(selected(ids="-0")) == ("FALSE", ())
    assert where(selected(ids="-7")) == ('("id" = $1::int8)', (-7,))
    by_place = collection(key="place")
    assert where(selected(by_place, ids="049")) == ('("place" = $1::text)', ("049",))
    assert where(selected(by_place, ids="a%2Cb"))[1] == (["a%2Cb", "a,b"],)


def test_ids_that_cannot_be() -> None:
    assert faults(ids="x") == [("ids", "ids: 'x' is not a number", "value_error", "x")]
    without = "ids cannot be used: this collection has no identifiers"
    assert faults(collection(key=None), ids="1") == [("ids", without, "value_error", "1")]
    assert faults(collection(key="gone"), ids="1") == [("ids", without, "value_error", "1")]


def test_bbox_is_about_the_chosen_geometry() -> None:
    text, args = where(selected(bbox=[1, 2, 3, 4]))
    assert text == 'ST_Intersects("geom", ST_GeomFromWKB($1::bytea, 4326)) OR "geom" IS NULL'
    assert len(args) == 1
    always = collection(geometries=(GeometryColumn("geom", "Point", 4326, not_null=True),))
    assert where(selected(always, bbox=[1, 2, 3, 4]))[0] == text.removesuffix(' OR "geom" IS NULL')
    assert '"area"' in where(selected(bbox=[1, 2, 3, 4], geom_column="area"))[0]
    # features without their geometry may be searched by it
    assert where(selected(bbox=[1, 2, 3, 4], geom_column="none"))[0] == text


def test_bbox_that_cannot_be() -> None:
    # without a geometry every feature matches, but an invalid box is still a fault
    without = collection(geometries=())
    assert selected(without, bbox=[1, 2, 3, 4]).conditions == ()
    for wanted in (collection(), without):
        ((name, message, kind, value),) = faults(wanted, bbox=[1, 20, 3, 4])
        assert (name, kind, value) == ("bbox", "value_error", [1, 20, 3, 4])
        assert message.startswith("bbox ")


def test_datetime_is_about_the_default_column_or_the_named_one() -> None:
    assert where(selected(datetime="2020-01-01T00:00:00Z/.."))[0] == '("began" >= $1::timestamptz)'
    assert where(selected(datetime="2020-01-01T00:00:00Z/..", datetime_column="ended"))[0] == (
        '("ended" >= $1::date) OR "ended" IS NULL'
    )
    assert selected(datetime_column="ended").conditions == ()
    # for features that last, both columns, unless one is named
    lasting = collection(time_end="ended")
    text = where(selected(lasting, datetime="2020-01-01T00:00:00Z/2020-02-01T00:00:00Z"))[0]
    assert text == '("began" <= $1::timestamptz) AND ("ended" >= $2::date OR "ended" IS NULL)'
    text = where(selected(lasting, datetime="2020-01-01T00:00:00Z/..", datetime_column="began"))[0]
    assert text == '("began" >= $1::timestamptz)'
    known = collection(
        time_end="reported",
        columns=tuple(
            Column(column.name, column.sql_type, column.type, column.format, not_null=column.name == "reported")
            for column in COLUMNS
        ),
    )
    text = where(selected(known, datetime="2020-01-01T00:00:00Z/2020-02-01T00:00:00Z"))[0]
    assert text == '("began" <= $1::timestamptz OR "began" IS NULL) AND ("reported" >= $2::date)'


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


def test_filters_in_both_languages() -> None:
    assert where(selected(filter="mag > 5")) == (MAG_ABOVE, (5.0,))
    as_json = '{"op":">","args":[{"property":"mag"},5]}'
    assert where(selected(filter=as_json, filter_lang="cql2-json")) == (MAG_ABOVE, (5.0,))
    assert where(selected(filter="mag > 5", filter_lang="cql2-text")) == (MAG_ABOVE, (5.0,))
    # geometry columns are properties of filters, too
    assert '"area"' in where(selected(filter="S_INTERSECTS(area, POINT(1 1))"))[0]
    query = Query({"filter": "ACCENTI(place) = 'a'"})
    folding = TextFolding(accents=Folding("x.plain({text})"))
    assert 'x.plain("place")' in select(collection(), query, folding=folding).where.render()[0]
    assert "normalize(" in select(collection(), query).where.render()[0]
    select(collection(), query, folding=TextFolding(accents=None))
    assert [name for name, *_ in query.faults] == ["filter"]


def test_a_filter_that_came_before_is_that_of_its_collection_now() -> None:
    for _ in range(2):
        assert where(selected(filter="mag > 5")) == (MAG_ABOVE, (5.0,))
        # the column has become another one, under the same name
        changed = collection(columns=(COLUMNS[0], Column("mag", "integer", "integer")))
        assert where(selected(changed, filter="mag > 5"))[0] != MAG_ABOVE
        assert faults(collection(columns=COLUMNS[:1]), filter="mag > 5")[0][0] == "filter"


def test_a_filter_that_is_wrong_is_quoted_while_it_is_short() -> None:
    text = "gone = 1"
    ((name, message, kind, value),) = faults(filter=text)
    assert (name, kind, value) == ("filter", "value_error", text)
    assert message.startswith('filter: there is no property "gone"')
    assert message.endswith("(at character 1)")
    for length, quoted in ((500, True), (501, False)):
        text = "gone = 1".ljust(length)
        assert faults(filter=text)[0][3] == (text if quoted else None)


def test_properties_as_parameters() -> None:
    query = Query({}, {"place": "x", "mag": "5"})
    assert select(collection(), query).where.render() == ('("place" = $1::text) AND ("mag" = $2::float8)', ("x", 5.0))
    assert query.faults == []
    # a fault in one parameter does not prevent checking the others
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


def test_a_property_has_its_own_capitals() -> None:
    table = collection(columns=(*COLUMNS, Column("Mag", "integer", "integer")))
    both = select(table, Query({}, {"Mag": "1", "mag": "2"}))
    assert where(both) == ('"Mag" = $1::int8 & "mag" = $2::float8', (1, 2.0))


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
    # what clients see as null is last
    shown = '(CASE WHEN "mag" > \'-Infinity\' AND "mag" < \'Infinity\' THEN "mag" END)'
    assert by_magnitude.expression is not None
    assert by_magnitude.expression.render() == (shown, ())
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


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("id", "7", ('"id" = $1::int8', (7,))),
        ("id", "-7", ('"id" = $1::int8', (-7,))),
        ("id", "0", ('"id" = $1::int8', (0,))),
        ("id", "0" * 2, None),
        ("id", "049", None),
        ("id", "7.0", None),
        ("id", "x", None),
        ("id", "9" * 18, ('"id" = $1::int8', (10**18 - 1,))),
        # beyond eight bytes there is a comparison by numeric
        ("id", "9" * 19, ('"id" = $1::numeric', (10**19 - 1,))),
        ("place", "049", ('"place" = $1::text', ("049",))),
        ("began", "no time", None),
        ("spot", "(1,2)", ('"spot" = $1::text::point', ("(1,2)",))),
        ("spot", "(1,\0", None),
        ("gone", "1", None),
        (None, "1", None),
    ],
)
def test_the_feature_with_an_id(key: str | None, text: str, expected: Any) -> None:
    condition = key_condition(collection(key=key), text)
    if expected is None:
        assert condition is None
        return
    assert condition is not None
    found, args = condition.render()
    assert (found, tuple(map(type(expected[1][0]), args))) == expected


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


def test_arguments_of_a_function() -> None:
    selection, found = called(n="5", x="-1.5e3", yes="TRUE", day="2020-01-31", place="it's")
    assert found == []
    text, args = selection.table.render()
    assert text == (
        '"s"."t"("n" => $1::text::integer, "x" => $2::text::double precision, "yes" => $3::text::boolean,'
        ' "day" => $4::text::date, "place" => $5::text::text)'
    )
    assert args == ("5", "-1.5e3", "TRUE", "2020-01-31", "it's")
    # the argument, not the property of the same name
    assert selection.conditions == ()
    assert where(called(n="5", place="here", mag="5")[0]) == ('"mag" = $1::float8', (5.0,))
    # a function without arguments is called too
    assert select(collection(kind="function"), Query()).table.render() == ('"s"."t"()', ())


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
