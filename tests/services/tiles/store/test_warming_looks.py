"""Reading by reading: when data have settled, which tiles are made then, and what is logged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from libs.catalogue.model import Collection
from libs.ogc.errors import Unavailable
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.tile_store import Tile
from services.tiles.store.warm_up import WarmUp
from tests.services.tiles.store.looks import Looks
from tests.services.tiles.store.points import POINTS

BARE = replace(POINTS, id="bare", geometries=())
MODULE = "services.tiles.store.warm_up"


class Warming:
    """A store, a cache and a catalogue of which a test says when they are looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *collections: Collection) -> None:
        self.looks = Looks(MODULE, monkeypatch)
        self.slept: list[float] = []
        monkeypatch.setattr(
            f"{MODULE}.asyncio", SimpleNamespace(sleep=self._sleep, CancelledError=asyncio.CancelledError)
        )
        self.tokens = {"points": "1", "other": "1"}
        self.there: dict[str, Collection] | Exception = {each.id: each for each in (BARE, *(collections or (POINTS,)))}
        self.mine: bool | None = True
        self.claims: list[str] = []
        self.released: list[str] = []
        self.made: list[tuple[str, int, int, int, str]] = []
        self.tier = "postgis"
        self.when_made: Callable[[], None] = lambda: None
        store = SimpleNamespace(
            token=lambda collection: self.tokens[collection.id], key=lambda _: "key", build="build", tile=self._tile
        )
        cache = SimpleNamespace(claim=self._claim, release=self.released.append)
        parts: tuple[Any, ...] = (store, cache, self)
        self.warm_up = WarmUp(*parts, max_features=77, zooms=(("WebMercatorQuad", 0), ("WorldCRS84Quad", 0)))

    @property
    def collections(self) -> dict[str, Collection]:
        if isinstance(self.there, Exception):
            raise self.there
        return self.there

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def _claim(self, name: str, *, seconds: float) -> bool | None:
        self.claims.append(name)
        assert seconds == 3600
        return self.mine

    async def _tile(self, request: TileRequest, key: str, *, lasting: bool) -> Tile:
        assert (key, lasting, request.limit) == ("key", True, 77)
        of = request.selection.collection.id
        self.made.append((request.tile_matrix_set.id, request.z, request.x, request.y, of))
        self.when_made()
        return Tile(b"x", self.tier)


async def test_data_that_have_stood_for_a_second_are_warmed(monkeypatch: pytest.MonkeyPatch) -> None:
    warming = Warming(monkeypatch)
    looks = warming.looks

    def take() -> None:
        looks.now += 0.25

    warming.when_made = take
    before = REGISTRY.get_sample_value("dams_warm_up_tiles_total", {"tier": "postgis"}) or 0
    async with warming.warm_up:
        assert looks.wanted == [(0.5, "warm-up")]
        await looks.look()
        await looks.look(1)
        # they change again, and stand again
        warming.tokens["points"] = "2"
        await looks.look(0.5)
        await looks.look(1)
        assert warming.claims == []
        await looks.look(0.01)
        places = [("WebMercatorQuad", 0, 0, 0), ("WorldCRS84Quad", 0, 0, 0), ("WorldCRS84Quad", 0, 1, 0)]
        assert warming.made == [(*place, "points") for place in places for _ in range(2)]
        await looks.look(1000)
        assert warming.claims == ["w:build:2:points"]
    assert not looks.going_on
    # half of one connection's time
    assert warming.slept == [0.25] * 6
    assert REGISTRY.get_sample_value("dams_warm_up_tiles_total", {"tier": "postgis"}) == before + 6


async def test_what_is_there_is_looked_at_without_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    warming = Warming(monkeypatch)
    warming.tier = "redis"
    before = REGISTRY.get_sample_value("dams_warm_up_tiles_total", {"tier": "redis"}) or 0
    async with warming.warm_up:
        await warming.looks.look()
        await warming.looks.look(1.1)
    assert (len(warming.made), warming.slept) == (6, [])
    assert REGISTRY.get_sample_value("dams_warm_up_tiles_total", {"tier": "redis"}) == before + 6


async def test_what_took_long_rests_ten_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    warming = Warming(monkeypatch)
    looks = warming.looks

    def take() -> None:
        looks.now += 0.5

    warming.when_made = take
    async with warming.warm_up:
        await looks.look()
        await looks.look(1.1)
        warming.tokens["points"] = "2"
        # it took three seconds
        await looks.look()
        await looks.look(30)
        assert warming.claims == ["w:build:1:points"]
        await looks.look(0.01)
    assert warming.claims == ["w:build:1:points", "w:build:2:points"]


@pytest.mark.parametrize(("mine", "looks_again"), [(False, False), (None, True)])
async def test_what_another_warms_is_left_to_it(
    monkeypatch: pytest.MonkeyPatch, mine: bool | None, looks_again: bool
) -> None:
    warming = Warming(monkeypatch)
    warming.mine = mine
    async with warming.warm_up:
        for seconds in (0, 1.1, 0.5):
            await warming.looks.look(seconds)
    assert warming.claims == ["w:build:1:points"] * (2 if looks_again else 1)
    assert warming.made == []


async def test_what_changes_or_fails_ends_a_warming(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(POINTS, id="other")
    warming = Warming(monkeypatch, POINTS, other)
    looks = warming.looks

    def change() -> None:
        if len(warming.made) == 2:
            warming.tokens["points"] = "2"
        if len(warming.made) == 5:
            looks.now += 2.345
            raise Unavailable("busy")

    warming.when_made = change
    async with warming.warm_up:
        await looks.look()
        await looks.look(1.1)
        assert warming.released == []

        def stop() -> None:
            raise asyncio.CancelledError

        warming.when_made = stop
        await looks.look()
        with pytest.raises(asyncio.CancelledError):
            await looks.look(1.1)
    assert warming.released == ["w:build:2:points"]


async def test_an_error_of_the_program_ends_the_look(monkeypatch: pytest.MonkeyPatch) -> None:
    warming = Warming(monkeypatch)

    def fail() -> None:
        raise ZeroDivisionError

    warming.when_made = fail
    async with warming.warm_up:
        await warming.looks.look()
        with pytest.raises(ZeroDivisionError):
            await warming.looks.look(1.1)


async def test_without_a_catalogue_there_is_nothing_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    warming = Warming(monkeypatch)
    warming.there = Unavailable("not yet")
    async with warming.warm_up:
        await warming.looks.look()
    assert warming.claims == []
