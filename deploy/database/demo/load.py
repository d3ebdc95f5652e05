"""Write the demo data into the tables of schema hazard."""

import time
from typing import Any

import asyncpg
import shapely

from deploy.database.demo.collections import SIMULATED_TABLES, Builder, DemoCollections
from deploy.database.demo.progress import progress_for

_SCHEMA = "hazard"


class DemoDataConflictError(Exception):
    """A table contains rows that the demo loader did not write."""


async def move_demo(connection: asyncpg.Connection, data: DemoCollections, *, progress: bool) -> int:
    """Move the simulated data to the day of `data`, in one transaction; return how many tables were moved.

    A table with other rows, such as those of the live data loader, stays unchanged. Raises asyncpg.PostgresError.
    """
    await _prepare(connection)
    tables = []
    for table in SIMULATED_TABLES:
        try:
            await _holds(connection, table, data.fingerprint(table), replace=False)
        except DemoDataConflictError:
            print(f"{table}: not moved, as it holds rows that are not simulated")
            continue
        tables.append(table)
    return await _load_groups(connection, data, [tables], progress=progress, replace=False)


async def load_demo(
    connection: asyncpg.Connection, data: DemoCollections, *, progress: bool, replace: bool, keep: bool = False
) -> int:
    """Fill every table; return how many were loaded.

    Each is filled in its own transaction, all simulated ones in one: floods, alerts and gauges refer to each other. A
    table that already contains these data, or data of `deploy.loader`, stays unchanged; on another day, so do all
    tables that are not simulated. `connection` is the owner's.

    If a table contains other rows, `replace` deletes them, and `keep` leaves the table (of the simulated ones, all) as
    it is. Raises DemoDataConflictError without either; asyncpg.PostgresError.
    """
    await _prepare(connection)
    others = [[table] for table in data.builders() if table not in SIMULATED_TABLES]
    groups = [*others, list(SIMULATED_TABLES)]
    if keep:
        groups = [group for group in groups if not await _has_other_rows(connection, group, data)]
    return await _load_groups(connection, data, groups, progress=progress, replace=replace)


async def _has_other_rows(connection: asyncpg.Connection, tables: list[str], data: DemoCollections) -> bool:
    for table in tables:
        try:
            await _holds(connection, table, data.fingerprint(table), replace=False)
        except DemoDataConflictError:
            print(f"{table}: left as it is, because it holds rows that are not the demo loader's")
            return True
    return False


async def _load_groups(
    connection: asyncpg.Connection, data: DemoCollections, groups: list[list[str]], *, progress: bool, replace: bool
) -> int:
    """Load each group of tables in a transaction; return how many tables were loaded."""
    builders, begun, loaded = data.builders(), time.monotonic(), 0
    with progress_for(wanted=progress, total=sum(map(len, groups))) as shown:
        for tables in filter(None, groups):
            shown.begin(tables[0])
            counts = await _load_tables(connection, tables, data, builders, replace=replace)
            for table in tables:
                rows = counts.get(table)
                if rows is not None:
                    # Outside the transaction: index-only scans and estimates are good from the first request on.
                    await connection.execute(f"VACUUM (ANALYZE) {_SCHEMA}.{table}")
                shown.finish(table, "already loaded" if rows is None else f"{rows} rows")
            loaded += len(counts)
    if loaded:
        print(f"demo data: {loaded} tables loaded in {time.monotonic() - begun:.0f} s")
    else:
        print("demo data: already loaded, nothing to do")
    return loaded


async def _prepare(connection: asyncpg.Connection) -> None:
    """Make COPY send geometries as shapely's EWKB."""
    home = await connection.fetchval(
        "SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'geometry'"
    )
    if home is None or await connection.fetchval("SELECT to_regclass('dams.demo_load')") is None:
        raise DemoDataConflictError("the schema is missing: run `python -m deploy.database apply` first")
    await connection.set_type_codec("geometry", schema=home, encoder=bytes, decoder=bytes, format="binary")


async def _load_tables(
    connection: asyncpg.Connection,
    tables: list[str],
    data: DemoCollections,
    builders: dict[str, Builder],
    *,
    replace: bool,
) -> dict[str, int]:
    """Return the number of rows loaded into each table, in one transaction; tables that have them are left out."""
    # Make the rows before locking: readers wait only for the writing.
    made = {
        table: _records(list(builders[table]()))
        for table in tables
        if not await _holds(connection, table, data.fingerprint(table), replace=replace)
    }
    counts: dict[str, int] = {}
    async with connection.transaction():
        for table, (columns, rows) in made.items():
            relation = f"{_SCHEMA}.{table}"
            # Wait for another loader instead of loading twice; readers can still read.
            await connection.execute(f"LOCK TABLE {relation} IN SHARE ROW EXCLUSIVE MODE")
            if await _holds(connection, table, data.fingerprint(table), replace=replace):
                continue
            await connection.execute(f"DELETE FROM {relation}")  # noqa: S608 - constants
            # Identifiers follow the builder's order from 1 on, so links to features survive a reload.
            await connection.execute(f"ALTER TABLE {relation} ALTER COLUMN id RESTART")
            await connection.copy_records_to_table(table, schema_name=_SCHEMA, columns=columns, records=rows)
            await connection.execute(
                "INSERT INTO dams.demo_load (relation, fingerprint, rows) VALUES ($1, $2, $3) ON CONFLICT (relation) "
                "DO UPDATE SET fingerprint = excluded.fingerprint, rows = excluded.rows, loaded_at = now()",
                relation,
                data.fingerprint(table),
                len(rows),
            )
            counts[table] = len(rows)
    return counts


async def _holds(connection: asyncpg.Connection, table: str, fingerprint: str, *, replace: bool) -> bool:
    """Return whether the table contains these data, or the loader's.

    Raises DemoDataConflictError if it contains others, unless `replace`.
    """
    relation = f"{_SCHEMA}.{table}"
    found = await connection.fetchrow(
        f"SELECT (SELECT count(*) FROM {relation}) AS rows, d.fingerprint, d.rows AS loaded, "  # noqa: S608
        "EXISTS (SELECT FROM dams.load_table l WHERE l.relation = $1 AND l.changed IS NOT NULL) AS is_live "
        "FROM (SELECT 1) one LEFT JOIN dams.demo_load d ON d.relation = $1",
        relation,
    )
    if not found["rows"] or replace:
        return False
    if found["is_live"]:
        return True
    if found["rows"] != found["loaded"]:
        raise DemoDataConflictError(
            f"{relation} holds {found['rows']} rows that are not the demo loader's; "
            "nothing was changed (--replace deletes them)"
        )
    return bool(found["fingerprint"] == fingerprint)


def _records(rows: list[Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return column names, and the rows with their last field, the geometry, as EWKB with SRID 4326."""
    if not rows:
        raise ValueError("a builder made no rows")
    columns = list(rows[0]._fields)
    geometries = shapely.to_wkb(shapely.set_srid([row.geom for row in rows], 4326), include_srid=True)
    return columns, [(*row[:-1], geometry) for row, geometry in zip(rows, geometries, strict=True)]
