"""Cost by number of corners: polygons of 10 to 100,000 corners, as items and in tiles."""

from __future__ import annotations

import asyncpg

from tools.benchmarks.data import GROWING_SHAPES
from tools.benchmarks.growth.cost import milliseconds
from tools.benchmarks.growth.fit import Series
from tools.benchmarks.measure import new_version
from tools.benchmarks.servers import Servers
from tools.benchmarks.workloads_tiles import tile_at


async def corners(servers: Servers, connection: asyncpg.Connection) -> list[Series]:
    """Measure one item, and a tile that contains one such polygon."""
    found: dict[str, list[tuple[float, float]]] = {}
    for table in GROWING_SHAPES:
        tiles = f"/collections/{table.id}/tiles/WebMercatorQuad"
        addresses = dict.fromkeys(tile_at(8, 10.5 + 2 * number, 10.5) for number in range(1, table.rows + 1))
        requests = {
            "one item": [f"/collections/{table.id}/items/{number}" for number in range(1, table.rows + 1)],
            "tile, zoom 8": [
                f"{tiles}/{z}/{x}/{y}?limit={limit}" for limit in range(9_999, 9_960, -1) for z, x, y in addresses
            ],
        }
        for title, paths in requests.items():
            if "tile" in title:
                await new_version(servers, connection, table.id)
            found.setdefault(title, []).append((table.corners, milliseconds(servers, paths)))
            print(f"{table.corners:>12,} corners {title:<34}{found[title][-1][1]:10.2f} ms", flush=True)
    return [Series(title, "corners of a polygon", "ms", tuple(points)) for title, points in found.items()]
