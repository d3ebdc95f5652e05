"""Conditions that fail on some rows: which rows these are, with and without a key, and how long that is remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, bind, sql
from libs.selection.selection import Selection
from services.features.rows import failing_rows
from services.features.rows.failing_rows import FailingRows, calls_postgis
from services.features.rows.items_sql import count_statement
from tests.conftest import MakeDatabase
from tests.services.features.rows.set_versions import SetVersions

ID = Column("id", "integer", "integer", not_null=True)
FAILS = sql("is_right(id)")
"""Fails on two rows, and does not match one."""
ONE = Collection("public.rows", "public", "rows", 1, "table", "R", None, (ID,), key="id", sources=(1,))
SEVERAL = replace(ONE, id="public.parted", name="parted", kind="partitioned table", key=None, sources=(1, 2, 3))
VIEW = replace(ONE, id="public.seen", name="seen", kind="view")


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    """Make a table of twenty rows and one without a name. Rows 7 and 13 fail, and row 9 does not match."""
    url = await make_database()
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE FUNCTION is_right(id integer) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " IF id IN (7, 13) THEN RAISE EXCEPTION 'no place' USING ERRCODE = 'XX000'; END IF;"
        " RETURN coalesce(id, 0) <> 9; END $$;"
        "CREATE TABLE rows AS SELECT n AS id FROM generate_series(1, 20) n;"
        "CREATE TABLE parted (id integer) PARTITION BY RANGE (id);"
        "CREATE TABLE part_1 PARTITION OF parted FOR VALUES FROM (1) TO (10);"
        "CREATE TABLE part_2 PARTITION OF parted FOR VALUES FROM (10) TO (99);"
        "INSERT INTO parted SELECT id FROM rows;"
        "CREATE VIEW seen AS SELECT nullif(id, 20) AS id FROM rows;"
        "CREATE TABLE many AS SELECT n AS id FROM generate_series(1, 50001) n;"
        "CREATE TABLE fewer AS SELECT * FROM many WHERE id > 1"
    )
    await owner.close()
    async with Database(PoolSettings(url, "failing-test", size=1)) as database:
        yield database


def _failing(database: Database) -> tuple[FailingRows, SetVersions]:
    versions = SetVersions(database)
    return FailingRows(versions), versions


def _selection(collection: Collection, *conditions: Sql) -> Selection:
    return Selection(collection, None, conditions, collection.columns, ())


@pytest.mark.parametrize("collection", [ONE, SEVERAL, VIEW], ids=["place", "table and place", "key"])
async def test_the_others_match_and_those_do_not(database: Database, collection: Collection) -> None:
    failing, _ = _failing(database)
    selection = _selection(collection, sql("(id > 4) IS NOT FALSE"), FAILS)
    assert failing.exclude_known(selection) is selection
    found = await failing.find(database, selection)
    assert found.failing == 2
    assert await database.fetchval(count_statement(found)) == 13
    # those without a name stay
    again = failing.exclude_known(selection)
    assert (again.failing, await database.fetchval(count_statement(again))) == (2, 13)


async def test_they_are_known_of_the_same_conditions_on_the_same_rows(database: Database) -> None:
    failing, versions = _failing(database)
    selection = _selection(VIEW, FAILS, sql("id < {most}", most=bind(15, "int4")))
    await failing.find(database, selection)
    others = [
        _selection(VIEW, FAILS),
        _selection(VIEW, FAILS, sql("id < {most}", most=bind(16, "int4"))),
        _selection(replace(VIEW, id="public.other"), *selection.conditions),
    ]
    assert [failing.exclude_known(other).failing for other in [selection, *others]] == [2, 0, 0, 0]
    # those are others after a change
    for token in ("second", None):
        versions.token = token
        assert failing.exclude_known(selection) is selection
    await failing.find(database, selection)
    assert failing.exclude_known(selection).failing == 2


@pytest.mark.parametrize(
    "selection",
    [
        _selection(VIEW),
        # the fault is not in a single row
        _selection(VIEW, sql("id > 0")),
        replace(_selection(VIEW, FAILS), failing=1),
        # without anything that tells rows apart
        _selection(replace(VIEW, key=None), FAILS),
        _selection(replace(VIEW, key="other"), FAILS),
        _selection(replace(VIEW, key_repeats=True), FAILS),
        _selection(replace(VIEW, kind="function"), FAILS),
    ],
)
async def test_what_cannot_be_found_is_an_error(database: Database, selection: Selection) -> None:
    with pytest.raises(StoredValueError):
        await _failing(database)[0].find(database, selection)


async def test_what_fails_without_them_is_no_longer_looked_for(database: Database) -> None:
    failing, _ = _failing(database)
    selection = _selection(ONE, FAILS)
    found = await failing.find(database, selection)
    with pytest.raises(StoredValueError):
        await failing.find(database, found)
    # another request with the same selection gets the known rows
    assert await failing.find(database, selection) == found


async def test_they_are_not_looked_for_any_longer_than_a_client_waits(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failing_rows, "SECONDS", -1.0)
    with pytest.raises(StoredValueError):
        await _failing(database)[0].find(database, _selection(ONE, FAILS))


async def test_of_very_many_rows_not_each_is_tried(database: Database) -> None:
    many = replace(ONE, id="public.many", name="many")
    with pytest.raises(StoredValueError):
        await _failing(database)[0].find(database, _selection(many, FAILS))
    # one fewer
    fewer = replace(many, id="public.fewer", name="fewer")
    assert (await _failing(database)[0].find(database, _selection(fewer, FAILS))).failing == 2


def test_conditions_that_call_postgis_may_fail() -> None:
    area = sql("ST_Intersects(geom, {area})", area=bind("POINT(1 1)", "text"))
    assert calls_postgis(_selection(ONE, sql("id = 1"), area))
    assert not calls_postgis(_selection(ONE, sql("id = 1"), sql("name = {name}", name=bind("ST_X", "text"))))
    assert not calls_postgis(_selection(ONE))
