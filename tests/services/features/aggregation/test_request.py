"""How the text of a facet is read, and the faults of facets that cannot be counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.ogc.errors import Fault
from libs.web.query_params import QueryValues
from services.features.aggregation.facet import Facet, NumberFacet, PlaceFacet, TermFacet, TimeFacet
from services.features.aggregation.request import facets_of, parse_facets

WORD, LEVEL = Column("word", "text", "string"), Column("level", "integer", "integer")
DEPTH, YES = Column("depth", "real", "number"), Column("yes", "boolean", "boolean")
AT = Column("at", "timestamp with time zone", "string", format="date-time")
DAY = Column("day", "date", "string", format="date")
MORE, TAGS = Column("more", "jsonb", "object"), Column("tags", "text[]", "array")
COLUMNS = (WORD, LEVEL, DEPTH, YES, AT, DAY, MORE, TAGS)
GEOM = GeometryColumn("geom", "Point", 4326)
TIMES = (TimeColumn("at", AT.sql_type), TimeColumn("day", "date"))
COLLECTION = Collection("own.a", "own", "a", 1, "table", "A", None, COLUMNS, (GEOM,), TIMES)
NAMES = "word, level, depth, yes, at, day, more, tags, geom"
LONG = "word:" + "x" * 300
WAYS = "must be a number of ranges, or one of "
OF_NUMBERS = f"{WAYS}term, quantile:n, width:w, edges:a/b/c"
OF_TIMES = f"{WAYS}second, minute, hour, day, week, month, quarter, year, quantile:n, edges:a/b/c"
OF_TERMS = "must be property:size:sorting, with one of value_asc, value_desc, count_asc, count_desc"
CELLS = "must have cells of 0.001 to 90 degrees"
NO_MOMENT = "cannot be counted: this collection has no time that is a moment"


def _read(*facets: str, collection: Collection = COLLECTION, **values: Any) -> tuple[tuple[Facet, ...], list[Fault]]:
    query = QueryValues({"facets": [*facets], **{name.replace("_", "-"): value for name, value in values.items()}})
    return parse_facets(collection, query), query.faults


@pytest.mark.parametrize(
    ("facet", "sentence"),
    [
        ("wrod", "cannot be counted: 'wrod' is not a property of this collection; did you mean word?"),
        # the name of a column begins it
        ("words", "cannot be counted: 'words' is not a property of this collection; did you mean word?"),
        ("x:9", f"cannot be counted: 'x' is not a property of this collection; there are {NAMES}"),
        ("more", "cannot be counted: a property of type jsonb has no terms"),
        ("tags:term:3", "cannot be counted: a property of type text[] has no terms"),
        ("word:5:down", OF_TERMS),
        ("word:5:count_desc:", OF_TERMS),
        ("level:term:5:count_desc:more", OF_TERMS),
        ("word:0", "must have a size of 1 to 1000"),
        ("level:term:1001", "must have a size of 1 to 1000"),
        ("level:0", "must have a number of ranges of 1 to 1000"),
        ("level:1001", "must have a number of ranges of 1 to 1000"),
        ("level:1000000", OF_NUMBERS),
        ("level:3:4", OF_NUMBERS),
        ("level:half", OF_NUMBERS),
        ("depth:quantile", "must have a number of quantiles of 2 to 1000"),
        ("depth:quantile:1", "must have a number of quantiles of 2 to 1000"),
        ("depth:width", "must have a width above 0, such as width:0.5"),
        ("depth:width:0", "must have a width above 0, such as width:0.5"),
        ("depth:width:1e999", "must have a width above 0, such as width:0.5"),
        ("depth:edges:", "has an edge that is no number: ''"),
        ("depth:edges:1/" + "a" * 50, f"has an edge that is no number: '{'a' * 40}'"),
        ("depth:edges:1e999", "has an edge that is no number: '1e999'"),
        ("depth:edges:1/10/9", "must have edges that grow"),
        ("depth:edges:1/1.0", "must have edges that grow"),
        ("depth:edges:" + "/".join(map(str, range(1000))), "has 1000 edges, maximum is 999"),
        ("at:0", "must have a number of ranges of 1 to 1000"),
        ("at:year:1", OF_TIMES),
        ("at:3:4", OF_TIMES),
        ("at:fortnight", OF_TIMES),
        ("at:term:0", "must have a size of 1 to 1000"),
        ("day:quantile:x", "must have a number of quantiles of 2 to 1000"),
        (
            "at:edges:soon",
            "has an edge that is no time: 'soon' is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date",
        ),
        ("at:edges:2020-01-02/2020-01-01", "must have edges that grow"),
        ("at:edges:2020-01-01/2020-01-01T00:00:00Z", "must have edges that grow"),
        ("geom:square", "must be grid:degrees or hexagon:degrees"),
        ("geom:grid:5:", "must be grid:degrees or hexagon:degrees"),
        ("geom:grid:0.0009", CELLS),
        ("geom:hexagon:90.1", CELLS),
        ("geom::x", CELLS),
    ],
)
def test_what_is_wrong_is_said_with_what_was_asked_for(facet: str, sentence: str) -> None:
    shown = facet[:200]
    assert _read(facet, "yes") == (
        (TermFacet("yes", YES),),
        [Fault(("query", "facets"), f"facets: '{shown}' {sentence}", shown, "value_error")],
    )


def test_each_of_several_is_read_or_said_to_be_wrong() -> None:
    found, faults = _read("word", "no", "word", "", LONG, "word:3")
    # by the name of its property, a second one by the whole requested text
    assert found == (TermFacet("word", WORD), TermFacet("word:3", WORD, size=3))
    assert [(fault.loc[1], fault.input, fault.type) for fault in faults] == [
        ("facets", "no", "value_error"),
        ("facets", "word", "value_error"),
        ("facets", LONG[:200], "value_error"),
    ]
    assert [fault.msg.partition("' ")[2].partition(":")[0] for fault in faults] == [
        "cannot be counted",
        "is given more than once",
        "must have a size of 1 to 1000",
    ]
    assert faults[1].msg == "facets: 'word' is given more than once"


def test_of_more_than_there_may_be_the_first_are_read() -> None:
    asked = [f"word:{number}" for number in range(1, 13)]
    found, faults = _read(*asked, "nothing")
    assert [facet.name for facet in found] == ["word", *asked[1:10]]
    assert faults == [Fault(("query", "facets"), "facets has 13 of them, maximum is 10", None, "value_error")]
    assert _read(*asked[:10])[1] == []
    assert parse_facets(COLLECTION, QueryValues({"facets": None})) == ()


@pytest.mark.parametrize(
    ("facet", "found"),
    [
        ("word", TermFacet("word", WORD, 10, "count_desc", 1)),
        ("word:1000:value_asc", TermFacet("word", WORD, 1000, "value_asc")),
        ("word::count_asc", TermFacet("word", WORD, sorting="count_asc")),
        ("yes:2", TermFacet("yes", YES, 2)),
        ("level:term", TermFacet("level", LEVEL)),
        ("at:term:4:value_desc", TermFacet("at", AT, 4, "value_desc")),
        ("level", NumberFacet("level", LEVEL, bins=10)),
        ("level:1000", NumberFacet("level", LEVEL, bins=1000)),
        ("depth:1", NumberFacet("depth", DEPTH, bins=1)),
        ("depth:quantile:2", NumberFacet("depth", DEPTH, quantiles=2)),
        ("depth:quantile:1000", NumberFacet("depth", DEPTH, quantiles=1000)),
        ("depth:width:0.50", NumberFacet("depth", DEPTH, width="0.50")),
        ("depth:edges:2/10/1e2", NumberFacet("depth", DEPTH, edges=("2", "10", "1e2"))),
        ("depth:edges:-7", NumberFacet("depth", DEPTH, edges=("-7",))),
        ("at", TimeFacet("at", AT)),
        ("day:week", TimeFacet("day", DAY, unit="week")),
        ("at:7", TimeFacet("at", AT, bins=7)),
        ("at:quantile:2", TimeFacet("at", AT, quantiles=2)),
        (
            "at:edges:2020-01-01/2020-01-01T12:00:00+01:00",
            TimeFacet("at", AT, edges=(datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, 11, tzinfo=UTC))),
        ),
        ("datetime", TimeFacet("datetime", AT)),
        ("datetime:month", TimeFacet("datetime", AT, unit="month")),
        ("geom", PlaceFacet("geom", GEOM, 10.0, hexagons=False)),
        ("geom:grid:0.001", PlaceFacet("geom", GEOM, 0.001)),
        ("geom:hexagon:90", PlaceFacet("geom", GEOM, 90.0, hexagons=True)),
        ("geom::5", PlaceFacet("geom", GEOM, 5.0)),
        ("geom:hexagon", PlaceFacet("geom", GEOM, hexagons=True)),
    ],
)
def test_what_is_asked_for_is_what_is_counted(facet: str, found: Facet) -> None:
    assert _read(facet) == ((found,), [])


def test_the_least_of_a_bucket_is_that_of_terms() -> None:
    assert _read("word", "level", min_count=7) == (
        (TermFacet("word", WORD, least=7), NumberFacet("level", LEVEL, bins=10)),
        [],
    )


def test_a_time_is_counted_where_it_is_a_moment() -> None:
    assert _read("datetime", datetime_column="day")[0] == (TimeFacet("datetime", DAY),)
    lasting = replace(COLLECTION, time_end="day")
    assert _read("datetime", collection=lasting)[0] == (TimeFacet("datetime", AT, DAY),)
    period = TimeColumn("during", "tstzrange")
    column = Column("during", "tstzrange", "string")
    without = replace(COLLECTION, times=())
    periods = replace(COLLECTION, columns=(*COLUMNS, column), times=(period,))
    for collection, values in ((without, {}), (periods, {}), (COLLECTION, {"datetime_column": "at_"})):
        assert _read("datetime", collection=collection, **values) == (
            (),
            [Fault(("query", "facets"), f"facets: 'datetime' {NO_MOMENT}", "datetime")],
        )


def test_what_there_is_to_count_comes_in_the_order_of_the_columns() -> None:
    assert list(facets_of(replace(COLLECTION, key="level"))) == [
        TimeFacet("datetime", AT),
        TermFacet("word", WORD),
        NumberFacet("depth", DEPTH, bins=10),
        TermFacet("yes", YES),
        TimeFacet("at", AT),
        TimeFacet("day", DAY),
        PlaceFacet("geom", GEOM),
    ]
    period = replace(COLLECTION, times=(TimeColumn("during", "tstzrange"),), geometries=(), columns=(WORD,))
    assert list(facets_of(period)) == [TermFacet("word", WORD)]
