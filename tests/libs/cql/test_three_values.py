"""Unknown is neither true nor false: of arrays with unknown members, and of rows that cannot be computed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import asyncpg
import pytest

from libs.cql import CqlError, parse
from tests.libs.cql.conftest import Table, make_table
from tests.libs.cql.plain_evaluation import contains, equal, overlaps

ARRAYS: list[list[int | None] | None] = [None, [], [1], [2], [1, 2], [1, None], [None], [1, 2, 3], [2, None]]
Truth = bool | None


PREDICATES: dict[str, Callable[[list[int | None] | None, list[int | None] | None], Truth]] = {
    "A_CONTAINS": contains,
    "A_CONTAINEDBY": lambda a, b: contains(b, a),
    "A_EQUALS": equal,
    "A_OVERLAPS": overlaps,
}


@pytest.fixture(scope="module")
async def sets(db: asyncpg.Connection) -> Table:
    """Every pair of arrays, as arrays and as JSON; `one` is 1, `nothing` null."""
    columns = {"a": "integer[]", "b": "integer[]", "c": "bigint[]", "one": "integer", "nothing": "integer"}
    rows = [
        (*(None if side is None else _array(side) for side in (a, b, b)), "1", None, None, None)
        for a, b in product(ARRAYS, ARRAYS)
    ]
    table = await make_table(db, "three_values", columns | {"j": "jsonb", "k": "jsonb"}, rows)
    await db.execute("UPDATE three_values SET j = to_jsonb(a), k = to_jsonb(b)")
    return table


def _array(members: list[int | None]) -> str:
    return "{" + ",".join("NULL" if member is None else str(member) for member in members) + "}"


async def truths(table: Table, text: str) -> list[Truth]:
    """Return the value of a filter for each row."""
    where, args = table.sql(text).render()
    return [row[0] for row in await table.db.fetch(f"SELECT {where} FROM {table.name} ORDER BY id", *args)]  # noqa: S608


@pytest.mark.parametrize("name", PREDICATES)
@pytest.mark.parametrize(("left", "right"), [("a", "b"), ("a", "c"), ("j", "k")])
async def test_of_two_columns(sets: Table, name: str, left: str, right: str) -> None:
    expected = [PREDICATES[name](a, b) for a, b in product(ARRAYS, ARRAYS)]
    assert await truths(sets, f"{name}({left}, {right})") == expected
    negated = [None if truth is None else not truth for truth in expected]
    assert await truths(sets, f"NOT {name}({left}, {right})") == negated


@pytest.mark.parametrize("name", PREDICATES)
@pytest.mark.parametrize("column", ["a", "j"])
@pytest.mark.parametrize(
    ("literal", "members"),
    [
        ("()", []),
        ("(1)", [1]),
        ("(2, 1)", [2, 1]),
        ("(one, 2)", [1, 2]),
        ("(nothing, 1)", [None, 1]),
        ("(1/0)", [None]),
    ],
)
async def test_of_a_column_and_a_literal(
    sets: Table, name: str, column: str, literal: str, members: list[int | None]
) -> None:
    expected = [PREDICATES[name](a, members) for a, _ in product(ARRAYS, ARRAYS)]
    assert await truths(sets, f"{name}({column}, {literal})") == expected
    flipped = [PREDICATES[name](members, a) for a, _ in product(ARRAYS, ARRAYS)]
    assert await truths(sets, f"{name}({literal}, {column})") == flipped


@pytest.mark.parametrize("name", PREDICATES)
async def test_of_two_literals(sets: Table, name: str) -> None:
    read: dict[str, list[int | None]] = {
        **{"()": [], "(2)": [2], "(1, 2)": [1, 2], "(one)": [1]},
        **{"(nothing)": [None], "(1/0)": [None], "(1, 1/0)": [1, None]},
    }
    for a, b in product(read, read):
        expected = PREDICATES[name](read[a], read[b])
        assert set(await truths(sets, f"{name}({a}, {b})")) == {expected}, (a, b)


async def test_what_is_no_array_is_unknown(db: asyncpg.Connection) -> None:
    values = ['{"a": 1}', "null", '"1"', "[1]", "[[1]]"]
    table = await make_table(db, "no_arrays", {"j": "jsonb"}, [(value,) for value in values])
    assert await truths(table, "A_CONTAINS(j, (1))") == [None, None, None, True, False]
    assert await table.ids("NOT A_CONTAINS(j, (1))") == [5]
    assert await table.ids("NOT A_OVERLAPS(j, (2))") == [4, 5]


async def test_an_index_serves_what_is_not_negated(db: asyncpg.Connection) -> None:
    await db.execute(
        "CREATE TABLE many_sets AS SELECT n AS id, ARRAY[n, n + 1] AS a, jsonb_build_array(n) AS j"
        " FROM generate_series(1, 20000) n;"
        "CREATE INDEX ON many_sets USING gin (a); CREATE INDEX ON many_sets USING gin (j jsonb_path_ops);"
        "ANALYZE many_sets"
    )
    table = await make_table(db, "template_of_sets", {"a": "integer[]", "j": "jsonb"}, [])
    many = Table(db, "many_sets", table.queryables)
    for filter_ in (
        *("A_CONTAINS(a, (5))", "A_OVERLAPS(a, (5, 6))", "A_EQUALS(a, (5, 6))", "id = 1 OR A_CONTAINS(a, (5))"),
        *("A_CONTAINS(j, (5))", "A_OVERLAPS(j, (5, 6))", "A_CONTAINS(a, (5)) AND A_CONTAINS(j, (5))"),
    ):
        await db.execute("CREATE INDEX IF NOT EXISTS many_sets_id ON many_sets (id)")
        assert "Bitmap Index Scan" in await many.plan(filter_), filter_
    assert await many.ids("A_OVERLAPS(a, (5, 6))") == [4, 5, 6]


async def test_a_row_that_cannot_be_computed_costs_itself(db: asyncpg.Connection) -> None:
    values = ["1e308", "-1e308", "1e-308", "0", "2", "Infinity", "NaN", None]
    numbers = ["1e400", "1e-400", "-1e400", "0", "2", "Infinity", "NaN", None]
    rows = [(value, number) for value, number in zip(values, numbers, strict=True)]
    table = await make_table(db, "overflowing", {"f": "double precision", "n": "numeric"}, rows)
    assert await table.ids("f * f = 4") == [5]
    assert await table.ids("f * 10 = 20") == [5]
    assert await table.ids("f + f = 4") == [5]
    assert await table.ids("f - (0 - f) = 4") == [5]
    assert await table.ids("f / 1e-300 > 0 AND f < 10") == [3, 5]
    assert await table.ids("1 / f = 0.5") == [5]
    assert await table.ids("f % 1e-300 < 1 AND f > 1e-9") == [5]
    assert await table.ids("f % 3 = 2 AND f < 10") == [5]
    assert await table.ids("f div 1.5 = 1") == [5]
    assert await table.ids("f ^ 2 = 4 AND n ^ 2 = 4") == [5]
    assert await table.ids("f ^ f = 4") == [5]
    assert await table.ids("1.0000000000000002 ^ f = 1 AND f < 1") == [3, 4]
    assert await table.ids("f * n = 4") == [5]
    assert await table.ids("f * f * f * f = 16") == [5]
    # what clients see as null is unknown: infinity, NaN, and a numeric beyond the doubles; 1e-400 is next to nothing
    assert await table.ids("f < n") == [2]
    assert await table.ids("n = f") == [4, 5]
    assert await table.ids("f IS NULL") == [6, 7, 8]
    assert await table.ids("n IS NULL") == [1, 3, 6, 7, 8]
    assert await table.ids("f * f = 0") == [3, 4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"words = 'a\tb\n\\'", [1]),
        (r"words LIKE 'a\tb%'", [1]),
        (r"words = '\a\b\v\f\r'", [2]),
        (r"words = '\q\%'", [3]),
        (r"words LIKE '\\q\\\%' OR words LIKE '%\\%'", [3]),
        (r"words LIKE '%\\\\'", [1]),
        ("S_INTERSECTS(geom, POINTZ(1 1 9)) AND S_WITHIN(geom, POLYGON Z((0 0 1, 2 0 1, 2 2 1, 0 2 1, 0 0 1)))", [1]),
        ("INTERVAL(since, until) IS NULL", [2, 3]),
        ("INTERVAL(since, '..') IS NOT NULL", [1, 2]),
        ("INTERVAL('..', '..') IS NULL OR INTERVAL('2020-01-01', '..') IS NULL", []),
    ],
)
async def test_escapes_elevations_and_intervals(db: asyncpg.Connection, text: str, expected: list[int]) -> None:
    columns = {"words": "text", "since": "date", "until": "date", "geom": "geometry(Point, 4326)"}
    point = "SRID=4326;POINT(1 1)"
    rows = [
        ("a\tb\n\\", "2020-01-01", "2020-02-01", point),
        ("\a\b\v\f\r", "2020-01-01", None, None),
        ("\\q\\%", None, None, None),
    ]
    table = await make_table(db, "escapes", columns, rows)
    assert await table.ids(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(one = 1 AND other = 1) IS NULL", [3, 7, 9]),
        ("(one = 1 OR other = 1) IS NULL", [6, 8, 9]),
        ("(one = 1 OR other = 1) IS NOT NULL", [1, 2, 3, 4, 5, 7]),
        ("(NOT one = 1) IS NULL", [7, 8, 9]),
        ("(one < other) IS NULL", [3, 6, 7, 8, 9]),
        ("(one IS NULL) IS NULL", []),
        ("NOT (one = 1 AND other = 1) IS NULL", [1, 2, 4, 5, 6, 8]),
        ("(one = 1 OR other = 1) = (one < other)", [2, 5]),
        ("(one = 1 AND other = 1) IN (one = other, false)", [1, 2, 4, 5, 6, 8]),
    ],
)
async def test_a_condition_is_an_operand_as_any_other(db: asyncpg.Connection, text: str, expected: list[int]) -> None:
    table = await make_table(
        db, "unknown", {"one": "integer", "other": "integer"}, list(product(["1", "2", None], repeat=2))
    )
    assert await table.ids(text) == expected


def test_a_pattern_has_a_length() -> None:
    long = "a" * 257
    parse(f"words LIKE '{long[1:]}'")
    table = Table(None, "none", {})
    for written, position in ((f"'x' LIKE '{long}'", 9), (f"CASEI('x') LIKE CASEI('{long}')", 16)):
        with pytest.raises(CqlError) as caught:
            table.sql(written)
        assert (caught.value.position, caught.value.message) == (
            position,
            "a pattern may have 256 characters, this one has 257",
        )
