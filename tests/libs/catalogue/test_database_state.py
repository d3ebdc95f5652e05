"""The values from which data versions are made, on a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from libs.catalogue.database_state import DatabaseStates
from libs.ogc.errors import DomainError
from libs.pg.pool import Database, PoolSettings
from tests.conftest import MakeDatabase


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection to a database with a watched table `watched` and another, `plain`."""
    connection = await asyncpg.connect(database_url)
    await apply_schema(connection)
    await connection.execute(
        "CREATE TABLE watched (a integer); SELECT dams.watch('watched'); CREATE TABLE plain (a integer);"
        "INSERT INTO plain VALUES (1); SELECT pg_stat_force_next_flush()"
    )
    yield connection
    await connection.close()


@pytest.fixture
async def database(owner: asyncpg.Connection, database_url: str) -> AsyncIterator[Database]:
    async with Database(PoolSettings(database_url, "state-test", size=1)) as database:
        yield database


@pytest.fixture
def states(database: Database) -> DatabaseStates:
    return DatabaseStates(database)


class Relation:
    """A table whose version is read repeatedly."""

    def __init__(self, owner: asyncpg.Connection, states: DatabaseStates, name: str) -> None:
        self._owner = owner
        self._states = states
        self._name = name

    async def version(self) -> str | None:
        oid = await self._owner.fetchval("SELECT $1::text::regclass::oid::bigint", self._name)
        return (await self._states.read()).relations[oid]

    async def after(self, statement: str) -> str | None:
        """Its version after the statement, whose statistics the server does not hold back."""
        await self._owner.execute(f"{statement}; SELECT pg_stat_force_next_flush()")
        return await self.version()


@pytest.mark.parametrize("name", ["watched", "plain"])
async def test_every_change_of_rows_is_another_version(
    owner: asyncpg.Connection, states: DatabaseStates, name: str
) -> None:
    relation = Relation(owner, states, name)
    seen = [await relation.version()]
    for statement in ("INSERT INTO {} VALUES (2)", "UPDATE {} SET a = 3", "DELETE FROM {}", "TRUNCATE {}"):
        seen.append(await relation.after(statement.format(name)))
        assert await relation.version() == seen[-1], statement
    assert len(set(seen)) == 5


async def test_a_concurrent_refresh_is_seen_before_its_changes_are_counted(
    owner: asyncpg.Connection, states: DatabaseStates
) -> None:
    await owner.execute(
        "CREATE MATERIALIZED VIEW latest AS SELECT a FROM plain; CREATE UNIQUE INDEX ON latest (a);"
        "INSERT INTO plain VALUES (5); SELECT pg_stat_force_next_flush()"
    )
    relation = Relation(owner, states, "latest")
    before = await relation.version()
    counted = "SELECT pg_stat_get_tuples_inserted('latest'::regclass)"
    known = await owner.fetchval(counted)
    # a session that was counted a moment ago is counted again when it has been idle for ten seconds
    await owner.execute("REFRESH MATERIALIZED VIEW CONCURRENTLY latest")
    assert await relation.version() != before
    assert await owner.fetchval(counted) == known


@pytest.mark.parametrize("name", ["watched", "plain"])
async def test_rows_that_a_change_of_the_table_writes_anew_are_another_version(
    owner: asyncpg.Connection, states: DatabaseStates, name: str
) -> None:
    relation = Relation(owner, states, name)
    await relation.after(f"INSERT INTO {name} VALUES (2)")  # noqa: S608 - ours
    before = await relation.version()
    assert await relation.after(f"ALTER TABLE {name} ALTER a TYPE integer USING a * 2") != before


async def test_a_change_of_one_table_is_none_of_another(owner: asyncpg.Connection, states: DatabaseStates) -> None:
    watched, plain = Relation(owner, states, "watched"), Relation(owner, states, "plain")
    before = await watched.version(), await plain.version()
    await owner.execute("CREATE TABLE other (a integer)")
    await Relation(owner, states, "other").after("INSERT INTO other VALUES (1)")
    assert (await watched.version(), await plain.version()) == before


async def test_counters_that_are_set_back_do_not_repeat_a_version(
    owner: asyncpg.Connection, states: DatabaseStates
) -> None:
    plain = Relation(owner, states, "plain")
    before = await plain.version()
    reset = await plain.after("SELECT pg_stat_reset()")
    # as many changes as before
    assert before not in (reset, await plain.after("INSERT INTO plain VALUES (1)"))


async def test_without_the_change_log_the_servers_counters_tell(
    owner: asyncpg.Connection, states: DatabaseStates
) -> None:
    watched = Relation(owner, states, "watched")
    with_log = await watched.version()
    assert with_log is not None
    assert with_log.startswith("w")
    await owner.execute("ALTER FUNCTION dams.data_versions() RENAME TO gone")
    with pytest.raises(DomainError):
        await states.read()
    without = await watched.version()
    assert without is not None
    assert not without.startswith("w")
    assert await watched.after("INSERT INTO watched VALUES (1)") != without
    await owner.execute(
        "DROP TRIGGER dams_record_change ON watched; ALTER FUNCTION dams.gone() RENAME TO data_versions"
    )
    counted = await watched.version()
    assert counted is not None
    assert not counted.startswith("w")


@pytest.fixture
async def plain_states(owner: asyncpg.Connection, database_url: str) -> AsyncIterator[DatabaseStates]:
    """As a role sees them that was given nothing."""
    await owner.execute("CREATE ROLE plain_reader LOGIN PASSWORD 'only reads'")
    try:
        server, _, name = database_url.rpartition("/")
        url = f"postgresql://plain_reader:only%20reads@{server.rpartition('@')[2]}/{name}"
        async with Database(PoolSettings(url, "state-test", size=1)) as database:
            yield DatabaseStates(database)
    finally:
        await owner.execute("DROP OWNED BY plain_reader; DROP ROLE plain_reader")


async def test_a_role_that_may_not_read_the_change_log_uses_counters(
    owner: asyncpg.Connection, plain_states: DatabaseStates
) -> None:
    watched = Relation(owner, plain_states, "watched")
    # not the schema, then not the function in it
    for right in (
        "GRANT EXECUTE ON FUNCTION dams.data_versions() TO plain_reader",
        "GRANT USAGE ON SCHEMA dams TO plain_reader;"
        "REVOKE EXECUTE ON FUNCTION dams.data_versions() FROM PUBLIC, dams_reader, plain_reader",
    ):
        await owner.execute(right)
        version = await watched.version()
        assert version is not None
        assert not version.startswith("w")
    await owner.execute("GRANT EXECUTE ON FUNCTION dams.data_versions() TO plain_reader")
    assert (await watched.version() or "").startswith("w")


async def test_a_function_of_that_name_in_another_schema_is_no_change_log(
    owner: asyncpg.Connection, states: DatabaseStates
) -> None:
    await owner.execute("CREATE FUNCTION public.data_versions() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
    assert (await Relation(owner, states, "watched").version() or "").startswith("w")


async def test_a_table_in_partitions_has_a_version_where_it_is_watched(
    owner: asyncpg.Connection, states: DatabaseStates
) -> None:
    await owner.execute(
        "CREATE TABLE parted (a integer) PARTITION BY RANGE (a);"
        "CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10); SELECT dams.watch('parted')"
    )
    parted = Relation(owner, states, "parted")
    before = await parted.version()
    assert (before or "").startswith("w")
    assert await parted.after("INSERT INTO parted VALUES (1)") != before


async def test_a_server_is_told_by_its_address_and_its_start(owner: asyncpg.Connection, states: DatabaseStates) -> None:
    await owner.execute("SET timezone = 'UTC'")
    told = "SELECT concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time())"
    assert (await states.read()).server == await owner.fetchval(told)


async def test_a_change_log_of_an_earlier_release_is_read(owner: asyncpg.Connection, states: DatabaseStates) -> None:
    watched = Relation(owner, states, "watched")
    with_tokens = await watched.version()
    await owner.execute(
        "DROP FUNCTION dams.data_versions(); ALTER TABLE dams.change_log DROP COLUMN token;"
        "CREATE FUNCTION dams.data_versions() RETURNS TABLE (relation oid, version bigint) LANGUAGE sql STABLE AS"
        " 'SELECT relation, sum(n)::bigint FROM dams.change_log GROUP BY relation';"
        "CREATE OR REPLACE FUNCTION dams.prune_change_log() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'"
    )
    with pytest.raises(DomainError):
        await states.read()
    without = await watched.version()
    assert without is not None
    assert without.startswith("w")
    assert without != with_tokens
    assert await watched.after("INSERT INTO watched VALUES (1)") != without


async def test_the_identity_is_that_of_the_database(
    owner: asyncpg.Connection, states: DatabaseStates, plain_states: DatabaseStates, make_database: MakeDatabase
) -> None:
    identity = (await states.read()).identity
    assert str(await owner.fetchval("SELECT system_identifier FROM pg_control_system()")) in identity
    async with Database(PoolSettings(await make_database(), "state-test", size=1)) as other:
        assert (await DatabaseStates(other).read()).identity != identity
    assert (await plain_states.read()).identity == identity
    # a role that may not ask knows the server by its address and its start
    await owner.execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
    with pytest.raises(DomainError):
        await plain_states.read()
    by_address = (await plain_states.read()).identity
    port = await owner.fetchval("SELECT inet_server_port()")
    assert by_address.endswith(f" {port}")
    assert by_address.partition("+")[0] == identity.partition("+")[0]
    # nor if the role may call only one of the two functions
    await owner.execute(
        "GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC;"
        "REVOKE EXECUTE ON FUNCTION pg_control_checkpoint() FROM PUBLIC"
    )
    assert (await plain_states.read()).identity == by_address


async def test_the_software_is_postgresql_postgis_and_its_libraries(
    owner: asyncpg.Connection, states: DatabaseStates
) -> None:
    software = (await states.read()).software
    assert await owner.fetchval("SHOW server_version") in software
    for name, function in (("PROJ", "postgis_proj_version"), ("GEOS", "postgis_geos_version")):
        assert f'{name}="{await owner.fetchval(f"SELECT {function}()")}' in software


async def test_a_database_without_postgis_has_versions(owner: asyncpg.Connection, states: DatabaseStates) -> None:
    await owner.execute("DROP EXTENSION postgis CASCADE")
    assert "PROJ" not in (await states.read()).software
    assert await Relation(owner, states, "plain").version()


async def test_a_read_is_one_statement(owner: asyncpg.Connection, database: Database, states: DatabaseStates) -> None:
    calls = 0

    class Counting(Database):
        async def fetch(self, statement):  # type: ignore[no-untyped-def]
            nonlocal calls
            calls += 1
            return await database.fetch(statement)

    states = DatabaseStates(Counting(PoolSettings("", "state-test")))
    await states.read()
    # the first asks what there is
    assert calls == 2
    await states.read()
    assert calls == 3
