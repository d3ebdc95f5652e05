"""A CDN keeps items and tiles for an hour, and the gateway tells it what to forget: cache hits, but no old answer for
long.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cdn import Cdn, purging_cdn
from tests.eventually import eventually
from tests.faults.places import ITEMS, TILE, insert_towns, make_places, on_places
from tests.gateway.harness import Gateway, Upstream
from tests.services.in_process import Answer, Client

RIVERS, TOWNS = "places.rivers", "places.towns"
KEPT_SECONDS = "3600"
POLL_SECONDS = 1
STALE_SECONDS = 3
"""For how long the gateway may give what it has of data: max-age and stale-while-revalidate."""


@asynccontextmanager
async def behind_a_cdn(owner_url: str, folder: Path) -> AsyncIterator[tuple[Cdn, Client]]:
    """The services on the places, a gateway, and a CDN before it; the client asks the CDN."""
    async with purging_cdn() as cdn:
        hook = {"DAMS_PURGE_URL": cdn.purge_url, "DAMS_PURGE_METHOD": "PURGE", "DAMS_CDN_MAX_AGE_SECONDS": KEPT_SECONDS}
        async with on_places(owner_url, "features", "tiles", **hook) as started:
            upstreams = {name: Upstream(name, port=int(server.port or 0)) for name, server in started.servers.items()}
            gateway = Gateway(folder, upstreams)
            try:
                await gateway.start()
                await gateway.published(len(upstreams))
                await cdn.start(f"127.0.0.1:{gateway.port}")
                yield cdn, Client(started.session, f"{cdn.url}/api")
            finally:
                await gateway.stop()


def of_rivers(path: str) -> str:
    """The same of the other table."""
    return path.replace(TOWNS, RIVERS)


async def kept(client: Client, path: str) -> Answer:
    """An answer that came out of the CDN, which fails where it did not."""
    answer = await client.get(path)
    assert (answer.status, answer.headers["X-CDN"]) == (200, "HIT"), (path, answer.body[:300])
    return answer


async def test_a_commit_reaches_clients_of_a_cdn_and_costs_it_nothing_else(database_url: str, tmp_path: Path) -> None:
    await make_places(database_url)
    async with behind_a_cdn(database_url, tmp_path / "gateway") as (cdn, client):
        # a start tells of all collections, and again five seconds later
        async def quiet() -> None:
            assert [TOWNS in keys and RIVERS in keys for keys in cdn.told[-2:]] == [True, True]

        await eventually(quiet)
        cdn.told.clear()
        for path, status in (
            (f"{ITEMS}?limit=x", 422),
            ("/collections/places.none/items", 404),
            ("/openapi.json", 200),
        ):
            for _ in range(2):
                answer = await client.get(path)
                assert (answer.status, answer.headers["X-CDN"]) == (status, "MISS"), path
        before = {}
        for path in (ITEMS, TILE, of_rivers(ITEMS), of_rivers(TILE)):
            assert (await client.get(path)).headers["CDN-Cache-Control"] == f"max-age={KEPT_SECONDS}, stale-if-error=60"
            before[path] = await kept(client, path)

        # the answers to a client that requests without a pause, and how many purges the CDN had received before each
        # request
        seen: dict[str, list[tuple[int, bool]]] = {ITEMS: [], TILE: []}
        done = asyncio.Event()

        async def ask(path: str) -> None:
            while not done.is_set():
                told = len(cdn.told)
                answer = await client.get(path)
                assert answer.status == 200
                seen[path].append((told, answer.body != before[path].body))
                await asyncio.sleep(0.01)

        clients = [asyncio.create_task(ask(path)) for path in seen]
        await insert_towns(database_url, "second")

        async def told_twice() -> None:
            assert cdn.told == [{TOWNS}, {TOWNS}]

        await eventually(told_twice)
        # by then all processes know of the change, and no cache on the way has an answer of before it
        assert cdn.told_at[-1] - cdn.told_at[-2] > POLL_SECONDS + STALE_SECONDS
        await asyncio.sleep(0.5)
        done.set()
        await asyncio.gather(*clients)
        for path, answers in seen.items():
            # the second purge removed what a cache on the way had given after the first
            assert {new for told, new in answers if told == 2} == {True}, path
            assert {new for told, new in answers if told == 1} >= {True}, path
            # the new answer is kept as the old one was, and the other collection lost nothing
            assert (await kept(client, path)).body != before[path].body
            assert (await kept(client, of_rivers(path))).body == before[of_rivers(path)].body
