"""Tiles: small, large and hot ones, random ones by zoom, a session at a map, zoom 0 of few and of many points."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from math import asinh, floor, pi, radians, tan

import asyncpg

from tools.benchmarks.data import FEW_POINTS, LINES, MANY_POINTS, POINTS, POLYGONS, Table
from tools.benchmarks.places import Place, places
from tools.benchmarks.settings import SEED
from tools.benchmarks.workload import Workload

Address = tuple[int, int, int]
"""Zoom, column, row in WebMercatorQuad."""

_OUTDATED = (
    "the tables get a new data version before each round, which outdates every cached tile, and no address repeats"
    " within one: when all have been asked for, `limit` differs, between 8,000 and 10,000; the peer has no cache"
)
_ZOOMS = (2, 5, 8, 11, 14)
_LAYERS = (POINTS, POLYGONS, LINES)
_MOST = 10_000
_LEAST = 8_000
_ENOUGH = 30_000


async def tile_workloads(connection: asyncpg.Connection, *, large: bool) -> list[Workload]:
    """Return the workloads, reproducible by the seed."""
    choice = random.Random(SEED)  # noqa: S311 - reproducible, not secret
    small, full = await places(connection, 24, 60), await places(connection, 1_400, 1_800)
    seen = await _viewed_places(connection, choice)
    session = [_path(layer.id, address) for start in seen[:150] for address, layer in _session(start, choice)]
    tables = tuple(layer.id for layer in _LAYERS)
    found = [
        _uncached_tiles(
            "tile_small",
            "small tile (24 to 60 features)",
            _addresses(small),
            limit=True,
            of_peer={"tipg": 8, "martin": 1},
        ),
        _uncached_tiles(
            "tile_large",
            "large tile (about 1,600)",
            _addresses(full),
            limit=True,
            of_peer={"tipg": 1, "martin": 1},
            of_limit=0.9,
        ),
        *(
            _uncached_tiles(
                f"tile_z{zoom}", f"random tiles, zoom {zoom}", [tile_at(zoom, *place) for place in seen], checked=4
            )
            for zoom in _ZOOMS
        ),
        Workload(
            "session_cold",
            "map session, cold cache",
            "shapes",
            session,
            "the tables get a new data version before each round; tiles that a session sees twice may come from the"
            " cache the second time; the peer has no cache",
            new_version=tables,
            encoding="gzip",
        ),
        Workload("session_warm", "map session, warm cache", "shapes", session[:200], "", encoding="gzip"),
        _hot("tile_hot_small", "hot small tile", small),
        _hot("tile_hot_large", "hot large tile", full),
    ]
    if large:
        for table, other in ((FEW_POINTS, None), (MANY_POINTS, (f"z0_{FEW_POINTS.name}", 3.0))):
            title = f"zoom 0 of {table.rows:,} points"
            found.append(
                _uncached_tiles(f"z0_{table.name}", title, [(0, 0, 0)], table=table.id, checked=0, of_other=other)
            )
    return found


def _uncached_tiles(
    name: str,
    title: str,
    addresses: Sequence[Address],
    *,
    table: str = POINTS.id,
    limit: bool = False,
    checked: int = 8,
    of_peer: Mapping[str, float] | None = None,
    of_limit: float | None = None,
    of_other: tuple[str, float] | None = None,
) -> Workload:
    """Return different tiles, all uncached."""
    return Workload(
        name,
        title,
        "points",
        _vary_paths([_path(table, address) for address in addresses]),
        _OUTDATED,
        new_version=(table,),
        encoding="gzip",
        connections=2 if table != POINTS.id else 8,
        peer_seconds=8 if table != POINTS.id else 0,
        limit=limit,
        checked=checked,
        of_peer=of_peer or {},
        of_limit=of_limit,
        of_other=of_other,
    )


def _hot(name: str, title: str, among: Sequence[Place]) -> Workload:
    """Return one tile that all clients request; the limit is nginx's rate for a file of its size."""
    return Workload(
        name, title, "points", [_path(POINTS.id, _addresses(among)[0])], "", encoding="gzip", file=True, of_limit=0.7
    )


def _vary_paths(paths: Sequence[str]) -> list[str]:
    """Return the paths, then the same with changing `limit`, which only affects tiles that are cut."""
    unique = list(dict.fromkeys(paths))
    repeated = (f"{path}?limit={limit}" for limit in range(_MOST - 1, _LEAST, -1) for path in unique)
    return list(islice(chain(unique, repeated), _ENOUGH))


def _addresses(found: Iterable[Place]) -> list[Address]:
    return [(place.z, place.x, place.y) for place in found]


def _path(table: str, address: Address) -> str:
    z, x, y = address
    return f"/collections/{table}/tiles/WebMercatorQuad/{z}/{x}/{y}"


async def _viewed_places(connection: asyncpg.Connection, choice: random.Random) -> list[tuple[float, float]]:
    """Return longitude and latitude of places that people look at: near points."""
    ids = choice.sample(range(1, POINTS.rows + 1), 20_000)
    rows = await connection.fetch(
        f"SELECT id, ST_X(geom), ST_Y(geom) FROM {POINTS.id} WHERE id = ANY ($1::int[])",
        ids,
    )
    found = {row[0]: (row[1], row[2]) for row in rows}
    return [found[row] for row in ids]


def tile_at(zoom: int, longitude: float, latitude: float) -> Address:
    size = 2**zoom
    x = (longitude + 180) / 360 * size
    y = (1 - asinh(tan(radians(latitude))) / pi) / 2 * size
    return zoom, min(size - 1, max(0, floor(x))), min(size - 1, max(0, floor(y)))


def _session(start: tuple[float, float], choice: random.Random) -> list[tuple[Address, Table]]:
    """Return the requests of a map of 4 by 3 tiles: a view, a walk, a closer view, a walk, the first view again."""
    z, x, y = tile_at(choice.randint(3, 8), *start)
    views = [
        _view(z + deeper, (x << deeper) + across, (y << deeper) + down)
        for deeper in (0, 1)
        for across, down in ((0, 0), (1, 0), (1, 1), (2, 1))
    ]
    # a map does not request tiles that it already shows
    walked = dict.fromkeys((tile, layer) for view in views for tile in view for layer in _LAYERS)
    return [*walked, *((tile, layer) for tile in views[0] for layer in _LAYERS)]


def _view(zoom: int, column: int, row: int) -> list[Address]:
    size = 2**zoom
    rows = [y for y in range(row - 1, row + 2) if 0 <= y < size]
    return [(zoom, x % size, y) for y in rows for x in range(column - 2, column + 2)]
