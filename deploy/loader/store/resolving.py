"""Decide which parts of a batch to write, depending on stored rows."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

import asyncpg
import shapely

from deploy.loader.records.target import Batch, Recall, Target
from deploy.loader.store.connection import SCHEMA, list_columns, quote
from deploy.loader.store.staging import temporary

_MOST_AT_ONCE = 2
"""Number of rows that may always be missing from a document at once."""
_UNUSUAL_SHARE = 1 / 3
_CONFIRMED_AFTER = timedelta(minutes=30)
"""Time after which a second document confirms that records are missing."""


class Resolved(NamedTuple):
    """A batch that no longer depends on stored rows.

    older: number of outdated rows. withheld: keys of rows that are missing from the document and not withdrawn yet.
    """

    batch: Batch
    older: int
    withheld: list[str]


async def resolve(connection: asyncpg.Connection, batch: Batch) -> Resolved:
    """Return the batch without outdated parts, and with the results of its recalls, in the open transaction.

    Raises asyncpg.PostgresError.
    """
    known = await _exclude_outdated(connection, batch)
    older = len(batch.rows) - len(known.rows)
    rows, withdrawn, parts = list(known.rows), list(known.withdrawn), list(known.parts)
    renames = list(known.renames)
    withheld: list[str] = []
    waiting = list(batch.recalls)
    while waiting:
        recall = waiting.pop(0)
        found = await _recall(connection, recall)
        made = await _exclude_outdated(connection, recall.make(found))
        if recall.absence:
            made, held = await _confirm_absences(connection, recall, found, made)
            withheld += held
        rows += made.rows
        withdrawn += made.withdrawn
        parts += made.parts
        renames += made.renames
        waiting += made.recalls
    whole = known._replace(rows=rows, withdrawn=withdrawn, parts=parts, recalls=(), renames=renames)
    return Resolved(whole, older, withheld)


async def _confirm_absences(
    connection: asyncpg.Connection, recall: Recall, found: list[Any], made: Batch
) -> tuple[Batch, list[str]]:
    """Return the batch without unconfirmed withdrawals, and the keys of the rows that these would withdraw."""
    mark, table = recall.target.withdrawn, recall.target.table
    columns = [recall.target.columns.index(column) for column in recall.target.key]
    active = {_text(row[column] for column in columns) for row in found if mark is None or getattr(row, mark) is None}
    gone = {_text(each.key) for each in made.withdrawn} | {_text(part) for _, part in made.parts}
    waiting: set[str] = set()
    if len(gone) > _MOST_AT_ONCE and len(gone) > len(active) * _UNUSUAL_SHARE:
        await connection.executemany(
            "INSERT INTO dams.load_absence (relation, key) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [(table, key) for key in sorted(gone)],
        )
        noticed = await connection.fetch(
            "SELECT key FROM dams.load_absence WHERE relation = $1 AND noticed > now() - $2::interval",
            table,
            _CONFIRMED_AFTER,
        )
        waiting = {row["key"] for row in noticed} & gone
    # forget rows that are named again or withdrawn now
    await connection.execute(
        "DELETE FROM dams.load_absence WHERE relation = $1 AND key <> ALL ($2)", table, sorted(waiting)
    )
    withdrawn = [each for each in made.withdrawn if _text(each.key) not in waiting]
    parts = [each for each in made.parts if _text(each[1]) not in waiting]
    return made._replace(withdrawn=withdrawn, parts=parts), sorted(waiting)


def _text(key: Iterable[Any]) -> str:
    return " ".join(map(str, key))


async def _exclude_outdated(connection: asyncpg.Connection, batch: Batch) -> Batch:
    """Return the batch without parts that are not the latest."""
    outdated: set[tuple[Target, Any]] = set()
    for latest in batch.latest:
        await temporary(
            connection, "loader_latest", latest.kept, (latest.column, latest.time_column), latest.times.items()
        )
        table, column, time = (quote(name) for name in (latest.kept.table, latest.column, latest.time_column))
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


async def _recall(connection: asyncpg.Connection, recall: Recall) -> list[Any]:
    """Return the requested rows, in order of their id, with shapely geometries."""
    target = recall.target
    conditions = [f"{quote(column)} = ANY (${place})" for place, column in enumerate(recall.where, start=1)]
    conditions += [
        f"{quote(column)} > ${place}" for place, column in enumerate(recall.after, start=len(conditions) + 1)
    ]
    where = " AND ".join(conditions)
    found = await connection.fetch(
        f"SELECT {list_columns(target.columns)} FROM {SCHEMA}.{quote(target.table)} WHERE {where} ORDER BY id",
        *map(list, recall.where.values()),
        *recall.after.values(),
    )
    shapes = shapely.from_wkb([row["geom"] for row in found])
    return [target.row._make([*list(row.values())[:-1], shape]) for row, shape in zip(found, shapes, strict=True)]
