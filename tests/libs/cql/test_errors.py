"""The errors that a client gets for a filter that cannot be used."""

from __future__ import annotations

import pytest

from libs.cql import CqlError, compile_filter, filter_sql, parse, queryable

QUERYABLES = {
    name: queryable(name, sql_type, srid=4326 if sql_type == "geometry" else None)
    for name, sql_type in {
        "magnitude": "double precision",
        "place": "text",
        "count": "integer",
        "time": "timestamp with time zone",
        "day": "date",
        "tags": "text[]",
        "sizes": "integer[]",
        "code": "uuid",
        "geom": "geometry",
        "felt": "boolean",
        "extra": "jsonb",
        "span": "interval",
    }.items()
}


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", None, "the filter is empty"),
        ("a = ", 4, "expected a property, a value or a function, found the end of the filter"),
        ("a = AND b = 2", 4, "expected a property, a value or a function, found 'AND'"),
        ("(a = 1", 6, "expected ')' or ',', found the end of the filter"),
        ("a = 1)", 5, "expected the end of the filter, found ')'"),
        ("a b", 2, "expected a comparison, AND, OR or the end of the filter, found 'b'"),
        ("a = NULL", 4, "NULL is not a value; write IS NULL"),
        ("a = 'x", 4, "the string that starts here has no closing quote"),
        ('"a = 1', 0, "the property name that starts here has no closing quote"),
        ("a != 1", 2, "'!=' is written '<>' in CQL2"),
        ("a = 1; DROP TABLE x", 5, "the character ';' has no meaning here"),
        ("a ILIKE 'x'", 2, "CQL2 has no ILIKE; write CASEI(property) LIKE CASEI('%text%')"),
        ("a NOT ilike 'x'", 6, "CQL2 has no ILIKE; write CASEI(property) LIKE CASEI('%text%')"),
        ("ilike = 1 AND a b", 16, "expected a comparison, AND, OR or the end of the filter, found 'b'"),
        ("b = 1 AND LOWER(a) = 'x'", 10, "CQL2 has neither LOWER nor UPPER; write CASEI(a) = CASEI(b)"),
        (
            "DWithin(geom, POINT(1 2), 10, kilometers)",
            0,
            "distances are compared by S_DWITHIN(geometry, POINT(longitude latitude), metres), and by NOT before it",
        ),
        ("a IS 5", 5, "expected NULL or NOT, found '5'"),
        ("a IN ()", 5, "IN needs at least one value"),
        ("a BETWEEN 1 OR 2", 12, "expected AND, found 'OR'"),
        ("a = 1e999", 4, "numbers must be finite and below 1.8e308"),
        ("T_AFTER(a)", 0, "T_AFTER takes 2 arguments, 1 given"),
        ("T_AFTER(a, DATE('2020-13-01'))", 16, "'2020-13-01' does not exist in the calendar"),
        ("DATE('2020-01-01', 'x') = a", 0, "DATE takes 1 argument, 2 given"),
        ("Interval('2020-01-01')", 0, "Interval takes 2 arguments, 1 given"),
        ("casei(a, b) = 'a'", 0, "casei takes 1 argument, 2 given"),
        ("BBOX(1,2,3,true)", 11, "BBOX takes numbers only"),
        ("TIMESTAMP(5) = a", 10, "'5' is not a timestamp such as 2020-01-31T12:00:00Z"),
        (
            "INTERVAL('2020-01-02T00:00:00Z','2020-01-01T00:00:00Z')",
            0,
            "the interval starts at 2020-01-02 00:00:00+00:00 and ends before, at 2020-01-01 00:00:00+00:00",
        ),
        ("DATE(5) = a", 5, "'5' is not a date such as 2020-01-31"),
        ("INTERVAL('2021-01-01','2020-01-01')", 0, "the interval starts at 2021-01-01 and ends before, at 2020-01-01"),
        ("INTERVAL('2020-01-01','2021-01-01','..')", 0, "INTERVAL takes 2 arguments, 3 given"),
        ("BBOX(1,2,3)", 0, "BBOX takes 4 or 6 arguments, 3 given"),
        ("BBOX(1,2,9,3,4,8)", 0, "BBOX minimum height 9 is above maximum height 8"),
        ("BBOX(1,'b',3,4)", 7, "BBOX takes numbers only"),
        ("S_INTERSECTS(g, POINT(1 2)", 26, "expected ')' or ',', found the end of the filter"),
        ("S_INTERSECTS(g, POINT(1 2", 25, "expected ')' in the geometry, found the end of the filter"),
        ("S_INTERSECTS(g, POINT(1))", 22, "a position has 2 or 3 coordinates, this one has 1"),
        ("S_INTERSECTS(g, POINT(1,2))", 22, "a position has 2 or 3 coordinates, this one has 1"),
        ("S_INTERSECTS(g, POINT(1 2 3 4))", 22, "a position has 2 or 3 coordinates, this one has 4"),
        ("S_INTERSECTS(g, POINT(1 x))", 24, "expected a coordinate, found 'x'"),
        ("S_INTERSECTS(g, LINESTRING(1 2, 3 4 x))", 36, "expected ',' or ')' in the geometry, found 'x'"),
        ("S_INTERSECTS(g, LINESTRING(1 1))", 26, "a line needs at least 2 positions"),
        ("S_INTERSECTS(g, POLYGON((0 0,1 1,0 1,0 2)))", 24, "a ring of a polygon must end where it starts"),
    ],
)
def test_syntax(text: str, position: int | None, message: str) -> None:
    with pytest.raises(CqlError) as caught:
        parse(text)
    assert (caught.value.position, caught.value.message) == (position, message)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        # which numbers a box may have, its CRS decides
        ("S_INTERSECTS(geom, BBOX(200,2,3,4))", 19, "BBOX west edge 200 is outside longitudes -180 to 180"),
        ("S_INTERSECTS(geom, BBOX(1,4,3,2))", 19, "BBOX south edge 4 is north of the north edge 2"),
        ("felt = true AND magnitud > 5", 16, 'there is no property "magnitud"; did you mean "magnitude"?'),
        ("MAGNITUDE > 5", 0, 'there is no property "MAGNITUDE"; did you mean "magnitude"?'),
        (
            "zzz > 5",
            0,
            'there is no property "zzz"; there are magnitude, place, count, time, day, tags, sizes, code, geom, felt,'
            " extra, span",
        ),
        (
            "magnitude > '5'",
            12,
            "the property \"magnitude\" is a number, but '5' is a string: they cannot be compared;"
            " write the number without quotes",
        ),
        ("place = 5", 8, 'the property "place" is a string, but 5 is an integer: they cannot be compared'),
        (
            "time > '2020-01-01'",
            7,
            "the property \"time\" is a timestamp, but '2020-01-01' is a string: they cannot be compared;"
            " write TIMESTAMP('2020-01-31T12:00:00Z')",
        ),
        ("time > 5", 7, 'the property "time" is a timestamp, but 5 is an integer: they cannot be compared'),
        ("felt = 1", 7, 'the property "felt" is a boolean, but 1 is an integer: they cannot be compared'),
        (
            "count IN (1, 'b')",
            13,
            "the property \"count\" is an integer, but 'b' is a string: they cannot be compared;"
            " write the number without quotes",
        ),
        ("place IN ('a', 5)", 15, 'the property "place" is a string, but 5 is an integer: they cannot be compared'),
        (
            "count BETWEEN 1 AND 'b'",
            20,
            "the property \"count\" is an integer, but 'b' is a string: they cannot be compared;"
            " write the number without quotes",
        ),
        (
            "extra = INTERVAL('2020-01-01','..')",
            8,
            'the property "extra" is a JSON value, but this is an interval: they cannot be compared',
        ),
        (
            "extra = geom",
            8,
            'the property "extra" is a JSON value, but the property "geom" is a geometry: they cannot be compared',
        ),
        (
            "extra < extra",
            8,
            'the property "extra" is a JSON value, but the property "extra" is a JSON value: they cannot be compared',
        ),
        (
            "geom = 5",
            7,
            'the property "geom" is a geometry, but 5 is an integer: they cannot be compared',
        ),
        ("5 = place", 0, 'the property "place" is a string, but 5 is an integer: they cannot be compared'),
        (
            "5 = 'a'",
            4,
            "5 is an integer, but 'a' is a string: they cannot be compared; write the number without quotes",
        ),
        (
            "count = place",
            8,
            'the property "count" is an integer, but the property "place" is a string: they cannot be compared',
        ),
        ("place = count + 1", 8, 'the property "place" is a string, but this is a number: they cannot be compared'),
        (
            "count = INTERVAL('2020-01-01','..')",
            8,
            'the property "count" is an integer, but this is an interval: they cannot be compared',
        ),
        (
            "day = '2020-01-01'",
            6,
            "the property \"day\" is a date, but '2020-01-01' is a string: they cannot be compared;"
            " write DATE('2020-01-31')",
        ),
        (
            "code = tags",
            7,
            'the property "code" is a UUID, but the property "tags" is an array: they cannot be compared',
        ),
        ("1 + place > 2", 4, 'the property "place" is a string: it cannot be computed with'),
        ("place + 1 > 2", 0, 'the property "place" is a string: it cannot be computed with'),
        ("magnitude", 0, 'the property "magnitude" is a number, but a condition is wanted here'),
        ("5 AND felt", 0, "5 is an integer, but a condition is wanted here"),
        ("NOT 5", 4, "5 is an integer, but a condition is wanted here"),
        ("felt = true AND 5", 16, "5 is an integer, but a condition is wanted here"),
        ("magnitude LIKE '5%'", 0, 'the property "magnitude" is a number, but LIKE takes a string'),
        ("place LIKE place", 11, "the pattern of LIKE is a string, perhaps in CASEI() or ACCENTI()"),
        ("CASEI(magnitude) = 'a'", 6, 'the property "magnitude" is a number, but CASEI takes a string'),
        ("Buffer(geom, 10) = 'a'", 0, "this server has no function 'Buffer'"),
        ("S_INTERSECTS(place, POINT(1 2))", 13, 'the property "place" is a string, but S_INTERSECTS takes geometries'),
        ("S_INTERSECTS(geom, 'POINT(1 2)')", 19, "'POINT(1 2)' is a string, but S_INTERSECTS takes geometries"),
        (
            "S_INTERSECTS(geom, POINT(200 2))",
            19,
            "the geometry is outside longitude -180 to 180, latitude -90 to 90:"
            " it has longitudes 200 to 200, latitudes 2 to 2",
        ),
        (
            "S_INTERSECTS(geom, POLYGON((0 0,2 2,2 0,0 2,0 0)))",
            19,
            "the geometry is not valid: Self-intersection at [1 1]",
        ),
        (
            "T_AFTER(place, DATE('2020-01-01'))",
            8,
            'the property "place" is a string, but T_AFTER takes dates, timestamps and intervals',
        ),
        (
            "T_DURING(time, INTERVAL('2020-01-01','..'))",
            9,
            'the property "time" is a timestamp, but T_DURING takes intervals only; for an instant use T_INTERSECTS',
        ),
        (
            "T_AFTER(INTERVAL(place, '..'), DATE('2020-01-01'))",
            17,
            'the property "place" is a string, but an interval has dates or timestamps as its ends',
        ),
        (
            "T_AFTER(INTERVAL('2020-01-01', place), DATE('2020-01-01'))",
            31,
            'the property "place" is a string, but an interval has dates or timestamps as its ends',
        ),
        ("A_CONTAINS(place, ('a'))", 11, 'the property "place" is a string, but A_CONTAINS takes arrays'),
        ("A_CONTAINS(tags, 'a')", 17, "'a' is a string, but A_CONTAINS takes arrays"),
        ("A_CONTAINS(tags, ('a', 1))", 23, '1 is an integer, but the property "tags" is an array of strings'),
        (
            "A_CONTAINS(sizes, tags)",
            0,
            'the property "sizes" is an array of integers, the property "tags" is an array of strings:'
            " they cannot be compared",
        ),
        (
            "A_CONTAINS(tags, extra)",
            0,
            'the property "tags" is an array of strings, the property "extra" is a JSON value of JSON values:'
            " they cannot be compared",
        ),
        (
            "A_CONTAINS(sizes, (1, ('a', 'b')))",
            23,
            "this is an array, but arrays have values as their members",
        ),
        ("A_CONTAINS(extra, (1, ('a', 'b')))", 23, "this is an array, but arrays have values as their members"),
        (
            "A_CONTAINS(extra, (INTERVAL('2020-01-01', '..')))",
            19,
            "this is an interval, but arrays have values as their members",
        ),
        ("A_CONTAINS((1, ('a', 'b')), (1))", 16, "this is an array, but arrays have values as their members"),
        ("2^99999 > 1", 0, "the result of this computation is out of range"),
    ],
)
def test_meaning(text: str, position: int, message: str) -> None:
    tree = parse(text)
    with pytest.raises(CqlError) as caught:
        compile_filter(tree, QUERYABLES)
    assert (caught.value.position, caught.value.message) == (position, message)


@pytest.mark.parametrize(
    ("text", "pointer", "message"),
    [
        ('{"op":"=","args":[{"property":"count"}]}', "/args", "= takes 2 arguments, 1 given"),
        ('{"op":"isNull","args":[]}', "/args", "isNull takes 1 argument, 0 given"),
        ('{"op":"between","args":[1,2]}', "/args", "between takes 3 arguments, 2 given"),
        ('{"op":"=","args":[{"property":"count"},null]}', "/args/1", "null is not a value; use the operator isNull"),
        ('{"op":"==","args":[1,2]}', "/op", "'==' is not an operator or function of CQL2"),
        (
            '{"op":"ilike","args":[{"property":"place"},"a"]}',
            "",
            "CQL2 has no ILIKE; write CASEI(property) LIKE CASEI('%text%')",
        ),
        ('{"op":"and","args":[true]}', "/args", "and takes at least 2 arguments, 1 given"),
        ('{"op":"in","args":[1,[]]}', "/args/1", "in needs at least one value"),
        (
            '{"op":"in","args":[{"property":"counts"},[1]]}',
            "/args/0",
            'there is no property "counts"; did you mean "count"?',
        ),
        ('{"op":"not","args":[{"foo":1}]}', "/args/0", "an object with foo is not allowed in a filter"),
        *(
            (f'{{"op":"{name}","args":["2020-01-01"]}}', "/op", f'{name} is written {{"{name}": ...}} in CQL2 JSON')
            for name in ("date", "timestamp", "interval", "bbox")
        ),
        ('{"type":"Point","coordinates":"ab"}', "/coordinates", "expected an array with at least one member"),
        ('{"type":"MultiPoint","coordinates":[]}', "/coordinates", "expected an array with at least one member"),
        ('{"type":"Point","coordinates":[1]}', "/coordinates", "a position has 2 or 3 coordinates, this one has 1"),
        (
            '{"type":"GeometryCollection","geometries":[{"type":"GeometryCollection","geometries":'
            '[{"type":"Point","coordinates":[1,2]}]}]}',
            "/geometries/0/type",
            "'GeometryCollection' is not a type of geometry",
        ),
        (
            '{"op":"t_after","args":[{"property":"time"},{"timestamp":"2018-01-01"}]}',
            "/args/1/timestamp",
            "'2018-01-01' is a date without a time; write DATE('2018-01-01')",
        ),
        (
            '{"op":"t_after","args":[{"property":"time"},{"timestamp":"yesterday"}]}',
            "/args/1/timestamp",
            "'yesterday' is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date",
        ),
        (
            '{"op":"s_within","args":[{"property":"geom"},{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,"x"]]]}]}',
            "/args/1/coordinates/0/2/1",
            "a coordinate must be a number",
        ),
        (
            '{"op":"and","args":[true,{"op":">","args":[{"property":"counts"},1]}]}',
            "/args/1/args/0",
            'there is no property "counts"; did you mean "count"?',
        ),
        (
            '{"op":"like","args":[{"property":"place"},"abc\\\\"]}',
            "/args/1",
            "the pattern ends with a backslash that escapes nothing",
        ),
        ('{"a":1,"a":2}', "", "an object of the filter has a member twice: a, a"),
        ("NaN", "", "NaN is not a number of JSON"),
    ],
)
def test_json(text: str, pointer: str, message: str) -> None:
    with pytest.raises(CqlError) as caught:
        filter_sql(text, "cql2-json", QUERYABLES)
    assert (caught.value.pointer, caught.value.message, caught.value.position) == (pointer, message, None)


def test_some_of_the_properties_are_named_where_none_is_near() -> None:
    many = {f"property_{number}": queryable(f"property_{number}", "text") for number in range(40)}
    for known, names in ((many, ", ".join(list(many)[:30])), ({}, "none")):
        with pytest.raises(CqlError) as caught:
            compile_filter(parse("zzz = 1"), known)
        assert caught.value.message == f'there is no property "zzz"; there are {names}'


@pytest.mark.parametrize("outside", ["-180.5 0", "180.5 0", "0 -90.5", "0 90.5"])
def test_geometries_are_on_earth(outside: str) -> None:
    with pytest.raises(CqlError, match="the geometry is outside longitude -180 to 180, latitude -90 to 90"):
        filter_sql(f"S_INTERSECTS(geom, POINT({outside}))", "cql2-text", QUERYABLES)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        *dict.fromkeys(("lower", "Upper"), "CQL2 has neither LOWER nor UPPER; write CASEI(a) = CASEI(b)").items(),
        *dict.fromkeys(
            ("DWithin", "ST_DWithin", "Beyond", "s_beyond", "Distance", "S_DISTANCE"),
            "distances are compared by S_DWITHIN(geometry, POINT(longitude latitude), metres), and by NOT before it",
        ).items(),
    ],
)
def test_what_other_languages_have(name: str, hint: str) -> None:
    with pytest.raises(CqlError) as caught:
        parse(f"felt = true AND {name}(a, 5) < 5")
    assert (caught.value.message, caught.value.position) == (hint, 16)


@pytest.mark.parametrize(
    ("written", "shown"),
    [("a" * 40, "a" * 40), ("a" * 41, "a" * 39 + "…"), ("a\nb\x7f", "a�b�")],
)
def test_what_the_client_wrote_is_quoted_in_short(written: str, shown: str) -> None:
    with pytest.raises(CqlError) as caught:
        parse(f"DATE('{written}') = a")
    assert caught.value.message == f"'{shown}' is not a date such as 2020-01-31"


def test_text_that_is_no_json_is_reported_by_position() -> None:
    with pytest.raises(CqlError) as caught:
        parse('{"op": }', "cql2-json")
    assert (caught.value.position, caught.value.message) == (7, "not JSON: Expecting value")


def test_the_sentence_with_its_place() -> None:
    with pytest.raises(CqlError, match=r"\(at character 5\)$"):
        parse("a = ")
    with pytest.raises(CqlError, match=r"\(at /args\)$"):
        parse('{"op":"and","args":[]}', "cql2-json")
    # the whole document: no position to report
    with pytest.raises(CqlError, match=r"^NaN is not a number of JSON$"):
        parse("NaN", "cql2-json")
