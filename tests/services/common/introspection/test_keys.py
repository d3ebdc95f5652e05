"""What tells the rows of views, materialised views and tables with keys of several columns apart."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.introspect import Introspection

_SCHEMA = """
CREATE SCHEMA known;
CREATE TABLE known.kinds (kind text PRIMARY KEY, title text);
CREATE TABLE known.quakes (id bigint PRIMARY KEY, kind text, name text, at timestamptz);
CREATE TABLE known.hits (quake bigint, at timestamptz, n int, PRIMARY KEY (quake, at));
CREATE TABLE known.named (name text UNIQUE, n int);
CREATE TABLE known.notes (quake_id bigint, note text);
CREATE TABLE known.parent (id int PRIMARY KEY);
CREATE TABLE known.child () INHERITS (known.parent);
"""

_VIEWS = [
    ("SELECT id AS number, kind FROM known.quakes WHERE kind = 'a'", "number"),
    # names mean nothing
    ("SELECT kind AS id, id AS kind FROM known.quakes", "kind"),
    ("SELECT id + 0 AS id, name FROM known.quakes", ""),
    ("SELECT name FROM known.quakes", ""),
    ("SELECT q.id FROM (SELECT * FROM known.quakes ORDER BY at) q", "id"),
    ("SELECT DISTINCT id, name FROM known.quakes LIMIT 5", "id"),
    ("SELECT q.id, k.title FROM known.quakes q JOIN known.kinds k ON k.kind = q.kind AND k.title > ''", "id"),
    ("SELECT * FROM known.quakes LEFT JOIN known.kinds USING (kind)", "id"),
    ("SELECT q.id, k.title FROM known.kinds k RIGHT JOIN known.quakes q ON k.kind = q.kind", "id"),
    ("SELECT q.id, k.title FROM known.quakes q, known.kinds k WHERE k.kind = q.kind", "id"),
    # several rows of the other
    ("SELECT q.id FROM known.quakes q, known.kinds k", ""),
    ("SELECT q.id, k.title FROM known.quakes q JOIN known.kinds k ON k.kind > q.kind", ""),
    ("SELECT q.id, n.note FROM known.quakes q LEFT JOIN known.notes n ON n.quake_id = q.id", ""),
    ("SELECT k.kind, q.name FROM known.kinds k JOIN known.quakes q ON k.kind = q.kind", ""),
    # rows of the left that have none of the right are not told apart by that
    ("SELECT k.kind FROM known.quakes q LEFT JOIN known.kinds k ON k.title = q.name AND q.id = 1", ""),
    ("SELECT q.id FROM known.quakes q FULL JOIN known.kinds k ON k.kind = q.kind", ""),
    ("SELECT q.id, h.at FROM known.quakes q JOIN known.hits h ON h.quake = q.id", "id, at"),
    ("SELECT h.quake, h.at FROM known.hits h", "quake, at"),
    ("SELECT kind, count(*) FROM known.quakes GROUP BY kind", "kind"),
    ("SELECT count(*) FROM known.quakes GROUP BY kind", ""),
    ("SELECT kind FROM known.quakes GROUP BY ROLLUP (kind)", ""),
    ("SELECT id FROM known.quakes UNION ALL SELECT id FROM known.quakes", ""),
    ("SELECT id, unnest(ARRAY[1, 2]) FROM known.quakes", ""),
    ("SELECT q.id FROM known.quakes q, generate_series(1, 3)", ""),
    ("WITH chosen AS (SELECT * FROM known.quakes) SELECT id FROM chosen", ""),
    ("SELECT now() - at AS ago, id FROM known.quakes", "id"),
    # what nothing forbids to repeat
    ("SELECT name FROM known.named", ""),
    ("SELECT id FROM known.parent", ""),
    ("SELECT id FROM ONLY known.parent", ""),
]


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database_url)
    await connection.execute(_SCHEMA)
    yield connection
    await connection.close()


@pytest.fixture
async def introspection(owner: asyncpg.Connection, database_url: str) -> AsyncIterator[Introspection]:
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        yield Introspection(database, ("known",))


async def _found(introspection: Introspection, name: str) -> Collection:
    return next(entry for entry in await introspection.collections() if entry.name == name)


async def test_a_view_has_the_key_of_its_rows(owner: asyncpg.Connection, introspection: Introspection) -> None:
    for number, (query, _) in enumerate(_VIEWS):
        await owner.execute(
            f"CREATE VIEW known.below_{number} AS {query}; CREATE VIEW known.seen_{number} AS"  # noqa: S608 ours
            f" SELECT * FROM known.below_{number}"
        )
    found = {entry.name: entry for entry in await introspection.collections()}
    for name in ("below", "seen"):
        views = [(found[f"{name}_{number}"], query) for number, (query, _) in enumerate(_VIEWS)]
        assert [(query, ", ".join(column.name for column in view.id_columns)) for view, query in views] == _VIEWS
        assert not any(view.key_repeats for view, _ in views)


async def test_it_follows_the_table_and_the_definition(owner: asyncpg.Connection, introspection: Introspection) -> None:
    await owner.execute("CREATE VIEW known.seen AS SELECT id, name FROM known.quakes")
    first = await _found(introspection, "seen")
    assert first.key == "id"
    column = first.column("id")
    assert column is not None
    assert column.not_null
    assert await _found(introspection, "seen") is first
    await owner.execute("ALTER VIEW known.seen RENAME COLUMN id TO number")
    assert (await _found(introspection, "seen")).key == "number"
    await owner.execute("ALTER TABLE known.quakes DROP CONSTRAINT quakes_pkey")
    without = await _found(introspection, "seen")
    assert (without.key, without.suggested_key) == (None, None)
    await owner.execute(
        "ALTER TABLE known.quakes ADD PRIMARY KEY (id); CREATE OR REPLACE VIEW known.seen AS"
        " SELECT id + 1 AS number, name, id AS quake_id FROM known.quakes"
    )
    assert (await _found(introspection, "seen")).key == "quake_id"


async def test_unique_indexes_tell_of_keys(owner: asyncpg.Connection, introspection: Introspection) -> None:
    await owner.execute(
        "INSERT INTO known.quakes (id) VALUES (1), (2); INSERT INTO known.named VALUES (NULL, 1), (NULL, 2);"
        "CREATE MATERIALIZED VIEW known.kept AS SELECT id, NULLIF(name, '') AS name FROM known.quakes;"
        "CREATE UNIQUE INDEX ON known.kept (id); CREATE MATERIALIZED VIEW known.nulls AS SELECT * FROM known.named;"
        "CREATE MATERIALIZED VIEW known.empty AS SELECT id FROM known.quakes WITH NO DATA;"
        "CREATE UNIQUE INDEX ON known.nulls (name)"
    )
    # what was never filled is no collection yet
    assert "empty" not in {entry.name for entry in await introspection.collections()}
    await owner.execute("REFRESH MATERIALIZED VIEW known.empty")
    found = {entry.name: entry for entry in await introspection.collections()}
    told = {name: (found[name].key, found[name].composite_key, found[name].key_repeats) for name in found}
    assert told["kept"] == ("id", (), False)
    # features whose key is null have no id, and are told apart by their places
    assert told["named"] == told["nulls"] == ("name", (), True)
    assert told["hits"] == (None, ("quake", "at"), False)
    assert (told["notes"], found["notes"].suggested_key) == ((None, (), False), "quake_id")
    assert told["quakes"] == ("id", (), False)
