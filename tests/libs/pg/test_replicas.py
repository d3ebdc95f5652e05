"""Which server a request reads from. tests/faults/test_read_replicas.py tests real replicas."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from prometheus_client import REGISTRY

from libs.catalogue.database_state import DatabaseStates
from libs.catalogue.one_server import on_one_server
from libs.ogc.errors import NotFound, Restarting, TooSlow, Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.replicas import Position, ReadDatabase, Rotation, one_server, position, reads, rotation
from libs.pg.sql import Sql, sql
from tests.conftest import MakeDatabase
from tests.eventually import eventually

NAME = sql("SELECT current_database()")
SEGMENT, BLOCK = 16 * 1024 * 1024, 8192
HERE = Position("server", "history", is_replica=True, lsn=100)


@pytest.mark.parametrize(
    ("written", "flushed", "lsn"),
    [
        (5000, 5000, 5000),
        # the header of a page, or of the first one of a file, of which a replica never says that it has it
        (3 * BLOCK + 24, 3 * BLOCK, 3 * BLOCK),
        (SEGMENT + 40, SEGMENT, SEGMENT),
        (SEGMENT + 24, SEGMENT, SEGMENT + 24),
        (3 * BLOCK + 40, 3 * BLOCK, 3 * BLOCK + 40),
        # a record that is not flushed yet
        (3 * BLOCK + 25, 3 * BLOCK, 3 * BLOCK + 25),
        (5024, 5000, 5024),
    ],
)
def test_how_far_a_server_is(written: int, flushed: int, lsn: int) -> None:
    row = {"server": "a", "history": "b", "replica": False, "written": written, "flushed": flushed}
    assert Position.of(row | {"block": BLOCK, "segment": SEGMENT}) == Position("a", "b", is_replica=False, lsn=lsn)


@pytest.mark.parametrize(
    ("replica", "covers"),
    [
        (HERE, True),
        (replace(HERE, lsn=101), True),
        (replace(HERE, server="another"), True),
        (replace(HERE, lsn=99), False),
        (replace(HERE, history="a fork"), False),
        (replace(HERE, is_replica=False), False),
    ],
)
def test_a_replica_has_all_that_the_primary_had(replica: Position, covers: bool) -> None:
    assert replica.covers(replace(HERE, is_replica=False, server="primary")) is covers


@pytest.fixture
async def primary(database_url: str) -> AsyncIterator[Database]:
    async with Database(PoolSettings(database_url, "replicas-test", size=1)) as database:
        yield database


async def test_a_position_is_that_of_the_server_and_grows_with_what_is_written(
    primary: Database, database_url: str
) -> None:
    before = await position(primary)
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE TABLE written (a integer)")
    system = await owner.fetchval("SELECT system_identifier FROM pg_control_system()")
    oid = await owner.fetchval("SELECT oid FROM pg_database WHERE datname = current_database()")
    await owner.close()
    after = await position(primary)
    assert after.lsn > before.lsn
    assert (after.is_replica, after.history) == (False, f"{system} {oid} 1")
    # as versions name it
    assert after.server == (await DatabaseStates(primary).read()).server


async def test_of_what_is_no_replica_nothing_is_read(primary: Database) -> None:
    found = Rotation([primary])
    server = (await position(primary)).server
    assert await found.look_alone() == frozenset()
    # another server than that of the versions
    assert await found.look(primary, "another") == frozenset()
    # all that was written, but it is the primary
    assert await found.look(primary, server) == frozenset()


class StandIn(Database):
    """A database that reports the position set by the test: that of the primary, with some differences."""

    def __init__(self, primary: Database) -> None:
        super().__init__(PoolSettings("postgresql://nobody@127.0.0.1:9/nothing", "replicas-test"))
        self._primary = primary
        self.other: dict[str, object] = {}
        self.error: Exception | None = None
        self.asked = 0

    async def fetch(self, statement: Sql) -> list[Any]:
        self.asked += 1
        if self.error is not None:
            raise self.error
        [row] = await self._primary.fetch(statement)
        return [{**row, "replica": True, "server": "its own", **self.other}]


async def test_a_replica_is_read_while_it_has_what_the_primary_had_and_answers(primary: Database) -> None:
    server = (await position(primary)).server
    replica, other = StandIn(primary), StandIn(primary)
    found = Rotation([replica, other])
    assert await found.look(primary, server) == {0, 1}
    # no replica is admitted while the primary is down
    assert await found.look_alone() == frozenset()
    found.admit(frozenset({0, 1}))
    assert await found.look_alone() == {0, 1}
    for other.error in (Unavailable("away"), TimeoutError(), asyncpg.PostgresError("of no kind")):
        assert await found.look_alone() == {0}
    other.error, other.other = None, {"written": 1, "flushed": 1}
    other.asked = 0
    assert await found.look(primary, server) == {0}
    # it may be about to have it
    assert other.asked > 1
    lag = REGISTRY.get_sample_value("dams_replica_lag_bytes", {"replica": "2"})
    assert lag is not None
    assert lag > 1_000_000
    assert REGISTRY.get_sample_value("dams_replica_lag_bytes", {"replica": "1"}) == 0
    # of another history it never will
    other.other, other.asked = {"history": "a fork", "written": 1, "flushed": 1}, 0
    assert await found.look(primary, server) == {0}
    assert other.asked == 1
    # a replica that is ahead is missing nothing
    other.other = {"written": 1 << 60, "flushed": 1 << 60}
    assert await found.look(primary, server) == {0, 1}
    assert REGISTRY.get_sample_value("dams_replica_lag_bytes", {"replica": "2"}) == 0


async def test_those_that_are_read_take_turns_until_one_is_lost(primary: Database) -> None:
    found = Rotation([primary] * 4)
    assert found.choose() is None
    found.admit(frozenset({0, 2, 3}))
    assert sorted(found.choose() or 0 for _ in range(6)) == [0, 0, 2, 2, 3, 3]
    found.remove(2)
    assert found.admitted == {0, 3}
    in_rotation = [REGISTRY.get_sample_value("dams_replica_in_rotation", {"replica": str(n)}) for n in range(1, 5)]
    assert in_rotation == [1, 0, 0, 1]
    found.remove(2)
    assert found.admitted == {0, 3}


async def test_a_primary_that_is_away_is_no_reason_to_read_no_replica(primary: Database) -> None:
    class Failing(Database):
        error: Exception
        passing = False

        async def fetch(self, statement: object) -> list[asyncpg.Record]:
            raise self.error

        async def passes(self, error: BaseException) -> bool:
            return self.passing

    failing = Failing(PoolSettings("postgresql://nobody@127.0.0.1:9/nothing", "replicas-test"))
    for failing.error, failing.passing in ((Restarting("gone"), False), (Unavailable("busy"), True)):
        with pytest.raises(Unavailable):
            await Rotation([primary]).look(failing, "any")
    # without the right to ask
    failing.error, failing.passing = Unavailable("may not"), False
    assert await Rotation([primary]).look(failing, "any") == frozenset()


@pytest.fixture
async def other_url(make_database: MakeDatabase) -> str:
    """Make a database that stands in for a replica, so that a test can see which one was read."""
    return await make_database()


@contextlib.asynccontextmanager
async def reading(url: str, *replicas: str) -> AsyncIterator[tuple[Rotation, ReadDatabase]]:
    pool = PoolSettings(url, "replicas-test", size=2, share=1, waiting=0)
    async with rotation(pool, replicas) as found, reads(pool, replicas, found) as database:
        assert found is not None
        assert isinstance(database, ReadDatabase)
        found.admit(frozenset(range(len(replicas))))
        yield found, database


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


async def test_servers_are_connected_before_the_first_request(database_url: str, other_url: str) -> None:
    def connections() -> float:
        return REGISTRY.get_sample_value("dams_database_connections", {"pool": "replicas-test", "state": "idle"}) or 0

    owner = await asyncpg.connect(database_url)
    before = connections()
    async with reading(database_url, other_url):
        # asked before anything is waited for
        assert connections() == before + 2

    async def nobody_is() -> None:
        names = name_of(database_url), name_of(other_url)
        assert not await owner.fetch(
            "SELECT FROM pg_stat_activity WHERE application_name = 'replicas-test' AND datname = ANY($1)", names
        )

    await eventually(nobody_is)
    await owner.close()


async def test_a_request_reads_one_server_and_goes_on_at_the_primary(database_url: str, other_url: str) -> None:
    async with reading(database_url, other_url) as (found, database):

        async def read() -> set[str]:
            async with database.connection() as one, database.of("quakes").connection(transaction=True) as other:
                assert (one.is_in_transaction(), other.is_in_transaction()) == (False, True)
                names = [await each.fetchval("SELECT current_database()") for each in (one, other)]
            return {*names, await database.fetchval(NAME), await database.of("quakes").fetchval(NAME)}

        # outside of a request all go to the primary
        assert await read() == {name_of(database_url)}
        with one_server() as choice:
            assert await read() == {name_of(other_url)}
            assert (choice.replica, choice.began_at_replica) == (0, True)
            found.remove(0)
            assert await read() == {name_of(database_url)}
            # no other is ahead of the primary, not even when it is back
            found.admit(frozenset({0}))
            assert await read() == {name_of(database_url)}
            assert choice.began_at_replica
        found.remove(0)
        with one_server() as choice:
            assert await read() == {name_of(database_url)}
            found.admit(frozenset({0}))
            assert await read() == {name_of(database_url)}
            assert (choice.replica, choice.began_at_replica) == (None, False)
        assert await read() == {name_of(database_url)}
        with one_server():
            assert await read() == {name_of(other_url)}
        assert await read() == {name_of(database_url)}


async def test_who_names_the_same_has_a_share_of_the_connections_of_each_server(
    database_url: str, other_url: str
) -> None:
    async with reading(database_url, other_url) as (found, database):
        for admitted in (frozenset(), frozenset({0})):
            found.admit(admitted)
            with one_server():
                quakes = database.of("quakes")
                async with quakes.connection():
                    with pytest.raises(Unavailable, match="asked for too much"):
                        await quakes.fetchval(NAME)
                    assert await database.fetchval(NAME) == name_of(other_url if admitted else database_url)


async def test_who_looks_has_a_connection_to_each_and_waits_for_a_second(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[PoolSettings] = []

    class Recorded(Database):
        def __init__(self, settings: PoolSettings) -> None:
            made.append(settings)
            super().__init__(settings)

    monkeypatch.setattr("libs.pg.replicas.Database", Recorded)
    pool, nowhere = PoolSettings(database_url, "replicas-test"), "postgresql://nobody@127.0.0.1:9/"
    async with rotation(pool, [f"{nowhere}a", f"{nowhere}b"]) as found:
        assert found is not None
    assert made == [replace(pool.for_watching(), url=f"{nowhere}{name}", acquire_timeout=1.0) for name in "ab"]


@pytest.mark.parametrize("shared", [False, True])
async def test_a_replica_that_does_not_answer_is_lost_and_the_primary_answers(database_url: str, shared: bool) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:9/nothing"
    async with reading(database_url, nowhere) as (found, database):
        with one_server() as choice:
            of = database.of("quakes") if shared else database
            assert await of.fetchval(NAME) == name_of(database_url)
            assert (found.admitted, choice.replica, choice.began_at_replica) == (frozenset(), None, True)


async def test_a_replica_that_answers_is_not_lost_for_an_error(database_url: str, other_url: str) -> None:
    async with reading(database_url, other_url) as (found, database):
        with one_server():
            for statement in ("SELECT * FROM nowhere", "SELECT 1"):
                with contextlib.suppress(Unavailable):
                    await database.fetch(sql(statement))
                assert found.admitted == {0}
            assert not await database.is_lost(Unavailable("busy"))
        # without a replica, reads go to the primary
        assert not await database.is_lost(Unavailable("busy"))
    async with reading(database_url, "postgresql://nobody@127.0.0.1:9/nothing") as (found, database):
        with one_server():
            async with contextlib.AsyncExitStack() as stack:
                with pytest.raises(Unavailable):
                    await stack.enter_async_context(database.connection())
            # a statement that is too slow here is too slow elsewhere
            assert not await database.is_lost(TooSlow())
            assert found.admitted == {0}
            assert await database.is_lost(Unavailable("gone"))
            assert found.admitted == frozenset()


async def test_without_addresses_there_is_nothing_but_the_primary(database_url: str) -> None:
    pool = PoolSettings(database_url, "replicas-test")
    async with rotation(pool, []) as found:
        assert found is None
        assert type(reads(pool, [], found)) is Database


@pytest.mark.parametrize(("admitted", "elsewhere"), [({0}, True), (set(), False)])
async def test_a_request_that_began_at_a_replica_may_be_answered_elsewhere(
    database_url: str, other_url: str, admitted: set[int], elsewhere: bool
) -> None:
    async with reading(database_url, other_url) as (found, database):
        found.admit(frozenset(admitted))

        async def handler(request: web.Request) -> web.StreamResponse:
            expected = other_url if elsewhere else database_url
            assert await database.fetchval(NAME) == name_of(expected)
            raise NotFound("none") if request.query else Restarting("gone")

        with pytest.raises(Restarting) as raised:
            await on_one_server(make_mocked_request("GET", "/"), handler)
        assert raised.value.elsewhere is elsewhere
        with pytest.raises(NotFound):
            await on_one_server(make_mocked_request("GET", "/?a=1"), handler)
