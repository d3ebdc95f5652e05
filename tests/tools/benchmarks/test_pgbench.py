"""The pure parts of the benchmark: parsing PostgreSQL's log, and building the script from it."""

import pytest

from tools.benchmarks.answers import difference
from tools.benchmarks.pgbench import make_script
from tools.benchmarks.settings import BenchmarkError
from tools.benchmarks.statements import Statement, parse

_LOG = """\
2026-01-01 00:00:00.123 UTC [11] dams@dams LOG:  execute __asyncpg_stmt_1__: SELECT to_char("at", 'HH24:MI')
\tFROM "a"."b" WHERE "x" > $1::float8 AND "name" = $2::text
2026-01-01 00:00:00.124 UTC [12] other@dams LOG:  execute s: SELECT 2
2026-01-01 00:00:00.124 UTC [11] dams@dams DETAIL:  parameters: $1 = '1.5', $2 = 'O''Higgins, $1 = x'
2026-01-01 00:00:00.125 UTC [11] dams@dams LOG:  execute __asyncpg_stmt_2__: SELECT 1
"""


@pytest.mark.parametrize("word", ["parameters", "Parameters"])  # before PostgreSQL 16, and since
def test_statements_of_one_user_with_their_values(word: str) -> None:
    first, second = parse(_LOG.replace("parameters", word), "dams")
    assert first.text.endswith('FROM "a"."b" WHERE "x" > $1::float8 AND "name" = $2::text')
    assert first.values == ("1.5", "O'Higgins, $1 = x")
    assert second == Statement("SELECT 1")


def test_numbers_vary_and_texts_are_constants() -> None:
    statement, _ = parse(_LOG, "dams")
    script = make_script([[statement], [Statement(statement.text, ("2.5", statement.values[1]))]])
    assert "\\set v0 1.5" in script.lines
    assert "\\set v0 2.5" in script.lines
    assert set(script.constants.values()) == {"O'Higgins, $1 = x", "HH24:MI"}
    names = {value: name for name, value in script.constants.items()}
    assert script.lines[-1] == (  # a text for comparison, never sent to a server
        f'SELECT to_char("at", :{names["HH24:MI"]}) FROM "a"."b"'
        f' WHERE "x" > :v0::float8 AND "name" = :{names[statement.values[1] or ""]}::text;'
    )


def test_texts_that_vary_make_a_statement_each() -> None:
    samples = [[Statement("SELECT $1::text", (name,))] for name in ("one", "two")]
    script = make_script(samples)
    assert [line for line in script.lines if line.startswith("SELECT")] == ["SELECT :c0::text;", "SELECT :c1::text;"]
    assert script.constants == {"c0": "one", "c1": "two"}


def test_different_statements_have_no_limit() -> None:
    with pytest.raises(BenchmarkError):
        make_script([[Statement("SELECT 1")], [Statement("SELECT 2")], [Statement("SELECT 3")]])


def test_answers_that_differ_are_reported() -> None:
    ours = {1: "Point", 2: "Point"}
    assert difference(ours, dict(ours), "points") is None
    assert difference(ours, {1: "Point"}, "points") == "2 features against 1: 0 are missing, 1 are too many"
    assert difference({1: ("a", ())}, {1: ("b", ())}, "items") is not None
