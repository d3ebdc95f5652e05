"""Cost by number of rows: 10,000 to ten million points, with the same number of features per response."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import asyncpg

from tools.benchmarks.answers import ask
from tools.benchmarks.data import GROWING_POINTS, Table
from tools.benchmarks.growth.cost import milliseconds
from tools.benchmarks.growth.fit import Series
from tools.benchmarks.measure import new_version
from tools.benchmarks.servers import Servers
from tools.benchmarks.settings import SEED
from tools.benchmarks.workloads_items import next_page
from tools.benchmarks.workloads_tiles import tile_at

_EACH = 400
_START, _SPAN = datetime(1990, 1, 1, tzinfo=UTC), 1_136_073_600
"""Start and span, in seconds, of the generated earthquakes' times."""
_FEATURES = 100
"""Approximate number of matches of a box, and of an interval of time."""


async def rows(servers: Servers, connection: asyncpg.Connection) -> list[Series]:
    """Return a series for each kind of request."""
    found: dict[str, list[tuple[float, float]]] = {}
    for table in GROWING_POINTS:
        for title, paths in (await _requests(servers, connection, table)).items():
            if "tile" in title:
                await new_version(servers, connection, table.id)
            found.setdefault(title, []).append((table.rows, milliseconds(servers, paths)))
            print(f"{table.rows:>12,} points  {title:<34}{found[title][-1][1]:10.2f} ms", flush=True)
    return [Series(title, "points in the table", "ms", tuple(points)) for title, points in found.items()]


async def first_maps(servers: Servers, connection: asyncpg.Connection) -> list[str]:
    """Return the seconds to render, at each zoom, the tile with most of the ten million points."""
    table = GROWING_POINTS[-1]
    await new_version(servers, connection, table.id)
    return [
        f"{table.rows:,} points, zoom {zoom}: {seconds:.2f} s, {size:,} bytes"
        for zoom, seconds, size in await fullest_tiles(servers, connection, table.id, range(13), percent=0.05)
    ]


async def fullest_tiles(
    servers: Servers, connection: asyncpg.Connection, table: str, zooms: Iterable[int], *, percent: float
) -> list[tuple[int, float, int]]:
    """Return zoom, seconds and bytes of the tile with most points in a sample of `percent` of the table."""
    places = await connection.fetch(
        f"SELECT ST_X(geom), ST_Y(geom) FROM {table} TABLESAMPLE SYSTEM ({percent}) REPEATABLE (1)"
    )
    found = []
    for zoom in zooms:
        counted = Counter(tile_at(zoom, *place) for place in places)
        z, x, y = counted.most_common(1)[0][0]
        started = time.monotonic()
        answer = ask(servers.product, f"{_tiles(table)}/{z}/{x}/{y}", encoding="gzip")
        found.append((zoom, time.monotonic() - started, len(answer.body)))
    return found


async def _requests(servers: Servers, connection: asyncpg.Connection, table: Table) -> dict[str, list[str]]:
    choice = random.Random(SEED)  # noqa: S311 - reproducible, not secret
    items = f"/collections/{table.id}/items"
    ids = choice.sample(range(1, table.rows + 1), _EACH)
    seen = [
        tuple(row)
        for row in await connection.fetch(
            f"SELECT ST_X(geom), ST_Y(geom) FROM {table.id} WHERE id = ANY ($1::int[]) ORDER BY id", ids
        )
    ]
    share = _FEATURES / table.rows
    # near features, the density is some ten times the average
    half = 180 * (share / 10) ** 0.5
    days = _SPAN / 86_400 * share
    starts = [_START + timedelta(seconds=choice.uniform(0, _SPAN * 0.9)) for _ in ids]
    return {
        "one item": [f"{items}/{row}" for row in ids],
        "items, the first page of 10": [f"{items}?limit=10"],
        "items, a page of 10 by next, later": [_deep(servers, table)],
        "items in a box of some 100": [f"{items}?limit=10&bbox={_box(x, y, half)}" for x, y in seen],
        "items of an interval of 100": [
            f"{items}?limit=10&datetime={_text(start)}/{_text(start + timedelta(days=days))}" for start in starts
        ],
        "items of a filter, one in eight": [
            f"{items}?limit=10&filter=network%3D%27us%27%20AND%20significance%3E-{number}" for number in range(1, _EACH)
        ],
        "tile, zoom 0": [f"{_tiles(table.id)}/0/0/0?limit={limit}" for limit in range(9_999, 9_960, -1)],
        "tile, zoom 5": _tile_times(table, 5, seen),
        "tile, zoom 10": _tile_times(table, 10, seen),
    }


def _tile_times(table: Table, zoom: int, seen: list[tuple[float, float]]) -> list[str]:
    addresses = dict.fromkeys(tile_at(zoom, *place) for place in seen)
    paths = [f"{_tiles(table.id)}/{z}/{x}/{y}" for z, x, y in addresses]
    return [f"{path}?limit={limit}" for limit, path in itertools.product(range(9_999, 9_990, -1), paths)]


def _box(x: float, y: float, half: float) -> str:
    """Return a box twice as wide as high."""
    box = (max(-180.0, x - half), y - half / 2, min(180.0, x + half), y + half / 2)
    return ",".join(f"{number:.5f}" for number in box)


def _tiles(table: str) -> str:
    return f"/collections/{table}/tiles/WebMercatorQuad"


def _deep(servers: Servers, table: Table) -> str:
    """Return the page after row 400,000, or after two fifths of a smaller table."""
    after = min(400_000, table.rows * 2 // 5)
    return next_page(servers.product, f"/collections/{table.id}/items?limit=10&offset={after - 10}")


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
