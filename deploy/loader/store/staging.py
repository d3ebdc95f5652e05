"""Stage rows in temporary tables before they are compared with their target table.

The temporary table has the types and constraints of its target. The database therefore refuses an invalid row here, and
only this row is left out.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import asyncpg
import shapely

from deploy.loader.records.target import Target
from deploy.loader.source import Rejected
from deploy.loader.store.connection import SCHEMA, list_columns, quote

_REFUSALS = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, ArithmeticError, TypeError, ValueError)
"""Errors of a single row. asyncpg raises the last three if it cannot encode a value for its column."""


async def temporary(
    connection: asyncpg.Connection, name: str, target: Target, columns: Sequence[str], records: Iterable[Any]
) -> None:
    """Create a temporary table with these columns of the target and fill it. Raise asyncpg.PostgresError."""
    await connection.execute(
        f"CREATE TEMPORARY TABLE {name} ON COMMIT DROP AS SELECT {list_columns(columns)} "
        f"FROM {SCHEMA}.{quote(target.table)} WITH NO DATA"
    )
    await _copy(connection, name, columns, list(records))
    await connection.execute(f"ANALYZE pg_temp.{name}")


async def stage_rows(
    connection: asyncpg.Connection, name: str, target: Target, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> list[Rejected]:
    """Create a temporary table with these columns and constraints of the target, and fill it with the rows.

    Return the refused rows by key, each with its reason. The values of a last column `geom` are shapely geometries in
    WGS 84. Raise asyncpg.PostgresError.
    """
    table = f"{SCHEMA}.{quote(target.table)}"
    await connection.execute(f"CREATE TEMPORARY TABLE {name} (LIKE {table} INCLUDING CONSTRAINTS) ON COMMIT DROP")
    others = await connection.fetch(
        "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped "
        "AND attname <> ALL ($2)",
        table,
        list(columns),
    )
    if others:
        dropped = ", ".join(f"DROP COLUMN {quote(row['attname'])}" for row in others)
        await connection.execute(f"ALTER TABLE pg_temp.{name} {dropped}")
    keys = [columns.index(column) for column in target.key]
    refused: list[Rejected] = []
    # halve refused parts until each has a single row
    waiting = [list(_records(columns, rows))] if rows else []
    while waiting:
        part = waiting.pop()
        try:
            async with connection.transaction():
                await _copy(connection, name, columns, part)
        except _REFUSALS as error:
            if len(part) == 1:
                called = " ".join(str(part[0][place]) for place in keys)
                refused.append(Rejected(called, f"the database refuses it: {error}"))
            else:
                middle = len(part) // 2
                waiting += [part[middle:], part[:middle]]
    await connection.execute(f"ANALYZE pg_temp.{name}")
    return refused


async def _copy(connection: asyncpg.Connection, name: str, columns: Sequence[str], records: list[Any]) -> None:
    await connection.copy_records_to_table(name, schema_name="pg_temp", columns=list(columns), records=records)


def _records(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
    """Return the rows with their geometry as EWKB in WGS 84."""
    if columns[-1] != "geom":
        return rows
    shapes = shapely.to_wkb(shapely.set_srid([row[-1] for row in rows], 4326), include_srid=True)
    return ((*row[:-1], shape) for row, shape in zip(rows, shapes, strict=True))
