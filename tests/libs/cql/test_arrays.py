"""A_ functions: arrays as sets."""

from __future__ import annotations

import asyncpg
import pytest

from tests.libs.cql.conftest import Table, make_table

COLUMNS = {
    "tags": "text[]",
    "labels": "text[]",
    "shorts": "character varying(5)[]",
    "sizes": "integer[]",
    "exact": "numeric[]",
    "single": "real[]",
    "flags": "boolean[]",
    "days": "date[]",
    "times": "timestamptz[]",
    "codes": "uuid[]",
    "doc": "jsonb",
    "raw": "json",
    "name": "text",
    "addresses": "inet[]",
}
UUID = "00000000-0000-4000-8000-000000000001"
ROWS: list[tuple[object, ...]] = [
    (
        "{a,b,a}",
        "{a}",
        "{a,b}",
        "{1,2}",
        "{0.1,2}",
        "{0.1,2}",
        "{t}",
        "{2020-01-01}",
        "{2020-01-01T00:00:00Z}",
        f"{{{UUID}}}",
        '["a","b"]',
        '["a",1,true]',
        "a",
        "{10.0.0.1}",
    ),
    (
        "{b}",
        "{b,c}",
        "{b}",
        "{2}",
        "{2}",
        "{2}",
        "{t,f}",
        "{9999-12-31}",
        "{2020-01-02T00:00:00Z}",
        "{}",
        '["b"]',
        '"b"',
        "b",
        "{}",
    ),
    ("{}", "{}", "{}", "{}", "{}", "{}", "{}", "{}", "{}", "{}", "[]", "[]", "", "{}"),
    (None,) * len(COLUMNS),
]


@pytest.fixture(scope="session")
async def arrays(db: asyncpg.Connection) -> Table:
    return await make_table(db, "arrays", COLUMNS, ROWS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A_CONTAINS(tags, ('a', 'b'))", [1]),
        ("A_CONTAINS(tags, ('b'))", [1, 2]),
        ("A_CONTAINS(tags, ())", [1, 2, 3]),
        ("A_CONTAINEDBY(tags, ('b', 'c'))", [2, 3]),
        ("A_EQUALS(tags, ('b', 'a'))", [1]),
        ("A_EQUALS(tags, ())", [3]),
        ("A_OVERLAPS(tags, ('a', 'x'))", [1]),
        ("A_CONTAINS(('a', 'b'), tags)", [1, 2, 3]),
        ("A_CONTAINEDBY(('a', 'b'), tags)", [1]),
        ("A_EQUALS(('b'), tags)", [2]),
        ("NOT A_OVERLAPS(tags, ('a'))", [2, 3]),
        ("A_CONTAINS(tags, (name))", [1, 2]),
        ("A_OVERLAPS(tags, (name, 'zzz'))", [1, 2]),
        ("A_CONTAINS(shorts, ('a'))", [1]),
        ("A_CONTAINS(shorts, ('too long'))", []),
        ("A_CONTAINS(tags, labels)", [1, 3]),
        ("A_CONTAINEDBY(tags, labels)", [2, 3]),
        ("A_EQUALS(tags, labels)", [3]),
        ("A_OVERLAPS(tags, labels)", [1, 2]),
        ("A_EQUALS(tags, shorts)", [1, 2, 3]),
        ("A_CONTAINS(labels, shorts)", [2, 3]),
        ("A_CONTAINEDBY(labels, shorts)", [1, 3]),
        ("A_CONTAINS(sizes, (1, 2.0))", [1]),
        ("A_CONTAINS(sizes, (1, 2.5))", []),
        ("A_OVERLAPS(sizes, (1, 2.5, 99999999999))", [1]),
        ("A_EQUALS(sizes, exact)", [2, 3]),
        ("A_CONTAINS(exact, (0.1))", [1]),
        ("A_CONTAINS(single, (0.1))", [1]),
        ("A_CONTAINS(flags, (false))", [2]),
        ("A_CONTAINS(days, (DATE('2020-01-01')))", [1]),
        ("A_CONTAINS(days, (DATE('9999-12-31')))", [2]),
        ("A_OVERLAPS(times, (TIMESTAMP('2020-01-02T00:00:00Z'), TIMESTAMP('2021-01-02T00:00:00Z')))", [2]),
        (f"A_CONTAINS(codes, ('{UUID}'))", [1]),
        ("A_CONTAINS(codes, ('none'))", []),
        ("A_CONTAINS(doc, ('a'))", [1]),
        ("A_EQUALS(doc, ('b', 'a'))", [1]),
        ("A_CONTAINEDBY(doc, ('a', 'b', 'c'))", [1, 2, 3]),
        ("A_OVERLAPS(doc, ('a', 'x'))", [1]),
        ("A_CONTAINS(doc, (name))", [1, 2]),
        ("A_CONTAINS(raw, ('a', 1, TRUE))", [1]),
        ("A_CONTAINEDBY(raw, ('b'))", [3]),
        ("A_CONTAINS(addresses, ('10.0.0.1/32'))", [1]),
        ("A_EQUALS((1, 2), (2, 1, 1))", [1, 2, 3, 4]),
        ("A_CONTAINS((1, 'a', true), (true))", [1, 2, 3, 4]),
        ("A_OVERLAPS((1), (true))", []),
        ("A_OVERLAPS((name, 'x'), ('a'))", [1]),
        ("tags IS NULL", [4]),
    ],
)
async def test_selects(arrays: Table, text: str, expected: list[int]) -> None:
    assert await arrays.ids(text) == expected
