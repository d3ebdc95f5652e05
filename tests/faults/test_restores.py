"""A database is restored to an earlier time: no answer from the lost later state is served again."""

from __future__ import annotations

import asyncpg
import pytest

from libs.catalogue.database_state import DatabaseStates
from libs.pg.pool import Database, PoolSettings
from tests.deploy.database.private_cluster import private_cluster
from tests.eventually import eventually
from tests.faults.places import ITEMS, TILE, good, insert_towns, make_places, on_places, town_names
from tests.services.in_process import Answer, Services
from tests.services.tiles.cache import OwnRedis, tier

pytestmark = pytest.mark.faults


async def sees(started: Services, *names: str) -> bool:
    return await town_names(started["features"]) == ["first", *names]


async def answers(started: Services) -> list[Answer]:
    """The tile, as it comes out of Redis, and the items."""

    async def cached_tile() -> Answer:
        answer = await good(started["tiles"], TILE)
        assert tier(answer) == "redis"
        return answer

    found = [await eventually(cached_tile), await good(started["features"], ITEMS)]
    assert all("ETag" in answer.headers for answer in found)
    return found


async def noticed(started: Services, before: list[Answer]) -> list[Answer]:
    """The answers once they have other tags than before."""

    async def others() -> list[Answer]:
        later = await answers(started)
        assert all(a.headers["ETag"] != b.headers["ETag"] for a, b in zip(before, later, strict=True))
        return later

    return await eventually(others)


async def lost_answers(started: Services, url: str) -> list[Answer]:
    """Return answers after a change: some before the service notices it (usually), some after."""
    before = await eventually(lambda: answers(started))
    await insert_towns(url, "lost", "lost too")
    # cached tiles belong to the version before: request another tile, which is not cached
    at_once = [await good(started["tiles"], f"{TILE}?limit=5000"), await good(started["features"], f"{ITEMS}?limit=9")]
    return [*at_once, *await noticed(started, before)]


async def as_many_changes_as_were_lost(started: Services, url: str, lost: list[Answer]) -> None:
    before = await eventually(lambda: answers(started))
    await insert_towns(url, "other")
    await noticed(started, before)
    assert await sees(started, "other")
    await nothing_comes_back(started, lost)


async def changes(url: str) -> tuple[int, int]:
    """How many changes of the towns were counted, and their token."""
    owner = await asyncpg.connect(url)
    found = await owner.fetchrow(
        "SELECT version, token FROM dams.data_versions() WHERE relation = 'places.towns'::regclass"
    )
    await owner.close()
    return found["version"], found["token"]


async def nothing_comes_back(started: Services, lost: list[Answer]) -> None:
    """None of these answers is said to be right still, nor given again. Fails until each service has noticed."""
    for answer in lost:
        again = await started["features"].get(answer.url, headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status == 200, answer.url
        assert again.body != answer.body, answer.url


async def test_a_copy_that_is_put_back_brings_no_lost_answer_back(own_redis: OwnRedis) -> None:
    with private_cluster() as cluster:
        url = cluster.url("postgres")
        await make_places(url)
        cluster.stop(mode="fast")
        copy = cluster.copied()
        cluster.start()
        async with on_places(url, "features", "tiles", DAMS_REDIS_URL=own_redis.url) as started:
            lost, lost_changes = await lost_answers(started, url), await changes(url)

            cluster.stop(mode="fast")
            cluster.put_back(copy)
            await eventually(lambda: sees(started))
            await eventually(lambda: nothing_comes_back(started, lost))
            await as_many_changes_as_were_lost(started, url, lost)
            other_changes = await changes(url)
            assert other_changes[0] == lost_changes[0]
            assert other_changes[1] != lost_changes[1]


async def test_a_failover_that_loses_transactions_brings_no_lost_answer_back(own_redis: OwnRedis) -> None:
    with private_cluster() as primary:
        url = primary.url("postgres")
        await make_places(url)
        with private_cluster(primary) as replica:
            both = url.replace(f":{primary.port}", f":{primary.port},127.0.0.1:{replica.port}")
            replica.stop(mode="fast")
            async with on_places(both, "features", "tiles", DAMS_REDIS_URL=own_redis.url) as started:
                lost = await lost_answers(started, url)

                primary.stop()
                replica.start()
                await eventually(lambda: sees(started))
                async with Database(PoolSettings(replica.url("postgres"), "state-test", size=1)) as database:
                    states = DatabaseStates(database)
                    before = await states.read()
                    replica.promote()
                    promoted = await states.read()
                # the server has not been started since: it is the timeline that tells of another history
                assert promoted.server == before.server
                assert promoted.identity != before.identity
                await eventually(lambda: nothing_comes_back(started, lost))
                await as_many_changes_as_were_lost(started, replica.url("postgres"), lost)
