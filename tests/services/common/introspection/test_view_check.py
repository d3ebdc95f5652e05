"""Views whose functions name things without a schema, as their owner's sessions find them."""

from __future__ import annotations

import asyncio
import logging

import asyncpg
import pytest

from libs.ogc.errors import Unavailable
from libs.pg.errors import BrokenFunction
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from services.common.introspection.introspect import Introspection
from services.common.introspection.view_check import ViewCheck


@pytest.fixture
def relations() -> str:
    """A view whose function finds its table only where the path leads to it."""
    return (
        "CREATE TABLE own.stations (id integer PRIMARY KEY); INSERT INTO own.stations VALUES (1);"
        "CREATE FUNCTION own.stations_now() RETURNS SETOF integer LANGUAGE plpgsql STABLE"
        " AS $$ BEGIN RETURN QUERY SELECT id FROM stations; END $$;"
        "CREATE VIEW own.current_stations AS SELECT id FROM own.stations_now() AS id"
    )


async def ids(introspection: Introspection) -> list[str]:
    return [collection.id for collection in await introspection.collections()]


async def test_a_view_works_where_the_path_of_the_role_or_the_database_leads_to_what_its_functions_name(
    owner: asyncpg.Connection, database_url: str
) -> None:
    name = await owner.fetchval("SELECT current_database()")
    await owner.execute(f'ALTER DATABASE "{name}" SET search_path = own')
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        assert await database.fetchval(sql("SELECT count(*) FROM own.current_stations")) == 1
        # PostGIS is found, too
        assert await database.fetchval(sql("SELECT ST_X(ST_Point(1, 2))")) == 1
        assert "own.current_stations" in await ids(Introspection(database, ("own",)))


async def test_a_view_whose_functions_find_nothing_is_left_out_and_the_log_says_what_mends_it(
    owner: asyncpg.Connection, introspection: Introspection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    assert await ids(introspection) == ["own.stations"]
    (told,) = [record for record in caplog.records if record.getMessage() == "view left out"]
    cause = vars(told)["fields"]["cause"]
    assert 'relation "stations" does not exist' in cause
    assert "search_path" in cause
    await owner.execute("ALTER FUNCTION own.stations_now() SET search_path = own")
    assert await ids(introspection) == ["own.current_stations", "own.stations"]


@pytest.mark.usefixtures("owner")
async def test_who_asks_nevertheless_is_told_that_it_is_no_matter_of_time(database_url: str) -> None:
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        with pytest.raises(BrokenFunction, match="names a table, a column or a function"):
            await database.fetch(sql("SELECT * FROM own.current_stations"))


async def test_nothing_is_said_of_a_view_that_cannot_be_looked_at_for_the_moment(
    owner: asyncpg.Connection, database_url: str
) -> None:
    await owner.execute("ALTER FUNCTION own.stations_now() SET search_path = own")
    async with Database(PoolSettings(database_url, "test", size=1, acquire_timeout=0.5)) as database:
        collections = await Introspection(database, ("own",)).collections()
        assert "own.current_stations" in {collection.id for collection in collections}
        await owner.execute("ALTER FUNCTION own.stations_now() RESET search_path")
        views = ViewCheck(database)
        looking = asyncio.create_task(views.usable(collections))
        await asyncio.sleep(0)
        # whoever comes second has the only connection after the first statement, and keeps it
        async with database.connection():
            with pytest.raises(Unavailable):
                await looking
        assert [collection.id for collection in await views.usable(collections)] == ["own.stations"]


async def test_a_table_of_which_no_query_can_be_planned_is_left_out(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    await owner.execute(
        "SET search_path = own; CREATE FUNCTION inner_one() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';"
        "CREATE FUNCTION outer_one(n integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 FROM inner_one()';"
        "CREATE TABLE odd_index (id integer PRIMARY KEY); CREATE INDEX ON odd_index (outer_one(id));"
        "CREATE TABLE even_index (id integer PRIMARY KEY); CREATE INDEX ON even_index ((id + 1)); RESET search_path"
    )
    assert await ids(introspection) == ["own.even_index", "own.stations"]
