"""The metadata of a tile with several layers follow from those of each layer."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from typing import cast

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import DomainError, Fault, InvalidParameters, NotFound, Restarting, Unavailable
from services.tiles.request.plain_tile import plain_tile
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.compression import decompress_tile
from services.tiles.store.layers import joined_tile
from services.tiles.store.tile_store import Tile, TileStore

PLACES = Collection(
    "a",
    "s",
    "a",
    1,
    "table",
    "A",
    None,
    (Column("id", "integer", "integer"),),
    (GeometryColumn("geom", "Point", 4326),),
)


class Known:
    """A store of tiles that are known by the id of their collection, or errors."""

    def __init__(self, tiles: dict[str, Tile | DomainError]) -> None:
        self.tiles = tiles
        self.lasting = True

    def key(self, request: TileRequest) -> str:
        return request.selection.collection.id

    async def tile(self, _: TileRequest, key: str, turns: asyncio.Semaphore, *, lasting: bool) -> Tile:
        assert lasting is self.lasting
        async with turns:
            found = self.tiles[key]
        if isinstance(found, DomainError):
            raise found
        return found


async def _joined(*tiles: Tile | DomainError) -> Tile:
    named = dict(zip("abc", tiles, strict=False))
    requests = [plain_tile(replace(PLACES, id=name), tile_matrix_set("WebMercatorQuad"), 0, 0, 0, 9) for name in named]
    return await joined_tile(cast("TileStore", Known(named)), requests, lasting=True)


def _tile(
    text: bytes = b"x", tier: str = "redis", left_out: int = 0, *, estimated: bool = False, exact: bool = True
) -> Tile:
    return Tile(gzip.compress(text) if text else b"", tier, left_out, estimated, exact=exact)


async def test_layers_are_joined_in_their_order_but_for_empty_ones() -> None:
    found = await _joined(_tile(b"one"), _tile(b""), _tile(b"three"))
    assert await decompress_tile(found.gzipped) == b"onethree"
    assert (await _joined(_tile(b""), _tile(b""))).gzipped == b""


async def test_who_asks_for_a_moment_gets_what_is_of_the_moment() -> None:
    known = Known({"a": _tile()})
    known.lasting = False
    request = plain_tile(PLACES, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, 9)
    assert (await joined_tile(cast("TileStore", known), [request])).tier == "redis"


async def test_it_tells_who_had_them_and_what_is_left_out() -> None:
    cached = await _joined(_tile(left_out=1), _tile(left_out=2), _tile())
    assert (cached.tier, cached.why, cached.left_out, cached.estimated, cached.exact) == ("redis", "", 3, False, True)
    made = await _joined(_tile(tier="postgis", left_out=1), _tile(estimated=True), _tile(exact=False))
    assert (made.tier, made.why) == ("postgis", "1 of 3 layers")
    assert (made.left_out, made.estimated, made.exact) == (1, True, False)


async def test_one_that_cannot_be_had_is_the_error_of_all_and_named() -> None:
    told = r"^Collection b: busy The other collections may have tiles: name them in collections=\.$"
    with pytest.raises(Unavailable, match=told) as busy:
        await _joined(_tile(), Unavailable("busy", retry_after=7, cause="queue"))
    assert (busy.value.retry_after, busy.value.cause) == (7, "queue")
    fault = Fault(("query", "filter"), "wrong", "x", "value_error")
    with pytest.raises(InvalidParameters) as wrong:
        await _joined(InvalidParameters([fault]), _tile())
    assert wrong.value.faults == (replace(fault, msg="wrong (collection a)"),)


@pytest.mark.parametrize("error", [Restarting("in a moment"), NotFound("gone")])
async def test_what_has_to_do_with_no_collection_stays_as_it_is(error: DomainError) -> None:
    with pytest.raises(type(error)) as raised:
        await _joined(error, _tile())
    assert str(raised.value) == str(error)
