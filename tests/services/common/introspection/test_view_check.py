"""Views whose functions name things without a schema, as their owner's sessions find them."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_reader
from libs.ogc.errors import Unavailable
from libs.pg.errors import BrokenFunction
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from services.common.introspection.introspect import Introspection
from services.common.introspection.view_check import ViewCheck
from tests.services.common.introspection.asking import UNHURRIED, Asking, Slow
from tests.services.conftest import PASSWORD, READER, reader_url


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


async def test_view_works_with_the_search_path_of_role_or_database(
    owner: asyncpg.Connection, database_url: str
) -> None:
    name = await owner.fetchval("SELECT current_database()")
    await owner.execute(f'ALTER DATABASE "{name}" SET search_path = own')
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        assert await database.fetchval(sql("SELECT count(*) FROM own.current_stations")) == 1
        # PostGIS is found, too
        assert await database.fetchval(sql("SELECT ST_X(ST_Point(1, 2))")) == 1
        assert "own.current_stations" in await ids(Introspection(database, ("own",)))


async def test_a_view_whose_functions_find_nothing_is_left_out(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    for _ in range(2):
        assert await ids(introspection) == ["own.stations"]
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
        # the second caller takes the only connection after the first statement, and keeps it
        async with database.connection():
            with pytest.raises(Unavailable):
                await looking
        assert [collection.id for collection in await views.usable(collections)] == ["own.stations"]


async def test_what_somebody_has_for_himself_is_what_it_was(owner: asyncpg.Connection, database_url: str) -> None:
    path = "ALTER FUNCTION own.stations_now() {} search_path"
    await owner.execute(f"{path.format('SET')} = own")
    async with Database(PoolSettings(database_url, "test", size=1, lock_timeout_ms=20)) as database:
        collections = await Introspection(database, ("own",)).collections()
        fine, broken = (ViewCheck(database, trusted_seconds=0, **UNHURRIED) for _ in range(2))

        async def usable(views: ViewCheck) -> list[str]:
            return [collection.name for collection in await views.usable(collections)]

        assert await usable(fine) == ["current_stations", "stations"]
        await owner.execute(path.format("RESET"))
        assert await usable(broken) == ["stations"]
        async with owner.transaction():
            await owner.execute("LOCK TABLE own.current_stations")
            assert await usable(broken) == ["stations"]
            assert await usable(fine) == ["current_stations", "stations"]


async def test_a_table_of_which_no_query_can_be_planned_is_left_out(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    await owner.execute(
        "SET search_path = own; CREATE FUNCTION inner_one() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';"
        "CREATE FUNCTION outer_one(n integer) RETURNS integer LANGUAGE sql IMMUTABLE"
        " AS 'SELECT $1 FROM own.inner_one()';"
        "CREATE TABLE odd_index (id integer PRIMARY KEY); CREATE INDEX ON odd_index (outer_one(id));"
        "CREATE TABLE odd_part (id integer PRIMARY KEY); CREATE INDEX ON odd_part (id) WHERE outer_one(id) = 1;"
        "CREATE TABLE even_index (id integer PRIMARY KEY); CREATE INDEX ON even_index ((id + 1)) WHERE id > 1;"
        "DROP FUNCTION inner_one(); RESET search_path"
    )
    assert await ids(introspection) == ["own.even_index", "own.stations"]


async def test_a_table_whose_policy_fails_is_left_out_for_those_whom_it_is_for(
    owner: asyncpg.Connection, database_url: str
) -> None:
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute(
        "CREATE FUNCTION own.is_open(n integer) RETURNS boolean LANGUAGE plpgsql STABLE"
        " AS $$ BEGIN RETURN EXISTS (SELECT FROM stations WHERE id = n); END $$;"
        "CREATE TABLE own.guarded AS SELECT 1 AS id; ALTER TABLE own.guarded ENABLE ROW LEVEL SECURITY;"
        "CREATE POLICY open_ones ON own.guarded USING (own.is_open(id)); GRANT USAGE ON SCHEMA own TO dams_reader;"
        "GRANT SELECT ON own.guarded, own.stations TO dams_reader"
    )
    async with Database(PoolSettings(reader_url(database_url), "test", size=1)) as database:
        assert await ids(Introspection(database, ("own",))) == ["own.stations"]
        await owner.execute("ALTER FUNCTION own.is_open SET search_path = own")
        assert await ids(Introspection(database, ("own",))) == ["own.guarded", "own.stations"]


async def test_what_was_fine_a_moment_ago_is_not_looked_at_again(owner: asyncpg.Connection, database_url: str) -> None:
    mend = "ALTER FUNCTION own.stations_now() {} search_path"
    await owner.execute(f"{mend.format('SET')} = own")
    async with Asking(PoolSettings(database_url, "test", size=1)) as database:
        collections = await Introspection(database, ("own",)).collections()

        async def asked(views: ViewCheck, *, locked: bool = False) -> tuple[int, list[str]]:
            database.times = 0
            usable = await views.usable(collections, {"own.current_stations"} if locked else frozenset())
            return database.times, [collection.name for collection in usable]

        fine, broken = ["current_stations", "stations"], ["stations"]
        trusting, wary = ViewCheck(database, **UNHURRIED), ViewCheck(database, trusted_seconds=0, **UNHURRIED)
        # tables whose indexes call functions, the plan, and a row
        assert await asked(trusting) == await asked(wary) == (3, fine)
        assert await asked(trusting) == (1, fine)
        # its rows are read once for each shape
        assert await asked(wary) == (2, fine)
        hasty = ViewCheck(database, round_seconds=-1)
        await owner.execute(mend.format("RESET"))
        assert await asked(hasty) == (2, fine)
        # a broken view is checked each time, and a locked one keeps its result
        found_out = ViewCheck(database, **UNHURRIED)
        assert await asked(found_out) == (3, broken)
        assert await asked(found_out) == (3, broken)
        assert await asked(found_out, locked=True) == (1, broken)
        await owner.execute(f"{mend.format('SET')} = own")
        assert await asked(found_out, locked=True) == (1, broken)
        assert await asked(found_out) == (3, fine)


async def test_what_is_broken_is_read_again_however_long_others_took(
    owner: asyncpg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = "ALTER FUNCTION own.stations_now() {} search_path"
    await owner.execute(f"{mend.format('SET')} = own")
    async with Slow(PoolSettings(database_url, "test", size=1)) as database:
        monkeypatch.setattr("services.common.introspection.view_check.time", database.clock)
        collections = await Introspection(database, ("own",)).collections()
        await owner.execute(mend.format("RESET"))
        views = ViewCheck(database)
        for takes in (0.0, 1.0):
            database.takes = takes
            assert [collection.name for collection in await views.usable(collections)] == ["stations"]


async def test_a_slow_view_is_not_waited_for_and_may_be_fine(owner: asyncpg.Connection, database_url: str) -> None:
    await owner.execute("CREATE VIEW own.slow AS SELECT id FROM own.stations, pg_sleep(60)")
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        collections = await Introspection(database, ("own",)).collections()
        async with asyncio.timeout(20):
            usable = await ViewCheck(database, statement_ms=50).usable(collections)
    assert "own.slow" in {collection.id for collection in usable}
