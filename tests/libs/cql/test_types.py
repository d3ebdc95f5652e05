"""Filters on columns of every type, with the index still in use."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.cql import CqlError, compile_filter, parse, queryable
from libs.pg.text_folding import TextFolding
from tests.libs.cql.conftest import Table, make_table
from tests.libs.cql.rows_of_every_type import UUIDS

SELECTS: list[tuple[str, list[int]]] = [
    ("small = 1", [1]),
    ("small = 1.0", [1]),
    ("small = 1.5", []),
    ("small > 1.5", [2]),
    ("small >= -2.5", [1, 2]),
    ("small < 1.5", [1, 3]),
    ("small <= -2.5", [3]),
    ("1.5 < small", [2]),
    ("1 > small AND 1 >= small", [3]),
    ("1 <= small AND 1 <> small", [2]),
    ("small <> 1.5", [1, 2, 3]),
    ("small < = 1 AND small < > 1", [3]),
    ("5 IN (4, 5) AND 'a' IN ('b', 'a') AND true IN (false, true)", [1, 2, 3, 4, 5]),
    ("DATE('2020-01-01') IN (DATE('2020-01-02'), TIMESTAMP('2020-01-01T10:00:00Z'))", [1, 2, 3, 4, 5]),
    ("small < 1e30", [1, 2, 3]),
    ("small <> 99999999999999999999999999", [1, 2, 3]),
    ("small IN (1, 2.0, 70000, 1e30)", [1, 2]),
    ("small NOT IN (1, 2.5)", [2, 3]),
    ("small BETWEEN 1 AND 2.5", [1, 2]),
    ("small NOT BETWEEN 1 AND 2.5", [3]),
    ("big = 9007199254740993", [1]),
    ("big > 9007199254740992", [1]),
    ("big IN (9007199254740993, 0.5)", [1]),
    ("big < 9223372036854775808 AND big >= -9223372036854775808", [1, 2, 3]),
    ("big > -9223372036854775809 AND big IN (-3, 9223372036854775808)", [3]),
    ("exact = 0.1", [1]),
    ("exact = 0.10000000000000000001", []),
    ("exact IN (0.1, -3)", [1, 3]),
    ("single = 0.1", [1]),
    ("single > 0.1", [2]),
    ("single < 1e300", [1, 2, 3]),
    ("single IN (0.1, 2.5)", [1, 2]),
    ("double = 0.1", [1]),
    ("double = whole", [3]),
    ("exact = double", [1, 2, 3]),
    ("words = 'abc'", [1]),
    ("words > 'abc'", [2, 3]),
    ("words > 'B'", [1, 2, 3]),
    ("words BETWEEN 'a' AND 'b'", [1]),
    ("words > short", [2, 3]),
    ("words < 'Ábc'", [1, 3]),
    ("words = 'it''s 100% \\\\ _'", [3]),
    ("words = 'it\\'s 100% \\ _'", [3]),
    ("words = 'it''s 100%\\n\\\\ _'", []),
    ("words LIKE '%100\\% \\\\\\\\ \\_'", [3]),
    ("words LIKE 'it\\'s 100\\%%'", [3]),
    ("words LIKE '_bc'", [1, 2]),
    ("words NOT LIKE '_bc'", [3]),
    ("NOT (words NOT LIKE '_bc') AND NOT NOT (words LIKE '_bc')", [1, 2]),
    ("NOT (small NOT IN (1, 2)) AND NOT (small NOT BETWEEN 1 AND 1) AND NOT (small IS NULL)", [1]),
    ("words NOT LIKE '%X' AND words NOT LIKE '% '", [1, 2, 3]),
    ("CASEI(words) = CASEI('áBC')", [2]),
    ("ACCENTI(words) = ACCENTI('Abc')", [2]),
    ("ACCENTI(CASEI(words)) = ACCENTI(CASEI('ÄBC'))", [1, 2]),
    ("CASEI('ΟΔΟΣ') = CASEI('οδος') AND CASEI('Straße') = CASEI('STRASSE')", [1, 2, 3, 4, 5]),
    ("CASEI(words) IN (CASEI('ABC'), CASEI('ÁBC'))", [1, 2]),
    ("CASEI(words) LIKE CASEI('%BC')", [1, 2]),
    ("CASEI(\"select\") = CASEI('SS')", [3]),
    ("short = 'abc'", [1]),
    ("short = 'abcd'", []),
    ("short IN ('abcd', 'x')", [2]),
    ("short LIKE '\\%\\_%'", [3]),
    ("fixed = 'abc'", [1]),
    ("fixed IN ('abc', 'x')", [1, 2]),
    ("fixed LIKE 'abc'", [1]),
    ("fixed > 'abc'", [2]),
    ("fixed <> 'abc'", [2, 3]),
    ("'abc' < fixed AND 'abc' <= fixed", [2]),
    ("folded = 'abc'", [1, 2]),
    ("folded <> 'abc'", [3]),
    ("words = short", [1]),
    ("words = fixed", [1]),
    ("flag = true", [1]),
    ("flag", [1]),
    ("NOT flag", [2]),
    ("flag < true", [2]),
    ("flag IN (true, false)", [1, 2]),
    ("flag = (small > 0)", [1]),
    ("day = DATE('2020-01-31')", [1]),
    ("day = DATE('9999-12-31')", [2]),
    ("day = DATE('0001-01-01')", [3]),
    ("day IN (DATE('9999-12-31'), DATE('2020-01-31'))", [1, 2]),
    ("day IN (DATE('2020-01-30'), DATE('2020-01-31'))", [1]),
    ("day > TIMESTAMP('2020-01-31T00:00:01Z')", [2]),
    ("day >= TIMESTAMP('2020-01-31T23:59:59Z')", [1, 2]),
    ("day < TIMESTAMP('9999-12-31T23:59:59.999999Z')", [1, 3]),
    ("at = TIMESTAMP('2020-01-31T12:00:00Z')", [1]),
    ("at = TIMESTAMP('2020-01-31T13:00:00+01:00')", [1]),
    ("at IN (TIMESTAMP('2020-01-31T12:00:00Z'), TIMESTAMP('2020-02-01T00:00:00Z'))", [1, 2]),
    ("at IN (TIMESTAMP('2020-01-31T12:00:00Z'), DATE('2020-02-01'))", [1, 2]),
    ("at = DATE('2020-01-31')", [1]),
    ("at <> DATE('2020-01-31')", [2, 3]),
    ("at > DATE('2020-01-31')", [2]),
    ("at >= DATE('2020-02-01')", [2]),
    ("at < DATE('2020-01-31')", [3]),
    ("at <= DATE('2020-01-31')", [1, 3]),
    ("at <= DATE('9999-12-31')", [1, 2, 3]),
    ("at > DATE('9999-12-31')", []),
    ("at BETWEEN DATE('2020-01-01') AND DATE('2020-01-31')", [1]),
    ("local = TIMESTAMP('2020-01-31T12:00:00Z')", [1]),
    ("local = DATE('2020-02-01')", [2]),
    ("local IN (TIMESTAMP('2020-01-31T12:00:00Z'))", [1]),
    ("local = at", [1, 2, 3]),
    ("day = at", [1]),
    ("local = day", [1]),
    (f"code = '{UUIDS[0]}'", [1]),
    (f"code = '{UUIDS[0].upper()}'", [1]),
    ("code = 'none'", []),
    (f"code IN ('{UUIDS[0]}', '{UUIDS[1]}')", [1, 2]),
    (f"code IN ('{UUIDS[0]}', 'none')", [1]),
    ("code LIKE '%3'", [3]),
    (f"code > '{UUIDS[0]}'", [2, 3]),
    ("mood = 'ok'", [3]),
    ("mood = 'none'", []),
    ("mood <> 'none'", [1, 2, 3]),
    ("mood IN ('ok', 'happy')", [2, 3]),
    ("mood IN ('ok', 'none')", [3]),
    ("mood > 'ok'", [1]),
    ("mood LIKE '%a%'", [1, 2]),
    ("doc = 'abc'", [1]),
    ("doc = 5", [2]),
    ("5 = doc", [2]),
    ("'abc' = doc OR true = doc", [1, 3]),
    ("doc > 4.5", [2]),
    ("doc IN (5, 6)", [2]),
    ("doc = true", [3]),
    ("doc", [3]),
    ("NOT doc OR doc = 5", [2]),
    ("doc LIKE 'a%'", [1]),
    ("CASEI(doc) = CASEI('ABC')", [1]),
    ("ACCENTI(raw) IN (ACCENTI('X'), ACCENTI('x'))", [3]),
    ("doc + 1 = 6", [2]),
    ("doc IS NULL", [4, 5]),
    ("doc IS NOT NULL", [1, 2, 3]),
    ("raw = 'x'", [3]),
    ("raw IS NULL", [4, 5]),
    ("doc = raw", [4]),
    ("doc <> raw", [1, 2, 3]),
    ("span = '1 day'", [1]),
    ("address IN ('10.0.0.1/32', '10.0.0.2/32')", [1, 2]),
    ('"we""ird $1 {x}" = 1', [1]),
    ('"we""ird $1 {x}" + 1 > 2', [2, 3]),
    ("\"select\" = 'from'", [1]),
    ('"émoji 🌊"', [1]),
    ('"émoji 🌊" = false', [2]),
    ("small IS NULL", [4, 5]),
    ("small + 1 IS NOT NULL", [1, 2, 3]),
    ("'a' IS NULL", []),
    ("true", [1, 2, 3, 4, 5]),
    ("false OR NOT true", []),
    ("NOT (small = 1 AND flag)", [2, 3]),
    ("1 = 1", [1, 2, 3, 4, 5]),
    ("'a' < 'b'", [1, 2, 3, 4, 5]),
    ("'a' IN (words, 'a')", [1, 2, 3, 4, 5]),
    ("DATE('2020-01-01') < TIMESTAMP('2020-01-01T10:00:00Z')", []),
    ("DATE('2020-01-01') <= DATE('2020-01-01') AND DATE('2020-01-01') >= DATE('2020-01-01')", [1, 2, 3, 4, 5]),
    ("DATE('2020-01-01') <> DATE('2020-01-02') AND DATE('2020-01-02') > DATE('2020-01-01')", [1, 2, 3, 4, 5]),
    ("DATE('2020-01-01') <> DATE('2020-01-01') OR DATE('2020-01-01') > DATE('2020-01-01')", []),
]


@pytest.mark.parametrize(("text", "expected"), SELECTS)
async def test_selects(types: Table, text: str, expected: list[int]) -> None:
    assert await types.ids(text) == expected


@pytest.fixture(params=[("east-14", "UTC"), ("west+12", "UTC"), ("UTC", "east-14"), ("east-14", "west+12")])
async def elsewhere(
    db: asyncpg.Connection, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    """The process, the session or both are in another time zone, hours ahead of UTC or behind."""
    process, session = request.param
    monkeypatch.setenv("TZ", process)
    time.tzset()
    await db.execute(f"SET TimeZone TO '{session}'")
    yield
    await db.execute("RESET TimeZone")
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("elsewhere")
async def test_the_time_zones_around_are_of_no_matter(types: Table) -> None:
    of_time = [(text, expected) for text, expected in SELECTS if re.search(r"\b(day|at|local)\b", text)]
    assert len(of_time) > 25
    for text, expected in of_time:
        assert await types.ids(text) == expected, text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("small + 1 = 2", [1]),
        ("7 / 2 = 3.5", [1, 2, 3, 4, 5]),
        ("small / 2 = 0.5", [1]),
        ("7 div 2 = 3", [1, 2, 3, 4, 5]),
        ("7 DIV 2 = 3", [1, 2, 3, 4, 5]),
        ("small div 2 = -1", [3]),
        ("double div 2 = 1", [2]),
        ("-7 % 3 = -1", [1, 2, 3, 4, 5]),
        ("small % 2 = -1", [3]),
        ("double % 2 = 0.5", [2]),
        ("-2^2 = 4", [1, 2, 3, 4, 5]),
        ("2^3^2 = 64", [1, 2, 3, 4, 5]),
        ("2*3+4*5-6/2 = 23", [1, 2, 3, 4, 5]),
        ("10-2-3 = 5", [1, 2, 3, 4, 5]),
        ("0.1+0.2 = 0.3", [1, 2, 3, 4, 5]),
        ("2^0.5 < 1.4143 AND 2^0.5 > 1.4142", [1, 2, 3, 4, 5]),
        ("small^2 = 9", [3]),
        ("small^0.5 = 1", [1]),
        ("small^0.5 IS NULL", [3, 4, 5]),
        ("(small-1)^(0-1) IS NULL", [1, 4, 5]),
        ("double^100000 IS NULL", [1, 2, 3, 4, 5]),
        ("((double^2)^2)^2 > 6000", [3]),
        # whole numbers and decimals exactly, others as floating point numbers are
        ("big + 1 = 9007199254740994", [1]),
        ("double + 0.2 = 0.3", []),
        ("single + single = 0.2", []),
        ("(big * 100000000000000000000 - 1) % 100000000000000000000 = 99999999999999999999", [1, 2]),
        ("(big * 100000000000000000000 - 1) div 100000000000000000000 = 9007199254740992", [1]),
        ("100000000000000000001 % 10 = 1 AND 1e300 % 7 < 7", [1, 2, 3, 4, 5]),
        ("1e300 % (1e-300 * 1e-300) = 0", [1, 2, 3, 4, 5]),
        ("1 % 0 IS NULL", [1, 2, 3, 4, 5]),
        ("double < 1.7e308 * 1", [1, 2, 3]),
        ("0^2 = 0 AND 0^0.5 = 0 AND 2^(0-1) = 0.5", [1, 2, 3, 4, 5]),
        ("(0-8)^(1/3) IS NULL", [1, 2, 3, 4, 5]),
        ("1/0 IS NULL", [1, 2, 3, 4, 5]),
        ("1/0 + 1 IS NULL AND 1 - 1/0 IS NULL AND 2^(1/0) IS NULL", [1, 2, 3, 4, 5]),
        ("small/(small-1) IS NULL", [1, 4, 5]),
        ("small%(small-1) IS NULL", [1, 4, 5]),
        ("double div (small-1) IS NULL", [1, 4, 5]),
        ("double%(small-1) IS NULL", [1, 4, 5]),
        ("small = 1/0", []),
        ("small IN (1/0, 1)", [1]),
        ("0^(-1) IS NULL", [1, 2, 3, 4, 5]),
        ("0^0 = 1", [1, 2, 3, 4, 5]),
        ("(small*0)^0 = 1", [1, 2, 3]),
        ("big*big*big*big > 1e60", [1, 2]),
        ("- small = 3", [3]),
        ("small > - 2 AND -small < -1", [2]),
    ],
)
async def test_arithmetic(types: Table, text: str, expected: list[int]) -> None:
    assert await types.ids(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("owner = 4000000000 AND owner + 1 > 4000000000", [1]),
        ("owner IN (7, 8.5)", [2]),
        ("price = 1.5 AND price * 2 = 3", [1]),
        ("price > 1.5 AND price < 2.5", [2]),
        ("A_CONTAINS(owners, (4000000000, 7))", [1]),
        ("A_EQUALS(prices, (1.5))", [1]),
        ("A_OVERLAPS(prices, (2, 3))", [2]),
    ],
)
async def test_what_is_a_number_to_clients_alone_is_computed_as_one(
    db: asyncpg.Connection, text: str, expected: list[int]
) -> None:
    columns = {"owner": "oid", "price": "money", "owners": "oid[]", "prices": "money[]"}
    rows = [("4000000000", "1.50", "{7,4000000000}", "{1.50}"), ("7", "2", "{7}", "{2}")]
    assert await (await make_table(db, "other_numbers", columns, rows)).ids(text) == expected


@pytest.mark.parametrize(
    ("column", "member"),
    [
        *(("whole", "5"), ("big", "5.5"), ("single", "0.1"), ("double", "5"), ("exact", "0.1"), ("whole", "5, 5.5")),
        *(("words", "'a'"), ("short", "'a'"), ("fixed", "'a'"), ("folded", "'a'"), ("code", f"'{UUIDS[0]}'")),
        *(("mood", "'ok'"), ("address", "'::1'"), ("day", "DATE('2020-01-31')")),
        *(("at", "TIMESTAMP('2020-01-31T00:00:00Z')"), ("local", "TIMESTAMP('2020-01-31T00:00:00Z')")),
    ],
)
def test_a_list_is_one_parameter(types: Table, column: str, member: str) -> None:
    one, args = types.sql(f"{column} IN ({member})").render()
    two, more = types.sql(f"{column} IN ({member}, {member})").render()
    assert (one, len(args), len(more)) == (two, 1, 1)


def test_deep_arithmetic_keeps_its_size(types: Table) -> None:
    nested = "whole"
    for _ in range(50):
        nested = f"({nested} ^ double)"
    text, _ = types.sql(f"{nested} > 1").render()
    assert len(text) < 50 * 500


def test_what_the_database_cannot_do_is_not_offered() -> None:
    words = {"words": queryable("words", "text")}
    for name, folding in (("CASEI", TextFolding(case=None)), ("ACCENTI", TextFolding(accents=None))):
        filter_ = parse(f"{name}(words) = 'a'")
        assert '"words"' in compile_filter(filter_, words).render()[0]
        with pytest.raises(CqlError, match=f"does not offer {name}: its database cannot do it"):
            compile_filter(filter_, words, folding=folding)


def test_values_never_reach_the_text(types: Table) -> None:
    hostile = "'); DROP TABLE types; --"
    text, args = types.sql(f"words = '{hostile.replace(chr(39), chr(39) * 2)}'").render()
    assert hostile in args
    assert "DROP" not in text
