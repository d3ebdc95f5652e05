"""`tiles seed`: render the tiles of an area that are not cached yet."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tqdm import tqdm

from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet, tile_matrix_set
from libs.ogc.errors import DomainError
from services.tiles.command.area import Area
from services.tiles.request.plain_tile import plain_tile
from services.tiles.request.tile_request import geometry_of
from services.tiles.resources import Resources

_SHOWN_ERRORS = 5

_Address = tuple[Collection, TileMatrixSet, int, int, int]


@dataclass(slots=True)
class Summary:
    """Results by kind."""

    began: float = field(default_factory=time.monotonic)
    made: int = 0
    cached: int = 0
    """Cached already, or known to be empty from a tile above."""
    empty: int = 0
    bytes: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        failed = sum(self.errors.values())
        lines = [
            f"{self.made + self.cached} tiles in {time.monotonic() - self.began:.1f} s: {self.made} made,"
            f" {self.cached} there already; {self.empty} of them empty;"
            f" {self.bytes:,} bytes compressed; {failed} errors"
        ]
        lines += [f"  {count} × {text}" for text, count in self.errors.most_common(_SHOWN_ERRORS)]
        return "\n".join(lines)


async def seed(
    resources: Resources, collections: Sequence[Collection], area: Area, *, concurrency: int, stop: asyncio.Event
) -> int:
    """Seed and return the exit status: 0, or 1 if tiles could not be rendered. Raises DomainError, CacheAway."""
    await resources.cache.check()
    for collection in collections:
        geometry_of(collection)
        if resources.store.token(collection) is None:
            print(f"tiles: {collection.id} cannot be cached: changes of its data are not reported")  # noqa: T201
            return 1
    summary = Summary()
    total = sum(area.number(tms, z, _extent(collection)) for collection, tms, z in _levels(collections, area))
    addresses = _addresses(collections, area)
    with tqdm(total=total, unit=" tiles", smoothing=0.05, disable=None) as bar:

        async def work() -> None:
            for address in addresses:
                if stop.is_set():
                    return
                await _make(resources, address, summary)
                bar.update()

        await asyncio.gather(*(work() for _ in range(concurrency)))
    print("interrupted; what was made is kept" if stop.is_set() else "done")  # noqa: T201
    print(summary)  # noqa: T201
    await resources.cache.check()
    return 1 if summary.errors else 0


def _extent(collection: Collection) -> tuple[float, float, float, float] | None:
    geometry = collection.geometry()
    return geometry.bbox if geometry else None


def _levels(collections: Sequence[Collection], area: Area) -> Iterator[tuple[Collection, TileMatrixSet, int]]:
    for collection in collections:
        for identifier in area.matrix_sets or ():
            tms = tile_matrix_set(identifier)
            for z in area.zooms or sorted(tms.matrices):
                tms.matrix(z)
                yield collection, tms, z


def _addresses(collections: Sequence[Collection], area: Area) -> Iterator[_Address]:
    """Yield coarse zooms first: tiles below an empty one need no query."""
    for collection, tms, z in _levels(collections, area):
        for x, y in area.tiles(tms, z, _extent(collection)):
            yield collection, tms, z, x, y


async def _make(resources: Resources, address: _Address, summary: Summary) -> None:
    request = plain_tile(*address, resources.settings.tile_max_features)
    try:
        tile = await resources.store.tile(request, resources.store.key(request))
    except DomainError as error:
        summary.errors[str(error)] += 1
        return
    if tile.tier == "postgis":
        summary.made += 1
    else:
        summary.cached += 1
    summary.empty += not tile.gzipped
    summary.bytes += len(tile.gzipped)
