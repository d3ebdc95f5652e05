"""PostgreSQL is restarted, as for a minor release: requests wait for it, and no other client notices."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from tests.deploy.database.private_cluster import private_cluster
from tests.eventually import eventually
from tests.faults.places import FACETS, ITEMS, TILE, good, insert_towns, make_places, on_places
from tests.services.in_process import Answer, Services
from tests.services.tiles.cache import OwnRedis, tier

pytestmark = pytest.mark.faults


@asynccontextmanager
async def clients(started: Services) -> AsyncIterator[tuple[Counter[str], Counter[int]]]:
    """Run seven clients that request pages, items, facets and tiles which were not requested before.

    Yields the counts of their results, and the number of answers of each client.
    """
    outcomes, answered = Counter[str](), Counter[int]()
    stopped, fresh = asyncio.Event(), itertools.count(1)
    features, tiles = started["features"], started["tiles"]

    async def ask(client: int, name: str, request: Callable[[int], Awaitable[int]]) -> None:
        while not stopped.is_set():
            outcomes[f"{name} {await request(next(fresh))}"] += 1
            answered[client] += 1

    async def page(n: int) -> int:
        return (await features.get(ITEMS, {"filter": f"id>-{n}"})).status

    async def item(n: int) -> int:
        return (await features.get(f"{ITEMS}/{n % 3 + 1}", headers={"X-Forwarded-Host": f"a{n}.example.org"})).status

    async def facet(n: int) -> int:
        return (await features.get(FACETS, {"facets": "name", "filter": f"id>-{n}"})).status

    async def tile(n: int) -> int:
        return (await tiles.get(TILE, {"filter": f"id>-{n}"})).status

    asks = [*(("page", page), ("item", item), ("tile", tile)) * 2, ("facet", facet)]
    asking = [asyncio.create_task(ask(client, *each)) for client, each in enumerate(asks)]
    yield outcomes, answered
    stopped.set()
    await asyncio.gather(*asking)


async def test_a_restart_of_the_database_costs_no_answer(own_redis: OwnRedis) -> None:
    with private_cluster() as cluster:
        url = cluster.url("postgres")
        await make_places(url)
        await insert_towns(url, "second", "third")
        async with (
            on_places(url, "features", "tiles", DAMS_REDIS_URL=own_redis.url) as started,
            clients(started) as (outcomes, answered),
        ):
            for _ in range(3):
                await asyncio.to_thread(cluster.restart)
                before = answered.copy()

                # a request meets at most one restart
                async def all_go_on(before: Counter[int] = before) -> bool:
                    return all(answered[client] > before[client] + 2 for client in range(7))

                await eventually(all_go_on)
    assert {outcome.rpartition(" ")[2] for outcome in outcomes} == {"200"}, outcomes
    assert outcomes.total() > 50


async def test_known_value_is_served_until_the_next_version(own_redis: OwnRedis) -> None:
    with private_cluster() as cluster:
        url = cluster.url("postgres")
        await make_places(url)
        async with on_places(url, "features", "tiles", DAMS_REDIS_URL=own_redis.url) as started:
            features, tiles = started["features"], started["tiles"]

            async def cached() -> Answer:
                answer = await good(tiles, TILE)
                assert tier(answer) == "redis"
                return answer

            tags = {}
            for client, path in ((features, ITEMS), (tiles, TILE)):
                await eventually(cached)
                tags[client] = path, (await good(client, path)).headers["ETag"]
            cluster.stop(mode="fast")
            waiting = [asyncio.create_task(good(features, ITEMS)), asyncio.create_task(good(tiles, f"{TILE}?limit=9"))]
            for client, (path, tag) in tags.items():
                assert (await client.get(path, headers={"If-None-Match": tag})).status == 304
            await cached()
            assert not any(each.done() for each in waiting)
            cluster.start()
            for each, client in zip(waiting, tags, strict=True):
                answer = await each
                again = await client.get(answer.url, headers={"If-None-Match": answer.headers["ETag"]})
                assert again.status == 304
            assert (await waiting[0]).headers["ETag"] != tags[features][1]
