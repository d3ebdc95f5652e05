"""The generated tables: stored in the benchmark's own cluster, and recreated when their recipe changes."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from deploy.database.apply import apply_schema, ensure_reader
from tools.benchmarks.settings import GROWTH_SCHEMA, LARGE_SCHEMA, SCHEMA, SEED, BenchmarkSettings

_RECIPE = Path(__file__).with_name("data.sql")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the piece of the recipe that creates it, and its rows."""

    schema: str
    name: str
    piece: str
    rows: int
    corners: int = 0
    """Corners of each feature, if the piece uses them."""

    @property
    def id(self) -> str:
        """Collection id, on both sides."""
        return f"{self.schema}.{self.name}"


POINTS = Table(SCHEMA, "points", "points", 500_000)
POLYGONS = Table(SCHEMA, "polygons", "polygons", 20_000)
LINES = Table(SCHEMA, "lines", "lines", 5_000)
FEW_POINTS = Table(LARGE_SCHEMA, "points_100k", "points", 100_000)
MANY_POINTS = Table(LARGE_SCHEMA, "points_10m", "points", 10_000_000)
GROWING_POINTS = tuple(Table(GROWTH_SCHEMA, f"points_{rows}", "points", rows) for rows in (10**4, 10**5, 10**6, 10**7))
GROWING_SHAPES = tuple(
    Table(GROWTH_SCHEMA, f"shapes_{corners}", "shapes", 20, corners) for corners in (10, 100, 1000, 10**4, 10**5)
)


def tables_of(settings: BenchmarkSettings) -> tuple[Table, ...]:
    """Return the tables that a run needs."""
    if settings.partitions:
        return ()
    if settings.growth:
        return (*GROWING_POINTS, *GROWING_SHAPES)
    return (POINTS, POLYGONS, LINES, *((FEW_POINTS, MANY_POINTS) if settings.large else ()))


async def prepare_data(owner_url: str, reader: str, reader_password: str, tables: Sequence[Table]) -> None:
    """Create schema, reading role and tables that are missing or were created by another recipe."""
    connection = await asyncpg.connect(owner_url, command_timeout=3600)
    try:
        await apply_schema(connection)
        await ensure_reader(connection, reader, reader_password)
        # tipg creates temporary functions when it connects, which our readers may not
        database = await connection.fetchval("SELECT quote_ident(current_database())")
        await connection.execute(f"GRANT TEMPORARY ON DATABASE {database} TO {reader}")
        pieces = _pieces(_RECIPE.read_text(encoding="utf-8"))
        await connection.execute(pieces["functions"].format(seed=SEED))
        for table in tables:
            await _make(connection, table, pieces)
    finally:
        await connection.close()


def recipe_version() -> str:
    """Return a value that changes with the tables' definition."""
    return hashlib.sha256(f"{SEED}{_RECIPE.read_text(encoding='utf-8')}".encode()).hexdigest()[:16]


def _pieces(text: str) -> dict[str, str]:
    """Return the recipe's statements by the name of their piece."""
    parts = re.split(r"^-- piece: (\w+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


async def _make(connection: asyncpg.Connection, table: Table, pieces: dict[str, str]) -> None:
    """Create one table with its indexes, statistics and change trigger."""
    mark = f"{recipe_version()} {table.rows} {table.corners}"
    comment = "SELECT obj_description(to_regclass($1), 'pg_class')"
    found = await connection.fetchval(comment, table.id)
    if found is not None and mark in found:
        return
    started = time.monotonic()
    statements = pieces[table.piece].format(seed=SEED, table=table.id, rows=table.rows, corners=table.corners)
    async with connection.transaction():
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {table.schema}")
        await connection.execute(f"DROP TABLE IF EXISTS {table.id}")
        await connection.execute(statements)
        await connection.execute(f"SELECT dams.watch('{table.id}')")
        await connection.execute(f"GRANT USAGE ON SCHEMA {table.schema} TO dams_reader")
        await connection.execute(f"GRANT SELECT ON {table.id} TO dams_reader")
    await connection.execute(f"VACUUM ANALYZE {table.id}")
    # last, so that an interrupted table is created again
    text = (await connection.fetchval(comment, table.id)).split("\nRecipe ")[0]
    await connection.execute(f"COMMENT ON TABLE {table.id} IS '{text}\nRecipe {mark}'")
    print(f"{table.id}: {table.rows:,} rows in {time.monotonic() - started:.0f} s", flush=True)
