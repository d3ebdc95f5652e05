"""`python -m tools.benchmarks.growth`: how the cost of an answer grows with rows, corners, connections and collections.

Processor time, which other work on the machine disturbs least; each cost with the exponent of the power law through it.
The first time some minutes go into tables of ten million points (5 GB). Writes a table and a picture.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

import asyncpg

from deploy.local.settings import StackError
from tools.benchmarks.growth.collections import collections
from tools.benchmarks.growth.connections import connections
from tools.benchmarks.growth.corners import corners
from tools.benchmarks.growth.fit import Series, picture, table
from tools.benchmarks.growth.rows import first_maps, rows
from tools.benchmarks.servers import Servers, running_servers
from tools.benchmarks.settings import FOLDER, BenchmarkError, BenchmarkSettings


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.growth", description=__doc__)
    parser.add_argument("--picture", type=Path, default=FOLDER / "growth.svg", help="where to write it")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        found = [*collections()]
        with running_servers(BenchmarkSettings(growth=True, peers=())) as servers:
            found += asyncio.run(_measure(servers))
    except (BenchmarkError, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(table(found))
    arguments.picture.write_text(picture(found))
    return 0


async def _measure(servers: Servers) -> list[Series]:
    connection = await asyncpg.connect(servers.owner_url)
    try:
        found = [*await rows(servers, connection), *await corners(servers, connection), *connections(servers)]
        print("\n".join(await first_maps(servers, connection)))
        return found
    finally:
        await connection.close()


if __name__ == "__main__":
    sys.exit(main())
