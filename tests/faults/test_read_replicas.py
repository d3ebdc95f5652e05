"""Reads from streaming replicas: no answer has a version that its server has not replayed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import asyncpg
import pytest

from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.replicas import Rotation, position
from tests.deploy.database.private_cluster import PrivateCluster, private_cluster
from tests.eventually import eventually
from tests.faults.places import FACETS, ITEMS, TILE, good, insert_towns, make_places, on_places, town_names
from tests.services.conftest import reader_url
from tests.services.in_process import Services
from tests.services.tiles.cache import OwnRedis

pytestmark = pytest.mark.faults


async def scalar(cluster: PrivateCluster, statement: str, *values: str) -> object:
    owner = await asyncpg.connect(cluster.url("postgres"))
    try:
        return await owner.fetchval(statement, *values)
    finally:
        await owner.close()


async def last_statements(cluster: PrivateCluster, name: str) -> str:
    """Return the last statements of a service's pool on this server."""
    found = await scalar(
        cluster,
        "SELECT string_agg(query, ' ') FROM pg_stat_activity WHERE application_name = $1 AND query LIKE '%towns%'",
        name,
    )
    return str(found or "")


async def is_read(started: Services, cluster: PrivateCluster) -> None:
    """Fails while no page and no tile comes from this server."""
    await good(started["features"], f"{ITEMS}?limit=7")
    await good(started["tiles"], TILE, limit=str(1000 + int(asyncio.get_running_loop().time() * 100) % 8000))
    assert await last_statements(cluster, "dams-features")
    assert await last_statements(cluster, "dams-tiles")


async def names_and_tag(started: Services) -> tuple[set[str], str | None]:
    answer = await good(started["features"], ITEMS, limit="100")
    page = json.loads(answer.body)
    return {feature["properties"]["name"] for feature in page["features"]}, answer.headers.get("ETag")


async def known_tag(started: Services) -> str:
    _, tag = await names_and_tag(started)
    assert tag is not None
    return tag


@asynccontextmanager
async def replicated(own_redis: OwnRedis) -> AsyncIterator[tuple[PrivateCluster, PrivateCluster, Services]]:
    """A primary, its replica, and services that read the replica already."""
    with private_cluster() as primary:
        await make_places(primary.url("postgres"))
        with private_cluster(primary) as replica:
            read = {"DAMS_DATABASE_READ_URLS": reader_url(replica.url("postgres")), "DAMS_REDIS_URL": own_redis.url}
            async with on_places(primary.url("postgres"), "features", "tiles", **read) as started:
                await eventually(lambda: is_read(started, replica))
                yield primary, replica, started


@asynccontextmanager
async def two_databases() -> AsyncIterator[tuple[PrivateCluster, PrivateCluster, Database, Database]]:
    """A primary and its replica, and a connection to each."""
    with private_cluster() as primary, private_cluster(primary) as replica:
        async with (
            Database(PoolSettings(primary.url("postgres"), "test", size=1)) as first,
            Database(PoolSettings(replica.url("postgres"), "test", size=1)) as second,
        ):
            yield primary, replica, first, second


async def test_a_lagging_replica_gives_nothing_under_a_new_version(own_redis: OwnRedis) -> None:
    async with replicated(own_redis) as (primary, replica, started):
        for number in range(3):
            await scalar(replica, "SELECT pg_wal_replay_pause()")
            before = await eventually(lambda: known_tag(started))
            await insert_towns(primary.url("postgres"), f"new {number}")
            seen = 0
            for _ in range(60):
                names, tag = await names_and_tag(started)
                # on a busy machine the version may be unknown for a while
                if tag not in (before, None):
                    assert f"new {number}" in names
                    seen += 1
                await asyncio.sleep(0.05)
            assert seen > 10
            await scalar(replica, "SELECT pg_wal_replay_resume()")
        await eventually(lambda: is_read(started, replica))


async def test_a_lost_replica_costs_no_answer_and_comes_back(own_redis: OwnRedis) -> None:
    async with replicated(own_redis) as (_, replica, started):
        stopped = asyncio.Event()
        answers = 0

        async def load() -> None:
            nonlocal answers
            while not stopped.is_set():
                await good(started["features"], ITEMS, limit=str(1 + answers % 90))
                await good(started["features"], FACETS, facets="name", filter=f"id>-{answers}")
                await good(started["tiles"], TILE, limit=str(1000 + answers % 8000))
                answers += 1

        clients = [asyncio.create_task(load()) for _ in range(4)]
        await asyncio.sleep(0.5)
        await asyncio.to_thread(replica.stop)
        await asyncio.sleep(1.5)
        stopped.set()
        await asyncio.gather(*clients)
        assert answers > 20
        replica.start()
        await eventually(lambda: is_read(started, replica))


async def test_while_the_primary_is_away_its_replica_is_read(own_redis: OwnRedis) -> None:
    async with replicated(own_redis) as (primary, _, started):
        primary.stop()
        await asyncio.sleep(2)
        assert await town_names(started["features"]) == ["first"]
        # or a cluster would take away from what answers
        for name in ("features", "tiles"):
            await eventually(partial(notes_the_primary, started, name))


async def notes_the_primary(started: Services, name: str) -> None:
    """Fails while the service is not well, or says nothing of the primary."""
    assert "no answer of the primary" in (await good(started[name], "/internal/health/ready")).body.decode()


async def test_a_promoted_replica_and_one_of_another_timeline_are_not_admitted() -> None:
    async with two_databases() as (_, replica, first, second):
        rotation = Rotation([second])
        server = (await position(first)).server

        async def admitted() -> None:
            assert await rotation.look(first, server) == {0}

        await eventually(admitted)
        assert await rotation.look(first, "another server") == frozenset()
        rotation.admit(frozenset({0}))
        assert await rotation.look_alone() == {0}
        # the primary is still there: a fork, which has its own history
        replica.promote()
        assert await rotation.look(first, server) == frozenset()
        assert await rotation.look_alone() == frozenset()
        # the other way round: a server on the old timeline is not a replica of one on the new timeline
        other = Rotation([first])
        assert await other.look(second, (await position(second)).server) == frozenset()


async def test_a_primary_that_goes_after_its_versions_were_read_costs_no_replica() -> None:
    async with two_databases() as (primary, _, first, second):
        rotation = Rotation([second])
        server = (await position(first)).server

        async def admitted() -> None:
            rotation.admit(await rotation.look(first, server))
            assert rotation.admitted == {0}

        await eventually(admitted)
        primary.stop()
        # as a poll that could not read them: the replicas that were read are still read
        with pytest.raises(Unavailable):
            await rotation.look(first, server)
        assert await rotation.look_alone() == {0}


async def test_without_the_right_to_a_servers_history_no_replica_is_read() -> None:
    with private_cluster() as primary:
        await scalar(primary, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
        await scalar(primary, "CREATE ROLE somebody LOGIN")
        url = primary.url("postgres").replace("://postgres@", "://somebody@")
        async with Database(PoolSettings(url, "test", size=1)) as database:
            assert await Rotation([]).look(database, "any") == frozenset()


async def test_the_end_of_a_segment_is_replayed() -> None:
    async with two_databases() as (primary, _, first, second):
        await scalar(primary, "SELECT pg_switch_wal()")
        server = (await position(first)).server

        async def admitted() -> None:
            assert await Rotation([second]).look(first, server) == {0}

        await eventually(admitted)
