"""`tiles inspect` and `tiles purge`: list and delete cached tiles."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Set
from dataclasses import dataclass

from libs.ogc.errors import DomainError, NotFound
from services.tiles.command.area import Area
from services.tiles.command.table import print_table
from services.tiles.resources import Resources
from services.tiles.store.keys import TileKey
from services.tiles.store.tile_store import EMPTY, FULL, is_empty

_AT_ONCE = 500
"""Number of tiles that one command to Redis deletes."""


@dataclass(slots=True)
class Count:
    """Number and size of the tiles of one collection, matrix set and zoom."""

    tiles: int = 0
    empty: int = 0
    filtered: int = 0
    outdated: int = 0
    bytes: int = 0


async def inspect(
    resources: Resources, collections: Set[str], area: Area, *, outdated: bool, stop: asyncio.Event
) -> int:
    """Print the number of tiles by collection, matrix set and zoom. Raises CacheAway."""
    counts: dict[tuple[str, str, int], Count] = defaultdict(Count)
    total = Count()
    async for name, key, size in _entries(resources, collections, area, outdated, stop):
        for count in (counts[key.collection, key.tile_matrix_set, key.z], total):
            count.tiles += 1
            count.empty += is_empty(name, size)
            count.filtered += bool(key.variant)
            count.outdated += not _is_current(resources, key)
            count.bytes += size
    rows = [[*map(str, place), *_columns(count)] for place, count in sorted(counts.items())]
    print_table(
        [
            ["collection", "matrix set", "zoom", "tiles", "empty", "with parameters", "outdated", "bytes"],
            *rows,
            ["all", "", "", *_columns(total)],
        ],
        numbers=set(range(2, 8)),
    )
    return 0


async def purge(
    resources: Resources, collections: Set[str], area: Area, *, outdated: bool, really: bool, stop: asyncio.Event
) -> int:
    """Delete tiles and print how many; without `really` only print it. Raises CacheAway."""
    names = [name async for name, _, _ in _entries(resources, collections, area, outdated, stop)]
    if really:
        for start in range(0, len(names), _AT_ONCE):
            await resources.cache.delete(names[start : start + _AT_ONCE])
    print(f"{len(names)} tiles {'forgotten' if really else 'would be forgotten'}")  # noqa: T201
    return 0


async def _entries(
    resources: Resources, collections: Set[str], area: Area, outdated: bool, stop: asyncio.Event
) -> AsyncIterator[tuple[str, TileKey, int]]:
    """Yield names, parsed keys and sizes of the selected tiles, each once."""
    seen: set[str] = set()
    async for entries in resources.cache.entries("[te]:*"):
        for name, size in entries:
            if stop.is_set():
                return
            try:
                key = TileKey.parse(name.removeprefix(FULL).removeprefix(EMPTY))
                wanted = area.holds(key)
            except (ValueError, NotFound):
                # from another release
                continue
            # while the cache changes, Redis may return an entry twice
            if not wanted or name in seen or (collections and key.collection not in collections):
                continue
            if outdated and _is_current(resources, key):
                continue
            seen.add(name)
            yield name, key, size


def _is_current(resources: Resources, key: TileKey) -> bool:
    try:
        collection = resources.catalogue.collection(key.collection)
    except DomainError:
        return False
    # an unknown version does not count as outdated
    return key.build == resources.store.build and resources.store.token(collection) in {key.token, None}


def _columns(count: Count) -> list[str]:
    return [f"{number:,}" for number in (count.tiles, count.empty, count.filtered, count.outdated, count.bytes)]
