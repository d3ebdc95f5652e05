"""A tile of several collections: the tile of each, from the cache or rendered, joined as bytes."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from libs.ogc.errors import DomainError, InvalidParameters, Restarting, Unavailable
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.compression import merge_tiles
from services.tiles.store.tile_store import Tile, TileStore

_MADE_AT_ONCE = 4
"""Maximum number of layers of one tile to render at once: uncached layers must not fill the queue of the process."""


async def joined_tile(
    store: TileStore, requests: Sequence[TileRequest], turns: asyncio.Semaphore | None = None, *, lasting: bool = False
) -> Tile:
    """Return one tile with the layers of all, in their order; rendering happens in turns that other tiles may share.

    The tile always has every layer: if the tile of a collection fails, this raises its error, with the collection's
    name.
    """
    turns = turns or asyncio.Semaphore(_MADE_AT_ONCE)
    tiles = await asyncio.gather(*(_layer(store, request, turns, lasting) for request in requests))
    made = sum(tile.tier == "postgis" for tile in tiles)
    return Tile(
        await merge_tiles([tile.gzipped for tile in tiles if tile.gzipped]),
        "postgis" if made else "redis",
        sum(tile.left_out for tile in tiles),
        any(tile.estimated for tile in tiles),
        f"{made} of {len(tiles)} layers" if made else "",
        exact=all(tile.exact for tile in tiles),
        simplified=sum(tile.simplified for tile in tiles),
    )


async def _layer(store: TileStore, request: TileRequest, turns: asyncio.Semaphore, lasting: bool) -> Tile:
    try:
        return await store.tile(request, store.key(request), turns, lasting=lasting)
    except DomainError as error:
        raise _name_collection(error, request.selection.collection.id) from error


def _name_collection(error: DomainError, collection: str) -> DomainError:
    """Return the same error with the name of its collection."""
    if isinstance(error, InvalidParameters):
        return type(error)([replace(fault, msg=f"{fault.msg} (collection {collection})") for fault in error.faults])
    if isinstance(error, Unavailable) and not isinstance(error, Restarting):
        sentence = f"Collection {collection}: {error} The other collections may have tiles: name them in collections=."
        return Unavailable(sentence, retry_after=error.retry_after, cause=error.cause)
    return error
