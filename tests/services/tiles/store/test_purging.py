"""The services tell a CDN which collections have changed: one process of all, once for each change, until the CDN
accepts it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import asyncpg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from prometheus_client import REGISTRY

from libs.catalogue.model import Collection
from services.tiles.resources import CATALOGUE
from services.tiles.store.purging import Hook, Purging
from tests.eventually import eventually
from tests.services.in_process import Services
from tests.services.tiles.cache import OwnRedis, metric
from tests.services.tiles.conftest import Placed, TilesOn
from tests.services.tiles.store.looks import Looks
from tests.services.tiles.store.points import POINTS


@dataclass
class Cdn:
    """A CDN that records purge requests: method, path, special header, keys."""

    url: str = ""
    taken: int = 0
    """Requests that are taken before some fail."""
    failing: int = 0
    seconds: float = 0
    """That it takes to answer."""
    told: list[tuple[str, str, str, list[str]]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        await asyncio.sleep(self.seconds)
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
    settings = {**placed.env, "DAMS_REDIS_URL": own_redis.url}
    hook = {"DAMS_PURGE_URL": f"{cdn.url}purge", "DAMS_PURGE_METHOD": "PURGE", "DAMS_PURGE_HEADER": "X-Token: secret"}
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
        # a change that another process has reported is not reported again
        assert set(cdn.named()) == {"placed.lines"}

        async def told_again() -> None:
            # this purges answers that the CDN stored in between
            assert cdn.named() == ["placed.lines", "placed.lines"]

        await eventually(told_again)
    finally:
        await owner.execute("DELETE FROM placed.lines WHERE id = 7000")
        await owner.close()


async def test_a_request_for_each_key_where_the_address_wants_it(cached: Services, placed: Placed, cdn: Cdn) -> None:
    tiles = await cached.start("tiles", placed.env | {"DAMS_PURGE_URL": f"{cdn.url}keys/{{key}}", "DAMS_REDIS_URL": ""})

    keys = {f"/keys/{name}" for name in cached.apps["tiles"][CATALOGUE].collections}

    async def told() -> None:
        assert ("POST", "/keys/placed.points", "", []) in cdn.told
        assert {path for _, path, _, _ in cdn.told} == keys

    await eventually(told)
    assert await metric(tiles, 'dams_purges_total{result="done"}') >= 3
    # several collections change in one commit, and the second request fails: each is sent, also if it was sent before
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
    settings = {"DAMS_PURGE_URL": f"{cdn.url}purge", "DAMS_REDIS_URL": own_redis.url}
    async with tiles_on(tables, "{}", DAMS_COLLECTION_SCHEMAS="many", **settings):

        async def told() -> None:
            assert set(cdn.named()) == {f"many.t{n}" for n in range(205)}

        await eventually(told)
    assert max(len(keys) for *_, keys in cdn.told) == 200


class Changing:
    """The dependencies of a process that reports changes; the test makes each reading."""

    def __init__(self, cdn: Cdn, monkeypatch: pytest.MonkeyPatch, *, url: str = "purge") -> None:
        self.looks = Looks("services.tiles.store.purging", monkeypatch)
        self.known: dict[str, Collection] | None = {name: replace(POINTS, id=name) for name in ("a", "b/c", "d")}
        self.labels: dict[str, str | None] = {"a": "1", "b/c": "1", "d": None}
        self.own: dict[str, bool | None] = {}
        self.claims: list[tuple[str, float]] = []
        self.released: list[str] = []
        store = SimpleNamespace(label=lambda collections: self.labels[collections[0].id])
        cache = SimpleNamespace(claim=self.claim, release=self.released.append)
        hook = Hook(f"{cdn.url}{url}", "PURGE", {"X-Token": "secret"})
        parts: tuple[Any, ...] = (store, cache, self, hook)
        self.purging = Purging(*parts)

    async def claim(self, name: str, *, seconds: float) -> bool | None:
        self.claims.append((name, seconds))
        return self.own.get(name, True)


def _told(*names: str) -> tuple[str, str, str, list[str]]:
    return ("PURGE", "/purge", "secret", [*names])


async def test_a_change_is_told_at_once_and_once_more(cdn: Cdn, monkeypatch: pytest.MonkeyPatch) -> None:
    changing = Changing(cdn, monkeypatch)
    looks, known, changing.known = changing.looks, changing.known, None
    async with changing.purging:
        assert looks.wanted == [(0.5, "purging")]
        # before the catalogue is known
        await looks.look()
        assert (changing.claims, cdn.told) == ([], [])
        changing.known, changing.own = known, {"p:1:b/c": False}
        await looks.look()
        week = 7 * 24 * 3600
        # the state of one is unknown, and another process reports the other
        assert changing.claims == [("p:1:a", week), ("p:1:b/c", week)]
        assert cdn.told == [_told("a")]
        await looks.look(4.9)
        assert len(cdn.told) == 1
        await looks.look(0.1)
        await looks.look(100)
        assert (len(changing.claims), cdn.told) == (2, [_told("a")] * 2)
        # without a cache each tells
        changing.labels, changing.own = {"a": "1", "b/c": "2", "d": "2"}, {"p:2:b/c": None, "p:2:d": None}
        await looks.look()
        assert (changing.claims[2:], cdn.told[2:]) == ([("p:2:b/c", week), ("p:2:d", week)], [_told("b%2Fc", "d")])
        assert changing.released == []
    assert not looks.going_on


async def test_who_is_not_heard_tries_again_later_and_later(cdn: Cdn, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = REGISTRY.get_sample_value("dams_purges_total", {"result": "failed"}) or 0
    changing = Changing(cdn, monkeypatch)
    changing.own = {"p:1:b/c": False}
    looks, pauses = changing.looks, [1, 4, 16, 60, 60]
    async with changing.purging:
        cdn.failing = 5
        await looks.look()
        for pause in pauses:
            claims = len(changing.claims)
            await looks.look(pause - 0.1)
            # nothing before the time has come
            assert len(changing.claims) == claims
            await looks.look(0.1)
        # a change that another process reports is not claimed again
        assert [name for name, _ in changing.claims] == ["p:1:a", "p:1:b/c", *["p:1:a"] * 5]
        assert (changing.released, cdn.told) == (["p:1:a"] * 5, [_told("a")])
        # also the second time, before which no other is reported; and the pauses are short again
        cdn.failing, changing.labels["b/c"] = 1, "2"
        await looks.look(5)
        assert len(cdn.told) == 1
        await looks.look(1)
        assert cdn.told[1:] == [_told("a"), _told("b%2Fc")]
    assert REGISTRY.get_sample_value("dams_purges_total", {"result": "failed"}) == failed + 6


@pytest.mark.parametrize("cause", ["ClientConnectorError", "TimeoutError"])
async def test_who_cannot_be_reached_or_takes_too_long_is_not_heard_either(
    cdn: Cdn, monkeypatch: pytest.MonkeyPatch, cause: str
) -> None:
    if cause == "TimeoutError":
        monkeypatch.setattr("services.tiles.store.purging.TIMEOUT_SECONDS", 0.05)
        cdn.seconds = 0.3
    else:
        cdn.url = "http://127.0.0.1:9/"
    changing = Changing(cdn, monkeypatch)
    async with changing.purging:
        await changing.looks.look()
    assert changing.released == ["p:1:a", "p:1:b/c"]


async def test_a_key_in_an_address_is_one_part_of_it(cdn: Cdn, monkeypatch: pytest.MonkeyPatch) -> None:
    done = REGISTRY.get_sample_value("dams_purges_total", {"result": "done"}) or 0
    changing = Changing(cdn, monkeypatch, url="{key}/of/{key}")
    async with changing.purging:
        await changing.looks.look()
    assert cdn.told == [("PURGE", path, "secret", []) for path in ("/a/of/a", "/b%252Fc/of/b%252Fc")]
    assert REGISTRY.get_sample_value("dams_purges_total", {"result": "done"}) == done + 2
