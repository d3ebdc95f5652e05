"""When and by which process tiles are made before they are requested, and when that is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.errors import Unavailable
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.tile_store import Tile
from services.tiles.store.warm_up import WarmUp
from tests.eventually import eventually

PLACES = Collection(
    "s.a",
    "s",
    "a",
    1,
    "table",
    "A",
    None,
    (Column("id", "integer", "integer"), Column("note", "text", "string")),
    (GeometryColumn("geom", "Point", 4326),),
    key="id",
)
TABLE = Collection("s.t", "s", "t", 2, "table", "T", None, ())
PLAIN, FOR_THE_STYLE = False, True


class Doubles:
    """A store and a cache that record their calls."""

    def __init__(self, claimed: bool | None = True) -> None:
        self.token = "1"
        self.claimed = claimed
        self.claims: list[str] = []
        self.released: list[str] = []
        self.asked: list[tuple[str, int, int, int, bool]] = []
        self.wait: asyncio.Event | None = None
        self.error: Exception | None = None
        self.when_asked: Callable[[], None] = lambda: None

    async def claim(self, name: str, *, seconds: float) -> bool | None:
        assert seconds == 3600
        self.claims.append(name)
        return self.claimed

    async def tile(self, request: TileRequest, key: str, *, lasting: bool) -> Tile:
        assert (key, lasting, request.limit) == ("key", True, 77)
        self.asked.append((request.tile_matrix_set.id, request.z, request.x, request.y, request.usual))
        self.when_asked()
        if self.wait is not None:
            await self.wait.wait()
        if self.error is not None:
            raise self.error
        return Tile(b"x", "postgis")

    def warm_up(self, *zooms: tuple[str, int]) -> WarmUp:
        store = SimpleNamespace(token=lambda _: self.token, key=lambda _: "key", build="build", tile=self.tile)
        cache = SimpleNamespace(claim=self.claim, release=self.released.append)
        catalogue = SimpleNamespace(collections={"s.t": TABLE, "s.a": PLACES})
        parts: tuple[Any, ...] = (store, cache, catalogue)
        return WarmUp(*parts, max_features=77, zooms=zooms)


async def _asked(doubles: Doubles, number: int) -> None:
    async def so_many() -> None:
        assert len(doubles.asked) >= number

    await eventually(so_many)


async def test_each_tile_is_made_as_our_map_and_as_others_ask_for_it() -> None:
    doubles = Doubles()
    async with doubles.warm_up(("WebMercatorQuad", 1), ("WorldCRS84Quad", 0)):
        await _asked(doubles, 12)
        # once settled it is left alone
        await asyncio.sleep(1.2)
    places = [("WebMercatorQuad", 1, x, y) for y in (0, 1) for x in (0, 1)]
    places += [("WorldCRS84Quad", 0, x, 0) for x in (0, 1)]
    assert sorted(doubles.asked) == sorted((*place, usual) for place in places for usual in (PLAIN, FOR_THE_STYLE))
    # a collection without a geometry has none
    assert doubles.claims == ["w:build:1:s.a"]
    assert doubles.released == []


async def test_who_stops_leaves_it_to_another() -> None:
    doubles = Doubles()
    doubles.wait = asyncio.Event()
    async with doubles.warm_up(("WebMercatorQuad", 0)):
        await _asked(doubles, 1)
    assert doubles.released == doubles.claims == ["w:build:1:s.a"]


async def test_what_another_makes_is_not_made_here() -> None:
    doubles = Doubles(claimed=False)
    async with doubles.warm_up(("WebMercatorQuad", 0)):

        async def claimed() -> None:
            assert doubles.claims

        await eventually(claimed)
        await asyncio.sleep(1.2)
    assert (doubles.asked, doubles.claims) == ([], ["w:build:1:s.a"])


async def test_without_a_cache_nobody_knows_and_one_may_come() -> None:
    doubles = Doubles(claimed=None)
    async with doubles.warm_up(("WebMercatorQuad", 0)):

        async def claimed_again() -> None:
            assert len(doubles.claims) > 1

        await eventually(claimed_again)
        assert doubles.asked == []
        doubles.claimed = True
        await _asked(doubles, 2)


async def test_of_data_that_change_meanwhile_no_more_is_made() -> None:
    doubles = Doubles()

    def change() -> None:
        doubles.token = "2"

    doubles.when_asked = change
    async with doubles.warm_up(("WebMercatorQuad", 1)):
        await _asked(doubles, 2)
        first = [*doubles.asked]
        await _asked(doubles, 10)
    # both of one tile, and then all of the other version
    assert [place[1:4] for place in first[:2]] == [(1, 0, 0)] * 2
    assert len(doubles.asked) == 10
    assert doubles.claims == ["w:build:1:s.a", "w:build:2:s.a"]


async def test_what_took_long_rests_for_longer_however_often_the_data_change() -> None:
    doubles = Doubles()
    doubles.wait = asyncio.Event()
    async with doubles.warm_up(("WebMercatorQuad", 0)):
        await _asked(doubles, 1)
        await asyncio.sleep(0.7)
        doubles.wait.set()
        await _asked(doubles, 2)
        doubles.token = "2"
        # longer than data have to stand
        await asyncio.sleep(3)
        assert doubles.claims == ["w:build:1:s.a"]


async def test_what_cannot_be_made_is_given_up_until_the_data_change() -> None:
    doubles = Doubles()
    doubles.error = Unavailable("busy")
    async with doubles.warm_up(("WebMercatorQuad", 1)):
        await _asked(doubles, 1)
        await asyncio.sleep(1.2)
        assert len(doubles.asked) == 1
        doubles.error, doubles.token = None, "2"
        await _asked(doubles, 9)
        # a process that stops before the last tile is made leaves it to another
        assert doubles.released == []


async def test_where_nothing_is_wanted_nobody_looks() -> None:
    doubles = Doubles()
    async with doubles.warm_up():
        await asyncio.sleep(1.8)
    assert doubles.claims == []
