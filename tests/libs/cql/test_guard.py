"""How long, deep and wide a filter may be: the largest that is taken, and the smallest that is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from libs.cql import CqlError, parse

TERMS = " AND ".join(["a=1"] * 625)
"""2,499 words, numbers and signs."""


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("cql2-text", "a='" + "é" * 8190 + "'"),
        ("cql2-text", f"NOT {TERMS}"),
        ("cql2-text", "NOT " * 62 + "a=1"),
        ("cql2-text", "a=" + "9" * 308),
        ("cql2-text", "a=0." + "1" * 398),
        ("cql2-text", "a=TIMESTAMP('2020-01-31T12:00:00." + "1" * 43 + "Z')"),
        ("cql2-text", f"a IN ({','.join(['1'] * 1000)})"),
        ("cql2-json", '{"op":"not","args":[' * 64 + "true" + "]}" * 64),
        # brackets in a string nest nothing, and those that are closed are over
        ("cql2-json", json.dumps({"op": "=", "args": [{"property": "a"}, '[\\"{' * 200]})),
        ("cql2-json", json.dumps({"op": "in", "args": [{"property": "a"}, [{"date": "2020-01-01"}] * 300]})),
    ],
)
def test_the_largest_that_is_taken(lang: Any, text: str) -> None:
    parse(text, lang)


@pytest.mark.parametrize(
    ("lang", "text", "place", "message"),
    [
        ("cql2-text", "a='" + "é" * 8190 + "' ", None, "the filter is too long (maximum 16,384 bytes)"),
        ("cql2-text", "a='" + "é" * 16379 + "'", None, "the filter is too long (maximum 16,384 bytes)"),
        ("cql2-text", f"NOT NOT {TERMS}", 5002, "the filter is too long (maximum 2,500 words, numbers and signs)"),
        (
            "cql2-text",
            "NOT " * 63 + "a=1",
            0,
            "the filter is nested too deeply (maximum 64 levels); use fewer parentheses or terms",
        ),
        ("cql2-text", "a=0." + "1" * 399, 2, "a number may have at most 400 digits"),
        (
            "cql2-text",
            "a=TIMESTAMP('2020-01-31T12:00:00." + "1" * 44 + "Z')",
            12,
            f"'2020-01-31T12:00:00.{'1' * 19}…' is not a timestamp such as 2020-01-31T12:00:00Z",
        ),
        ("cql2-text", "a=9" + "9" * 308, 2, "numbers must be finite and below 1.8e308"),
        ("cql2-text", "a=1e" + "9" * 50, 2, f"'1e{'9' * 38}' is not a number"),
        ("cql2-text", f"a IN ({','.join(['1'] * 1001)})", 0, "a list may have 1,000 members, this one has 1,001"),
        (
            "cql2-text",
            f"A_EQUALS(a,(2,{','.join(['1'] * 1000)}))",
            12,
            "a list may have 1,000 members, this one has 1,001",
        ),
        ("cql2-text", f"a(2,{','.join(['1'] * 1000)})", 0, "a list may have 1,000 members, this one has 1,001"),
        ("cql2-text", "\0a=1", 0, "a filter may not contain the NUL character"),
        ("cql2-text", "a='\0'", 3, "a filter may not contain the NUL character"),
        ("cql2-text", "a='b\ud800'", 4, "a filter must be valid Unicode; this is half of a pair"),
        ("cql2-text", " \n", None, "the filter is empty"),
        (
            "cql2-json",
            '{"op":"not","args":[' * 65 + "true" + "]}" * 65,
            "",
            "the filter is nested too deeply (maximum 64 levels); use fewer parentheses or terms",
        ),
        (
            "cql2-json",
            "[" * 134 + "]" * 134,
            "/0" * 69,
            "the filter is nested too deeply (maximum 64 levels); use fewer parentheses or terms",
        ),
        # a deeper filter is not even parsed
        ("cql2-json", "[" * 135 + "]" * 135, 134, "the filter is nested too deeply (maximum 64 levels)"),
        ("cql2-json", '"' + "a" * 16383 + '"', None, "the filter is too long (maximum 16,384 bytes)"),
        ("cql2-json", '{"property":"a\\u0000"}', "/property", "a filter may not contain the NUL character"),
        ("cql2-json", '["\\ud800"]', "/0", "a string must be valid Unicode; this has half of a pair"),
        ("cql2-json", '{"op":"a\\ud800","args":[]}', "/op", "a string must be valid Unicode; this has half of a pair"),
    ],
)
def test_the_smallest_that_is_not(lang: Any, text: str, place: int | str | None, message: str) -> None:
    with pytest.raises(CqlError) as caught:
        parse(text, lang)
    found = caught.value.position if caught.value.pointer is None else caught.value.pointer
    assert (found, caught.value.message) == (place, message)


@pytest.mark.parametrize(
    "around",
    [
        *(
            "NOT ({})",
            "({}) AND b",
            "b OR ({})",
            "({}) = b",
            "b < ({})",
            "({}) + 1",
            "2 * ({})",
            "-({})",
            "+(NOT ({}))",
        ),
        *("({}) LIKE 'b'", "b LIKE ({})", "({}) BETWEEN 1 AND 2", "b BETWEEN ({}) AND 2", "b NOT BETWEEN 1 AND ({})"),
        *("({}) IN (1)", "b IN (1, ({}))", "b NOT IN (({}), 1)", "({}) IS NULL", "({}) IS NOT NULL"),
        *("CASEI({})", "b(1, {})", "S_WITHIN({}, b)", "T_AFTER(b, {})", "A_EQUALS(b, (1, {}))", "(b, {})"),
    ],
)
def test_whatever_is_around_a_part_is_a_level(around: str) -> None:
    text = "a"
    for _ in range(66):
        text = around.format(text)
    with pytest.raises(
        CqlError, match=r"^the filter is nested too deeply \(maximum 64 levels\); use fewer parentheses or terms \(at"
    ):
        parse(text)
