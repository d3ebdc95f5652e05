"""The least that an answer costs with these packages: `python -m tools.benchmarks.anatomy.bare PORT KIND`.

A service of one handler on uvloop, without settings, logs, metrics, limits, conditional requests or errors. KIND is
`constant`, which sends 3 kB that it has; `row`, which fetches one row first, with a statement prepared on a connection
that it need not ask for; `encoded`, which sends the row as JSON. DAMS_DATABASE_URL leads to the benchmark's data.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import asyncpg
import orjson
import uvloop
from aiohttp import web

from tools.benchmarks.data import POINTS

CONSTANT, ROW, ENCODED = KINDS = ("constant", "row", "encoded")
_CONNECTIONS = 8
_BODY = b"x" * 3000
_HEADERS: Mapping[str, str] = {
    "Content-Type": "application/geo+json",
    "ETag": '"0123456789abcdef"',
    "Cache-Control": "public, max-age=60",
    "Vary": "Accept, Accept-Encoding",
    "Access-Control-Allow-Origin": "*",
}


async def _statements(database_url: str) -> list[asyncpg.prepared_stmt.PreparedStatement]:
    """Return one statement per connection; columns without a JSON type are selected as text."""
    found = []
    for _ in range(_CONNECTIONS):
        connection = await asyncpg.connect(database_url)
        names = [
            row["attname"]
            for row in await connection.fetch(
                "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0"
                " AND NOT attisdropped AND attname <> 'geom' ORDER BY attnum",
                POINTS.id,
            )
        ]
        columns = ", ".join(f'"{name}"' for name in names)
        sql = f"SELECT {columns}, ST_AsGeoJSON(geom) AS geometry FROM {POINTS.id} WHERE id = $1"
        found.append(await connection.prepare(sql))
    return found


def _app(kind: str, free: list[asyncpg.prepared_stmt.PreparedStatement]) -> web.Application:
    choice = random.Random(1)  # noqa: S311 - any rows, not secret ones

    async def answer(_: web.Request) -> web.Response:
        if kind == CONSTANT:
            return web.Response(body=_BODY, headers=_HEADERS)
        statement = free.pop()
        row = await statement.fetchrow(choice.randint(1, POINTS.rows))
        free.append(statement)
        return web.Response(body=_encode(row) if kind == ENCODED else _BODY, headers=_HEADERS)

    app = web.Application()
    app.router.add_get("/collections/{collectionId}/items/{featureId}", answer)
    return app


def _encode(row: asyncpg.Record) -> bytes:
    properties: dict[str, Any] = dict(row)
    geometry = orjson.Fragment(properties.pop("geometry"))
    feature = {"type": "Feature", "id": properties["id"], "geometry": geometry, "properties": properties}
    return orjson.dumps(feature, default=lambda value: value.isoformat() if isinstance(value, datetime) else str(value))


async def _run(port: int, kind: str) -> None:
    free = [] if kind == CONSTANT else await _statements(os.environ["DAMS_DATABASE_URL"])
    runner = web.AppRunner(_app(kind, free), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.install()
    asyncio.run(_run(int(sys.argv[1]), sys.argv[2]))
