"""The parameters of items as links and errors repeat them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from libs.catalogue.model import Collection, Column
from libs.ogc.errors import InvalidParameters
from libs.web.query_params import QueryValues
from services.features.request.cursor import Position, encode_cursor
from services.features.request.items_query import AS_STORED, ItemsQuery, parse_items
from services.features.request.long_parameters import pack_parameters
from tests.services.in_process import Client

_EVENTS = "/collections/hostile.events/items"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("datetime", "2020-01-03T00:00:00/..", "2020-01-03T00:00:00Z/.."),
        ("at", "2020-01-03T02:00:00+02:00", "2020-01-03T00:00:00Z"),
        ("at", "2020-01-03T00:00:00", "2020-01-03T00:00:00Z"),
        # looks like a time, and is a name
        ("name", "2020-01-03T00:00:00", "2020-01-03T00:00:00"),
        ("filter", "at > TIMESTAMP('2020-01-03T00:00:00')", "at > TIMESTAMP('2020-01-03T00:00:00Z')"),
    ],
)
async def test_links_say_times_in_utc(features: Client, name: str, text: str, said: str) -> None:
    answer = await features.get(_EVENTS, {name: text, "limit": "1", "f": "geojson"})
    link = answer.link("self")
    assert link
    assert parse_qs(urlsplit(link).query)[name] == [said]


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"geometry": "lonlat", "crs": "http://www.opengis.net/def/crs/EPSG/0/3857", "f": "ndjson"}, "geometry"),
        ({"geometry": "lonlat", "geom-column": "none", "f": "ndjson"}, "geometry"),
        # the beginning of a packed one, without what it holds
        ({"cursor": "zAAAA.x"}, "cursor"),
    ],
)
async def test_faults_name_their_parameter(features: Client, parameters: dict[str, str], name: str) -> None:
    answer = await features.get(_EVENTS, parameters)
    assert answer.status == 422
    kind, value = ("enum", "lonlat") if name == "geometry" else ("value_error", parameters[name])
    assert [(fault["loc"], fault["type"], fault["input"]) for fault in answer.json()["detail"]] == [
        (["query", name], kind, value)
    ]


ID = Column("id", "integer", "integer", not_null=True)
AT = Column("at", "timestamp with time zone", "string", format="date-time")
TABLE = Collection("own.a", "own", "a", 1, "table", "A", None, (ID, AT), key="id")


def parsed(collection: Collection = TABLE, given: dict[str, str] | None = None, **values: Any) -> ItemsQuery:
    return parse_items(collection, QueryValues(defaultdict(lambda: None, {"limit": 10, **values})), given or {})


def test_links_of_earlier_releases_belong_to_the_same_query() -> None:
    # a cursor names its query by this: where it changes, clients that read page by page have to begin again
    assert parsed().fingerprint == "8200ce145ab63138f1"
    assert parsed(filter="id < 5", sortby=["-at"]).fingerprint == "968d712759f318eb54"


def test_a_query_is_named_by_its_rows_and_their_order_alone() -> None:
    names = [
        parsed().fingerprint,
        parsed(filter="id < 5").fingerprint,
        parsed(filter="id < 6").fingerprint,
        parsed(sortby=["at"]).fingerprint,
        parsed(sortby=["-at"]).fingerprint,
        parsed(replace(TABLE, id="own.b", name="b")).fingerprint,
        parsed(replace(TABLE, key=None, sources=(1,))).fingerprint,
    ]
    assert len(set(names)) == len(names)
    for same in (parsed(limit=3), parsed(offset=3), parsed(properties=[]), parsed(given={"limit": "3"})):
        assert same.fingerprint == names[0]


def test_an_order_is_total_and_names_nothing_twice() -> None:
    def order(*sortby: str, collection: Collection = TABLE) -> list[tuple[str, bool]]:
        found = parsed(collection, sortby=[*sortby] or None).order
        return [(term.column.name, term.descending) for term in found]

    assert order() == [("id", False)]
    assert order("-at") == [("at", True), ("id", False)]
    assert order("-id", "at") == [("id", True), ("at", False)]
    assert order(collection=replace(TABLE, sort=("-at",))) == [("at", True), ("id", False)]
    assert order("id", collection=replace(TABLE, sort=("-at",))) == [("id", False)]
    assert order(collection=replace(TABLE, key=None, sources=(1,))) == [("ctid", False)]


def test_what_the_parameters_of_a_page_say() -> None:
    plain = parsed()
    assert (plain.limit, plain.offset, plain.after, plain.counted, plain.options) == (10, 0, None, True, AS_STORED)
    assert (parsed(offset=7).offset, parsed(limit=0).limit) == (7, 0)
    assert [parsed(numberMatched=wanted).counted for wanted in (True, False, None)] == [True, False, True]
    asked: dict[str, Any] = {"bbox-only": True, "simplify": 0.5}
    options = parsed(**asked).options
    assert (options.bbox_only, options.simplify, options.lonlat) == (True, 0.5, False)
    # no tolerance is none
    assert parsed(simplify=0.0).options.simplify is None
    cursor = encode_cursor(Position(("7",)), plain.fingerprint)
    assert parsed(cursor=cursor).after == Position(("7",))


@pytest.mark.parametrize(
    ("values", "faults"),
    [
        ({"cursor": "x"}, ["cursor"]),
        ({"cursor": encode_cursor(Position(("7",)), "another")}, ["cursor"]),
        ({"cursor": "x", "offset": 1}, ["cursor", "offset"]),
        ({"geometry": "lonlat"}, ["geometry"]),
        ({"filter": "no", "sortby": ["no"], "cursor": "x"}, ["cursor", "filter", "sortby"]),
    ],
)
def test_all_faults_are_told_at_once(values: dict[str, Any], faults: list[str]) -> None:
    with pytest.raises(InvalidParameters) as refused:
        parsed(**values)
    assert sorted(fault.loc[1] for fault in refused.value.faults) == faults
    told = {fault.loc[1]: fault.input for fault in refused.value.faults}
    assert all(told[name] == values[name] for name in ("cursor", "offset") if name in told)


def test_times_are_said_in_utc_where_they_are_times() -> None:
    given = {"datetime": "2020-01-01T01:00:00+01:00", "at": "2020-01-01 00:00:00", "id": "a:b", "limit": "5"}
    query = parsed(given=given)
    assert query.given == {
        "datetime": "2020-01-01T00:00:00Z",
        "at": "2020-01-01T00:00:00Z",
        "id": "a:b",
        "limit": "5",
    }
    untouched = {"limit": "5"}
    assert parsed(given=untouched).given is untouched
    said = parsed(given={"filter": "at > TIMESTAMP('2020-01-01T00:00:00')"}).given
    assert said == {"filter": "at > TIMESTAMP('2020-01-01T00:00:00Z')"}


def test_a_filter_is_said_in_utc_in_its_own_language() -> None:
    text = '{"op":">","args":[{"property":"at"},{"timestamp":"2020-01-01T00:00:00"}]}'
    given = {"filter": text, "filter-lang": "cql2-json", "limit": "5"}
    said = parsed(given=given).given
    assert list(said) == list(given)
    assert "2020-01-01T00:00:00Z" in said["filter"]
    # which is not CQL2 text
    assert parsed(given={"filter": text}).given == {"filter": text}


@pytest.mark.parametrize(
    ("collection", "resumable", "by_content"),
    [
        (TABLE, True, False),
        (replace(TABLE, key=None), True, False),
        (replace(TABLE, kind="view", key=None, sources=(8,)), True, True),
        (replace(TABLE, kind="function", key=None), False, False),
    ],
)
def test_whether_pages_go_on_behind_a_row(collection: Collection, resumable: bool, by_content: bool) -> None:
    query = parsed(collection)
    assert (query.resumable, query.by_content) == (resumable, by_content)


def test_what_a_cursor_holds_is_as_if_it_were_given() -> None:
    narrow = parsed(filter="id < 5")
    _, cursor = pack_parameters({"filter": "id < 5" + " " * 500}, encode_cursor(Position(("3",)), narrow.fingerprint))
    query = parsed(given={"cursor": cursor, "limit": "10"}, cursor=cursor)
    assert (query.fingerprint, query.after) == (narrow.fingerprint, Position(("3",)))
    assert query.given.keys() == {"limit", "filter", "cursor"}
    assert not query.given["cursor"].startswith("z")
    assert query.given["limit"] == "10"
    # the cursor of the first page is empty
    _, first = pack_parameters({"filter": "id < 5" + " " * 500, "limit": "10"}, "")
    query = parsed(given={"cursor": first, "limit": "10"}, cursor=first)
    assert (query.fingerprint, query.after) == (narrow.fingerprint, None)
    assert query.given == {"limit": "10", "filter": "id < 5" + " " * 500}
    # and a text that is not such a cursor stays as it is
    plain = encode_cursor(Position(("3",)), narrow.fingerprint)
    given = {"cursor": plain, "filter": "id < 5"}
    assert parsed(given=given, cursor=plain, filter="id < 5").given is given
    with pytest.raises(InvalidParameters) as refused:
        parsed(given={"cursor": cursor, "filter": "id < 5"}, cursor=cursor, filter="id < 5")
    assert [(fault.loc, fault.msg, fault.input) for fault in refused.value.faults] == [
        (("query", "filter"), "filter is already part of the cursor", "filter")
    ]
    with pytest.raises(InvalidParameters) as refused:
        parsed(given={"cursor": "z!.x"}, cursor="z!.x" + "y" * 200)
    (fault,) = refused.value.faults
    assert (fault.loc, len(str(fault.input))) == (("query", "cursor"), 100)
