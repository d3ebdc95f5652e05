"""Rows some of whose geometries PostGIS cannot work out, from any place of a page, with a key and without."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import AS_STORED, ItemsQuery, total_order
from services.features.rows import failing_rows
from services.features.rows.failing_rows import fetch_rows
from services.features.rows.items_sql import item_plan, items_plan
from services.features.rows.layout import OMITTED
from tests.conftest import MakeDatabase

ID = Column("id", "integer", "integer", not_null=True)
WORD = Column("word", "text", "string")
LOST = {3, 8}
KEYED = Collection(
    id="public.misplaced",
    schema="public",
    name="misplaced",
    oid=1,
    kind="table",
    title="T",
    description=None,
    columns=(ID, WORD),
    geometries=(GeometryColumn("geom", "Geometry", 0),),
    key="id",
    sources=(1,),
)
KEYLESS = replace(KEYED, key=None)
UNKNOWN = replace(KEYLESS, kind="view", sources=())
"""A view without a known key."""


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    """Twelve points, of which PROJ cannot transform two, and then one without a geometry."""
    url = await make_database()
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE TABLE misplaced (id integer PRIMARY KEY, word text, geom geometry);"
        "INSERT INTO misplaced SELECT n, 'row ' || n, CASE WHEN n NOT IN (3, 8)"
        " THEN ST_Transform(ST_Point(n, 45, 4326), 3035) ELSE 'SRID=3035;POINT(1e9 1e9)' END"
        " FROM generate_series(1, 12) n; INSERT INTO misplaced VALUES (13, 'row 13', NULL);"
        # a table and its child, whose rows have the ids of others
        "CREATE TABLE family AS SELECT * FROM misplaced WHERE id < 4; CREATE TABLE child () INHERITS (family);"
        "INSERT INTO child SELECT id - 3, word, geom FROM misplaced WHERE id BETWEEN 4 AND 6;"
        "CREATE TABLE lost AS SELECT n AS id, 'row ' || n AS word, geom"
        " FROM misplaced, generate_series(1, 12) n WHERE id = 3;"
        # a row without a name
        "CREATE VIEW named AS SELECT nullif(id, 5) AS id, word, geom FROM misplaced WHERE id < 10"
    )
    await owner.close()
    async with Database(PoolSettings(url, "fetching-test", size=1)) as database:
        yield database


def _query(collection: Collection, *, after: Position | None = None, offset: int = 0) -> ItemsQuery:
    selection = Selection(collection, collection.geometry(), (), collection.columns, (SortTerm(ID),))
    return ItemsQuery(selection, total_order(selection), 100, offset, after, AS_STORED, {}, "")


async def _found(database: Database, query: ItemsQuery, **options: object) -> dict[int, str | None]:
    """The geometry of each row, by the number in its word, in order."""
    plan = items_plan(query, geometry_as="wkt", **{"limit": 100, **options})  # type: ignore[arg-type]
    rows = await fetch_rows(database, query.selection.collection, plan)
    has_id = plan.layout.has_id
    assert all(f"row {row[1 + has_id]}" == row[2 + has_id] for row in rows)
    return {row[1 + has_id]: row[has_id] for row in rows}


def _is_right(found: dict[int, str | None]) -> bool:
    return all(
        geometry == OMITTED if number in LOST else geometry is None if number == 13 else _lies_at(number, geometry)
        for number, geometry in found.items()
    )


def _lies_at(number: int, geometry: str | None) -> bool:
    return geometry is not None and abs(float(geometry.partition("(")[2].split()[0]) - number) < 1e-6


@pytest.mark.parametrize("collection", [KEYED, KEYLESS, UNKNOWN], ids=["key", "no key", "nothing"])
async def test_each_of_the_others_keeps_its_geometry(database: Database, collection: Collection) -> None:
    found = await _found(database, _query(collection))
    assert [*found] == list(range(1, 14))
    assert _is_right(found)
    some = await _found(database, _query(collection, offset=6), limit=4)
    assert [*some] == [7, 8, 9, 10]
    assert _is_right(some)


async def test_rows_that_share_an_id_keep_theirs(database: Database) -> None:
    family = replace(KEYED, name="family", key_repeats=True, sources=(1, 2))
    plan = items_plan(_query(family), geometry_as="wkt", limit=100)
    rows = await fetch_rows(database, family, plan)
    assert [row[0] for row in rows] == [1, 1, 2, 2, 3, 3]
    for row in rows:
        number = int(row[3].partition(" ")[2])
        assert row[1] == OMITTED if number in LOST else _lies_at(number, row[1])


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("key", ["id", None])
async def test_pages_that_start_behind_a_row_keep_theirs(database: Database, key: str | None, backwards: bool) -> None:
    collection = replace(KEYED, key=key)

    def at(number: int) -> tuple[str, ...]:
        # the rows were written at once, into one block
        return (str(number),) if key else (str(number), f"(0,{number})")

    after = _query(collection, after=Position(at(9 if backwards else 2), backwards))
    found = await _found(database, after, until=Position(at(3 if backwards else 10), backwards))
    assert [*found] == (list(range(8, 2, -1)) if backwards else list(range(3, 11)))
    assert _is_right(found)
    if not backwards:
        assert [*await _found(database, replace(after, offset=3), limit=2)] == [6, 7]


async def test_a_feature_by_itself_comes_without_it(database: Database) -> None:
    selection = _query(KEYED).selection
    plan = item_plan(selection, sql("id = 8"), geometry_as="wkt")
    assert await fetch_rows(database, KEYED, plan) == [(8, OMITTED, 8, "row 8")]
    plan = item_plan(selection, sql("id = 99"), geometry_as="wkt")
    assert await fetch_rows(database, KEYED, plan) == []


async def test_each_of_many_rows_is_left_out(database: Database) -> None:
    assert {*(await _found(database, _query(replace(KEYED, id="public.lost", name="lost")))).values()} == {OMITTED}


async def test_rows_without_a_key_do_not_keep_others_from_theirs(database: Database) -> None:
    named = replace(KEYED, name="named", kind="view")
    plan = items_plan(_query(named), geometry_as="wkt", limit=100)
    rows = {row[3]: row[:2] for row in await fetch_rows(database, named, plan)}
    # a row without a key cannot be requested by it
    assert rows.pop("row 5") == (None, None)
    for word, (key, geometry) in rows.items():
        assert word == f"row {key}"
        assert geometry == OMITTED if int(key) in LOST else _lies_at(int(key), geometry)


async def test_they_are_not_looked_for_any_longer_than_a_client_waits(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failing_rows, "SECONDS", -1.0)
    with pytest.raises(StoredValueError):
        await _found(database, _query(KEYED))
