"""Rows as Features, for all names and positions of the columns."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.catalogue.model import Collection, Column
from services.features.formats.format import PageLinks
from services.features.formats.geojson import GeoJson, encode, encode_each, features, geometries
from services.features.formats.geojsonseq import GeoJsonSequence
from services.features.formats.ndjson import Ndjson
from services.features.rows.layout import Layout, Rows, rfc3339_times

NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
    | st.sampled_from(["it's", 'a"b', "a\\b", "{x}", "new\nline", "value0", "rows", "fragment", "class", "%s", "'}]"]),
    unique=True,
    max_size=6,
)


def layout(names: list[str], *, has_id: bool, has_geometry: bool, **more: Any) -> Layout:
    return Layout(
        "key" if has_id else None,
        has_geometry,
        tuple(Column(name, "text", "string") for name in names),
        more.get("raw_json", (False,) * len(names)),
        more.get("times", ()),
    )


@given(NAMES, st.booleans(), st.booleans(), st.integers(0, 2))
def test_every_value_is_under_its_name(names: list[str], has_id: bool, has_geometry: bool, beyond: int) -> None:
    point = '{"type":"Point","coordinates":[1,2]}'
    rows = [
        ((7 + number,) if has_id else ())
        + ((point if number else None,) if has_geometry else ())
        + tuple(f"{name}/{number}" for name in names)
        + ("sort value",) * beyond
        for number in range(3)
    ]
    if not rows[0]:
        rows = [(1,)] * 3
    found = orjson.loads(encode(features(rows, layout(names, has_id=has_id, has_geometry=has_geometry))))
    for number, feature in enumerate(found):
        assert feature == {
            "type": "Feature",
            **({"id": 7 + number} if has_id else {}),
            "geometry": orjson.loads(point) if has_geometry and number else None,
            "properties": {name: f"{name}/{number}" for name in names},
        }


@pytest.mark.parametrize("has_geometry", [True, False])
def test_times_and_json_are_made_over_where_they_are(has_geometry: bool) -> None:
    laid_out = layout(
        ["seen", "tags", "at"],
        has_id=True,
        has_geometry=has_geometry,
        raw_json=(False, True, False),
        times=((0, rfc3339_times), (1 + has_geometry, rfc3339_times), (3 + has_geometry, rfc3339_times)),
    )
    geometry = (None,) if has_geometry else ()
    rows = [
        ("2020-01-01 00:00:00+00", *geometry, "2020-01-02 00:00:00+00", '["a",{"b":null}]', None),
        ("2020-01-03 00:00:00+00", *geometry, None, None, "2020-01-04 00:00:00.5+00"),
    ]
    first, second = orjson.loads(encode(features(rows, laid_out)))
    assert (first["id"], second["id"]) == ("2020-01-01T00:00:00Z", "2020-01-03T00:00:00Z")
    assert first["properties"] == {"seen": "2020-01-02T00:00:00Z", "tags": ["a", {"b": None}], "at": None}
    assert second["properties"] == {"seen": None, "tags": None, "at": "2020-01-04T00:00:00.5Z"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # GDAL reads no page with an integer beyond 64 bits
        (
            "[9223372036854775807, 9223372036854775808, -9223372036854775808, -9223372036854775809]",
            [9223372036854775807, 9.223372036854776e18, -9223372036854775808, -9.223372036854776e18],
        ),
        ('{"9223372036854775808": "9223372036854775808"}', {"9223372036854775808": "9223372036854775808"}),
        ('{"a": 1e400, "b": [-1e400, 1e300, 12]}', {"a": None, "b": [None, 1e300, 12]}),
        ('{"1e400": "1e400", "b": "a \\"1e400\\" b"}', {"1e400": "1e400", "b": 'a "1e400" b'}),
        (f"[{'9' * 400}, 1]", [None, 1]),
        # the shortest that no double holds, and the longest that one does
        (f"[{'9' * 309}, -2{'0' * 308}, 1{'0' * 308}]", [None, None, 1e308]),
        ('{"a": 1.5E+400, "b": -2.50e+300, "c": 1E-400}', {"a": None, "b": -2.5e300, "c": 0.0}),
        ('["1e400", -1.5e400, "say \\\\", 1e999]', ["1e400", None, "say \\", None]),
        ('{"a": 1}', {"a": 1}),
    ],
)
def test_numbers_of_json_that_no_reader_can_hold_are_null(text: str, found: Any) -> None:
    laid_out = layout(["notes"], has_id=False, has_geometry=False, raw_json=(True,))
    for other in (None, '{"b": 2}'):
        first, second = orjson.loads(encode(features([(other,), (text,)], laid_out)))
        assert second["properties"] == {"notes": found}
        assert first["properties"] == {"notes": other and {"b": 2}}


POINT = '{"type":"Point","coordinates":[1.50,2]}'


@pytest.mark.parametrize(
    ("kind", "coordinates", "found"),
    [
        ("Point", "[NaN,2]", None),
        ("Point", "[1,Infinity]", None),
        ("LineString", "[[1,2],[-Infinity,2]]", None),
        ("MultiPoint", "[[1.50,2],[3,4]]", "[[1.50,2],[3,4]]"),
        ("MultiPoint", "[[1,2],,[3,4]]", "[[1,2],[3,4]]"),
        ("MultiPoint", "[,[3,4],]", "[[3,4]]"),
        ("MultiPoint", "[[1,2],[],[3,4]]", "[[1,2],[3,4]]"),
        ("MultiLineString", "[[],[[0,0],[1,1]]]", "[[[0,0],[1,1]]]"),
        ("MultiLineString", "[[[0,0],[1.50,1]]]", "[[[0,0],[1.50,1]]]"),
        ("MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[]]", "[[[[0,0],[1,0],[1,1],[0,0]]]]"),
        ("MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[[[0,0],[1,1],[0,0]]]]", "[[[[0,0],[1,0],[1,1],[0,0]]]]"),
        ("Polygon", "[[[0,0],[1.50,0],[1,1],[0,0]]]", "[[[0,0],[1.50,0],[1,1],[0,0]]]"),
        ("Polygon", "[[[0,0],[1,0],[1,1],[0,0]],[[0,0],[1,1],[0,0]]]", "[[[0,0],[1,0],[1,1],[0,0]]]"),
        ("Polygon", "[[[0,0],[1,1],[0,0]]]", None),
        ("LineString", "[[0,0],[1.50,1]]", "[[0,0],[1.50,1]]"),
    ],
)
def test_geometries_are_as_postgis_wrote_them_but_for_what_no_reader_takes(
    kind: str, coordinates: str, found: str | None
) -> None:
    # the encoder finds the geometry that needs a change, wherever it is, and leaves the others unchanged
    text = f'{{"type":"{kind}","coordinates":{coordinates}}}'
    page = encode(geometries([(POINT,), (None,), (text,), ("",)], layout([], has_id=False, has_geometry=True)))
    given = "null" if found is None else f'{{"type":"{kind}","coordinates":{found}}}'
    assert page.decode() == f"[{POINT},null,{given},null]"


def test_ids_that_javascript_cannot_tell_apart_are_text() -> None:
    laid_out = replace(layout([], has_id=True, has_geometry=False), large_id=True)
    numbers = [2**53 - 1, 2**53, -(2**53) + 1, -(2**53), None]
    found = [feature["id"] for feature in features([(number,) for number in numbers], laid_out)]
    assert found == [2**53 - 1, str(2**53), -(2**53) + 1, str(-(2**53)), None]


def test_a_table_may_have_as_many_columns_as_postgresql_allows() -> None:
    names = [f"c{number}" for number in range(1600)]
    (feature,) = features([tuple(range(1600))], layout(names, has_id=False, has_geometry=False))
    assert feature["properties"] == {f"c{number}": number for number in range(1600)}


def test_each_row_is_a_text_of_its_own_and_no_row_is_no_text() -> None:
    laid_out = layout(["name"], has_id=True, has_geometry=False)
    texts = encode_each([(1, "a,b"), (2, "]")], laid_out)
    assert [orjson.loads(text)["properties"] for text in texts] == [{"name": "a,b"}, {"name": "]"}]
    assert len(encode_each([(1, "a")], laid_out)) == 1
    assert encode_each([], laid_out) == []


QUAKES = Collection("hazard.quakes", "hazard", "quakes", 1, "table", "Earthquakes", "Since 1900.", ())
LINKS = PageLinks(b'{"href":"http://a","rel":"self"}', "")


@pytest.mark.parametrize(
    ("collection", "crs", "matched", "more"),
    [
        (QUAKES, None, 7, {"description": "Since 1900.", "numberMatched": 7}),
        (replace(QUAKES, description=None), None, 0, {"numberMatched": 0}),
        (replace(QUAKES, description=""), "http://crs", None, {}),
    ],
)
def test_a_page_says_of_which_collection_it_is(
    collection: Collection, crs: str | None, matched: int | None, more: dict[str, Any]
) -> None:
    laid_out = replace(layout([], has_id=False, has_geometry=False), crs=crs)
    found = orjson.loads(GeoJson().head(collection, laid_out, matched, LINKS) + GeoJson().tail(3, 2))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", found.pop("timeStamp"))
    assert found == {
        "type": "FeatureCollection",
        "id": "hazard.quakes",
        "title": "Earthquakes",
        **more,
        "links": [{"href": "http://a", "rel": "self"}],
        "features": [],
        "numberReturned": 3,
        "geometriesOmitted": 2,
    }
    assert GeoJson().tail(0) == b'],"numberReturned":0}'


@pytest.mark.parametrize("crs", [None, "http://crs"])
def test_a_feature_by_itself_has_links_and_no_crs(crs: str | None) -> None:
    laid_out = replace(layout(["name"], has_id=True, has_geometry=True), crs=crs)
    assert orjson.loads(GeoJson().item(QUAKES, laid_out, (7, POINT, "a"), LINKS)) == {
        "type": "Feature",
        "id": 7,
        "geometry": {"type": "Point", "coordinates": [1.5, 2]},
        "properties": {"name": "a"},
        "links": [{"href": "http://a", "rel": "self"}],
    }


@pytest.mark.parametrize(
    ("features", "first", "text"),
    [
        ([b"1", b"2"], True, b"1,2"),
        ([b"1", b"2"], False, b",1,2"),
        ([], True, b""),
        ([], False, b""),
    ],
)
def test_features_from_the_cache_are_written_as_they_are(features: list[bytes], first: bool, text: bytes) -> None:
    laid_out = layout(["name"], has_id=True, has_geometry=False)
    assert GeoJson().rows(Rows(laid_out, [(1,)] * len(features), features=features), first=first) == text
    lines = GeoJsonSequence().rows(Rows(laid_out, [(1,)] * len(features), features=features), first=first)
    assert lines == b"".join(b"\x1e" + feature + b"\n" for feature in features)


def test_lines_of_a_sequence_are_broken_nowhere_else() -> None:
    laid_out = layout(["notes"], has_id=True, has_geometry=False, raw_json=(True,))
    rows = Rows(laid_out, [(1, '{"a":\r\n\n1}'), (2, None)])
    assert GeoJsonSequence().rows(rows, first=True) == (
        b'\x1e{"type":"Feature","id":1,"geometry":null,"properties":{"notes":{"a":   1}}}\n'
        b'\x1e{"type":"Feature","id":2,"geometry":null,"properties":{"notes":null}}\n'
    )
    assert Ndjson().rows(replace(rows, layout=replace(laid_out, collection_id="a.b")), first=False) == (
        b'{"collectionId":"a.b","itemId":1,"notes":{"a":   1}}\n{"collectionId":"a.b","itemId":2,"notes":null}\n'
    )


def test_times_are_utc_with_z_and_unknown_values_are_text() -> None:
    noon = datetime(2024, 5, 1, 12, tzinfo=UTC).replace(tzinfo=None)
    values = [noon, noon.replace(tzinfo=timezone(timedelta(hours=2))), noon.replace(tzinfo=UTC), Fraction(1, 3)]
    assert encode(values) == (b'["2024-05-01T12:00:00Z","2024-05-01T12:00:00+02:00","2024-05-01T12:00:00Z","1/3"]')
