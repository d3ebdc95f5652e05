"""Several streaming replicas while clients ask all the time: one is killed, lags for long, or is promoted."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from subprocess import CalledProcessError

import pytest

from tests.deploy.database.private_cluster import PrivateCluster, private_cluster
from tests.eventually import eventually
from tests.faults.places import ITEMS, TILE, insert_towns, make_places, on_places
from tests.faults.test_read_replicas import is_read, names_and_tag, scalar
from tests.poolers import pgbouncer
from tests.services.conftest import READER, reader_url
from tests.services.in_process import Answer, Services
from tests.services.tiles.cache import OwnRedis, metric

# by default a pooler makes clients wait two minutes for a server that is down
POOLER = {"pool_mode": "transaction", "query_wait_timeout": "3", "server_login_retry": "1"}

ENDED = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = $1"

pytestmark = pytest.mark.faults


@dataclass
class Replicated:
    """A primary, its replicas, and services that read all of these already."""

    primary: PrivateCluster
    replicas: list[PrivateCluster]
    started: Services

    async def in_rotation(self, number: int, *, expected: bool = True) -> None:
        """Fails while the replica of this number is read, or is not."""
        name = f'dams_replica_in_rotation{{replica="{number + 1}"}}'
        assert await metric(self.started["features"], name) == expected

    async def all_are_read(self) -> None:
        """Fails while a replica is out of the rotation, or has given no page and no tile."""
        for number, replica in enumerate(self.replicas):
            await self.in_rotation(number)
            await is_read(self.started, replica)


@asynccontextmanager
async def replicated(
    own_redis: OwnRedis, count: int, *, failover: bool = False, pooled: bool = False
) -> AsyncIterator[Replicated]:
    """With `failover` the services look for the primary at the first replica, too; `pooled`, each server is behind a
    PgBouncer with two sessions.
    """
    with ExitStack() as clusters:

        def read(cluster: PrivateCluster) -> str:
            url = reader_url(cluster.url("postgres"))
            return clusters.enter_context(pgbouncer(url, sessions=2, **POOLER)) if pooled else url

        primary = clusters.enter_context(private_cluster())
        await make_places(primary.url("postgres"))
        replicas = [clusters.enter_context(private_cluster(primary)) for _ in range(count)]
        address = primary.url("postgres")
        if failover:
            address = address.replace(f":{primary.port}", f":{primary.port},127.0.0.1:{replicas[0].port}")
            address += "?target_session_attrs=primary"
        urls = ",".join(map(read, replicas))
        more = {"DAMS_DATABASE_READ_URLS": urls, "DAMS_REDIS_URL": own_redis.url}
        if pooled:
            more["DAMS_DATABASE_URL"] = read(primary)
        async with on_places(address, "features", "tiles", **more) as started:
            found = Replicated(primary, replicas, started)
            # a pooler ends each use of a session with its own statement
            await eventually(partial(found.in_rotation, 0) if pooled else found.all_are_read)
            yield found


@dataclass
class Load:
    """Clients that request addresses which no cache has, and the answers that they get."""

    statuses: Counter[int] = field(default_factory=Counter)
    towns: set[int] = field(default_factory=set)
    """How many pages had."""

    async def more(self, count: int = 60) -> None:
        """Wait for this number of further answers."""
        before = self.statuses.total()

        async def enough() -> bool:
            return self.statuses.total() >= before + count

        await eventually(enough)


@asynccontextmanager
async def load(started: Services) -> AsyncIterator[Load]:
    """Four clients that ask for pages and tiles."""
    found, numbers, stopped = Load(), itertools.count(1), asyncio.Event()

    async def page(number: int) -> Answer:
        answer = await started["features"].get(ITEMS, {"filter": f"id>-{number}"})
        if answer.status == 200:
            found.towns.add(len(answer.json()["features"]))
        return answer

    async def tile(number: int) -> Answer:
        return await started["tiles"].get(TILE, {"filter": f"id>-{number}"})

    async def client(ask: Callable[[int], Awaitable[Answer]]) -> None:
        while not stopped.is_set():
            found.statuses[(await ask(next(numbers))).status] += 1

    clients = [asyncio.create_task(client(ask)) for ask in (page, tile) * 2]
    try:
        yield found
    finally:
        stopped.set()
        await asyncio.gather(*clients)


def kill(cluster: PrivateCluster) -> None:
    """Kill the processes as the kernel does when memory runs out: no request is completed, no client informed."""
    os.kill(int((cluster.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)


async def under_no_old_version(started: Services, name: str, commit: Awaitable[None]) -> None:
    """Commits a town of this name; every answer of another version has it. Fails where no answer becomes another."""
    _, before = await names_and_tag(started)
    await commit
    seen = 0
    for _ in range(60):
        names, tag = await names_and_tag(started)
        if tag != before:
            assert name in names
            seen += 1
        await asyncio.sleep(0.05)
    assert seen > 10


async def test_a_killed_replica_of_two_costs_no_answer(own_redis: OwnRedis) -> None:
    async with replicated(own_redis, 2) as found:
        async with load(found.started) as answers:
            for number in (0, 1):
                await answers.more()
                kill(found.replicas[number])
                await answers.more(200)
                await eventually(partial(found.in_rotation, number, expected=False))
                # the remains of the first process disappear within a moment
                await eventually(partial(started_again, found.replicas[number]))
                await eventually(partial(found.in_rotation, number))
        assert set(answers.statuses) == {200}, answers.statuses
        await eventually(found.all_are_read)


async def test_a_replica_lost_while_the_primary_is_away_costs_no_answer(own_redis: OwnRedis) -> None:
    async with replicated(own_redis, 2) as found:
        async with load(found.started) as answers:
            await answers.more()
            await asyncio.to_thread(found.primary.stop)
            await answers.more(200)
            # as an operator does at the one that it promotes, which takes new ones at once
            await scalar(found.replicas[0], ENDED, READER)
            await answers.more()
            kill(found.replicas[0])
            await answers.more(200)
            # its first process has ended, so that it can be stopped
            await eventually(partial(started_again, found.replicas[0]))
        assert set(answers.statuses) == {200}, answers.statuses


async def started_again(cluster: PrivateCluster) -> None:
    """Fails while it cannot be started."""
    try:
        await asyncio.to_thread(cluster.start)
    except CalledProcessError as error:
        raise AssertionError from error


@pytest.mark.slow
async def test_a_replica_half_a_minute_behind_is_left_out_and_another_is_read(own_redis: OwnRedis) -> None:
    async with replicated(own_redis, 2) as found:
        behind, other = found.replicas
        await scalar(behind, "ALTER SYSTEM SET recovery_min_apply_delay = '30s'")
        await scalar(behind, "SELECT pg_reload_conf()")
        async with load(found.started) as answers:
            for number in range(2):
                name = f"new {number}"
                await under_no_old_version(found.started, name, insert_towns(found.primary.url("postgres"), name))
                await found.in_rotation(0, expected=False)
                await eventually(lambda: found.in_rotation(1))
                await eventually(lambda: is_read(found.started, other))
        assert set(answers.statuses) == {200}, answers.statuses
        # it was behind all the time
        assert await scalar(behind, "SELECT count(*) FROM places.towns") == 1
        await scalar(behind, "ALTER SYSTEM RESET recovery_min_apply_delay")
        await scalar(behind, "SELECT pg_reload_conf()")
        await eventually(found.all_are_read)


async def test_a_promotion_under_load_gives_nothing_wrong(own_redis: OwnRedis) -> None:
    async with replicated(own_redis, 2, failover=True) as found:
        new, left = found.replicas
        await eventually(lambda: knows(found.started, found.primary, "second"))
        async with load(found.started) as answers:
            await answers.more()
            await asyncio.to_thread(found.primary.stop)
            await answers.more()
            await asyncio.to_thread(new.promote)
            # clients see commits on the new timeline, and no earlier state under their versions
            await eventually(lambda: knows(found.started, new, "third"))
            await under_no_old_version(found.started, "fourth", insert_towns(new.url("postgres"), "fourth"))
            await found.in_rotation(0, expected=False)
            await found.in_rotation(1, expected=False)
        # a replica of the old timeline is still there, and is not read
        assert await scalar(left, "SELECT count(*) FROM places.towns") == 2
        assert set(answers.statuses) <= {200, 503}, answers.statuses
        # the third came before the fourth, and none was lost
        assert answers.towns == {2, 3, 4}


async def knows(started: Services, cluster: PrivateCluster, name: str) -> None:
    """Fails until a town of this name, which is inserted where it is not there, is in the answers."""
    if not await scalar(cluster, "SELECT count(*) FROM places.towns WHERE name = $1", name):
        await insert_towns(cluster.url("postgres"), name)
    assert name in (await names_and_tag(started))[0]


async def works(cluster: PrivateCluster) -> None:
    """Fails while this server does nothing for the services."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE usename = $1 AND state = 'active' AND query LIKE '%towns%'"
    assert await scalar(cluster, asked, READER)


@pytest.mark.slow
async def test_by_way_of_poolers_a_replica_is_read_lags_and_is_lost_the_same(own_redis: OwnRedis) -> None:
    async with replicated(own_redis, 1, pooled=True) as found:
        (replica,) = found.replicas
        async with load(found.started) as answers:
            await eventually(partial(works, replica))
            await scalar(replica, "SELECT pg_wal_replay_pause()")
            await under_no_old_version(found.started, "second", insert_towns(found.primary.url("postgres"), "second"))
            await found.in_rotation(0, expected=False)
            await scalar(replica, "SELECT pg_wal_replay_resume()")
            await eventually(partial(found.in_rotation, 0))
            await answers.more()
            kill(replica)
            await answers.more(200)
            await eventually(partial(found.in_rotation, 0, expected=False))
            await eventually(partial(started_again, replica))
            await eventually(partial(found.in_rotation, 0))
        assert set(answers.statuses) == {200}, answers.statuses
