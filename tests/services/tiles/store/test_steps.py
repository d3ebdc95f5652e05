"""The store's requests to cache and database for a tile, their order, and what it keeps."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from libs.cache.tile_cache import TileCache
from libs.catalogue.model import Collection, Column
from libs.catalogue.versions import DataVersion
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import Unavailable
from libs.pg.errors import Uninterrupted
from libs.web.build_id import build_id
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.tile_store import Tile, TileStore
from tests.services.tiles.store.points import POINTS

BUILD = f"{build_id('tiles')}.100.9000"
PLACE = "WebMercatorQuad:1:1:0"
KEY = f"{BUILD}:first:{PLACE}::points"
ABOVE = f"{BUILD}:first:WebMercatorQuad:0:0:0::points"
NUMBERED = b"\0\0\0\0\0\0\0\2"
"""The numbers of a tile: nothing omitted, nothing estimated, and unknown whether it is exact."""
LOOKED: tuple[str, ...] = ("get", f"t:{KEY}", f"e:{KEY}", f"e:{ABOVE}")
AGAIN: tuple[str, ...] = ("get", f"t:{KEY}", f"e:{KEY}")


class Noting(TileCache):
    """A cache, versions and a database that record their calls."""

    def __init__(self) -> None:
        super().__init__(None)
        self.held: dict[str, bytes] = {}
        self.noted: list[tuple[Any, ...]] = []
        self.mine: list[bool | None] = []
        self.token: str | None = "first"
        self.exact = False
        self.row: dict[str, Any] = {"tile": b"a tile", "rows": 3, "simplified": 2}
        self.wait: asyncio.Future[None] | None = None
        self.when_made: Callable[[], None] = lambda: None
        self.when_claimed: Callable[[], None] = lambda: None

    async def get(self, *keys: str) -> list[bytes | None]:
        self.noted.append(("get", *keys))
        return [self.held.get(key) for key in keys]

    def put(self, key: str, value: bytes, *, seconds: int = 0) -> None:
        assert not seconds
        self.noted.append(("put", key, value))

    def put_some(self, key: str, value: bytes) -> None:
        self.noted.append(("put some", key, value))

    async def claim(self, name: str, *, seconds: float) -> bool | None:
        self.noted.append(("claim", name, seconds))
        self.when_claimed()
        return self.mine.pop(0)

    def release(self, name: str) -> None:
        self.noted.append(("release", name))

    def replace(self, key: str, value: bytes) -> None:
        self.noted.append(("replace", key, value))

    def version(self, _: Collection) -> DataVersion | None:
        return self.token and DataVersion(self.token, datetime.now(UTC), exact=self.exact)  # type: ignore[return-value]

    async def look_again(self) -> bool:
        self.noted.append(("looked again",))
        return True

    async def fetchrow(self, _: object) -> dict[str, Any]:
        self.noted.append(("made",))
        self.when_made()
        if self.wait is not None:
            await self.wait
        return self.row

    async def fetchval(self, _: object) -> str:
        """The estimate of PostgreSQL: a row is near."""
        return '[{"Plan": {"Plan Rows": 1}}]'

    def store(self, most_rendering: int = 4, share: float = 1) -> TileStore:
        made = SimpleNamespace(fetchrow=self.fetchrow, fetchval=self.fetchval)

        async def is_lost(_: object) -> bool:
            return False

        database: Any = SimpleNamespace(of=lambda name: made if name == "points" else None, is_lost=is_lost)
        versions: Any = SimpleNamespace(
            version=self.version, look_again=self.look_again, is_settled=lambda collection: False
        )
        return TileStore(
            database,
            self,
            versions,
            most_rendering=most_rendering,
            share=share,
            max_features=100,
            max_bytes=9000,
        )


def _request(z: int = 1, x: int = 1, y: int = 0, rows: int | None = None, **parameters: Any) -> TileRequest:
    collection = replace(POINTS, rows=rows)
    return tile_of(collection, tile_matrix_set("WebMercatorQuad"), z, x, y, 100, parameters.items())


async def _tile(cache: Noting, request: TileRequest | None = None, *, lasting: bool = False) -> Tile:
    store, request = cache.store(), request or _request()
    return await store.tile(request, store.key(request), lasting=lasting)


async def test_what_is_not_in_the_cache_is_made_and_put_there() -> None:
    cache = Noting()
    before = REGISTRY.get_sample_value("dams_tiles_total", {"tier": "postgis"}) or 0
    tile = await _tile(cache)
    assert gzip.decompress(tile.gzipped) == b"a tile"
    assert tile == Tile(tile.gzipped, "postgis", simplified=2)
    assert cache.noted == [LOOKED, ("made",), ("put", f"t:{KEY}", NUMBERED + tile.gzipped)]
    assert REGISTRY.get_sample_value("dams_tiles_total", {"tier": "postgis"}) == before + 1
    nothing = Noting()
    nothing.row = {"tile": None, "rows": 0, "simplified": 0}
    assert await _tile(nothing) == Tile(b"", "postgis", nothing_near=True)
    assert nothing.noted == [LOOKED, ("made",), ("put", f"e:{KEY}", b"")]
    # of what comes near and cannot be seen, those below may show something
    unseen = Noting()
    unseen.row = {"tile": b"", "rows": 2, "simplified": 0}
    assert await _tile(unseen) == Tile(b"", "postgis")
    assert unseen.noted == [LOOKED, ("made",), ("put", f"t:{KEY}", bytes(8))]


async def test_what_is_in_the_cache_is_not_made() -> None:
    full = Noting()
    full.held[f"t:{KEY}"] = b"\0\0\0\7\0\0\0\0gzipped"
    assert await _tile(full) == Tile(b"gzipped", "redis", 1, estimated=True, exact=True)
    empty = Noting()
    empty.held[f"e:{KEY}"] = b"\1"
    assert await _tile(empty) == Tile(b"", "redis", exact=True, nothing_near=True)
    above = Noting()
    above.held[f"e:{ABOVE}"] = b"\1"
    assert await _tile(above) == Tile(b"", "redis", why="empty parent", exact=True, nothing_near=True)
    assert [each.noted for each in (full, empty, above)] == [[LOOKED], [LOOKED], [LOOKED, ("put", f"e:{KEY}", b"\1")]]


async def test_rows_that_change_meanwhile_are_kept_under_no_version() -> None:
    cache = Noting()

    def change() -> None:
        cache.token = "second"

    cache.when_made = change
    assert (await _tile(cache)).gzipped
    assert cache.noted == [LOOKED, ("made",)]
    cache.token = None
    assert cache.store().key(_request()) is None
    assert (await _tile(cache)).tier == "postgis"
    assert cache.noted == [LOOKED, ("made",), ("made",)]


async def test_an_expensive_tile_is_made_by_the_one_who_has_the_claim() -> None:
    expensive = _request(rows=20_001)
    claim, release = ("claim", f"c:{KEY}", 60), ("release", f"c:{KEY}")
    cache = Noting()
    cache.mine = [True]
    tile = await _tile(cache, expensive)
    put = ("put", f"t:{KEY}", NUMBERED + tile.gzipped)
    assert cache.noted == [LOOKED, claim, AGAIN, ("made",), put, release]
    # made since the last look
    late = Noting()
    late.mine = [True]
    late.when_claimed = lambda: late.held.update({f"e:{KEY}": b""})
    assert await _tile(late, expensive) == Tile(b"", "redis", nothing_near=True)
    assert late.noted == [LOOKED, claim, AGAIN, release]
    # another one makes it
    waiting = Noting()
    waiting.mine = [False, False]
    waiting.when_claimed = lambda: waiting.held.update({} if waiting.mine[1:] else {f"t:{KEY}": NUMBERED + b"x"})
    assert await _tile(waiting, expensive) == Tile(b"x", "redis", simplified=2)
    assert waiting.noted == [LOOKED, claim, AGAIN, claim, AGAIN]
    # no other process to agree with
    alone = Noting()
    alone.mine = [None]
    assert (await _tile(alone, expensive)).tier == "postgis"
    assert alone.noted == [LOOKED, claim, ("made",), put]


async def test_nobody_waits_for_the_claim_of_another_for_longer_than_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    claim, passed, clock = ("claim", f"c:{KEY}", 60), [0.0], asyncio.get_running_loop().time
    cache = Noting()
    cache.mine = [False, False, False]
    # two seconds are waited for, and the third begins
    cache.when_claimed = lambda: passed.append(passed.pop() + 1.1)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: clock() + passed[0])
    tile = await _tile(cache, _request(rows=20_001))
    put = ("put", f"t:{KEY}", NUMBERED + tile.gzipped)
    assert cache.noted == [LOOKED, claim, AGAIN, claim, AGAIN, claim, AGAIN, ("made",), put]


@pytest.mark.parametrize(
    ("rows", "parameters", "is_claimed"),
    [
        (20_000, {}, False),
        (20_001, {}, True),
        (None, {}, False),
        # no request waits for a tile that may not be kept
        (10**9, {"limit": "7"}, False),
    ],
)
async def test_more_than_some_thousand_rows_on_a_tile_are_expensive(
    rows: int | None, parameters: dict[str, Any], is_claimed: bool
) -> None:
    cache = Noting()
    cache.mine = [True]
    await _tile(cache, _request(rows=rows, **parameters))
    assert ("claim" in {name for name, *_ in cache.noted}) is is_claimed


@pytest.mark.parametrize(("rows", "is_claimed"), [(40_000, False), (40_001, True)])
async def test_what_is_expensive_follows_from_the_number_of_tiles(rows: int, is_claimed: bool) -> None:
    cache = Noting()
    cache.mine = [True]
    # four columns, two rows
    request = tile_of(replace(POINTS, rows=rows), tile_matrix_set("WorldCRS84Quad"), 1, 3, 0, 100, ())
    await _tile(cache, request)
    assert ("claim" in {name for name, *_ in cache.noted}) is is_claimed


async def test_what_is_asked_for_again_is_kept_among_its_like() -> None:
    cache = Noting()
    request = _request(limit="7")
    store = cache.store()
    key = store.key(request)
    assert key == f"{BUILD}:first:{PLACE}:{request.variant}:points"
    tiles = [await store.tile(request, key) for _ in range(2)]
    kept = [noted for noted in cache.noted if noted[0].startswith("put")]
    assert kept == [("put some", f"t:{key}", NUMBERED + tiles[0].gzipped)]


async def test_what_our_map_asks_for_first_is_kept_as_the_plain_tile_is() -> None:
    cache = Noting()
    storms = replace(POINTS, name="ts_tracks", columns=(*POINTS.columns, Column("note", "text", "string")))
    parameters = [("style-only", "true")]
    request = tile_of(storms, tile_matrix_set("WebMercatorQuad"), 1, 1, 0, 100, parameters)
    assert (request.usual, bool(request.variant)) == (True, True)
    await _tile(cache, request)
    assert [name for name, *_ in cache.noted] == ["get", "made", "put"]


async def test_a_tile_that_is_to_last_is_marked_once_the_version_has_stood() -> None:
    cache = Noting()
    cache.exact = True
    store = cache.store()
    tile = await store.tile(_request(), KEY, lasting=True)
    for _ in range(3):
        await asyncio.sleep(0)
    marked = ("replace", f"t:{KEY}", b"\0\0\0\2\0\0\0\2" + tile.gzipped)
    assert cache.noted[-2:] == [("looked again",), marked]
    # a tile that is marked already is not marked again
    cache.held[f"t:{KEY}"] = b"\0\0\0\2\0\0\0\2" + tile.gzipped
    del cache.noted[:]
    assert (await store.tile(_request(), KEY, lasting=True)).exact
    await asyncio.sleep(0)
    assert cache.noted == [LOOKED]
    await store.close()


async def test_who_goes_gives_up_what_is_still_made() -> None:
    cache = Noting()
    store = cache.store()
    cache.wait = asyncio.get_running_loop().create_future()
    begun = asyncio.Event()
    cache.when_made = begun.set
    waiting = asyncio.create_task(store.tile(_request(), KEY))
    await begun.wait()
    await store.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert cache.wait.cancelled()


async def test_too_many_are_refused_in_words() -> None:
    cache = Noting()
    with pytest.raises(Unavailable) as busy:
        await cache.store(most_rendering=0).tile(_request(), None)
    assert str(busy.value) == "Too many tiles are being made at the moment; try again."
    assert (busy.value.retry_after, busy.value.cause) == (2, "queue")


async def test_what_took_too_long_is_remembered_among_many() -> None:
    cache, late = Noting(), Uninterrupted()

    def fail() -> None:
        raise late

    cache.when_made = fail
    store = cache.store()
    for x in range(40):
        with pytest.raises(Uninterrupted):
            await store.tile(_request(6, x, 9), None)
    for x in (0, 39):
        with pytest.raises(Unavailable) as slow:
            await store.tile(_request(6, x, 9), None)
        assert str(slow.value) == (
            "This tile took too long to make a moment ago; ask for a smaller area or for less, or try again later."
        )
        assert (slow.value.retry_after, slow.value.cause) == (30, "slow")
    assert cache.noted == [("made",)] * 40


async def test_how_many_are_made_and_may_be_is_told() -> None:
    cache = Noting()
    store = cache.store(most_rendering=7)
    told: list[float | None] = []
    cache.when_made = lambda: told.append(REGISTRY.get_sample_value("dams_tile_queue"))
    await store.tile(_request(), None)
    told.append(REGISTRY.get_sample_value("dams_tile_queue"))
    assert (told, REGISTRY.get_sample_value("dams_tile_queue_limit")) == ([1, 0], 7)


def test_a_version_of_several_is_another_one_with_each_of_them() -> None:
    cache = Noting()
    store = cache.store()
    other = replace(POINTS, id="others")
    label = store.label([POINTS, other])
    assert label is not None
    assert len(label) == 16
    assert store.describe([POINTS, other]) == {"dams:version": label}
    labels = [label, store.label([POINTS]), store.label([other]), store.label([other, POINTS])]
    cache.token = "second"
    labels.append(store.label([POINTS, other]))
    assert len({*labels}) == 5
    assert None not in labels
    # a version that is not exact has no address
    assert store.edition([POINTS]) is None
    cache.exact = True
    assert store.edition([POINTS, other]) == labels[-1]
    named = replace(POINTS, columns=(*POINTS.columns, Column("v", "text", "string")))
    assert (store.edition([POINTS, named]), store.label([POINTS, named]) is None) == (None, False)
    cache.token = None
    assert (store.label([POINTS]), store.edition([POINTS]), store.describe([POINTS])) == (None, None, {})
    assert store.label([]) is None
