"""Patterns of LIKE: what they match, and that a long one ends soon on long texts."""

from __future__ import annotations

import re

import asyncpg
import pytest

from libs.cql import CqlError, parse
from libs.pg.pool import PoolSettings
from tests.libs.cql.conftest import Table, make_table

LONG = "the quick brown fox jumps"
SIGNS = ".*+?^$|()[]{}" + LONG
TEXTS = [
    *(None, "", LONG, f"x{LONG}", f"{LONG}x", f"x{LONG}\ny", f"one\ntwo {LONG} and {LONG} three", LONG.upper()),
    *(SIGNS, f"a{SIGNS}z", f"100%_\\{LONG}", f"100xx\\{LONG}", f"ß{LONG}ΟΔΟΣ", f"SS{LONG.upper()}οδος", f"é{LONG}"),
]
PATTERNS = [
    *(
        f"%{LONG}",
        f"%{LONG}%",
        f"{LONG}%",
        f"_{LONG}%{LONG[:3]}%",
        f"_%{LONG}%",
        f"%{LONG}%{LONG}%",
        f"one%two%{LONG}%",
    ),
    *(f"%{SIGNS}", f"%{SIGNS}%", f"%\\%\\_\\\\{LONG}", f"%\\%\\_\\\\{LONG}%", f"%%{LONG}%%", f"%{LONG}_%", f"%{LONG}_"),
]
FOLDED = [f"%ß{LONG}%", f"%SS{LONG}οδος", f"%É{LONG}"]


@pytest.fixture(scope="module")
async def texts(db: asyncpg.Connection) -> Table:
    return await make_table(db, "patterns", {"b": "text"}, [(text,) for text in TEXTS])


def _matches(pattern: str, text: str) -> bool:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    expression = "".join({"%": ".*", "_": "."}.get(part, re.escape(part[-1])) for part in parts)
    return re.fullmatch(expression, text, re.DOTALL) is not None


@pytest.mark.parametrize("negated", ["", "NOT "])
@pytest.mark.parametrize("pattern", PATTERNS)
async def test_long_patterns_match_what_short_ones_do(texts: Table, pattern: str, negated: str) -> None:
    written = pattern.replace("\\", "\\\\")
    expected = [
        i for i, text in enumerate(TEXTS, 1) if text is not None and _matches(pattern, text) is not bool(negated)
    ]
    assert await texts.ids(f"b {negated}LIKE '{written}'") == expected


@pytest.mark.parametrize("pattern", FOLDED)
async def test_long_patterns_are_folded(texts: Table, pattern: str) -> None:
    found = [i for i, text in enumerate(TEXTS, 1) if text is not None and _matches(_folded(pattern), _folded(text))]
    assert found
    assert await texts.ids(f"CASEI(b) LIKE CASEI('{pattern}')") == found


def _folded(text: str) -> str:
    return text.casefold()


@pytest.mark.parametrize(
    "pattern", ["%" + "a" * 252 + "b", "%" + "a" * 252 + "b%", "%" + "a" * 120 + "b%" + "a" * 120 + "b%"]
)
async def test_a_long_pattern_ends_soon_on_long_texts(db: asyncpg.Connection, pattern: str) -> None:
    table = await make_table(db, "long_texts", {"b": "text"}, [])
    await db.execute("INSERT INTO long_texts SELECT i, repeat('a', 2000000) FROM generate_series(1, 20) AS i")
    milliseconds = PoolSettings("", "tests").statement_timeout_ms
    async with db.transaction():
        await db.execute(f"SET LOCAL statement_timeout = {milliseconds}")
        assert await table.ids(f"b LIKE '{pattern}'") == []


async def test_what_no_search_can_do_quickly_is_refused(texts: Table) -> None:
    part = "_" + "a" * 63
    assert await texts.ids(f"b LIKE '%{part}%'") == []
    with pytest.raises(CqlError) as caught:
        texts.sql(f"b LIKE '%{part}a%'")
    assert (caught.value.position, caught.value.message) == (
        7,
        "where a pattern has _ after a %, a part after a % may have 64 characters, this one has 65;"
        " write \\_ for an underscore",
    )
    # the start of a text is looked at once
    parse(f"b LIKE '{part}aaaa%'")
    assert await texts.ids(f"b LIKE '{part}aaaa%'") == []
