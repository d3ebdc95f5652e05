"""Write an archive: tiles from the service's tile store, in the order of the file, in bounded memory."""

import asyncio
import tempfile
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pmtiles.tile import tileid_to_zxy
from pmtiles.writer import Writer

from libs.ogc.errors import NotFound, Unavailable
from services.tiles.archive.document import header, metadata
from services.tiles.archive.plan import TMS, Plan
from services.tiles.request.plain_tile import plain_tile
from services.tiles.store.layers import joined_tile
from services.tiles.store.tile_store import Tile, TileStore

_AHEAD = 8
"""Number of tiles that are rendered or stored while the file waits for an earlier one."""


@dataclass(slots=True)
class Written:
    """The result of writing an archive."""

    tiles: int = 0
    empty: int = 0
    """Number of empty tiles, which the archive leaves out."""
    made: int = 0
    """Number of tiles with a layer that was not cached."""
    incomplete: int = 0
    """Number of tiles with missing features, because of the limits of the service."""
    minzoom: int = 0
    maxzoom: int = 0
    changed: bool = False
    """Whether the data changed during the export."""


async def write_archive(
    store: TileStore,
    plan: Plan,
    file: BinaryIO,
    *,
    name: str,
    scratch: Path,
    max_features: int,
    concurrency: int,
    progress: Callable[[], object],
) -> Written:
    """Write the archive; call `progress` after each tile. `scratch` is a folder with space for all tiles.

    Memory holds some hundred bytes per tile beside those in progress. Raises NotFound if all tiles are empty, and
    Unavailable, which names the tile, if one cannot be rendered.
    """
    written, versions = Written(), _versions(store, plan)
    writer = _writer(file, scratch)
    try:
        async with aclosing(_tiles(store, plan, max_features, asyncio.Semaphore(concurrency))) as tiles:
            async for number, tile in tiles:
                written.made += tile.tier == "postgis"
                written.incomplete += bool(tile.left_out)
                if tile.gzipped:
                    writer.write_tile(number, tile.gzipped)
                    written.tiles += 1
                else:
                    written.empty += 1
                progress()
        if not written.tiles:
            raise NotFound("All of these tiles are empty.")
        numbers = [entry.tile_id for entry in writer.tile_entries]
        written.minzoom, written.maxzoom = tileid_to_zxy(numbers[0])[0], tileid_to_zxy(numbers[-1])[0]
        written.changed = _versions(store, plan) != versions
        said = metadata(plan, written.minzoom, written.maxzoom, name=name, versions=versions)
        await asyncio.to_thread(writer.finalize, header(plan, written.minzoom), said)
    finally:
        writer.tile_f.close()
    return written


def _writer(file: BinaryIO, scratch: Path) -> Writer:
    """Return the library's writer with its copy of the tiles on the file's disk: `/tmp` may be memory."""
    writer = Writer(file)
    writer.tile_f.close()
    writer.tile_f = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 the creator of the writer closes it
    return writer


def _versions(store: TileStore, plan: Plan) -> dict[str, str | None]:
    return {collection.id: store.label([collection]) for collection in plan.collections}


async def _tiles(
    store: TileStore, plan: Plan, max_features: int, turns: asyncio.Semaphore
) -> AsyncGenerator[tuple[int, Tile], None]:
    """Yield number and tile in the order of the archive; several are rendered at the same time."""
    under_way: deque[tuple[int, asyncio.Task[Tile]]] = deque()
    try:
        for number, place in plan.places():
            under_way.append((number, asyncio.create_task(_tile(store, plan, place, max_features, turns))))
            if len(under_way) == _AHEAD:
                yield await _take_first(under_way)
        while under_way:
            yield await _take_first(under_way)
    finally:
        for _, task in under_way:
            task.cancel()
        await asyncio.gather(*(task for _, task in under_way), return_exceptions=True)


async def _take_first(under_way: deque[tuple[int, asyncio.Task[Tile]]]) -> tuple[int, Tile]:
    # it stays in the queue until it is ready, so that a cancellation includes it
    number, task = under_way[0]
    tile = await task
    under_way.popleft()
    return number, tile


async def _tile(
    store: TileStore, plan: Plan, place: tuple[int, int, int], max_features: int, turns: asyncio.Semaphore
) -> Tile:
    requests = [plain_tile(collection, TMS, *place, max_features) for collection in plan.collections]
    try:
        return await joined_tile(store, requests, turns)
    except Unavailable as error:
        address = "/".join(map(str, place))
        raise Unavailable(f"Tile {address}: {error}", retry_after=error.retry_after) from error
