"""Versions change only with the rows and with the code that writes the bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from inspect import signature

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions
from libs.concurrency.background import periodic
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from tests.eventually import eventually


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection to a database with two watched tables."""
    connection = await asyncpg.connect(database_url)
    await apply_schema(connection)
    await connection.execute(
        "CREATE TABLE first (a integer); SELECT dams.watch('first');"
        "CREATE TABLE second (a integer); SELECT dams.watch('second')"
    )
    yield connection
    await connection.close()


@asynccontextmanager
async def following(database_url: str) -> AsyncIterator[DataVersions]:
    async with (
        Database(PoolSettings(database_url, "versions-test", size=2)) as database,
        DataVersions(database, poll_seconds=0.02) as versions,
    ):
        yield versions


async def collection(owner: asyncpg.Connection, name: str) -> Collection:
    oid = await owner.fetchval("SELECT $1::text::regclass::oid::bigint", name)
    return Collection(
        id=f"public.{name}",
        schema="public",
        name=name,
        oid=oid,
        kind="table",
        title=name,
        description=None,
        columns=(),
        sources=(oid,),
        shape="shape",
    )


async def changed(versions: DataVersions, of: Collection, before: DataVersion) -> DataVersion:
    """The version once it is another than before."""
    found: list[DataVersion] = []

    async def another() -> bool:
        version = versions.version(of)
        assert version is not None
        found[:] = [version]
        return version.token != before.token

    await eventually(another)
    return found[0]


def known(versions: DataVersions, of: Collection) -> DataVersion:
    version = versions.version(of)
    assert version is not None
    return version


async def test_a_commit_is_another_version_of_that_collection_alone(
    owner: asyncpg.Connection, database_url: str
) -> None:
    first, second = await collection(owner, "first"), await collection(owner, "second")
    async with following(database_url) as versions:
        asked = datetime.now(UTC)
        before, other = known(versions, first), known(versions, second)
        assert len(before.token) == 18
        # rounded up: a change in that second is not newer
        assert asked < before.since <= datetime.now(UTC) + timedelta(seconds=1)
        await owner.execute("INSERT INTO first VALUES (1)")
        after = await changed(versions, first, before)
        assert known(versions, second) == other
        # Last-Modified counts whole seconds
        assert after.since >= before.since + timedelta(seconds=1)
        assert after.since.microsecond == 0
        assert parsedate_to_datetime(after.http_date) == after.since
        assert after.http_date.endswith(" GMT")


async def test_token_of_the_same_rows_survives_a_restart(owner: asyncpg.Connection, database_url: str) -> None:
    first = await collection(owner, "first")
    async with following(database_url) as one, following(database_url) as other:
        tokens = {known(versions, first).token for versions in (one, other)}
    async with following(database_url) as later:
        assert {known(later, first).token} == tokens


async def test_what_the_catalogue_says_of_a_collection_is_part_of_its_version(
    owner: asyncpg.Connection, database_url: str
) -> None:
    first = await collection(owner, "first")
    async with following(database_url) as versions:
        tokens = {
            known(versions, of).token
            for of in (first, replace(first, shape="another shape"), replace(first, oid=first.oid + 1))
        }
    assert len(tokens) == 3


async def test_a_view_has_the_version_of_all_its_sources(owner: asyncpg.Connection, database_url: str) -> None:
    first, second = await collection(owner, "first"), await collection(owner, "second")
    view = replace(first, id="public.view", oid=1, kind="view", sources=(first.oid, second.oid))
    async with following(database_url) as versions:
        before = known(versions, view)
        await owner.execute("INSERT INTO second VALUES (1)")
        await changed(versions, view, before)


async def test_what_nobody_counts_has_no_version(owner: asyncpg.Connection, database_url: str) -> None:
    first = await collection(owner, "first")
    async with following(database_url) as versions:
        assert versions.version(replace(first, id="public.f", kind="function")) is None
        assert versions.version(replace(first, id="public.g", kind="foreign table")) is None
        assert versions.version(replace(first, id="public.h", sources=())) is None
        assert versions.version(replace(first, id="public.i", sources=(1,))) is None


async def test_a_version_is_exact_where_no_commit_goes_without_another(
    owner: asyncpg.Connection, database_url: str
) -> None:
    await owner.execute("CREATE TABLE counted (a integer); CREATE MATERIALIZED VIEW filled AS SELECT 1 AS a")
    first, counted, filled = [await collection(owner, name) for name in ("first", "counted", "filled")]
    of = {
        "watched": first,
        "parts": replace(first, id="public.parts", kind="partitioned table"),
        "filled": replace(filled, kind="materialized view"),
        # counters of the database are late
        "counted": counted,
        "one part": replace(first, id="public.part", kind="partitioned table", sources=(first.oid, counted.oid)),
        # the rows of these depend on more than tables
        "policies": replace(first, id="public.policies", row_security=True),
        "view": replace(first, id="public.view", kind="view"),
    }
    async with following(database_url) as versions:
        exact = {name: known(versions, each).exact for name, each in of.items()}
    assert [name for name, is_so in exact.items() if is_so] == ["watched", "parts", "filled"]


async def test_an_old_version_vouches_for_nothing_while_the_database_is_away(
    owner: asyncpg.Connection, database_url: str
) -> None:
    first = await collection(owner, "first")
    server, _, name = database_url.rpartition("/")
    admin = await asyncpg.connect(f"{server}/postgres")
    try:
        async with following(database_url) as versions:
            before, running = known(versions, first), versions.server
            assert running is not None
            await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'versions-test'"
            )
            await eventually(lambda: unknown(versions, first))
            assert versions.server is None
            await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            await eventually(lambda: is_known(versions, first))
            assert known(versions, first) == before
            assert versions.server == running
    finally:
        await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        await admin.close()


async def unknown(versions: DataVersions, of: Collection) -> bool:
    return versions.version(of) is None


async def is_known(versions: DataVersions, of: Collection) -> bool:
    return versions.version(of) is not None


async def test_database_is_awaited_only_if_it_has_just_gone(database_url: str) -> None:
    server, _, name = database_url.rpartition("/")
    admin = await asyncpg.connect(f"{server}/postgres")
    allow = f"ALTER DATABASE {name} ALLOW_CONNECTIONS"
    leave = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'versions-test'"
    try:
        async with (
            Database(PoolSettings(database_url, "versions-test", size=2)) as database,
            DataVersions(database, poll_seconds=0.02, grace_seconds=4) as versions,
        ):
            await admin.execute(f"{allow} false")
            await admin.execute(leave)
            waiting = asyncio.create_task(versions.wait_for_restart())
            await asyncio.sleep(0.3)
            assert not waiting.done()
            await admin.execute(f"{allow} true")
            assert await waiting

            await admin.execute(f"{allow} false")
            await admin.execute(leave)
            many = [asyncio.create_task(versions.wait_for_restart()) for _ in range(1010)]
            await asyncio.sleep(0)
            # no more than this number wait
            assert [await each for each in many if each.done()] == [False] * 10
            assert set(await asyncio.gather(*many)) == {False}
            assert versions.server is None
            gone = asyncio.create_task(versions.wait_for_restart())
            await asyncio.sleep(0)
            assert gone.done()
            assert not await gone
    finally:
        await admin.execute(f"{allow} true")
        await admin.close()


async def test_a_database_that_is_away_from_the_start_has_versions_when_it_comes(
    owner: asyncpg.Connection, database_url: str
) -> None:
    first = await collection(owner, "first")
    server, _, name = database_url.rpartition("/")
    admin = await asyncpg.connect(f"{server}/postgres")
    try:
        await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        async with following(database_url) as versions:
            assert versions.version(first) is None
            await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            await eventually(lambda: is_known(versions, first))
    finally:
        await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        await admin.close()


async def test_versions_are_polled_on_after_any_error(owner: asyncpg.Connection, database_url: str) -> None:
    first = await collection(owner, "first")
    async with following(database_url) as versions:
        counted_exactly = known(versions, first)
        await owner.execute("ALTER FUNCTION dams.data_versions() RENAME TO gone")
        await changed(versions, first, counted_exactly)
        await owner.execute("ALTER FUNCTION dams.gone() RENAME TO data_versions")

        async def as_before() -> bool:
            return known(versions, first).token == counted_exactly.token

        await eventually(as_before)


async def test_an_upgraded_projection_library_is_another_version_of_everything(
    owner: asyncpg.Connection, database_url: str
) -> None:
    both = [await collection(owner, "first"), await collection(owner, "second")]
    async with following(database_url) as versions:
        before = {known(versions, of).token for of in both}
    # the answer of a session that began after the upgrade
    upgraded = await owner.fetchval(
        'SELECT regexp_replace(postgis_full_version(), \'PROJ="[^"]*"\', \'PROJ="99.1.1"\')'
    )
    await owner.execute(
        "CREATE OR REPLACE FUNCTION postgis_full_version() RETURNS text LANGUAGE sql IMMUTABLE AS "
        f"$$ SELECT '{upgraded}'::text $$"
    )
    async with following(database_url) as versions:
        assert before.isdisjoint({known(versions, of).token for of in both})


async def test_two_copies_of_one_database_have_no_version_in_common(
    owner: asyncpg.Connection, database_url: str
) -> None:
    first = await collection(owner, "first")
    await owner.close()
    server, _, name = database_url.rpartition("/")
    admin = await asyncpg.connect(f"{server}/postgres")
    try:
        # the same oids, the same change log
        await admin.execute(f"CREATE DATABASE {name}_copy TEMPLATE {name}")
        async with following(database_url) as versions, following(f"{database_url}_copy") as copied:
            assert known(versions, first).token != known(copied, first).token
    finally:
        await admin.execute(f"DROP DATABASE IF EXISTS {name}_copy WITH (FORCE)")
        await admin.close()


class InSteps(Database):
    """Its statements end when they are let go; while it is closed, one at a time."""

    def __init__(self, settings: PoolSettings) -> None:
        super().__init__(settings)
        self.ran, self.opened = asyncio.Event(), asyncio.Event()
        self.opened.set()

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        rows = await super().fetch(statement)
        self.ran.set()
        await self.opened.wait()
        return rows

    async def next(self) -> None:
        """Lets one go that waits; another has read its rows then."""
        self.ran.clear()
        self.opened.set()
        self.opened.clear()
        await asyncio.wait_for(self.ran.wait(), 10)


async def test_a_look_that_has_begun_already_is_not_the_next_one(database_url: str) -> None:
    async with (
        InSteps(PoolSettings(database_url, "versions-test", size=2)) as database,
        DataVersions(database, poll_seconds=0.01) as versions,
    ):
        try:
            await database.next()
            looked = asyncio.create_task(versions.look_again())
            await asyncio.sleep(0)
            await database.next()
            assert not looked.done()
            await database.next()
            assert looked.done()
            assert await looked
        finally:
            database.opened.set()


class Counting(Database):
    """Counts its statements."""

    polls = 0

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        self.polls += 1
        return await super().fetch(statement)


@pytest.mark.parametrize(("pause", "number"), [(0.05, 20), (1.0, 3)])
async def test_the_pause_between_two_polls_is_the_one_that_is_set(database_url: str, pause: float, number: int) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        ticks += 1

    async with (
        Counting(PoolSettings(database_url, "versions-test", size=2)) as database,
        DataVersions(database, poll_seconds=pause),
        periodic(tick, pause, name="ticks"),
    ):
        # what this machine makes of such a pause is what it makes of a tick
        first = database.polls

        async def many() -> None:
            assert ticks >= number

        await eventually(many)
        assert ticks / 4 < database.polls - first <= 2 * ticks


def test_versions_stay_for_a_few_seconds_unless_somebody_says_otherwise() -> None:
    said = signature(DataVersions).parameters
    assert (said["poll_seconds"].default, said["grace_seconds"].default) == (1.0, 4.0)


async def test_a_source_that_nobody_counts_leaves_no_version(owner: asyncpg.Connection, database_url: str) -> None:
    first = await collection(owner, "first")
    await owner.execute("CREATE VIEW shown AS SELECT * FROM first")
    view = await owner.fetchval("SELECT 'shown'::regclass::oid::bigint")
    async with following(database_url) as versions:
        # a view is among its own sources
        assert known(versions, replace(first, id="public.a", kind="view", sources=(view, first.oid)))
        assert versions.version(replace(first, id="public.b", kind="view", sources=(view,))) is None
        # the same object has the same version, another one its own
        assert known(versions, first) is known(versions, first)
        other = replace(first, shape="another")
        assert known(versions, other).token != known(versions, replace(other, shape="third")).token
