"""The data that relations.sql and functions.sql read from the system catalogues, line by line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_reader
from libs.catalogue.model import Argument, Collection
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from services.common.introspection.introspect import Introspection
from tests.conftest import MakeDatabase
from tests.services.conftest import PASSWORD, READER, reader_url

_RELATIONS = """
CREATE SCHEMA own; CREATE SCHEMA closed; CREATE SCHEMA other;
GRANT USAGE ON SCHEMA own, other TO dams_reader;
CREATE TYPE own.grade AS ENUM ('weak', 'Strong', 'none'); ALTER TYPE own.grade ADD VALUE 'least' BEFORE 'weak';
CREATE TYPE own.pair AS (a int, b int);
CREATE DOMAIN own.depth AS numeric(6, 2) CHECK (VALUE >= 0);
CREATE DOMAIN own.spot AS geometry(PointZ, 3857);
CREATE DOMAIN own.graded AS own.grade;
CREATE TABLE own.typed (id integer PRIMARY KEY, g own.grade NOT NULL, d own.depth, s own.spot, gd own.graded,
    list own.grade[], pairs own.pair[], p own.pair, n numeric(5, 1)[], gone int, plain text, varied varchar(9));
ALTER TABLE own.typed DROP COLUMN gone; ALTER TABLE own.typed ALTER id SET STATISTICS 200;
COMMENT ON COLUMN own.typed.d IS 'Depth. Below the sea. [km]';
COMMENT ON TABLE own.typed IS 'Typed';
CREATE TABLE own.first_unique (a int NOT NULL UNIQUE, b int PRIMARY KEY);
CREATE TABLE own.later_unique (a int UNIQUE, b int NOT NULL UNIQUE);
CREATE TABLE own.nullable (a int UNIQUE);
CREATE TABLE own.parent (id int PRIMARY KEY); CREATE TABLE own.child () INHERITS (own.parent);
CREATE TABLE own.mother (n int, a int NOT NULL UNIQUE); CREATE TABLE own.daughter () INHERITS (own.mother);
CREATE TABLE own.parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE own.part PARTITION OF own.parted FOR VALUES FROM (0) TO (10);
CREATE VIEW own.seen AS SELECT id, g FROM own.typed;
CREATE VIEW own.of_parts AS SELECT id FROM own.parted;
CREATE MATERIALIZED VIEW own.kept AS SELECT id FROM own.typed WHERE now() > '2000-01-01';
CREATE VIEW own.of_kept AS SELECT id FROM own.kept;
CREATE SEQUENCE own.numbers;
CREATE TABLE own.secured (during tstzrange, at timestamptz, days daterange, day date);
ALTER TABLE own.secured ENABLE ROW LEVEL SECURITY;
CREATE TABLE own.fresh (id int);
CREATE TABLE own.wide (id int, padding text); ALTER TABLE own.wide ALTER padding SET STORAGE EXTERNAL;
INSERT INTO own.wide SELECT n, repeat('x', 40000) FROM generate_series(1, 2) n;
CREATE TABLE own.narrow (id int, padding text); ALTER TABLE own.narrow ALTER padding SET STORAGE EXTERNAL;
INSERT INTO own.narrow VALUES (1, repeat('x', 12000)); CREATE INDEX number ON own.narrow (id);
CREATE TABLE own.refused (id int); CREATE TABLE own.half_refused (id int, secret int);
CREATE TABLE closed.unseen (id int); CREATE TABLE other.elsewhere (id int);
ANALYZE own.typed, own.wide, own.narrow, own.child, own.part, own.parent;
CREATE FUNCTION own.listed(INOUT a int, b own.depth DEFAULT 2.5, OUT g own.grade, OUT d own.depth)
    RETURNS SETOF record STABLE LANGUAGE sql AS $$ SELECT 1, 'weak'::own.grade, 1::own.depth $$;
CREATE FUNCTION own.rows_of(a text) RETURNS SETOF own.typed IMMUTABLE ROWS 77 LANGUAGE sql AS 'SELECT * FROM own.typed';
COMMENT ON FUNCTION own.rows_of IS 'Rows of it';
CREATE FUNCTION own.nameless(int) RETURNS TABLE (id int) STABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION own.writes() RETURNS TABLE (id int) VOLATILE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION own.many(VARIADIC n int[]) RETURNS TABLE (id int) STABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION own.twice(a int) RETURNS TABLE (id int) STABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION own.twice(a text) RETURNS TABLE (id int) STABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION other.twice(a text) RETURNS TABLE (id int) STABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION own.single(a int) RETURNS own.typed STABLE LANGUAGE sql AS 'SELECT * FROM own.typed';
CREATE FUNCTION own.not_for_you() RETURNS TABLE (id int) STABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION closed.unseen_rows() RETURNS TABLE (id int) STABLE LANGUAGE sql AS 'SELECT 1';
REVOKE EXECUTE ON FUNCTION own.not_for_you() FROM PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA own, other, closed TO dams_reader;
REVOKE SELECT ON own.refused, own.half_refused FROM dams_reader; GRANT SELECT (id) ON own.half_refused TO dams_reader;
"""
GRADES = ("least", "weak", "Strong", "none")
_EVERY = {
    *("typed", "first_unique", "later_unique", "nullable", "parent", "child", "parted", "seen", "of_parts", "kept"),
    *("secured", "fresh", "wide", "narrow", "listed", "rows_of", "nameless", "mother", "daughter", "of_kept"),
}


async def with_relations(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute(_RELATIONS)


async def _read(url: str, *schemas: str) -> dict[str, Collection]:
    async with Database(PoolSettings(reader_url(url), "test", size=1)) as database:
        found = await Introspection(database, schemas or ("own",)).collections()
    return {each.name: each for each in found}


@pytest.fixture(scope="module")
async def url(make_database: MakeDatabase) -> str:
    return await make_database(with_relations)


@pytest.fixture
async def owner(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
async def found(url: str) -> dict[str, Collection]:
    return await _read(url)


def test_what_the_role_may_read_is_there_and_nothing_else(found: dict[str, Collection]) -> None:
    assert set(found) == _EVERY
    assert {name: each.kind for name, each in found.items() if each.kind != "table"} == {
        **dict.fromkeys(("seen", "of_parts", "of_kept"), "view"),
        **dict.fromkeys(("listed", "rows_of", "nameless"), "function"),
        "kept": "materialized view",
        "parted": "partitioned table",
    }


class Odd(Database):
    """Reports one relation with an unknown kind."""

    async def fetch(self, statement: Sql) -> list[Any]:
        rows = await super().fetch(statement)
        return [{**row, "kind": b"?"} if (row.get("name"), "kind" in row) == ("typed", True) else row for row in rows]


async def test_a_relation_that_makes_no_sense_costs_only_itself_and_is_told(url: str) -> None:
    async with Odd(PoolSettings(reader_url(url), "test", size=1)) as database:
        found = await Introspection(database, ("own",)).collections()
    assert {each.name for each in found} == _EVERY - {"typed"}


async def test_each_schema_is_looked_at_by_itself(url: str) -> None:
    assert set(await _read(url, "other", "closed")) == {"elsewhere", "twice"}


def test_columns_are_told_in_their_order_with_their_types(found: dict[str, Collection]) -> None:
    typed = found["typed"]
    told = [(each.name, each.sql_type, each.type, each.enum, each.not_null, each.items) for each in typed.columns]
    assert told == [
        ("id", "integer", "integer", None, True, None),
        ("g", "own.grade", "string", GRADES, True, None),
        ("d", "numeric(6,2)", "number", None, False, None),
        ("gd", "own.grade", "string", GRADES, False, None),
        ("list", "own.grade[]", "array", None, False, "string"),
        ("pairs", "own.pair[]", "array", None, False, None),
        ("p", "own.pair", "object", None, False, None),
        ("n", "numeric(5,1)[]", "array", None, False, "number"),
        ("plain", "text", "string", None, False, None),
        ("varied", "character varying(9)", "string", None, False, None),
    ]
    (spot,) = typed.geometries
    assert (spot.name, spot.type, spot.srid, spot.dimensions) == ("s", "Point", 3857, 3)
    depth = typed.column("d")
    assert depth is not None
    assert (depth.title, depth.description, depth.unit) == ("Depth", "Below the sea.", "km")
    assert (typed.title, found["seen"].title) == ("Typed", "seen")


def test_instants_come_before_ranges_of_time(found: dict[str, Collection]) -> None:
    """As the first is the default."""
    assert [each.name for each in found["secured"].times] == ["at", "day", "during", "days"]


async def test_their_order_is_not_that_of_a_plan(
    owner: asyncpg.Connection, url: str, found: dict[str, Collection]
) -> None:
    name = await owner.fetchval("SELECT current_database()")
    plans = ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_nestloop", "enable_mergejoin")
    for setting in plans:
        await owner.execute(f"ALTER DATABASE {name} SET {setting} = off")
    other = await _read(url)
    for setting in plans:
        await owner.execute(f"ALTER DATABASE {name} RESET {setting}")
    for relation in ("typed", "listed", "rows_of", "seen"):
        assert other[relation].columns == found[relation].columns
        assert other[relation].arguments == found[relation].arguments


@pytest.mark.parametrize(
    ("name", "key", "repeats"),
    [
        ("typed", "id", False),
        ("first_unique", "b", False),
        ("later_unique", "b", False),
        ("nullable", "a", True),
        ("parent", "id", True),
        ("child", None, False),
        ("mother", "a", True),
        ("parted", "id", False),
        ("fresh", None, False),
    ],
)
def test_the_primary_key_comes_first(found: dict[str, Collection], name: str, key: str | None, repeats: bool) -> None:
    assert (found[name].key, found[name].key_repeats) == (key, repeats)


@pytest.mark.parametrize(
    ("name", "rows", "sized", "large"),
    [
        ("wide", 2, True, True),
        # two pages
        ("narrow", 1, True, False),
        # not analysed yet, or without statistics
        ("fresh", None, False, False),
        ("child", 0, False, False),
        ("parent", 0, False, True),
        ("parted", None, False, True),
        ("seen", None, False, True),
        ("listed", 1000, False, True),
        ("rows_of", 77, False, True),
    ],
)
def test_sizes_are_those_of_the_statistics(
    found: dict[str, Collection], name: str, rows: int | None, sized: bool, large: bool
) -> None:
    each = found[name]
    assert (each.rows, each.row_bytes is not None, each.large_rows) == (rows, sized, large)


def test_rows_are_as_large_as_what_is_stored_out_of_line(found: dict[str, Collection]) -> None:
    assert 40_000 < (found["wide"].row_bytes or 0) < 80_000


async def test_changes_of_the_tables_below_are_its_changes(
    owner: asyncpg.Connection, found: dict[str, Collection]
) -> None:
    oids = {row[0]: row[1] for row in await owner.fetch("SELECT relname, oid::int FROM pg_class")}

    def below(*names: str) -> set[int]:
        return {oids[name] for name in names}

    assert set(found["typed"].sources) == below("typed")
    assert set(found["parent"].sources) == below("parent", "child")
    assert set(found["parted"].sources) == below("parted", "part")
    assert set(found["of_parts"].sources) == below("of_parts", "parted", "part")
    assert set(found["seen"].sources) == below("seen", "typed")
    # a copy changes when it is refreshed, however it was made
    assert set(found["kept"].sources) == below("kept")
    assert set(found["of_kept"].sources) == below("of_kept", "kept")
    assert [found[name].sources for name in ("listed", "rows_of")] == [(), ()]
    assert {name for name, each in found.items() if each.row_security} == {"secured"}


def test_arguments_go_in_and_columns_come_out(found: dict[str, Collection]) -> None:
    listed, rows_of = found["listed"], found["rows_of"]
    assert listed.arguments == (
        Argument("a", "integer", "integer"),
        Argument("b", "own.depth", "string", default="2.5"),
    )
    assert [(each.name, each.sql_type, each.enum) for each in listed.columns] == [
        ("g", "own.grade", GRADES),
        ("d", "numeric(6,2)", None),
    ]

    def said(of: Collection) -> list[object]:
        return [(each.name, each.title, each.description, each.unit, each.items, each.enum) for each in of.columns]

    assert said(rows_of) == said(found["typed"])
    # of its rows no index tells, and nothing forbids nulls
    assert not any(each.indexed or each.not_null for each in rows_of.columns)
    assert ([each.title for each in listed.columns], listed.title) == ([None, None], "listed")
    assert (rows_of.title, rows_of.arguments) == ("Rows of it", (Argument("a", "text", "string"),))
    assert rows_of.geometries[0].srid == 3857
    assert found["nameless"].arguments == (Argument("", "integer", "integer"),)


@pytest.mark.parametrize(
    ("change", "back"),
    [
        # another column by the same name
        ("ALTER TABLE own.typed DROP COLUMN varied, ADD COLUMN varied varchar(9)", "SELECT"),
        ("ALTER TABLE own.secured FORCE ROW LEVEL SECURITY", "ALTER TABLE own.secured NO FORCE ROW LEVEL SECURITY"),
        ("ALTER TYPE own.grade ADD VALUE 'most'", "SELECT"),
        ("CREATE UNIQUE INDEX one ON own.kept (id)", "DROP INDEX own.one"),
        ("COMMENT ON COLUMN own.fresh.id IS 'Number'", "COMMENT ON COLUMN own.fresh.id IS NULL"),
    ],
)
async def test_what_is_defined_anew_has_another_shape(
    owner: asyncpg.Connection, url: str, change: str, back: str
) -> None:
    before = await _read(url)
    await owner.execute(change)
    after = await _read(url)
    await owner.execute(back)
    named = next(name for name in ("secured", "kept", "fresh", "typed") if f".{name}" in change or name == "typed")
    assert before[named].shape != after[named].shape or before[named].key != after[named].key
    assert before["wide"].shape == after["wide"].shape


async def test_only_what_somebody_has_for_himself_is_locked(make_database: MakeDatabase, url: str) -> None:
    """The sizes of others are known all the same: also of a table of another database that has the same number."""
    owner = await asyncpg.connect(url)
    copy = await make_database(with_relations)

    async def sized(of: str) -> dict[str, Any]:
        found = await _read(of)
        return {name: found[name].row_bytes is not None for name in ("wide", "narrow")}

    try:
        for statement, locked in (
            ("LOCK TABLE own.wide IN EXCLUSIVE MODE", set[str]()),
            ("LOCK TABLE own.wide", {"wide"}),
            ("REINDEX INDEX own.number", {"narrow"}),
        ):
            transaction = owner.transaction()
            await transaction.start()
            await owner.execute(statement)
            assert {name for name, known in (await sized(url)).items() if not known} == locked
            assert all((await sized(copy)).values())
            await transaction.rollback()
    finally:
        await owner.close()
