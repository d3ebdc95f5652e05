"""The reported place of a fault, for every part of a filter and in both languages."""

from __future__ import annotations

import json

import pytest

from libs.cql import CqlError, filter_sql
from libs.cql.parsing.json import parse_json
from libs.cql.parsing.text import parse_text
from tests.libs.cql.test_errors import QUERYABLES


@pytest.mark.parametrize(
    ("part", "at", "shown"),
    [
        ("(felt AND felt)", 1, "this is a boolean"),
        ("(felt OR NOT felt)", 1, "this is a boolean"),
        ("(NOT felt)", 1, "this is a boolean"),
        ("(1 < count)", 1, "this is a boolean"),
        ("(place LIKE 'a')", 1, "this is a boolean"),
        ("(place NOT LIKE 'a')", 1, "this is a boolean"),
        ("(count BETWEEN 1 AND 2)", 1, "this is a boolean"),
        ("(count IN (1))", 1, "this is a boolean"),
        ("(count IS NULL)", 1, "this is a boolean"),
        ("S_INTERSECTS(geom, geom)", 0, "this is a boolean"),
        ("T_AFTER(time, day)", 0, "this is a boolean"),
        ("A_EQUALS(tags, tags)", 0, "this is a boolean"),
        ("S_DWITHIN(geom, geom, 5)", 0, "this is a boolean"),
        ("-count", 0, "this is a number"),
        ("+count", 0, 'the property "count" is an integer'),
        ('"count"', 0, 'the property "count" is an integer'),
        ("count * 2", 0, "this is a number"),
        ("(2 ^ count)", 1, "this is a number"),
        ("+5", 0, "5 is an integer"),
        ("-5", 0, "-5 is an integer"),
        ("1.50", 0, "1.5 is a number"),
        ("true", 0, "True is a boolean"),
        ("false", 0, "False is a boolean"),
        ("('a', 'b')", 1, "this is an array"),
        ("()", 0, "this is an array"),
        ("POINT(1 2)", 0, "this is a geometry"),
        ("BBOX(1,2,3,4)", 0, "this is a geometry"),
        ("DATE('2020-01-01')", 0, "2020-01-01 is a date"),
        ("TIMESTAMP('2020-01-01T00:00:00Z')", 0, "2020-01-01 00:00:00+00:00 is a timestamp"),
        ("INTERVAL('..', '..')", 0, "this is an interval"),
        ("INTERVAL(day, '..')", 0, "this is an interval"),
    ],
)
def test_a_part_of_a_text_is_where_it_begins(part: str, at: int, shown: str) -> None:
    with pytest.raises(CqlError) as caught:
        filter_sql(f"place = {part}", "cql2-text", QUERYABLES)
    sentence = f'the property "place" is a string, but {shown}: they cannot be compared'
    assert (caught.value.position, caught.value.message) == (len("place = ") + at, sentence)


MISMATCH = 'the property "place" is a string, but {}: they cannot be compared'
NO_END = "an end of an interval is a date, a timestamp, '..' or a property"
NO_UNIT = "is no unit of S_DWITHIN; there are meters, kilometers, feet, 'statute miles', 'nautical miles'"
NO_STRINGS = (
    "the property \"count\" is an integer, but 'b' is a string: they cannot be compared;"
    " write the number without quotes"
)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("-place > 1", 1, 'the property "place" is a string: it cannot be computed with'),
        ("count BETWEEN 'b' AND 2", 14, NO_STRINGS),
        (
            "felt = true OR (felt = true AND place)",
            32,
            'the property "place" is a string, but a condition is wanted here',
        ),
        ("T_AFTER()", 0, "T_AFTER takes 2 arguments, 0 given"),
        ("felt = true AND S_WITHIN(geom)", 16, "S_WITHIN takes 2 arguments, 1 given"),
        ("felt = A_EQUALS(tags, tags, tags)", 7, "A_EQUALS takes 2 arguments, 3 given"),
        ("place = ACCENTI()", 8, "ACCENTI takes 1 argument, 0 given"),
        ("felt = S_DWITHIN(geom, geom, 1, 'm', 5)", 7, "S_DWITHIN takes 3 or 4 arguments, 5 given"),
        ("T_AFTER(day, TIMESTAMP('a', 'b'))", 13, "TIMESTAMP takes 1 argument, 2 given"),
        ("T_AFTER(day, INTERVAL('..'))", 13, "INTERVAL takes 2 arguments, 1 given"),
        ("S_WITHIN(geom, BBOX(1, 2))", 15, "BBOX takes 4 or 6 arguments, 2 given"),
        ("S_WITHIN(geom, BBOX(1,2,9,3,4,8))", 15, "BBOX minimum height 9 is above maximum height 8"),
        ("T_AFTER(day, INTERVAL(5, '..'))", 22, NO_END),
        ("T_AFTER(day, INTERVAL('..', 5))", 28, NO_END),
        ("T_AFTER(day, INTERVAL(POINT(1 2), '..'))", 22, NO_END),
        (
            "T_AFTER(day, INTERVAL('..', CASEI(place)))",
            28,
            "this is a string, but an interval has dates or timestamps as its ends",
        ),
        ("day = DATE('٢٠٢٠-01-01')", 11, "'٢٠٢٠-01-01' is not a date such as 2020-01-31"),
        ("T_AFTER(day, INTERVAL('2020-13-01', '..'))", 22, "'2020-13-01' does not exist in the calendar"),
        (
            "T_AFTER(day, INTERVAL('..', 'x'))",
            28,
            "'x' is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date",
        ),
        # a day and a moment are compared by day
        (
            "T_AFTER(day, INTERVAL('2020-01-02', '2020-01-01T12:00:00Z'))",
            13,
            "the interval starts at 2020-01-02 and ends before, at 2020-01-01 12:00:00+00:00",
        ),
        (
            "T_AFTER(day, INTERVAL('2020-01-02T00:00:00Z', '2020-01-01'))",
            13,
            "the interval starts at 2020-01-02 00:00:00+00:00 and ends before, at 2020-01-01",
        ),
        (
            "T_AFTER(day, INTERVAL('2020-01-01T12:00:00Z', '2020-01-01T11:59:59Z'))",
            13,
            "the interval starts at 2020-01-01 12:00:00+00:00 and ends before, at 2020-01-01 11:59:59+00:00",
        ),
        ("S_WITHIN(geom, POLYGON((0 0,1 1,0 0)))", 23, "a ring of a polygon needs at least 4 positions"),
        (
            "S_WITHIN(geom, MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((0 0,1 1,0 0))))",
            49,
            "a ring of a polygon needs at least 4 positions",
        ),
        ("S_WITHIN(geom, MULTILINESTRING((1 2,3 4),(1 2)))", 41, "a line needs at least 2 positions"),
        ("S_WITHIN(geom, POLYGON(1 2))", 23, "expected '(' in the geometry, found '1'"),
        ("S_WITHIN(geom, MULTIPOINT((1 2, 3 4)))", 30, "expected ')' in the geometry, found ','"),
        ("S_WITHIN(geom, POINT(1e999 2))", 21, "numbers must be finite and below 1.8e308"),
        ("S_WITHIN(geom, POINT(1 1e999))", 23, "numbers must be finite and below 1.8e308"),
        ("S_WITHIN(geom, POINT(1.2.3 4))", 21, "expected a coordinate, found '1'"),
        ("S_WITHIN(geom, POINT(,1))", 21, "expected a coordinate, found ','"),
        ("S_WITHIN(geom, POINT(", 21, "expected a coordinate, found the end of the filter"),
        ("S_WITHIN(geom, LINESTRING(1 2 3 4, 5 6))", 26, "a position has 2 or 3 coordinates, this one has 4"),
        ("S_WITHIN(geom, GEOMETRYCOLLECTION(FOO(1 2)))", 34, "expected a type of geometry, found 'FOO'"),
        ("S_WITHIN(geom, GEOMETRYCOLLECTION(1 2))", 34, "expected a type of geometry, found '1'"),
        (
            "S_WITHIN(geom, GEOMETRYCOLLECTION(POINT(1 2), GEOMETRYCOLLECTION(POINT(1 2))))",
            46,
            "expected a type of geometry, found 'GEOMETRYCOLLECTION'",
        ),
        ("S_DWITHIN(geom, 5, 5)", 16, "5 is an integer, but S_DWITHIN takes two geometries and a distance"),
        (
            "S_DWITHIN(place, geom, 5)",
            10,
            'the property "place" is a string, but S_DWITHIN takes two geometries and a distance',
        ),
        ("S_DWITHIN(geom, geom, 'far')", 22, "'far' is a string, but the distance of S_DWITHIN is a number"),
        (
            "S_DWITHIN(geom, geom, count * 2)",
            22,
            "the distance of S_DWITHIN must be a number, not a property",
        ),
        (
            "S_DWITHIN(geom, geom, place)",
            22,
            'the property "place" is a string, but the distance of S_DWITHIN is a number',
        ),
        ("S_DWITHIN(geom, geom, 1/0)", 22, "the distance of S_DWITHIN cannot be computed"),
        ("S_DWITHIN(geom, geom, -5)", 22, "the distance of S_DWITHIN must not be below 0"),
        ("S_DWITHIN(geom, geom, 1e308, 'km')", 22, "the distance of S_DWITHIN is too large a number"),
        ("S_DWITHIN(geom, geom, 5, 'parsecs')", 25, f"'parsecs' {NO_UNIT}"),
        ("S_DWITHIN(geom, geom, 5, 6)", 25, f"'6' {NO_UNIT}"),
        ("S_DWITHIN(geom, geom, 5, Miles)", 25, "there is no property \"Miles\"; units are quoted: 'Miles'"),
        ("day > TIMESTAMP('2018-01-01')", 16, "'2018-01-01' is a date without a time; write DATE('2018-01-01')"),
        ("S_DWITHIN(geom, geom, 5, place)", 25, f"this {NO_UNIT}"),
        ("felt = 1/0", 7, 'the property "felt" is a boolean, but this is a number: they cannot be compared'),
        ("T_AFTER(day, 5)", 13, "5 is an integer, but T_AFTER takes dates, timestamps and intervals"),
        (
            "T_DURING(INTERVAL('..', '..'), day)",
            31,
            'the property "day" is a date, but T_DURING takes intervals only; for an instant use T_INTERSECTS',
        ),
        ("A_EQUALS(5, tags)", 9, "5 is an integer, but A_EQUALS takes arrays"),
        ("A_CONTAINS(tags, INTERVAL('..', '..'))", 17, "this is an interval, but A_CONTAINS takes arrays"),
        ("S_WITHIN(5, geom)", 9, "5 is an integer, but S_WITHIN takes geometries"),
        ("S_DISJOINT(geom, tags)", 17, 'the property "tags" is an array, but S_DISJOINT takes geometries'),
        ("place LIKE 'a\\\\'", 11, "the pattern ends with a backslash that escapes nothing"),
        ("CASEI(CASEI(5)) = 'a'", 12, "5 is an integer, but CASEI takes a string"),
        ("'a' = CASEI(INTERVAL('..', '..'))", 12, "this is an interval, but CASEI takes a string"),
        ("'a' = ACCENTI(count)", 14, 'the property "count" is an integer, but ACCENTI takes a string'),
        ("count LIKE CASEI('a')", 0, 'the property "count" is an integer, but LIKE takes a string'),
        ("span = 'a while'", 7, "'a while' is a string, but no duration such as P1DT2H30M"),
        ("'a while' < span", 0, "'a while' is a string, but no duration such as P1DT2H30M"),
        ("span BETWEEN 'P1D' AND 'a'", 23, "'a' is a string, but no duration such as P1DT2H30M"),
        ("a NOT 5", 6, "expected BETWEEN, IN or LIKE, found '5'"),
        ("a IN 5", 5, "expected '(', found '5'"),
        ("a IS NOT 5", 9, "expected NULL, found '5'"),
        ("(a = 1 b", 7, "expected a comparison, AND, OR, ')' or ',', found 'b'"),
        # parentheses behind it say nothing of it
        ("a = 1 b (c", 6, "expected a comparison, AND, OR or the end of the filter, found 'b'"),
        ("(a = 1 b )", 7, "expected a comparison, AND, OR, ')' or ',', found 'b'"),
        ("NULL = a", 0, "NULL is not a value; write IS NULL"),
        ("§ = 1", 0, "the character '§' has no meaning here"),
        ('a = "x', 4, "the property name that starts here has no closing quote"),
        ("'a", 0, "the string that starts here has no closing quote"),
        # a hint is about the word found, not about the text before it
        ("a AND ILIKE b", 12, "expected a comparison, AND, OR or the end of the filter, found 'b'"),
    ],
)
def test_the_fault_of_a_text_is_where_it_stands(text: str, position: int, message: str) -> None:
    with pytest.raises(CqlError) as caught:
        filter_sql(text, "cql2-text", QUERYABLES)
    assert (caught.value.position, caught.value.message, caught.value.pointer) == (position, message, None)


NO_MEMBER = "expected an array with at least one member"


def _within(geometry: str) -> str:
    return f'{{"op":"s_within","args":[{{"property":"geom"}},{geometry}]}}'


def _is(value: str) -> str:
    return f'{{"op":"=","args":[{{"property":"place"}},{value}]}}'


def _after(interval: str) -> str:
    return f'{{"op":"t_after","args":[{{"property":"day"}},{{"interval":{interval}}}]}}'


@pytest.mark.parametrize(
    ("text", "pointer", "message"),
    [
        ("{}", "", "an object with no members is not allowed in a filter"),
        ("5", "", "5 is an integer, but a condition is wanted here"),
        ("1e999", "", "numbers must be finite and below 1.8e308"),
        ("-Infinity", "", "-Infinity is not a number of JSON"),
        ('{"a":1,"b":2,"a":3}', "", "an object of the filter has a member twice: a, b, a"),
        ('{"property":5}', "/property", "the name of a property must be a string"),
        ('{"property":""}', "/property", "the name of a property must be a string"),
        ('{"bbox":5}', "/bbox", "expected an array"),
        ('{"interval":5}', "/interval", "expected an array"),
        ('{"interval":["..","..",".."]}', "/interval", "an interval has 2 ends, this one has 3"),
        (_after('[5,".."]'), "/args/1/interval/0", NO_END),
        (_after('["..",5]'), "/args/1/interval/1", NO_END),
        (
            _after('["2020-01-02","2020-01-01"]'),
            "/args/1",
            "the interval starts at 2020-01-02 and ends before, at 2020-01-01",
        ),
        ('{"op":5,"args":[]}', "/op", "the operator must be a string"),
        ('{"op":"","args":[]}', "/op", "'' is not an operator or function of CQL2"),
        ('{"op":"="}', "/args", "expected an array"),
        ('{"op":"or","args":[]}', "/args", "or takes at least 2 arguments, 0 given"),
        ('{"op":"not","args":[true,false]}', "/args", "not takes 1 argument, 2 given"),
        ('{"op":"like","args":["a"]}', "/args", "like takes 2 arguments, 1 given"),
        ('{"op":"<>","args":[1,2,3]}', "/args", "<> takes 2 arguments, 3 given"),
        ('{"op":"DIV","args":[1]}', "/args", "DIV takes 2 arguments, 1 given"),
        ('{"op":"in","args":[1]}', "/args", "in takes 2 arguments, 1 given"),
        ('{"op":"in","args":[1,5]}', "/args/1", "expected an array"),
        ('{"op":"in","args":[{"property":"count"},[1,"b"]]}', "/args/1/1", NO_STRINGS),
        ('{"op":"between","args":[{"property":"count"},"b",2]}', "/args/1", NO_STRINGS),
        ('{"op":"and","args":[true,false,5]}', "/args/2", "5 is an integer, but a condition is wanted here"),
        (
            '{"op":"+","args":[{"op":"+","args":[1,{"property":"place"}]},2]}',
            "/args/0/args/1",
            'the property "place" is a string: it cannot be computed with',
        ),
        ('{"op":"S_INTERSECTS","args":[]}', "", "s_intersects takes 2 arguments, 0 given"),
        ('{"op":"T_FINISHEDBY","args":[]}', "", "t_finishedBy takes 2 arguments, 0 given"),
        (_is('{"op":"CaseI","args":[]}'), "/args/1", "casei takes 1 argument, 0 given"),
        (_is('{"op":"Foo","args":[]}'), "/args/1", "this server has no function 'Foo'"),
        (_is('{"date":"2020-01-01"}'), "/args/1", MISMATCH.format("2020-01-01 is a date")),
        (
            _is('{"timestamp":"2020-01-01T00:00:00Z"}'),
            "/args/1",
            MISMATCH.format("2020-01-01 00:00:00+00:00 is a timestamp"),
        ),
        (_is('["a"]'), "/args/1", MISMATCH.format("this is an array")),
        (_is("-2.50"), "/args/1", MISMATCH.format("-2.5 is a number")),
        (_is('{"date":5}'), "/args/1/date", "'5' is not a date such as 2020-01-31"),
        (_is('{"timestamp":5}'), "/args/1/timestamp", "'5' is not a timestamp such as 2020-01-31T12:00:00Z"),
        (_within('{"bbox":[1,2,"b",4]}'), "/args/1/bbox/2", "BBOX takes numbers only"),
        (_within('{"bbox":[1,2,3]}'), "/args/1", "BBOX takes 4 or 6 arguments, 3 given"),
        (_within('{"bbox":[1,5,3,4]}'), "/args/1", "BBOX south edge 5 is north of the north edge 4"),
        (
            _within('{"type":"LineString","coordinates":[[1,2]]}'),
            "/args/1/coordinates",
            "a line needs at least 2 positions",
        ),
        (
            _within('{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[1,2]]]}'),
            "/args/1/coordinates/1",
            "a line needs at least 2 positions",
        ),
        (
            _within('{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,1],[0,0]],[[0,0],[1,1],[0,1],[0,2]]]}'),
            "/args/1/coordinates/1",
            "a ring of a polygon must end where it starts",
        ),
        (
            _within('{"type":"MultiPolygon","coordinates":[[[[0,0],[1,1],[0,0]]]]}'),
            "/args/1/coordinates/0/0",
            "a ring of a polygon needs at least 4 positions",
        ),
        (
            _within('{"type":"Point","coordinates":[1,2,3,4]}'),
            "/args/1/coordinates",
            "a position has 2 or 3 coordinates, this one has 4",
        ),
        (_within('{"type":"Point"}'), "/args/1/coordinates", NO_MEMBER),
        (_within('{"type":"MultiPoint","coordinates":[[1,2],5]}'), "/args/1/coordinates/1", NO_MEMBER),
        (_within('{"type":"Point","coordinates":[1,true]}'), "/args/1/coordinates/1", "a coordinate must be a number"),
        (_within('{"type":"GeometryCollection","geometries":[]}'), "/args/1/geometries", NO_MEMBER),
        (
            _within('{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1]}]}'),
            "/args/1/geometries/0/coordinates",
            "a position has 2 or 3 coordinates, this one has 1",
        ),
        (
            _within('{"type":"GeometryCollection","geometries":[5]}'),
            "/args/1/geometries/0/type",
            "'None' is not a type of geometry",
        ),
        (_within('{"type":["Point"]}'), "/args/1/type", "'['Point']' is not a type of geometry"),
        (
            _within('{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}'),
            "/args/1",
            "the geometry is not valid: Self-intersection at [1 1]",
        ),
    ],
)
def test_the_fault_of_a_document_is_where_it_stands(text: str, pointer: str, message: str) -> None:
    with pytest.raises(CqlError) as caught:
        filter_sql(text, "cql2-json", QUERYABLES)
    assert (caught.value.pointer, caught.value.message, caught.value.position) == (pointer, message, None)


@pytest.mark.parametrize(
    ("text", "document"),
    [
        # more digits than computations have, and a sign before them
        ("place = -0.12345678901234567890123456789012345", _is("-0.12345678901234567890123456789012345")),
        ("place = - 12345678901234567890123456789012345.5", _is("-12345678901234567890123456789012345.5")),
        ("place = +1.50", _is("1.5")),
        ("place = BBOX(1.10000000000000000000001, -2, 3, 4)", _is('{"bbox":[1.1,-2,3,4]}')),
        ("place = BBOX(1, 2, -9, 3, 4, 9)", _is('{"bbox":[1,2,3,4]}')),
        ("place = point z (1 2 3)", _is('{"type":"Point","coordinates":[1,2,3]}')),
        ("place = PointZ(1 2 3)", _is('{"type":"Point","coordinates":[1,2,3]}')),
        ("place = MULTIPOINT(1 2, (3 4))", _is('{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}')),
        (
            "place = INTERVAL('2020-01-01T12:00:00Z', '2020-01-01')",
            _is('{"interval":["2020-01-01T12:00:00Z","2020-01-01"]}'),
        ),
        (
            "place = INTERVAL('2020-01-01T12:00:00Z', '2020-01-01T12:00:00Z')",
            _is('{"interval":["2020-01-01T12:00:00Z","2020-01-01T12:00:00Z"]}'),
        ),
        # an array of one, and one of two in parentheses
        ("A_EQUALS(place, (('b')))", '{"op":"a_equals","args":[{"property":"place"},["b"]]}'),
        ("A_EQUALS(place, (('b', 'c')))", '{"op":"a_equals","args":[{"property":"place"},["b","c"]]}'),
        ("place = ('b')", _is('"b"')),
        (r"place = 'it''s \'\a\b\t\n\v\f\r\\ \%'", _is(json.dumps("it's '\a\b\t\n\v\f\r\\ \\%"))),
        ("place = 7 DIV 2", _is('{"op":"Div","args":[7,2]}')),
    ],
)
def test_both_languages_read_the_same_values(text: str, document: str) -> None:
    assert repr(parse_text(text).root) == repr(parse_json(document).root)
