"""What tells the rows of views, materialised views and tables with keys of several columns apart."""

from __future__ import annotations

import asyncpg
import pytest

from libs.catalogue.model import Collection
from services.common.introspection.introspect import Introspection

_RELATIONS = """
CREATE TABLE own.kinds (kind text PRIMARY KEY, title text);
CREATE TABLE own.quakes (id bigint PRIMARY KEY, kind text, name text, at timestamptz);
CREATE TABLE own.hits (quake bigint, at timestamptz, n int, PRIMARY KEY (quake, at));
CREATE TABLE own.named (name text UNIQUE, n int);
CREATE TABLE own.notes (quake_id bigint, note text);
CREATE TABLE own.parent (id int PRIMARY KEY);
CREATE TABLE own.child () INHERITS (own.parent);
"""

_VIEWS = [
    ("SELECT id AS number, kind FROM own.quakes WHERE kind = 'a'", "number"),
    # names mean nothing
    ("SELECT kind AS id, id AS kind FROM own.quakes", "kind"),
    ("SELECT id + 0 AS id, name FROM own.quakes", ""),
    ("SELECT name FROM own.quakes", ""),
    ("SELECT q.id FROM (SELECT * FROM own.quakes ORDER BY at) q", "id"),
    ("SELECT DISTINCT id, name FROM own.quakes LIMIT 5", "id"),
    ("SELECT q.id, k.title FROM own.quakes q JOIN own.kinds k ON k.kind = q.kind AND k.title > ''", "id"),
    ("SELECT * FROM own.quakes LEFT JOIN own.kinds USING (kind)", "id"),
    ("SELECT q.id, k.title FROM own.kinds k RIGHT JOIN own.quakes q ON k.kind = q.kind", "id"),
    ("SELECT q.id, k.title FROM own.quakes q, own.kinds k WHERE k.kind = q.kind", "id"),
    # several rows of the other
    ("SELECT q.id FROM own.quakes q, own.kinds k", ""),
    ("SELECT q.id, k.title FROM own.quakes q JOIN own.kinds k ON k.kind > q.kind", ""),
    ("SELECT q.id, n.note FROM own.quakes q LEFT JOIN own.notes n ON n.quake_id = q.id", ""),
    ("SELECT k.kind, q.name FROM own.kinds k JOIN own.quakes q ON k.kind = q.kind", ""),
    # rows of the left that have none of the right are not told apart by that
    ("SELECT k.kind FROM own.quakes q LEFT JOIN own.kinds k ON k.title = q.name AND q.id = 1", ""),
    ("SELECT q.id FROM own.quakes q FULL JOIN own.kinds k ON k.kind = q.kind", ""),
    ("SELECT q.id, h.at FROM own.quakes q JOIN own.hits h ON h.quake = q.id", "id, at"),
    ("SELECT h.quake, h.at FROM own.hits h", "quake, at"),
    ("SELECT kind, count(*) FROM own.quakes GROUP BY kind", "kind"),
    ("SELECT count(*) FROM own.quakes GROUP BY kind", ""),
    ("SELECT kind FROM own.quakes GROUP BY ROLLUP (kind)", ""),
    ("SELECT id FROM own.quakes UNION ALL SELECT id FROM own.quakes", ""),
    ("SELECT id, unnest(ARRAY[1, 2]) FROM own.quakes", ""),
    ("SELECT q.id FROM own.quakes q, generate_series(1, 3)", ""),
    ("WITH chosen AS (SELECT * FROM own.quakes) SELECT id FROM chosen", ""),
    ("SELECT now() - at AS ago, id FROM own.quakes", "id"),
    # what nothing forbids to repeat
    ("SELECT name FROM own.named", ""),
    ("SELECT id FROM own.parent", ""),
    ("SELECT id FROM ONLY own.parent", ""),
]


@pytest.fixture
def relations() -> str:
    return _RELATIONS


async def _found(introspection: Introspection, name: str) -> Collection:
    return next(entry for entry in await introspection.collections() if entry.name == name)


async def test_a_view_has_the_key_of_its_rows(owner: asyncpg.Connection, introspection: Introspection) -> None:
    for number, (query, _) in enumerate(_VIEWS):
        await owner.execute(
            f"CREATE VIEW own.below_{number} AS {query}; CREATE VIEW own.seen_{number} AS"  # noqa: S608 ours
            f" SELECT * FROM own.below_{number}"
        )
    found = {entry.name: entry for entry in await introspection.collections()}
    for name in ("below", "seen"):
        views = [(found[f"{name}_{number}"], query) for number, (query, _) in enumerate(_VIEWS)]
        assert [(query, ", ".join(column.name for column in view.id_columns)) for view, query in views] == _VIEWS
        assert not any(view.key_repeats for view, _ in views)


async def test_it_follows_the_table_and_the_definition(owner: asyncpg.Connection, introspection: Introspection) -> None:
    await owner.execute("CREATE VIEW own.seen AS SELECT id, name FROM own.quakes")
    first = await _found(introspection, "seen")
    assert first.key == "id"
    column = first.column("id")
    assert column is not None
    assert column.not_null
    assert await _found(introspection, "seen") is first
    await owner.execute("ALTER VIEW own.seen RENAME COLUMN id TO number")
    assert (await _found(introspection, "seen")).key == "number"
    await owner.execute("ALTER TABLE own.quakes DROP CONSTRAINT quakes_pkey")
    without = await _found(introspection, "seen")
    assert (without.key, without.suggested_key) == (None, None)
    await owner.execute(
        "ALTER TABLE own.quakes ADD PRIMARY KEY (id); CREATE OR REPLACE VIEW own.seen AS"
        " SELECT id + 1 AS number, name, id AS quake_id FROM own.quakes"
    )
    assert (await _found(introspection, "seen")).key == "quake_id"


async def test_unique_indexes_tell_of_keys(owner: asyncpg.Connection, introspection: Introspection) -> None:
    await owner.execute(
        "INSERT INTO own.quakes (id) VALUES (1), (2); INSERT INTO own.named VALUES (NULL, 1), (NULL, 2);"
        "CREATE MATERIALIZED VIEW own.kept AS SELECT id, NULLIF(name, '') AS name FROM own.quakes;"
        "CREATE UNIQUE INDEX ON own.kept (id); CREATE MATERIALIZED VIEW own.nulls AS SELECT * FROM own.named;"
        "CREATE MATERIALIZED VIEW own.empty AS SELECT id FROM own.quakes WITH NO DATA;"
        "CREATE UNIQUE INDEX ON own.nulls (name)"
    )
    # what was never filled is no collection yet
    assert "empty" not in {entry.name for entry in await introspection.collections()}
    await owner.execute("REFRESH MATERIALIZED VIEW own.empty")
    found = {entry.name: entry for entry in await introspection.collections()}
    told = {name: (found[name].key, found[name].composite_key, found[name].key_repeats) for name in found}
    assert told["kept"] == ("id", (), False)
    # features whose key is null have no id, and are told apart by their places
    assert told["named"] == told["nulls"] == ("name", (), True)
    assert told["hits"] == (None, ("quake", "at"), False)
    assert (told["notes"], found["notes"].suggested_key) == ((None, (), False), "quake_id")
    assert told["quakes"] == ("id", (), False)
