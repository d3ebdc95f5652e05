"""T_ functions against the definitions of OWL-Time, evaluated in Python."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from itertools import product

import asyncpg
import pytest

from libs.cql import CqlError, datetime_predicate, lasting_predicate, queryable
from libs.ogc.temporal import Interval, parse_interval
from tests.libs.cql.conftest import Table, make_table

DAYS = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04", None]
SPANS = [pair for pair in product(DAYS, DAYS) if not (pair[0] and pair[1] and pair[0] > pair[1])]

Definition = Callable[..., bool]  # of four dates: s1, e1, s2, e2
DEFINITIONS: dict[str, Definition] = {
    "T_AFTER": lambda s1, e1, s2, e2: s1 > e2,
    "T_BEFORE": lambda s1, e1, s2, e2: e1 < s2,
    "T_CONTAINS": lambda s1, e1, s2, e2: s1 < s2 and e1 > e2,
    "T_DISJOINT": lambda s1, e1, s2, e2: e1 < s2 or s1 > e2,
    "T_DURING": lambda s1, e1, s2, e2: s1 > s2 and e1 < e2,
    "T_EQUALS": lambda s1, e1, s2, e2: s1 == s2 and e1 == e2,
    "T_FINISHEDBY": lambda s1, e1, s2, e2: s1 < s2 and e1 == e2,
    "T_FINISHES": lambda s1, e1, s2, e2: s1 > s2 and e1 == e2,
    "T_INTERSECTS": lambda s1, e1, s2, e2: s1 <= e2 and e1 >= s2,
    "T_MEETS": lambda s1, e1, s2, e2: e1 == s2,
    "T_METBY": lambda s1, e1, s2, e2: s1 == e2,
    "T_OVERLAPPEDBY": lambda s1, e1, s2, e2: s2 < s1 < e2 < e1,
    "T_OVERLAPS": lambda s1, e1, s2, e2: s1 < s2 < e1 < e2,
    "T_STARTEDBY": lambda s1, e1, s2, e2: s1 == s2 and e1 > e2,
    "T_STARTS": lambda s1, e1, s2, e2: s1 == s2 and e1 < e2,
}
INSTANTS = ("T_AFTER", "T_BEFORE", "T_DISJOINT", "T_EQUALS", "T_INTERSECTS")


@pytest.fixture(scope="session")
async def spans(db: asyncpg.Connection) -> Table:
    columns = {"first": "date", "last": "date", "opens": "timestamptz", "closes": "timestamp"}
    return await make_table(db, "spans", columns, [(start, end, start, end) for start, end in SPANS])


def _expected(definition: Definition, start: date, end: date, *, reverse: bool = False) -> list[int]:
    ids = []
    for index, (first, last) in enumerate(SPANS, start=1):
        if first is None or last is None:
            continue
        own = (date.fromisoformat(first), date.fromisoformat(last))
        ends = (start, end, *own) if reverse else (*own, start, end)
        if definition(*ends):
            ids.append(index)
    return ids


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("columns", ["first,last", "opens,closes"])
async def test_intervals(spans: Table, name: str, columns: str) -> None:
    for start, end in SPANS:
        low, high = start or "..", end or ".."
        if columns == "opens,closes":
            low, high = (bound if bound == ".." else f"{bound}T00:00:00Z" for bound in (low, high))
        literal = f"INTERVAL('{low}', '{high}')"
        bounds = (date.fromisoformat(start or "0001-01-01"), date.fromisoformat(end or "9999-12-31"))
        found = await spans.ids(f"{name}(INTERVAL({columns}), {literal})")
        # A row with an unknown end matches nothing for sure, but one end may be enough to rule it out or in.
        known = [index for index in found if None not in SPANS[index - 1]]
        assert known == _expected(DEFINITIONS[name], *bounds), literal
        found = await spans.ids(f"{name}({literal}, INTERVAL({columns}))")
        known = [index for index in found if None not in SPANS[index - 1]]
        assert known == _expected(DEFINITIONS[name], *bounds, reverse=True), literal


@pytest.mark.parametrize("name", INSTANTS)
@pytest.mark.parametrize(("column", "other"), [("first", "last"), ("opens", "closes")])
async def test_instants(spans: Table, name: str, column: str, other: str) -> None:
    literals = {"first": "DATE('2020-01-02')", "opens": "TIMESTAMP('2020-01-02T00:00:00Z')"}
    day = date(2020, 1, 2)
    for index, (start, _) in enumerate(SPANS, start=1):
        expected = start is not None and DEFINITIONS[name](*[date.fromisoformat(start)] * 2, day, day)
        assert (index in await spans.ids(f"{name}({column}, {literals[column]})")) == expected
    by_properties = await spans.ids(f"{name}({column}, {other})")
    pairs = {index: pair for index, pair in enumerate(SPANS, start=1) if None not in pair}
    assert by_properties == [
        index
        for index, (a, b) in pairs.items()
        if a and b and DEFINITIONS[name](*(map(date.fromisoformat, (a, a, b, b))))
    ]


@pytest.mark.parametrize("name", sorted(set(DEFINITIONS) - set(INSTANTS)))
async def test_only_intervals(spans: Table, name: str) -> None:
    with pytest.raises(CqlError, match="takes intervals only"):
        spans.sql(f"{name}(first, INTERVAL('2020-01-01', '..'))")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A date beside a timestamp is its whole day.
        ("T_INTERSECTS(opens, INTERVAL('2020-01-03', '2020-01-03'))", "2020-01-03"),
        ("T_EQUALS(opens, DATE('2020-01-03'))", "2020-01-03"),
        ("T_INTERSECTS(first, TIMESTAMP('2020-01-03T15:00:00Z'))", "2020-01-03"),
        ("T_INTERSECTS(first, INTERVAL('2020-01-03T10:00:00Z', '2020-01-03T11:00:00Z'))", "2020-01-03"),
        ("opens = DATE('2020-01-03')", "2020-01-03"),
    ],
)
async def test_dates_beside_timestamps(spans: Table, text: str, expected: str) -> None:
    assert await spans.ids(text) == [index for index, (start, _) in enumerate(SPANS, start=1) if start == expected]


@pytest.mark.parametrize(
    ("text", "side", "days"),
    [
        ("T_FINISHES(INTERVAL(first, '..'), INTERVAL('2020-01-02', '..'))", 0, ["2020-01-03", "2020-01-04"]),
        ("T_DURING(INTERVAL(first, '..'), INTERVAL('2020-01-02', '..'))", 0, []),
        ("T_STARTS(INTERVAL('..', last), INTERVAL('..', '2020-01-03'))", 1, ["2020-01-01", "2020-01-02"]),
        ("T_OVERLAPS(INTERVAL('..', closes), INTERVAL('..', '2020-01-03'))", 1, []),
        ("T_MEETS(INTERVAL(first, '..'), INTERVAL('..', last))", 0, []),
        ("T_INTERSECTS(INTERVAL(opens, '..'), INTERVAL('2020-01-02', '..'))", 0, DAYS[:4]),
        ("T_DISJOINT(INTERVAL(first, '..'), INTERVAL('2020-01-02', '..'))", 0, []),
        ("T_CONTAINS(INTERVAL('..', '..'), INTERVAL(first, first))", 0, DAYS[:4]),
        ("T_AFTER(INTERVAL(closes, closes), INTERVAL('..', '2020-01-03'))", 1, ["2020-01-04"]),
    ],
)
async def test_open_ends(spans: Table, text: str, side: int, days: list[str]) -> None:
    assert await spans.ids(text) == [index for index, pair in enumerate(SPANS, start=1) if pair[side] in days]


@pytest.mark.parametrize("column", ["at", "local", "day"])
async def test_the_ends_of_the_calendar_are_not_infinity(db: asyncpg.Connection, column: str) -> None:
    kinds = {"at": "timestamptz", "local": "timestamp", "day": "date"}
    ends = ["-infinity", "0001-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "infinity"]
    table = await make_table(db, f"ends_{column}", {column: kinds[column]}, [(end,) for end in ends])
    first, last = ("DATE('0001-01-01')", "DATE('9999-12-31')")
    if column != "day":
        first, last = ("TIMESTAMP('0001-01-01T00:00:00Z')", "TIMESTAMP('9999-12-31T23:59:59.999999Z')")
    for condition, expected in {
        f"{column} = {last}": [4],
        f"{column} > {last}": [],
        f"{column} IS NULL": [1, 5],
        f"{column} IN ({first}, {last})": [2, 4],
        f"{column} = {first}": [2],
        f"{column} < {first}": [],
        f"{column} > DATE('9999-12-31')": [],
        f"{column} < DATE('0001-01-01')": [],
        f"T_AFTER({column}, INTERVAL('..', '9999-12-31'))": [],
    }.items():
        assert await table.ids(condition) == expected, condition


@pytest.mark.parametrize("column", ["first", "opens", "closes"])
@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2020-01-02", ["2020-01-02"]),
        ("2020-01-02T00:00:00Z", ["2020-01-02"]),
        ("2020-01-02T02:00:00+02:00", ["2020-01-02"]),
        ("2020-01-02/2020-01-03", ["2020-01-02", "2020-01-03"]),
        ("2020-01-02T00:00:00Z/2020-01-03T00:00:00Z", ["2020-01-02", "2020-01-03"]),
        ("../2020-01-02", ["2020-01-01", "2020-01-02"]),
        ("2020-01-03/", ["2020-01-03", "2020-01-04"]),
        ("0001-01-01/9999-12-31", ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]),
    ],
)
async def test_datetime_parameter(spans: Table, column: str, text: str, days: list[str]) -> None:
    found = await spans.ids(datetime_predicate(spans.queryables[column], parse_interval(text)))
    side = 1 if column == "closes" else 0
    # one without a time matches, unless there are said to be none
    assert found == [index for index, pair in enumerate(SPANS, start=1) if not pair[side] or pair[side] in days]
    found = await spans.ids(datetime_predicate(spans.queryables[column], parse_interval(text), not_null=True))
    assert found == [index for index, pair in enumerate(SPANS, start=1) if pair[side] in days]


@pytest.mark.parametrize("columns", [("first", "last"), ("opens", "closes"), ("first", "closes")])
@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("2020-01-02", "2020-01-02", "2020-01-02"),
        ("2020-01-02/2020-01-03", "2020-01-02", "2020-01-03"),
        ("../2020-01-02", "", "2020-01-02"),
        ("2020-01-03/..", "2020-01-03", "9"),
    ],
)
async def test_rows_that_last(spans: Table, columns: tuple[str, str], text: str, low: str, high: str) -> None:
    pairs = dict(enumerate(SPANS, start=1))
    # a row without an end goes on, one without a start has always been, one without either always matches
    lasting = [index for index, (start, end) in pairs.items() if (start or "") <= high and (end or "9") >= low]
    start, end = (spans.queryables[column] for column in columns)
    assert await spans.ids(lasting_predicate(start, end, parse_interval(text))) == lasting
    for known in product([False, True], repeat=2):
        # a column declared without nulls is not checked for them; rows with nulls do not count here
        condition = lasting_predicate(start, end, parse_interval(text), start_not_null=known[0], end_not_null=known[1])
        for column, is_known in zip(columns, known, strict=True):
            assert not is_known or f'"{column}" IS' not in condition.render()[0]
        allowed = [index for index, pair in pairs.items() if all(pair[side] or not known[side] for side in (0, 1))]
        assert [i for i in await spans.ids(condition) if i in allowed] == [i for i in lasting if i in allowed]


def test_datetime_parameter_needs_a_time(spans: Table) -> None:
    with pytest.raises(ValueError, match="not a date or timestamp"):
        datetime_predicate(spans.queryables["id"], Interval(datetime(2020, 1, 1, tzinfo=UTC), None))


RANGES: list[tuple[object, ...]] = [
    ("[2020-01-01,2020-01-11)", "[2020-01-01 00:00:00,2020-01-11 00:00:00)", "[2020-01-01T00:00Z,2020-01-11T00:00Z]"),
    ("(,2020-01-01)", "(,2020-01-01 00:00:00]", "(,2020-01-01T00:00Z)"),
    ("(2020-01-20,)", "(2020-01-20 00:00:00,)", "[2020-01-20T00:00Z,)"),
    ("empty", "empty", "empty"),
    (None, None, None),
]


@pytest.fixture(scope="module")
async def ranges(db: asyncpg.Connection) -> Table:
    return await make_table(db, "ranges", {"days": "daterange", "plain": "tsrange", "zoned": "tstzrange"}, RANGES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T_INTERSECTS(days, DATE('2020-01-10'))", [1]),
        ("T_INTERSECTS(days, INTERVAL('2020-01-11', '2020-01-20'))", []),
        ("T_INTERSECTS(days, INTERVAL('2019-12-31', '2020-01-01'))", [1, 2]),
        ("T_EQUALS(days, INTERVAL('2020-01-01', '2020-01-10'))", [1]),
        ("T_EQUALS(days, INTERVAL('2020-01-21', '..'))", [3]),
        ("T_EQUALS(days, INTERVAL('..', '2019-12-31'))", [2]),
        ("T_DISJOINT(days, DATE('2020-01-05'))", [2, 3]),
        ("T_EQUALS(plain, INTERVAL('2020-01-01T00:00:00Z', '2020-01-10T23:59:59.999999Z'))", [1]),
        ("T_EQUALS(plain, INTERVAL('2020-01-20T00:00:00.000001Z', '..'))", [3]),
        ("T_EQUALS(plain, INTERVAL('..', '2020-01-01T00:00:00Z'))", [2]),
        ("T_EQUALS(zoned, INTERVAL('2020-01-01T00:00:00Z', '2020-01-11T00:00:00Z'))", [1]),
        ("T_EQUALS(zoned, INTERVAL('..', '2019-12-31T23:59:59.999999Z'))", [2]),
        ("T_EQUALS(zoned, INTERVAL('2020-01-20T00:00:00Z', '..'))", [3]),
    ],
)
async def test_a_range_is_an_interval_closed_at_both_ends(ranges: Table, text: str, expected: list[int]) -> None:
    assert await ranges.ids(text) == expected


@pytest.mark.parametrize("column", ["days", "plain", "zoned"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-01-10T12:00:00Z/2020-01-10T13:00:00Z", [1]),
        ("2020-01-02/2020-01-03", [1]),
        ("2020-01-10/2020-01-25", [1, 3]),
        ("../2019-01-01", [2]),
        ("2020-02-01/..", [3]),
        ("2020-01-12/2020-01-18", []),
    ],
)
async def test_a_range_meets_an_interval(ranges: Table, column: str, text: str, expected: list[int]) -> None:
    found = datetime_predicate(ranges.queryables[column], parse_interval(text), not_null=True)
    assert await ranges.ids(found) == expected
    assert await ranges.ids(datetime_predicate(ranges.queryables[column], parse_interval(text))) == [*expected, 5]


async def test_a_range_that_ends_at_a_moment_meets_it(ranges: Table) -> None:
    moment = parse_interval("2020-01-11T00:00:00Z")
    for column, expected in (("plain", []), ("zoned", [1])):
        assert await ranges.ids(datetime_predicate(ranges.queryables[column], moment, not_null=True)) == expected


def test_what_lasts_has_times_at_both_ends() -> None:
    day, number = queryable("day", "date"), queryable("number", "integer")
    for start, end in ((day, number), (number, day)):
        with pytest.raises(ValueError, match=r"^number is not a date or timestamp$"):
            lasting_predicate(start, end, parse_interval("2020-01-01"))
    with pytest.raises(ValueError, match=r"^number is not a date or timestamp$"):
        datetime_predicate(number, parse_interval("2020-01-01"))
