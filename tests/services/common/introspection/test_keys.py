"""Keys for the rows of views, materialised views and tables with keys of several columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from services.common.introspection.introspect import Introspection
from services.common.introspection.keys import Keys

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
    ("SELECT id AS first, id AS second FROM own.quakes", "first"),
    ("SELECT id + 0 AS id, name FROM own.quakes", ""),
    ("SELECT name FROM own.quakes", ""),
    ("SELECT q.id FROM (SELECT * FROM own.quakes ORDER BY at) q", "id"),
    ("SELECT DISTINCT id, name FROM own.quakes LIMIT 5", "id"),
    ("SELECT q.id, k.title FROM own.quakes q JOIN own.kinds k ON k.kind = q.kind AND k.title > ''", "id"),
    ("SELECT * FROM own.quakes LEFT JOIN own.kinds USING (kind)", "id"),
    ("SELECT q.id, k.title FROM own.kinds k RIGHT JOIN own.quakes q ON k.kind = q.kind", "id"),
    ("SELECT q.id, k.title FROM own.quakes q, own.kinds k WHERE k.kind = q.kind", "id"),
    # a row that is equal to itself, or to one that is chosen by it, is any row
    ("SELECT q.id FROM own.quakes q, own.kinds k WHERE k.kind = k.title", ""),
    ("SELECT k.kind FROM own.quakes q JOIN own.quakes r ON r.id = q.id, own.kinds k", ""),
    # several rows of the other
    ("SELECT q.id FROM own.quakes q, own.kinds k", ""),
    ("SELECT q.id, k.title FROM own.quakes q JOIN own.kinds k ON k.kind > q.kind", ""),
    ("SELECT q.id, n.note FROM own.quakes q LEFT JOIN own.notes n ON n.quake_id = q.id", ""),
    ("SELECT k.kind, q.name FROM own.kinds k JOIN own.quakes q ON k.kind = q.kind", ""),
    # that key does not distinguish rows of the left table without a match on the right
    ("SELECT k.kind FROM own.quakes q LEFT JOIN own.kinds k ON k.title = q.name AND q.id = 1", ""),
    ("SELECT q.id, k.kind FROM own.quakes q LEFT JOIN own.kinds k ON k.title = q.name", ""),
    ("SELECT b.id FROM own.quakes a RIGHT JOIN own.quakes b ON a.id = b.id WHERE a.id = b.id", "id"),
    (
        "SELECT a.id FROM own.quakes a LEFT JOIN (own.quakes q JOIN own.kinds k ON k.kind = q.kind) ON q.id = a.id",
        "id",
    ),
    ("SELECT q.id FROM own.quakes q JOIN own.kinds k ON k.kind = q.kind OR k.title = q.name", ""),
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
    # columns whose values may repeat
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
    renamed = await _found(introspection, "seen")
    assert (renamed.key, [column.name for column in renamed.columns]) == ("number", ["number", "name"])
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
    # a materialised view that was never filled is not a collection yet
    for _ in range(2):
        assert "empty" not in {entry.name for entry in await introspection.collections()}
    await owner.execute("REFRESH MATERIALIZED VIEW own.empty")
    found = {entry.name: entry for entry in await introspection.collections()}
    told = {name: (found[name].key, found[name].composite_key, found[name].key_repeats) for name in found}
    assert told["kept"] == ("id", (), False)
    assert [found[name].columns[0].not_null for name in ("kept", "nulls")] == [True, False]
    # features with a null key have no id; their place in the order distinguishes them
    assert told["named"] == told["nulls"] == ("name", (), True)
    assert told["hits"] == (None, ("quake", "at"), False)
    assert (told["notes"], found["notes"].suggested_key) == ((None, (), False), "quake_id")
    assert told["quakes"] == ("id", (), False)


async def test_nulls_in_one_of_several_columns_are_not_looked_for(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    await owner.execute(
        "CREATE MATERIALIZED VIEW own.pairs AS SELECT quake, at FROM own.hits;"
        "CREATE UNIQUE INDEX ON own.pairs (quake, at);"
        "CREATE FUNCTION own.noted() RETURNS SETOF own.notes STABLE LANGUAGE sql AS 'SELECT * FROM own.notes'"
    )
    pairs, noted = await _found(introspection, "pairs"), await _found(introspection, "noted")
    assert (pairs.composite_key, pairs.key_repeats) == (("quake", "at"), True)
    assert not any(column.not_null for column in pairs.columns)
    # functions have arguments instead of ids
    assert (noted.key, noted.suggested_key) == (None, None)


class Reading(Database):
    """Counts the statements for definitions, and the definitions returned."""

    times = given = 0

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        rows = await super().fetch(statement)
        if "ev_action" in statement.render()[0]:
            self.times += 1
            self.given += sum(row["definition"] is not None for row in rows)
        return rows


async def test_definitions_are_asked_for_once_for_each_depth(owner: asyncpg.Connection, database_url: str) -> None:
    async with Reading(PoolSettings(database_url, "test", size=1)) as database:
        introspection = Introspection(database, ("own",))
        await introspection.collections()
        # there is no view
        assert database.times == 0
        await owner.execute(
            "CREATE VIEW own.one AS SELECT * FROM own.quakes;"
            "CREATE VIEW own.two AS SELECT * FROM own.one JOIN own.kinds USING (kind)"
        )
        found = {each.name: each for each in await introspection.collections()}
        assert found["two"].key == "id"
        # the views, and once the relations below them, none of which is a view
        assert (database.times, database.given) == (2, 2)
        # known definitions are not read again
        await introspection.collections()
        await owner.execute("CREATE OR REPLACE VIEW own.one AS SELECT * FROM own.quakes WHERE id > 1")
        assert database.given == 2
        await introspection.collections()
        assert database.given == 3


_SUGGESTED = [
    # the most usual name for an id comes first, in any position and case
    ('name text, code text, "OBJECTID" bigint, fid int, id text', "id"),
    ("code text, ogc_fid int", "ogc_fid"),
    ('"OBJECTID" bigint, code text', "OBJECTID"),
    # of the table's own name, in the singular, too
    ("basin_id int, rivers_id int, name text", "rivers_id"),
    ("basin_id int, river_id int", "river_id"),
    ("name text, basin_id int, other_uuid uuid", "basin_id"),
    ("name text, other_uuid uuid", "other_uuid"),
    ("name text, idle int, uuids text, gids int", None),
    # a column whose values cannot be compared is not an id
    ("id jsonb, name text", None),
    ("id xml, key point, gid int[]", None),
]


async def test_a_column_that_may_tell_features_apart_is_suggested(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    found = []
    for columns, _ in _SUGGESTED:
        await owner.execute(f"CREATE TABLE own.rivers ({columns})")
        rivers = await _found(introspection, "rivers")
        assert rivers.key is None
        found.append((columns, rivers.suggested_key))
        await owner.execute("DROP TABLE own.rivers")
    assert found == _SUGGESTED


_INDEXED = [
    # the shortest key without nulls, in the order of creation
    ("UNIQUE (a, b); UNIQUE (c); UNIQUE (b)", "c", ()),
    ("UNIQUE (n); UNIQUE (a, b)", None, ("a", "b")),
    ("UNIQUE (n)", "n", ()),
    ("UNIQUE (a, n)", None, ("a", "n")),
    # the primary one, whenever it was made
    ("UNIQUE (a, c); PRIMARY KEY (b, a)", None, ("b", "a")),
    ("PRIMARY KEY (b, a); UNIQUE (a, c)", None, ("b", "a")),
    # columns that an index only includes are not part of its key
    ("UNIQUE (b) INCLUDE (a)", "b", ()),
    ("UNIQUE (a, b) INCLUDE (c)", None, ("a", "b")),
    # an index on some rows, or on an expression, does not make a key
    ("INDEX (a) WHERE b > 0", None, ()),
    ("INDEX ((a + 1))", None, ()),
    ("INDEX (a, (b + 1))", None, ()),
    ("INDEX (a, (b + 1)); UNIQUE (c, b)", None, ("c", "b")),
]


async def test_the_best_of_several_indexes_is_the_key(owner: asyncpg.Connection, introspection: Introspection) -> None:
    found = []
    for number, (indexes, _, _) in enumerate(_INDEXED):
        table = f"own.indexed_{number}"
        await owner.execute(f"CREATE TABLE {table} (a int NOT NULL, b int NOT NULL, c int NOT NULL, n int)")
        for index in indexes.split("; "):
            made = f"ALTER TABLE {table} ADD {index}"
            if index.startswith("INDEX"):
                made = f"CREATE UNIQUE INDEX ON {table} {index.removeprefix('INDEX ')}"
            await owner.execute(made)
        indexed = await _found(introspection, f"indexed_{number}")
        assert indexed.key_repeats is (indexes in ("UNIQUE (n)", "UNIQUE (a, n)"))
        found.append((indexes, indexed.key, indexed.composite_key))
    assert found == _INDEXED
    await owner.execute("CREATE TABLE own.parted (a int, b int, PRIMARY KEY (a, b)) PARTITION BY LIST (a)")
    assert (await _found(introspection, "parted")).composite_key == ("a", "b")


async def test_an_index_that_could_not_be_made_tells_nothing(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    await owner.execute(
        "CREATE TABLE own.halfway (a int NOT NULL, b int NOT NULL, UNIQUE (a), UNIQUE (a, b));"
        "UPDATE pg_index SET indisvalid = false WHERE indrelid = 'own.halfway'::regclass"
    )
    halfway = await _found(introspection, "halfway")
    assert (halfway.key, halfway.composite_key) == (None, ())
    assert not [column.name for column in halfway.columns if column.indexed]


async def test_a_view_over_keys_of_several_columns_needs_all_of_them(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    queries = {
        "SELECT h.n, h.at FROM own.hits h": (),
        # the other has one row for each, by both columns of its key
        "SELECT q.id FROM own.quakes q JOIN own.hits h ON h.quake = q.id AND h.at = q.at": ("id",),
        "SELECT q.id FROM own.quakes q LEFT JOIN own.hits h ON h.quake = q.id AND h.at = q.at": ("id",),
        "SELECT q.id FROM own.quakes q JOIN own.hits h ON h.quake = q.id AND h.at > q.at": (),
        # by the column that a condition makes equal
        "SELECT h.quake, q.at FROM own.quakes q JOIN own.hits h ON h.quake = q.id AND h.at = q.at": ("quake",),
        "SELECT h.quake FROM own.quakes q LEFT JOIN own.hits h ON h.quake = q.id AND h.at = q.at": (),
        # the shorter of two
        "SELECT q.id, k.kind FROM own.quakes q, own.kinds k": ("id", "kind"),
        "SELECT kind, date_trunc('day', at) AS day FROM own.quakes GROUP BY 1, 2": ("kind", "day"),
        "SELECT DISTINCT kind FROM own.quakes": (),
    }
    found = {}
    for number, query in enumerate(queries):
        await owner.execute(f"CREATE VIEW own.over_{number} AS {query}")
        view = await _found(introspection, f"over_{number}")
        found[query] = tuple(column.name for column in view.id_columns)
    assert found == queries
    # of a view below not the first one alone
    await owner.execute(
        "CREATE TABLE own.two (a int PRIMARY KEY, b int NOT NULL UNIQUE);"
        "CREATE VIEW own.both AS SELECT * FROM own.two; CREATE VIEW own.second AS SELECT b FROM own.both"
    )
    assert (await _found(introspection, "second")).key == "b"
    # what is grouped may be null, of several columns all must not be
    await owner.execute(
        "CREATE VIEW own.pairs AS SELECT q.id, g.kind FROM own.quakes q,"
        " (SELECT kind, count(*) FROM own.quakes GROUP BY kind) g"
    )
    pairs = await _found(introspection, "pairs")
    assert [(column.name, column.not_null) for column in pairs.id_columns] == [("id", False), ("kind", False)]


_EQUAL = [
    *((each, each) for each in ("boolean", '"char"', "name", "oid", "text", "character(3)", "uuid", "numeric")),
    *((each, each) for each in ("date", "timestamp", "timestamptz")),
    *product(("smallint", "integer", "bigint"), repeat=2),
    # which are compared as text
    ("varchar(9)", "text"),
    ("varchar(9)", "varchar(9)"),
]


async def test_equal_columns_of_all_usual_types_lead_to_one_row_of_the_other(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    # the last pair is unknown
    for number, (of_one, of_other) in enumerate((*_EQUAL, ("interval", "interval"))):
        await owner.execute(
            f"CREATE TABLE own.one_{number} (id integer PRIMARY KEY, value {of_one});"  # noqa: S608 ours
            f"CREATE TABLE own.other_{number} (value {of_other} PRIMARY KEY); CREATE VIEW own.joined_{number} AS"
            f" SELECT id FROM own.one_{number} one JOIN own.other_{number} other ON other.value = one.value"
        )
    found = {entry.name: entry.key for entry in await introspection.collections()}
    keys = [found[f"joined_{number}"] for number in range(len(_EQUAL) + 1)]
    assert dict(zip(_EQUAL, keys, strict=False)) == dict.fromkeys(_EQUAL, "id")
    assert keys[-1] is None


async def test_what_is_locked_has_the_key_that_it_had(owner: asyncpg.Connection, database_url: str) -> None:
    await owner.execute(
        "INSERT INTO own.quakes (id) VALUES (1), (2);"
        "CREATE MATERIALIZED VIEW own.kept AS SELECT id FROM own.quakes; CREATE UNIQUE INDEX ON own.kept (id)"
    )
    async with Database(PoolSettings(database_url, "test", size=1, lock_timeout_ms=50)) as database:
        bare = tuple(each for each in await Introspection(database, ("own",)).collections() if each.name == "kept")
        kept = (replace(bare[0], key=None, composite_key=(), key_repeats=False),)
        keys = Keys(database)
        (known,) = await keys.fill_in(kept)
        assert (known.key, known.key_repeats) == ("id", False)
        (unknown,) = await Keys(database).fill_in(kept, {"own.kept"})
        # whether it has nulls cannot be looked at
        assert (unknown.key, unknown.key_repeats) == ("id", True)
        async with owner.transaction():
            await owner.execute("REFRESH MATERIALIZED VIEW own.kept")
            assert (await keys.fill_in(kept, {"own.kept"}))[0] is known
            # another state is unknown
            (changed,) = await keys.fill_in((replace(kept[0], shape="another"),), {"own.kept"})
            assert changed.key_repeats
