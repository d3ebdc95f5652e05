"""A CDN is told which collections have changed: once each, by one process of all, until it takes it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import asyncpg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.eventually import eventually
from tests.services.in_process import Services
from tests.services.tiles.cache import OwnRedis, metric
from tests.services.tiles.conftest import Placed, TilesOn


@dataclass
class Cdn:
    """What it was told: method, path, header of its own, keys."""

    url: str = ""
    taken: int = 0
    """Requests that are taken before some fail."""
    failing: int = 0
    told: list[tuple[str, str, str, list[str]]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        if self.failing and not self.taken:
            self.failing -= 1
            return web.Response(status=500)
        self.taken = max(0, self.taken - 1)
        keys = request.headers.get("Surrogate-Key", "").split()
        self.told.append((request.method, request.raw_path, request.headers.get("X-Token", ""), keys))
        return web.Response()

    def named(self) -> list[str]:
        return [key for *_, keys in self.told for key in keys]


@pytest.fixture
async def cdn() -> AsyncIterator[Cdn]:
    found = Cdn()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", found.answer)
    async with TestServer(app, host="127.0.0.1") as server:
        found.url = str(server.make_url("/"))
        yield found


async def test_each_change_is_told_by_one_process_until_it_is_heard(
    cached: Services, placed: Placed, own_redis: OwnRedis, cdn: Cdn
) -> None:
    settings = {**placed.env, "REDIS_URL": own_redis.url}
    hook = {"PURGE_URL": f"{cdn.url}purge", "PURGE_METHOD": "PURGE", "PURGE_HEADER": "X-Token: secret"}
    await cached.start("tiles", settings | hook)

    async def all_told() -> None:
        assert {"placed.points", "placed.lines", "placed.polygons"} <= set(cdn.named())

    await eventually(all_told)
    assert {(method, path, token) for method, path, token, _ in cdn.told} == {("PURGE", "/purge", "secret")}
    assert cdn.named().count("placed.lines") == 1
    await cached.servers["tiles"].close()
    tiles = await cached.start("tiles", settings | hook)
    refused = await metric(tiles, 'dams_purges_total{result="failed"}')
    cdn.told.clear()
    cdn.failing = 1
    owner = await asyncpg.connect(placed.owner_url)
    await owner.execute("INSERT INTO placed.lines VALUES (7000, 'new', 'SRID=4326;LINESTRING(0 0, 1 1)')")
    try:

        async def told() -> None:
            assert "placed.lines" in cdn.named()

        await eventually(told)
        assert cdn.failing == 0
        assert await metric(tiles, 'dams_purges_total{result="failed"}') == refused + 1
        # what another process told before is not told again
        assert set(cdn.named()) == {"placed.lines"}

        async def told_again() -> None:
            # what came to the CDN meanwhile goes then
            assert cdn.named() == ["placed.lines", "placed.lines"]

        await eventually(told_again)
    finally:
        await owner.execute("DELETE FROM placed.lines WHERE id = 7000")
        await owner.close()


async def test_a_request_for_each_key_where_the_address_wants_it(cached: Services, placed: Placed, cdn: Cdn) -> None:
    tiles = await cached.start("tiles", placed.env | {"PURGE_URL": f"{cdn.url}keys/{{key}}", "REDIS_URL": ""})

    async def told() -> None:
        assert ("POST", "/keys/placed.points", "", []) in cdn.told

    await eventually(told)
    assert await metric(tiles, 'dams_purges_total{result="done"}') >= 3
    # several change in one commit, and the second of their requests fails: each is told, whatever was told before it
    cdn.told.clear()
    cdn.taken, cdn.failing = 1, 1
    owner = await asyncpg.connect(placed.owner_url)
    async with owner.transaction():
        await owner.execute("INSERT INTO placed.points VALUES (7000, 'new', 'SRID=4326;POINT(0 0)')")
        await owner.execute("INSERT INTO placed.lines VALUES (7000, 'new', 'SRID=4326;LINESTRING(0 0, 1 1)')")
    try:

        async def all_told() -> None:
            assert {path for _, path, _, _ in cdn.told} == {"/keys/placed.points", "/keys/placed.lines"}
            assert cdn.failing == 0

        await eventually(all_told)
    finally:
        await owner.execute("DELETE FROM placed.points WHERE id = 7000")
        await owner.execute("DELETE FROM placed.lines WHERE id = 7000")
        await owner.close()


async def test_many_keys_travel_in_headers_of_a_length_that_is_taken(
    tiles_on: TilesOn, own_redis: OwnRedis, cdn: Cdn
) -> None:
    tables = "CREATE SCHEMA many; GRANT USAGE ON SCHEMA many TO hostile_reader;" + "".join(
        f"CREATE TABLE many.t{n} (id int PRIMARY KEY, geom geometry(Point, 4326));"
        f"GRANT SELECT ON many.t{n} TO hostile_reader; SELECT dams.watch('many.t{n}');"
        for n in range(205)
    )
    settings = {"PURGE_URL": f"{cdn.url}purge", "REDIS_URL": own_redis.url, "TILE_WARM_UP": "none"}
    async with tiles_on(tables, "{}", COLLECTION_SCHEMAS="many", **settings):

        async def told() -> None:
            assert set(cdn.named()) == {f"many.t{n}" for n in range(205)}

        await eventually(told)
    assert max(len(keys) for *_, keys in cdn.told) == 200
