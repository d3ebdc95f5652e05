"""`python -m tools.benchmarks.partitions`: what a partition for each season brings a table of storm positions.

A plain table and one by season of 100,000, 1,000,000 and 10,000,000 simulated rows are made, measured and dropped
again, on the servers of the benchmark. Figures of earlier runs are shown, too, with an estimate for 100,000,000.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

import asyncpg

from deploy.loader.generate.filling import fill, finish, prepare
from deploy.loader.generate.tracks import FIRST_SEASON, SEASONS, storm_nodes
from deploy.local.settings import StackError
from tests.services.in_process import services
from tools.benchmarks.answers import ask
from tools.benchmarks.growth.cost import milliseconds
from tools.benchmarks.growth.fit import Series, figure
from tools.benchmarks.growth.rows import fullest_tiles
from tools.benchmarks.load import Target
from tools.benchmarks.measure import new_version
from tools.benchmarks.servers import Servers, running_servers
from tools.benchmarks.settings import (
    FOLDER,
    PARTITION_ROWS,
    PARTITION_SCHEMAS,
    SEED,
    BenchmarkError,
    BenchmarkSettings,
)
from tools.benchmarks.workloads_items import next_page

_LIKE = "hazard.hazard_ts_nodes"
_FIGURES = FOLDER / "partitions.json"
_ZOOMS = (0, 3, 5, 7)
_EACH = 400
_NEWEST = FIRST_SEASON + SEASONS - 1
_ESTIMATED = 10**8

Costs = dict[str, float]
"""Costs with their unit, by name."""


class _Nodes(NamedTuple):
    rows: int
    by_season: bool

    @property
    def table(self) -> str:
        return f"{PARTITION_SCHEMAS[self]}.nodes"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.partitions", description=__doc__)
    parser.add_argument("--rows", type=int, action="append", choices=PARTITION_ROWS, help="may be repeated")
    parser.add_argument("--load", action="store_true", help="make the tables and leave the rest to another run")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    described = {f"{schema}.nodes": {"importance": ["-wind_kt"]} for schema in PARTITION_SCHEMAS.values()}
    config = FOLDER / "partitions.yaml"
    config.write_text(json.dumps({"collections": described}))
    os.environ["DAMS_COLLECTIONS_CONFIG"] = str(config)
    try:
        with running_servers(BenchmarkSettings(partitions=True, peers=())) as servers:
            asyncio.run(_run(servers, arguments.rows or PARTITION_ROWS, load=arguments.load))
    except (BenchmarkError, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n".join(_table(json.loads(_FIGURES.read_text()))))
    return 0


async def _run(servers: Servers, sizes: Iterable[int], *, load: bool) -> None:
    connection = await asyncpg.connect(servers.owner_url, statement_cache_size=0, command_timeout=7200)
    try:
        home = await connection.fetchval(
            "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'postgis'"
        )
        await connection.set_type_codec("geometry", schema=home, encoder=bytes, decoder=bytes, format="binary")
        for nodes in (_Nodes(rows, by_season) for rows in sizes for by_season in (False, True)):
            if await connection.fetchval("SELECT to_regclass($1)", nodes.table) is None:
                _keep(nodes, await _fill_table(connection, nodes))
            if not load:
                _keep(nodes, await _measure_requests(servers, connection, nodes))
                _keep(nodes, await _measure_changes(connection, nodes))
                await connection.execute(f"DROP SCHEMA {PARTITION_SCHEMAS[nodes]} CASCADE")
    finally:
        await connection.close()


async def _fill_table(connection: asyncpg.Connection, nodes: _Nodes) -> Costs:
    seasons = range(FIRST_SEASON, FIRST_SEASON + SEASONS) if nodes.by_season else None
    await prepare(connection, nodes.table, _LIKE, seasons, real=False)
    copied = await fill(connection, nodes.table, storm_nodes(nodes.rows, SEED), nodes.rows, made=True)
    begun = time.monotonic()
    await finish(connection, nodes.table, _LIKE, by_season=nodes.by_season)
    finished = time.monotonic() - begun
    size = await connection.fetchval(
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = $1::text::regnamespace",
        PARTITION_SCHEMAS[nodes],
    )
    return {"load by COPY, s": copied, "indexes, VACUUM ANALYZE, s": finished, "size, MB": float(size) / 10**6}


async def _measure_requests(servers: Servers, connection: asyncpg.Connection, nodes: _Nodes) -> Costs:
    """Return seconds until the response if the title says so, else processor time."""
    found: Costs = {}
    async with services() as running:
        begun = time.monotonic()
        schema = PARTITION_SCHEMAS[nodes]
        env = {"DAMS_DATABASE_URL": servers.reader_url, "DAMS_COLLECTION_SCHEMAS": schema, "DAMS_LOG_LEVEL": "ERROR"}
        await running.start("common", env)
        found["first catalogue with extents, s"] = time.monotonic() - begun
    begun = time.monotonic()
    await connection.fetchval(f"SELECT count(*) FROM {nodes.table}")
    found["count of all by SQL, s"] = time.monotonic() - begun
    await _wait_until_offered(servers, nodes.table)
    items, after = f"/collections/{nodes.table}/items", min(400_000, nodes.rows * 2 // 5)
    choice = random.Random(SEED)  # noqa: S311 - reproducible, not secret
    rows = await connection.fetch(
        f"SELECT season, id FROM {nodes.table} WHERE id = ANY ($1::int[])",
        choice.sample(range(1, nodes.rows + 1), _EACH),
    )
    ids = [f"{row['season']}~{row['id']}" if nodes.by_season else str(row["id"]) for row in rows]
    years = range(FIRST_SEASON, _NEWEST + 1)
    months = [f"{items}?limit=10&datetime={year}-08-01/{year}-08-31" for year in years]
    requests = {
        "one item": [f"{items}/{row}" for row in ids],
        "first page of 10": [f"{items}?limit=10"],
        "page 40,001, by next": [next_page(servers.product, f"{items}?limit=10&offset={after - 10}")],
        "page 40,001, by offset": [f"{items}?limit=10&offset={after}"],
        "page of a season, counted": [f"{items}?limit=10&season={year}" for year in years],
        "page of a month, counted": months,
    }
    found |= {f"{title}, ms": milliseconds(servers, paths) for title, paths in requests.items()}
    if nodes.by_season:
        for year in years:
            check = f"valid_time >= '{year - 1}-07-01' AND valid_time < '{year + 1}-03-01'"
            await connection.execute(f"ALTER TABLE {nodes.table}_{year} ADD CHECK ({check})")
        found["page of a month where a CHECK bounds the time, ms"] = milliseconds(servers, months)
    await new_version(servers, connection, nodes.table)
    percent = min(100.0, 500_000 / nodes.rows)
    for zoom, seconds, _ in await fullest_tiles(servers, connection, nodes.table, _ZOOMS, percent=percent):
        found[f"first map, fullest tile of zoom {zoom}, s"] = seconds
    return found


async def _wait_until_offered(servers: Servers, table: str) -> None:
    """Wait until each process serves the table, by polling it."""
    asked = [(Target("features", port), "items?limit=1") for port in servers.features_ports]
    asked += [(Target("tiles", port), "tiles/WebMercatorQuad/9/0/0") for port in servers.tiles_ports]
    deadline = time.monotonic() + 60
    while asked:
        try:
            ask(asked[-1][0], f"/collections/{table}/{asked[-1][1]}")
            asked.pop()
        except BenchmarkError:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.5)


async def _measure_changes(connection: asyncpg.Connection, nodes: _Nodes) -> Costs:
    """Return seconds; the table has lost its first season afterwards."""
    table, old = nodes.table, FIRST_SEASON
    gone = [f"DELETE FROM {table} WHERE season = {old}", f"VACUUM {table}"]
    if nodes.by_season:
        gone = [f"ALTER TABLE {table} DETACH PARTITION {table}_{old} CONCURRENTLY", f"DROP TABLE {table}_{old}"]
    # rows are indexed by the wind, so that an update must write index entries
    update = (
        f"UPDATE {table} SET wind_kt = wind_kt + 1 WHERE season = {_NEWEST}"
        f" AND id > (SELECT max(id) FROM {table} WHERE season = {_NEWEST}) - {nodes.rows // 100}"
    )
    vacuum = f"VACUUM {table}_{_NEWEST}" if nodes.by_season else f"VACUUM {table}"
    found: Costs = {}
    for title, statements in {"update of 1 %": [update], "VACUUM after it": [vacuum], "a season removed": gone}.items():
        begun = time.monotonic()
        for statement in statements:
            await connection.execute(statement)
        found[f"{title}, s"] = time.monotonic() - begun
    return found


def _keep(nodes: _Nodes, costs: Costs) -> None:
    kept = json.loads(_FIGURES.read_text()) if _FIGURES.exists() else {}
    for title, cost in costs.items():
        kind = "by season" if nodes.by_season else "plain"
        kept.setdefault(title, {}).setdefault(kind, {})[str(nodes.rows)] = cost
        print(f"{nodes.rows:>12,} rows {kind:<11}{title:<44}{cost:12.3f}", flush=True)
    _FIGURES.write_text(json.dumps(kept, indent=1))


def _table(kept: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    """Return the figures in Markdown."""
    heads = [*(f"{rows:,}" for rows in PARTITION_ROWS), "exponent", f"{_ESTIMATED:,}, reckoned"]
    lines = [f"| cost | table | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    for title, kinds in kept.items():
        for kind, costs in kinds.items():
            cells = [figure(costs[str(rows)]) if str(rows) in costs else "" for rows in PARTITION_ROWS]
            series = Series(title, "rows", "", tuple(sorted((float(rows), cost) for rows, cost in costs.items())))
            told = len(costs) > 1
            cells += [f"{series.last:.2f}" if told else "", figure(series.extrapolate(_ESTIMATED)) if told else ""]
            lines.append(f"| {title} | {kind} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
