"""Puts the demo data into the tables of schema hazard."""

import time
from typing import Any

import asyncpg
import shapely

from deploy.database.demo.collections import Builder, DemoCollections
from deploy.database.demo.progress import progress_for

_SCHEMA = "hazard"


class DemoDataConflictError(Exception):
    """A table holds rows that the demo loader did not put there."""


async def load_demo(connection: asyncpg.Connection, data: DemoCollections, *, progress: bool, replace: bool) -> int:
    """Fill every table in a transaction of its own; returns how many tables were loaded.

    A table that already holds these data is left alone. `connection` is the owner's.
    Raises DemoDataConflictError where a table holds other rows and not `replace`; asyncpg.PostgresError.
    """
    await _prepare(connection)
    fingerprint, builders = data.fingerprint(), data.builders()
    begun, loaded = time.monotonic(), 0
    with progress_for(wanted=progress, total=len(builders)) as shown:
        for table, builder in builders.items():
            shown.building(table)
            async with connection.transaction():
                rows = await _load_table(connection, table, builder, fingerprint, replace=replace)
            if rows is None:
                shown.done(table, "already loaded")
                continue
            # Outside the transaction: index-only scans and estimates are good from the first request on.
            await connection.execute(f"VACUUM (ANALYZE) {_SCHEMA}.{table}")
            loaded += 1
            shown.done(table, f"{rows} rows")
    if loaded:
        print(f"demo data: {loaded} tables loaded in {time.monotonic() - begun:.0f} s")
    else:
        print("demo data: already loaded, nothing to do")
    return loaded


async def _prepare(connection: asyncpg.Connection) -> None:
    """Let COPY send geometries as the EWKB that shapely made."""
    home = await connection.fetchval(
        "SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'geometry'"
    )
    if home is None or await connection.fetchval("SELECT to_regclass('dams.demo_load')") is None:
        raise DemoDataConflictError("the schema is missing: run `python -m deploy.database apply` first")
    await connection.set_type_codec("geometry", schema=home, encoder=bytes, decoder=bytes, format="binary")


async def _load_table(
    connection: asyncpg.Connection, table: str, builder: Builder, fingerprint: str, *, replace: bool
) -> int | None:
    """The number of rows loaded, None where the table holds them already."""
    relation = f"{_SCHEMA}.{table}"
    # Waits for another loader rather than loading twice; readers go on reading.
    await connection.execute(f"LOCK TABLE {relation} IN SHARE ROW EXCLUSIVE MODE")
    found = await connection.fetchrow(
        f"SELECT (SELECT count(*) FROM {relation}) AS rows, d.fingerprint, d.rows AS loaded "  # noqa: S608 - constants
        "FROM (SELECT 1) one LEFT JOIN dams.demo_load d ON d.relation = $1",
        relation,
    )
    if found["rows"] and not replace:
        if found["rows"] != found["loaded"]:
            raise DemoDataConflictError(
                f"{relation} holds {found['rows']} rows that are not the demo loader's; "
                "nothing was changed (--replace deletes them)"
            )
        if found["fingerprint"] == fingerprint:
            return None
    columns, rows = _records(list(builder()))
    if found["rows"]:
        await connection.execute(f"TRUNCATE {relation}")
    # Identifiers follow the builder's order from 1 on, so links to features survive a reload.
    await connection.execute(f"ALTER TABLE {relation} ALTER COLUMN id RESTART")
    await connection.copy_records_to_table(table, schema_name=_SCHEMA, columns=columns, records=rows)
    await connection.execute(
        "INSERT INTO dams.demo_load (relation, fingerprint, rows) VALUES ($1, $2, $3) ON CONFLICT (relation) "
        "DO UPDATE SET fingerprint = excluded.fingerprint, rows = excluded.rows, loaded_at = now()",
        relation,
        fingerprint,
        len(rows),
    )
    return len(rows)


def _records(rows: list[Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names, and the rows with their last field, the geometry, as EWKB with SRID 4326."""
    if not rows:
        raise ValueError("a builder made no rows")
    columns = list(rows[0]._fields)
    geometries = shapely.to_wkb(shapely.set_srid([row.geom for row in rows], 4326), include_srid=True)
    return columns, [(*row[:-1], geometry) for row, geometry in zip(rows, geometries, strict=True)]
