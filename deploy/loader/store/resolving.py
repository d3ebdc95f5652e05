"""What of a batch is written, and what else, depends on rows that are there already."""

from typing import Any

import asyncpg
import shapely

from deploy.loader.records.target import Batch, Recall, Target
from deploy.loader.store.connection import SCHEMA, listed, quoted, temporary


async def resolved(connection: asyncpg.Connection, batch: Batch) -> tuple[Batch, int]:
    """The batch without what is outdated and with what its recalls make, in the transaction that is open; and how many
    of its own rows are outdated.

    Raises asyncpg.PostgresError.
    """
    known = await _without_outdated(connection, batch)
    outdated = len(batch.rows) - len(known.rows)
    rows, withdrawn, parts = list(known.rows), list(known.withdrawn), list(known.parts)
    for recall in batch.recalls:
        made = await _without_outdated(connection, recall.make(await _recalled(connection, recall)))
        rows += made.rows
        withdrawn += made.withdrawn
        parts += made.parts
    return known._replace(rows=rows, withdrawn=withdrawn, parts=parts, recalls=()), outdated


async def _without_outdated(connection: asyncpg.Connection, batch: Batch) -> Batch:
    """The batch without what is not the latest of its kind."""
    outdated: set[tuple[Target, Any]] = set()
    for latest in batch.latest:
        await temporary(
            connection, "loader_latest", latest.kept, (latest.column, latest.time_column), latest.times.items()
        )
        table, column, time = (quoted(name) for name in (latest.kept.table, latest.column, latest.time_column))
        found = await connection.fetch(
            f"SELECT {column} FROM pg_temp.loader_latest l WHERE EXISTS "
            f"(SELECT FROM {SCHEMA}.{table} t WHERE t.{column} = l.{column} AND t.{time} > l.{time})"
        )
        outdated |= {(target, row[0]) for target in latest.targets for row in found}
        await connection.execute("DROP TABLE pg_temp.loader_latest")
    # rows, and parts of tables, have the key as their first value
    return batch._replace(
        rows=[each for each in batch.rows if (each[0], each[1][0]) not in outdated],
        parts=[each for each in batch.parts if (each[0], each[1][0]) not in outdated],
    )


async def _recalled(connection: asyncpg.Connection, recall: Recall) -> list[Any]:
    """The rows that it asks for, in order of their id, with geometries of shapely."""
    target = recall.target
    conditions = [f"{quoted(column)} = ANY (${place})" for place, column in enumerate(recall.where, start=1)]
    conditions += [
        f"{quoted(column)} > ${place}" for place, column in enumerate(recall.after, start=len(conditions) + 1)
    ]
    where = " AND ".join(conditions)
    found = await connection.fetch(
        f"SELECT {listed(target.columns)} FROM {SCHEMA}.{quoted(target.table)} WHERE {where} ORDER BY id",
        *map(list, recall.where.values()),
        *recall.after.values(),
    )
    shapes = shapely.from_wkb([row["geom"] for row in found])
    return [target.row._make([*list(row.values())[:-1], shape]) for row, shape in zip(found, shapes, strict=True)]
