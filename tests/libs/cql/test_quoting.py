"""Names and values that the service writes into filters are read as what they were, by every reader there is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import asyncpg
import cql2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.cql import parse, queryable
from libs.cql.quoting import RESERVED_WORDS, equals, property_name
from tests.libs.cql.conftest import Table, make_table
from tests.libs.cql.normalise import normalise

REPOSITORY = Path(__file__).parents[3]
GRAMMAR = (REPOSITORY / "libs" / "cql" / "parsing" / "grammar.lark").read_text()
HOSTILE = ["a b", 'a "b"', "émoji ☂", "Größe", "select", "1st", "a.b", "a:b", "it's", "back\\slash", "%", "POINT"]
WORDS = [
    *("and", "or", "not", "like", "between", "in", "is", "null", "true", "false", "div"),
    *("casei", "accenti", "date", "timestamp", "interval", "bbox"),
]
PLAIN = ["magnitude", "MAG", "a_1", "android", "dates"]
NAMES = sorted({*WORDS, *(word.upper() for word in WORDS), *HOSTILE, *PLAIN})
TEXTS = ["it's", "a\\", "a\\\\", "\\'", "\\\\'", "'", "''", "100%", "a_b", "\\%\\", "a\nb", "", "ß", '"']


@pytest.mark.parametrize(("apart", "sign"), [("< >", "<>"), ("<\n=", "<="), (">  =", ">=")])
def test_a_sign_may_be_written_apart(apart: str, sign: str) -> None:
    """As the grammar of the standard has two symbols for it."""
    assert normalise(parse(f"a {apart} 1")) == normalise(parse(f"a{sign}1"))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_read_as_itself(name: str) -> None:
    read = json.loads(normalise(parse(f"{property_name(name)} >= 1")))
    assert read == {"op": ">=", "args": [{"property": name}, 1]}
    # and by a parser that is not ours
    assert cql2.parse_text(f"{property_name(name)} >= 1").to_json()["args"][0] == {"property": name}


def test_words_are_quoted_and_plain_names_are_not() -> None:
    assert [property_name(word) for word in WORDS] == [f'"{word}"' for word in WORDS]
    assert [property_name(name) for name in [*PLAIN, "_"]] == [*PLAIN, "_"]
    assert set(WORDS) == RESERVED_WORDS


def test_every_word_of_the_grammar_is_reserved() -> None:
    words = {word.lower() for word in re.findall(r"^_?[A-Z]+\.2: /(?:\(\?:)?([A-Za-z]+)\(", GRAMMAR, re.MULTILINE)}
    assert {"or", "and", "div", "between"} <= words
    assert words - RESERVED_WORDS == set()


def by_the_viewer(expression: str, values: list[str]) -> list[str]:
    """Return what a JavaScript function of the viewer's `filters/cql2.js` makes of each value."""
    node = shutil.which("node")
    assert node
    module = (REPOSITORY / "services" / "viewer" / "browser" / "filters" / "cql2.js").as_uri()
    script = (
        f"import {{conditionText, quotedName}} from {json.dumps(module)};"
        f"process.stdout.write(JSON.stringify({json.dumps(values)}.map({expression})));"
    )
    run = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    found: list[str] = json.loads(run.stdout)
    return found


def test_the_viewer_quotes_the_same_names() -> None:
    assert by_the_viewer("quotedName", NAMES) == [property_name(name) for name in NAMES]


@pytest.fixture(scope="module")
async def texts(db: asyncpg.Connection) -> Table:
    return await make_table(db, "quoted", {"between": "text"}, [(text,) for text in TEXTS])


async def test_a_condition_finds_the_text_and_no_other(texts: Table) -> None:
    column = texts.queryables["between"]
    for number, text in enumerate(TEXTS, 1):
        assert await texts.ids(equals(column, [text])) == [number], text
    assert await texts.ids(equals(column, TEXTS)) == list(range(1, len(TEXTS) + 1))
    assert await texts.ids(equals(column, TEXTS[:3])) == [1, 2, 3]


@pytest.mark.parametrize(
    ("operator", "holds"),
    [("=", [True, False]), ("<>", [False, True]), ("contains", [True, False])],
)
async def test_any_text_can_be_written_by_the_viewer(texts: Table, operator: str, holds: list[bool]) -> None:
    sizes = {"a'\\%": (1, 2, 3), "'\\": (4, 5)}
    every = ["".join(each) for letters, counts in sizes.items() for n in counts for each in product(letters, repeat=n)]
    condition = f"value => conditionText({{property: 'between', kind: 'text', operator: '{operator}', value}})"
    for text, written in zip(every, by_the_viewer(condition, every), strict=True):
        sql, args = texts.sql(written).render()
        # of the text itself, and of one that does not hold it
        place = f"${len(args) + 1}::text[]"
        selected = f"SELECT array_agg({sql} ORDER BY n) FROM unnest({place}) WITH ORDINALITY AS given(between, n)"  # noqa: S608
        assert await texts.db.fetchval(selected, *args, [text, f"-{text[1:]}"]) == holds, written


@settings(
    max_examples=3 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=st.text(alphabet="ab'\\%_\" ", max_size=6))
async def test_any_text_can_be_written(text: str, texts: Table) -> None:
    condition = equals(queryable("between", "text"), [text])
    sql, args = texts.sql(condition).render()
    selected = f"SELECT {sql} FROM (SELECT ${len(args) + 1}::text AS between) AS given"  # noqa: S608
    assert await texts.db.fetchval(selected, *args, text) is True


@pytest.mark.parametrize(
    ("sql_type", "text", "condition"),
    [
        ("integer", "5", '"in" = 5'),
        ("double precision", "-1.5e3", '"in" = -1.5e3'),
        ("boolean", "true", '"in" = TRUE'),
        ("date", "2020-01-31", "\"in\" = DATE('2020-01-31')"),
        ("timestamp with time zone", "2020-01-31T00:00:00Z", "\"in\" = TIMESTAMP('2020-01-31T00:00:00Z')"),
        ("uuid", "0b0f3f0e-0000-0000-0000-000000000000", "\"in\" = '0b0f3f0e-0000-0000-0000-000000000000'"),
        ("money", "5.00", '"in" = 5.00'),
        ("oid", "4000000000", '"in" = 4000000000'),
        ("interval", "P1DT2H", "\"in\" = 'P1DT2H'"),
        ("jsonb", "a", "\"in\" = 'a'"),
    ],
)
def test_values_are_written_as_the_type_asks_for(sql_type: str, text: str, condition: str) -> None:
    assert equals(queryable("in", sql_type), [text]) == condition
    parse(condition)
