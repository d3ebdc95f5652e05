"""Find tiles with given numbers of points, by counting in the database."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

import asyncpg

from tools.benchmarks.data import POINTS, recipe_version
from tools.benchmarks.settings import FOLDER, SEED

_HALF_WORLD = 20037508.342789244
_DEEPEST = 14

_COUNTS = f"""
WITH point AS MATERIALIZED (
    SELECT floor((ST_X(m) + {_HALF_WORLD}) / {2 * _HALF_WORLD} * {2**_DEEPEST})::int AS x,
           floor(({_HALF_WORLD} - ST_Y(m)) / {2 * _HALF_WORLD} * {2**_DEEPEST})::int AS y
    FROM (SELECT ST_Transform(geom, 3857) AS m FROM {POINTS.id}) AS projected
)
SELECT z, x >> ({_DEEPEST} - z) AS x, y >> ({_DEEPEST} - z) AS y, count(*) AS points
FROM point, generate_series(2, {_DEEPEST}) AS z
GROUP BY 1, 2, 3 HAVING count(*) BETWEEN $1 AND $2
ORDER BY 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A tile of WebMercatorQuad and the number of points in it, without its buffer."""

    z: int
    x: int
    y: int
    points: int


async def places(connection: asyncpg.Connection, fewest: int, most: int) -> list[Place]:
    """Return all tiles with this many points, zoom 2 to 14, shuffled by the seed; counted once per recipe."""
    file = FOLDER / f"places-{recipe_version()}-{fewest}-{most}.json"
    if not file.exists():
        rows = [list(row) for row in await connection.fetch(_COUNTS, fewest, most)]
        random.Random(SEED).shuffle(rows)  # noqa: S311 - reproducible, not secret
        file.write_text(json.dumps(rows))
    return [Place(*row) for row in json.loads(file.read_text())]
