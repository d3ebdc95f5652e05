"""Compare the tiles of a running service with its items: `python -m tests.services.tiles.fidelity ADDRESS`.

Reads lines and areas of every collection through the API alone, and prints each fault. Exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

import aiohttp
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from tests.services.tiles.fidelity.compare import Fetched, faults
from tests.services.tiles.places import Grid, decoded, grids


async def _main(address: str, sets: list[str], features: int) -> int:
    found = compared = 0
    async with aiohttp.ClientSession() as session:

        async def json(path: str, **query: Any) -> Any:
            async with session.get(f"{address}{path}", params=query) as answer:
                answer.raise_for_status()
                return await answer.json(content_type=None)

        for collection in (await json("/collections", f="json", limit=1000))["collections"]:
            name = collection["id"]
            page = await json(f"/collections/{name}/items", f="geojson", limit=features)
            shapes: dict[int, BaseGeometry] = {
                each["id"]: shape(each["geometry"])
                for each in page["features"]
                if each["geometry"] and isinstance(each.get("id"), int) and "Point" not in each["geometry"]["type"]
            }
            for identifier in sets if shapes else []:

                async def fetch(grid: Grid, column: int, row: int) -> Fetched:
                    place = f"{identifier}/{grid.id}/{column}/{row}"  # noqa: B023 - used before the next set
                    async with session.get(f"{address}/collections/{name}/tiles/{place}") as answer:  # noqa: B023
                        answer.raise_for_status()
                        counted = (
                            answer.headers[f"DAMS-Features-{what}"].split(";")[0] for what in ("Omitted", "Simplified")
                        )
                        return decoded(await answer.read(), name), sum(map(int, counted))  # noqa: B023

                for grid in grids(await json(f"/tileMatrixSets/{identifier}", f="json"))[:12]:
                    for number, one in shapes.items():
                        compared += 1
                        for fault in await faults({number: one}, grid, fetch, most_tiles=2):
                            found += 1
                            print(f"{name} {number}, {identifier} {grid.id}: {fault.what}")  # noqa: T201
    print(f"{compared:,} drawings compared, {found:,} faults")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", help="of the service, such as http://127.0.0.1:8080/api")
    parser.add_argument("--sets", nargs="+", default=["WebMercatorQuad", "WorldCRS84Quad"])
    parser.add_argument("--features", type=int, default=40, help="of each collection")
    given = parser.parse_args()
    sys.exit(asyncio.run(_main(given.address, given.sets, given.features)))
