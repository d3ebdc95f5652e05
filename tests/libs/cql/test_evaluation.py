"""Filters of all kinds against a plain Python evaluation of the same rows."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.cql import parse
from tests.libs.cql.conftest import Table, make_table
from tests.libs.cql.normalise import normalise

Row = dict[str, Any]
Truth = bool | None
# A filter as text, and what it says about a row.
Filter = tuple[str, Callable[[Row], Truth]]

NUMBERS = [None, -7, -1, 0, 1, 2, 3, 10]
FRACTIONS = [None, Decimal("-2.5"), Decimal("0.1"), Decimal(0), Decimal(1), Decimal("2.5"), Decimal(10)]
WORDS = [None, "", "a", "A", "ab", "b", "é", "ß", "100%", "a_b", "it's", "\\", "日本"]
DAYS = [None, *(date(2020, 2, 27) + timedelta(days=day) for day in range(5)), date(9999, 12, 31), date(1, 1, 1)]
TIMES = [
    None,
    *(datetime(2020, 2, 28, 22, tzinfo=UTC) + timedelta(hours=hours) for hours in (0, 1, 2, 3, 26, 27)),
    datetime(2020, 2, 28, 23, 59, 59, 999999, tzinfo=UTC),
]
FLAGS = [None, True, False]
ROWS: list[Row] = [
    {
        "whole": NUMBERS[index % 8],
        "other": NUMBERS[(index * 5 + index // 8) % 8],
        "exact": FRACTIONS[index % 7],
        "double": FRACTIONS[(index * 3 + 1) % 7],
        "words": WORDS[index % 13],
        "more": WORDS[(index * 7 + index // 13) % 13],
        "day": DAYS[index % 8],
        "at": TIMES[(index * 3) % 8],
        "flag": FLAGS[index % 3],
    }
    for index in range(120)
]
COLUMNS = {
    "whole": "integer",
    "other": "bigint",
    "exact": "numeric",
    "double": "double precision",
    "words": "text",
    "more": "character varying(9)",
    "day": "date",
    "at": "timestamp with time zone",
    "flag": "boolean",
}


@pytest.fixture(scope="session")
async def evaluated(db: asyncpg.Connection) -> Table:
    rows = [tuple(None if value is None else str(value) for value in row.values()) for row in ROWS]
    return await make_table(db, "evaluated", COLUMNS, rows)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return f"TIMESTAMP('{value.isoformat().replace('+00:00', 'Z')}')"
    if isinstance(value, date):
        return f"DATE('{value.isoformat()}')"
    return _quoted(value) if isinstance(value, str) else str(value)


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
FAMILIES: list[tuple[tuple[str, ...], list[Any]]] = [
    (("whole", "other", "exact", "double"), [-7, 0, 1, 2, 10, Decimal("0.1"), Decimal("1.5"), Decimal("-2.5"), 10**20]),
    (("words", "more"), ["", "a", "A", "b", "é", "100%", "it's", "zzz"]),
    (("day", "at"), [*DAYS[1:], *TIMES[1:]]),
    (("flag",), [True, False]),
]


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    if isinstance(a, date) and isinstance(b, date) and isinstance(a, datetime) != isinstance(b, datetime):
        a, b = (value.date() if isinstance(value, datetime) else value for value in (a, b))
    return a, b


def _compared(op: str, a: Any, b: Any) -> Truth:
    if a is None or b is None:
        return None
    return OPERATORS[op](*_aligned(a, b))


@st.composite
def _operand(draw: st.DrawFn, names: tuple[str, ...], values: list[Any]) -> tuple[str, Callable[[Row], Any]]:
    if draw(st.booleans()):
        name = draw(st.sampled_from(names))
        return name, lambda row: row[name]
    value = draw(st.sampled_from(values))
    return _literal(value), lambda row: value


@st.composite
def _comparison(draw: st.DrawFn) -> Filter:
    names, values = draw(st.sampled_from(FAMILIES))
    left_text, left = draw(_operand(names, values))
    right_text, right = draw(_operand(names, values))
    op = draw(st.sampled_from(sorted(OPERATORS)))
    return f"{left_text} {op} {right_text}", lambda row: _compared(op, left(row), right(row))


@st.composite
def _between(draw: st.DrawFn) -> Filter:
    names, values = draw(st.sampled_from(FAMILIES))
    (text, value), (low_text, low), (high_text, high) = (draw(_operand(names, values)) for _ in range(3))
    word, negated = draw(st.sampled_from([("", False), ("NOT ", True)]))

    def holds(row: Row) -> Truth:
        within = _and(_compared(">=", value(row), low(row)), _compared("<=", value(row), high(row)))
        return _not(within) if negated else within

    return f"{text} {word}BETWEEN {low_text} AND {high_text}", holds


@st.composite
def _in(draw: st.DrawFn) -> Filter:
    names, values = draw(st.sampled_from(FAMILIES))
    name = draw(st.sampled_from(names))
    members = draw(st.lists(_operand(names, values), min_size=1, max_size=4))
    word, negated = draw(st.sampled_from([("", False), ("NOT ", True)]))

    def holds(row: Row) -> Truth:
        found: Truth = False
        for _, member in members:
            found = _or(found, _compared("=", row[name], member(row)))
        return _not(found) if negated else found

    return f"{name} {word}IN ({', '.join(text for text, _ in members)})", holds


PATTERNS = ["%", "_", "a%", "%b", "%\\%", "a\\_b", "\\\\\\\\", "", "é", "_%_", "%''%", "100\\%"]


@st.composite
def _like(draw: st.DrawFn) -> Filter:
    name = draw(st.sampled_from(["words", "more"]))
    written = draw(st.sampled_from(PATTERNS))
    # In a literal '' is a quote, and \\ a backslash; other backslashes reach LIKE as they are.
    parts = re.findall(r"\\.|.", written.replace("''", "'").replace("\\\\", "\\"), re.DOTALL)
    expression = "".join(".*" if part == "%" else "." if part == "_" else re.escape(part[-1]) for part in parts)

    def holds(row: Row) -> Truth:
        return None if row[name] is None else re.fullmatch(expression, row[name], re.DOTALL) is not None

    return f"{name} LIKE '{written}'", holds


@st.composite
def _is_null(draw: st.DrawFn) -> Filter:
    name = draw(st.sampled_from(sorted(COLUMNS)))
    if draw(st.booleans()):
        return f"{name} IS NULL", lambda row: row[name] is None
    return f"{name} IS NOT NULL", lambda row: row[name] is not None


def _arithmetic(op: str, a: Decimal | None, b: Decimal | None) -> Decimal | None:
    if a is None or b is None:
        return None
    if op in ("/", "%", "div") and not b:
        return None
    quotient = a / b if op in ("/", "div") else Decimal(0)
    return {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: quotient,
        # Python's Decimal remainder has the sign of the dividend, as SQL's.
        "%": lambda: a % b,
        "div": lambda: Decimal(int(quotient)),
    }[op]()


@st.composite
def _sum(draw: st.DrawFn, depth: int = 2) -> tuple[str, Callable[[Row], Decimal | None]]:
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        text, value = draw(_operand(("whole", "other", "exact"), [-7, 0, 1, 2, 3, Decimal("0.5"), Decimal("2.5")]))

        def number(row: Row) -> Decimal | None:
            found = value(row)
            return None if found is None else Decimal(found)

        return text, number
    op = draw(st.sampled_from(["+", "-", "*", "/", "%", "div"]))
    # A remainder jumps where its operands are off by a rounding: only those of exact numbers can be predicted.
    inner = 0 if op in ("%", "div") else depth - 1
    left_text, left = draw(_sum(inner))
    right_text, right = draw(_sum(inner))
    return f"({left_text} {op} {right_text})", lambda row: _arithmetic(op, left(row), right(row))


@st.composite
def _computed(draw: st.DrawFn) -> Filter:
    left_text, left = draw(_sum())
    right_text, right = draw(_sum(1))
    # Quotients are rounded at different digits: look at the difference instead of equality.
    op, margin = draw(st.sampled_from([("<", Decimal("1e-9")), (">", Decimal("-1e-9"))]))

    def holds(row: Row) -> Truth:
        a, b = left(row), right(row)
        return None if a is None or b is None else OPERATORS[op](a - b, margin)

    return f"{left_text} - {right_text} {op} {margin:f}", holds


def _and(a: Truth, b: Truth) -> Truth:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def _or(a: Truth, b: Truth) -> Truth:
    return _not(_and(_not(a), _not(b)))


def _not(a: Truth) -> Truth:
    return None if a is None else not a


PREDICATES = st.one_of(_comparison(), _between(), _in(), _like(), _is_null(), _computed())


def _joined(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    def both(word: str, combine: Callable[[Truth, Truth], Truth]) -> Callable[[tuple[Filter, Filter]], Filter]:
        def join(pair: tuple[Filter, Filter]) -> Filter:
            (left_text, left), (right_text, right) = pair
            return f"({left_text}) {word} ({right_text})", lambda row: combine(left(row), right(row))

        return join

    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(both("AND", _and)),
        pairs.map(both("or", _or)),
        inner.map(lambda found: (f"NOT ({found[0]})", lambda row: _not(found[1](row)))),
    )


# AND binds tighter than OR, NOT tighter than AND, without a single parenthesis.
@st.composite
def _chain(draw: st.DrawFn) -> Filter:
    groups = draw(
        st.lists(st.lists(st.tuples(st.booleans(), _is_null()), min_size=1, max_size=3), min_size=1, max_size=3)
    )
    text = " OR ".join(
        " AND ".join(("NOT " if negated else "") + found[0] for negated, found in group) for group in groups
    )
    return text, lambda row: any(all(found[1](row) is not negated for negated, found in group) for group in groups)


FILTERS = st.one_of(st.recursive(PREDICATES, _joined, max_leaves=5), _chain())


@settings(
    max_examples=12 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(filter_=FILTERS)
async def test_the_same_rows(evaluated: Table, filter_: Filter) -> None:
    text, holds = filter_
    expected = [index for index, row in enumerate(ROWS, start=1) if holds(row) is True]
    assert await evaluated.ids(text) == expected, text
    as_json = normalise(parse(text))
    if evaluated.sql(as_json, "cql2-json").render() != evaluated.sql(text).render():
        assert await evaluated.ids(as_json, "cql2-json") == expected, text
