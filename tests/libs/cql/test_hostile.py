"""Any text that a client sends ends soon: in a tree or in a CqlError."""

from __future__ import annotations

import itertools
import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.cql import CqlError, compile_filter, filter_sql, parse, queryable

QUERYABLES = {
    "a": queryable("a", "integer"),
    "b": queryable("b", "text"),
    "g": queryable("g", "geometry", srid=3857),
    "t": queryable("t", "timestamp with time zone"),
    "l": queryable("l", "text[]"),
}
# Calls of functions, Python's and C's; 50 ms, the target, are some 200,000 of them. Work inside a call, as of a
# regular expression that goes back and forth, shows as the time limit of the test.
CALLS = 400_000
pytestmark = pytest.mark.timeout(60)


def _deep(depth: int) -> str:
    return '{"op":"not","args":[' * depth + "true" + "]}" * depth


ZIGZAG = ",".join(f"{index % 90} {index % 2}" for index in range(1500))
TEXTS = {
    "500 terms": " AND ".join(f"a={index}" for index in range(500)),
    "too many terms": "AND ".join(["a=1 "] * 2000),
    "sum": "a=1" + "+1" * 8000,
    "parentheses": "(" * 8000 + "a=1" + ")" * 8000,
    "open parentheses": "(" * 16000,
    "not": "NOT " * 4000 + "a=1",
    "signs": "a=" + "-" * 16000,
    "list": "a IN (" + ",".join(["1"] * 8000) + ")",
    "list of 1000": "a IN (" + ",".join(map(str, range(1000))) + ")",
    "or of likes": " OR ".join(["b LIKE '%a%b%'"] * 250),
    "strings": "b IN (" + "''," * 5000,
    "quotes": "a=" + "'" * 16001,
    "backslashes": "b='" + "\\" * 16000,
    "calls": "CASEI(" * 3000,
    "nested calls": "b = " + "CASEI(" * 60 + "b" + ")" * 60,
    "nested powers": "a = " + "(" * 60 + "a" + "^a)" * 60,
    "tower": "a = 9^9^9^9^9^9",
    "long tower": "a = 9^9" + "*9^9" * 50,
    "digits": "a=" + "1" * 16000,
    "exponent": "a=1e" + "9" * 5000,
    "name": "a" * 16000 + "=1",
    "names": " AND ".join(f"n{index}=1" for index in range(400)),
    "spaces": " " * 16000 + "a=1",
    "line": f"S_INTERSECTS(g, LINESTRING({','.join(['0 0'] * 4000)}))",
    "zigzag": f"S_INTERSECTS(g, LINESTRING({ZIGZAG}))",
    "self-intersecting": f"S_WITHIN(g, POLYGON((0 5,{ZIGZAG},0 5)))",
    "points": f"S_INTERSECTS(g, MULTIPOINT({','.join(['(0 0)'] * 2700)}))",
    "squares": "S_INTERSECTS(g, MULTIPOLYGON(" + ",".join(["((0 0,1 0,1 1,0 0))"] * 700) + "))",
    "world lines": f"S_INTERSECTS(g, LINESTRING({','.join(['-180 0,180 1'] * 1200)}))",
    "geometry": "POINT" + "(" * 16000,
    "geometries": "GEOMETRYCOLLECTION(" * 800,
    "many geometries": " OR ".join(["S_INTERSECTS(g, BBOX(0,0,1,1))"] * 220),
    "date": "t > DATE('" + "9" * 15000 + "')",
    "year 0": "t > DATE('0000-01-01')",
    "zone": "t > TIMESTAMP('0001-01-01T00:00:00+23:59')",
    "zone of the end": "t > TIMESTAMP('9999-12-31T23:59:59-23:59')",
    "words as date": "t > TIMESTAMP('the day before yesterday at five')",
    "nul": "b = 'a\0b'",
    "surrogate": "b = '\ud800'",
    "control": "b = '\x01\x1f\x7f'",
    "bytes": "b = 'é'" + "é" * 16000,
    "array": "A_CONTAINS(l, (" + ",".join(["'a'"] * 1100) + "))",
}
DOCUMENTS = {
    "deep": _deep(60),
    "too deep": _deep(300),
    "brackets": "[" * 16000,
    "braces": '{"op":' * 2500,
    "numbers": "[" + "1," * 8000 + "1]",
    "and": '{"op":"and","args":[' + "true," * 3000 + "true]}",
    "huge": '{"op":"=","args":[{"property":"a"},1e999]}',
    "long number": '{"op":"=","args":[{"property":"a"},' + "9" * 15000 + "]}",
    "nul": '{"op":"=","args":[{"property":"b"},"\\u0000"]}',
    "surrogate": '{"op":"=","args":[{"property":"b"},"\\ud800"]}',
    "key": '{"op":"=","args":[{"property":"\\ud800"},1]}',
    "function": '{"op":"\\ud800","args":[]}',
    "geometry": json.dumps(
        {"op": "s_within", "args": [{"property": "g"}, {"type": "MultiPoint", "coordinates": [[0, 0]] * 1900}]}
    ),
    "geometry of booleans": '{"op":"s_within","args":[{"property":"g"},{"type":"Point","coordinates":[true,false]}]}',
    "geometry of type list": '{"op":"s_within","args":[{"property":"g"},{"type":["Point"],"coordinates":[1,2]}]}',
    "nested collection": '{"type":"GeometryCollection","geometries":[{"type":"GeometryCollection","geometries":[]}]}',
    "string": '"' + "a" * 16000,
    "no json": "a = 1",
}


def _fault(text: str, lang: Any) -> CqlError | None:
    """Return the error of the filter, or None."""
    try:
        filter_sql(text, lang, QUERYABLES).render()
    except CqlError as error:
        # The sentence must be printable wherever it goes.
        str(error).encode()
        return error
    return None


def _run(text: str, lang: Any) -> tuple[int, CqlError | None]:
    """Return the number of calls, and the error of the filter."""
    calls = itertools.count()

    def count(_frame: object, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            next(calls)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        fault = _fault(text, lang)
    finally:
        sys.setprofile(before)
    return next(calls), fault


@pytest.mark.parametrize("name", TEXTS)
def test_text_ends_soon(name: str) -> None:
    calls, fault = _run(TEXTS[name], "cql2-text")
    assert calls < CALLS
    if fault is not None and fault.position is not None:
        assert 0 <= fault.position <= len(TEXTS[name])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json_ends_soon(name: str) -> None:
    assert _run(DOCUMENTS[name], "cql2-json")[0] < CALLS


@pytest.mark.parametrize("name", ["500 terms", "list of 1000", "nested calls", "world lines", "zigzag", "spaces"])
def test_large_but_honest_filters_work(name: str) -> None:
    assert _fault(TEXTS[name], "cql2-text") is None


@pytest.mark.parametrize("name", ["nul", "surrogate", "year 0", "zone", "digits", "tower", "list", "bytes", "not"])
def test_refused(name: str) -> None:
    assert _fault(TEXTS[name], "cql2-text") is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXTS["too many terms"], "words, numbers and signs"),
        (TEXTS["list"], "words, numbers and signs"),
        (TEXTS["sum"], "nested"),
        ("a IN (" + ",".join(["1"] * 1001) + ")", "a list may have 1,000 members"),
        ("a = 1" + " " * 16380, "the filter is too long"),
        ("b = '" + "é" * 8190 + "'", "the filter is too long"),
    ],
)
def test_limits(text: str, message: str) -> None:
    with pytest.raises(CqlError, match=message):
        parse(text)
    parse("a = 1" + " " * 16379)


WORDS = (
    "a b g t l zzz \"a\" 1 2.5 'x' '' ( ) (( )) , = <> < > <= >= + - * / % ^ div AND OR NOT LIKE BETWEEN IN IS NULL"
    " TRUE FALSE CASEI( ACCENTI( DATE( TIMESTAMP( INTERVAL( BBOX( POINT(1 2) POLYGON((0 0,1 0,1 1,0 0)) POINT( () '''"
    " \\ S_INTERSECTS( T_AFTER( T_DURING( A_CONTAINS( '2020-01-01' '..' DATE('2020-01-01') é \x00 \ud800 1e400 ."
)
FRAGMENTS = st.sampled_from(WORDS.split(" "))


@settings(max_examples=15 * settings().max_examples, deadline=None)
@given(st.lists(FRAGMENTS, max_size=14).map(" ".join))
def test_any_words_give_sql_or_an_error(text: str) -> None:
    calls, _ = _run(text, "cql2-text")
    assert calls < CALLS


@settings(max_examples=5 * settings().max_examples, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_sql_or_an_error(text: str) -> None:
    _fault(text, "cql2-text")


OPERATORS = "and or not = < + ^ div % like between in isNull s_intersects t_after t_during a_equals casei accenti foo"
JSON_OPS = st.sampled_from(OPERATORS.split(" "))
JSON_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.sampled_from(list("abgtl")).map(lambda name: {"property": name}),
        st.sampled_from(["2020-01-01", "..", "x"]).map(lambda day: {"date": day}),
        st.lists(st.floats(-200, 200), min_size=3, max_size=6).map(lambda box: {"bbox": box}),
        st.lists(st.floats(-200, 200), min_size=1, max_size=4).map(lambda xy: {"type": "Point", "coordinates": xy}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(JSON_OPS, st.lists(inner, max_size=3)).map(lambda pair: {"op": pair[0], "args": pair[1]}),
        st.lists(inner, max_size=3).map(lambda ends: {"interval": ends}),
        st.dictionaries(st.sampled_from(["op", "args", "property", "type", "coordinates", "geometries"]), inner),
    ),
    max_leaves=8,
)


@settings(max_examples=15 * settings().max_examples, deadline=None)
@given(JSON_VALUES)
def test_any_json_gives_sql_or_an_error(document: object) -> None:
    _fault(json.dumps(document), "cql2-json")


def test_a_tree_may_be_compiled_again(recwarn: pytest.WarningsRecorder) -> None:
    tree = parse("a IN (1, 2) AND NOT b LIKE 'x%'")
    texts = {compile_filter(tree, QUERYABLES).render()[0] for _ in range(3)}
    assert len(texts) == 1
    assert not recwarn.list
