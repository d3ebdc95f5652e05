"""Write one batch in one transaction: only the differences from the table.

Even a statement that changes no row counts as a change of the table's data version, and all tiles and responses would
be rendered again. So the changes are first computed in temporary tables.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import asyncpg

from deploy.loader.records.target import Batch, Target, Withdrawal
from deploy.loader.source import Rejected
from deploy.loader.store.connection import SCHEMA, list_columns, quote
from deploy.loader.store.renaming import outdated_aliases, rename_events
from deploy.loader.store.resolving import resolve
from deploy.loader.store.staging import stage_rows, temporary

_Value = TypeVar("_Value")

MOST_NAMED = 1000
"""Maximum number of changed rows per table whose ids are recorded; if more changed, only their number is."""


@dataclass(slots=True)
class Counts:
    """The results of batches.

    unchanged: equal to the stored row. older: a newer revision, or newer data of the same storm, are stored. withdrawn:
    marked as withdrawn, or deleted if their table has no mark. removed: no longer in a replaced part of a table.
    renamed: rows that got the new identifier of their event, or were replaced by a row that has it. duplicates: rows
    that occur twice in a batch, by key; the newest revision counts, else the last. refused: rows that the database
    refused, by key. withheld: keys of rows that are missing from the document and not withdrawn yet, because too many
    are missing.
    """

    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    older: int = 0
    withdrawn: int = 0
    removed: int = 0
    renamed: int = 0
    duplicates: list[str] = field(default_factory=list)
    refused: list[Rejected] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)

    @property
    def changed(self) -> int:
        """Number of rows that changed."""
        return self.inserted + self.updated + self.withdrawn + self.removed + self.renamed

    @property
    def kept(self) -> int:
        """Number of rows that the database has as loaded, or newer."""
        return self.inserted + self.updated + self.unchanged + self.older

    def add(self, other: "Counts") -> None:
        """Add the counts of another batch."""
        for each in fields(self):
            value = getattr(other, each.name)
            if isinstance(value, int):
                setattr(self, each.name, getattr(self, each.name) + value)
        self.duplicates += other.duplicates
        self.refused += other.refused
        self.withheld += other.withheld
        self.tables |= other.tables


async def write_batch(connection: asyncpg.Connection, batch: Batch) -> Counts:
    """Write the batch in the open transaction, and return the results. Raises asyncpg.PostgresError."""
    counts = Counts()
    batch, counts.older, counts.withheld = await resolve(connection, batch)
    batch = await _merge(connection, batch, counts)
    targets = _group_by_target(batch.rows)
    parts = _group_by_target(batch.parts)
    for target in [*targets, *(target for target in parts if target not in targets)]:
        before = counts.changed
        rows = _unique(target, targets.get(target, []), counts)
        await _compare(connection, target, rows, counts)
        if target in parts:
            await _remove_rest(connection, target, parts[target], counts)
        await _write(connection, target, counts)
        await connection.execute("DROP TABLE IF EXISTS loader_came, loader_verdict, loader_part")
        if counts.changed > before:
            counts.tables.add(target.table)
    for target, gone in _group_by_target((each.target, each) for each in batch.withdrawn).items():
        if found := await _withdraw(connection, target, gone, counts):
            counts.withdrawn += found
            counts.tables.add(target.table)
    return counts


async def remove_simulated(connection: asyncpg.Connection, targets: Iterable[Target], tables: Sequence[str]) -> int:
    """Delete the simulated rows of the demo from tables that get real ones; return their number."""
    removed = 0
    for target in {target.table: target for target in targets if target.table in tables}.values():
        statement = f"DELETE FROM {SCHEMA}.{quote(target.table)} WHERE source LIKE 'simulated%' RETURNING id"
        removed += await _change(connection, target, statement, "delete", is_named=False)
    return removed


async def _merge(connection: asyncpg.Connection, batch: Batch, counts: Counts) -> Batch:
    """Merge events that got another identifier. Return the batch without rows of identifiers that are aliases."""
    for target, updated, deleted in await rename_events(connection, batch.renames):
        counts.renamed += len(updated) + len(deleted)
        counts.tables.add(target.table)
        for ids, action in ((updated, "update"), (deleted, "delete")):
            await connection.execute(
                "INSERT INTO dams.changed_item (relation, item, action) SELECT $1::text::regclass, item, $3 "
                "FROM unnest($2::text[]) item",
                f"{SCHEMA}.{quote(target.table)}",
                [str(number) for number in ids] if len(ids) <= MOST_NAMED else [None],
                action,
            )
    outdated: set[tuple[Target, str]] = set()
    for target, rows in _group_by_target(batch.rows).items():
        if "event_id" in target.columns:
            event, revision = (target.columns.index(name) for name in ("event_id", target.revision or "event_id"))
            revisions = {str(row[event]): row[revision] if target.revision else None for row in rows}
            outdated |= {(target, alias) for alias in await outdated_aliases(connection, target, revisions)}
    if not outdated:
        return batch
    places = {target: target.columns.index("event_id") for target, _ in outdated}
    kept = [each for each in batch.rows if each[0] not in places or (each[0], each[1][places[each[0]]]) not in outdated]
    counts.older += len(batch.rows) - len(kept)
    return batch._replace(rows=kept)


def _group_by_target(pairs: Iterable[tuple[Target, _Value]]) -> dict[Target, list[_Value]]:
    found: dict[Target, list[_Value]] = {}
    for target, values in pairs:
        found.setdefault(target, []).append(values)
    return found


def _unique(target: Target, rows: Sequence[tuple[Any, ...]], counts: Counts) -> list[tuple[Any, ...]]:
    places = [target.columns.index(column) for column in target.key]
    revision = target.columns.index(target.revision) if target.revision else None
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in rows:
        key = tuple([row[place] for place in places])
        before = found.get(key)
        if before is not None:
            counts.duplicates.append(" ".join(map(str, key)))
            if revision is not None and _is_newer(before[revision], row[revision]):
                continue
        found[key] = row
    return list(found.values())


def _is_newer(one: Any, other: Any) -> bool:
    return one is not None and (other is None or one > other)


async def _compare(connection: asyncpg.Connection, target: Target, rows: list[Any], counts: Counts) -> None:
    """Create loader_verdict: the new rows, each with the action for it."""
    counts.refused += await stage_rows(connection, "loader_came", target, target.columns, rows)
    columns = [column for column in target.columns if column not in target.key]
    old, new = list_columns(columns, "t."), ", ".join(_new(target, column, "c") for column in columns)
    differs = f"ROW({old}) IS DISTINCT FROM ROW({new})" if columns else "false"
    older = f"t.{quote(target.revision)} > c.{quote(target.revision)}" if target.revision else "false"
    if target.withdrawn:
        mark = quote(target.withdrawn)
        comes_again = "false" if target.withdrawn not in target.columns else f"c.{mark} IS NULL"
        if target.withdrawn not in target.columns:
            comes_again = "true"
            differs = f"({differs} OR t.{mark} IS NOT NULL)"
        if target.revision:
            revision = quote(target.revision)
            known = ">" if target.returns else ">="
            older += f" OR t.{mark} IS NOT NULL AND {comes_again} AND t.{revision} {known} c.{revision}"
    await connection.execute(
        f"CREATE TEMPORARY TABLE loader_verdict ON COMMIT DROP AS SELECT c.*, CASE "
        f"WHEN t.{quote(target.key[0])} IS NULL THEN 'inserted' WHEN {older} THEN 'older' "
        f"WHEN {differs} THEN 'updated' ELSE 'unchanged' END AS loader_verdict "
        f"FROM pg_temp.loader_came c LEFT JOIN {SCHEMA}.{quote(target.table)} t ON {_same_key(target, 't', 'c')}"
    )


async def _write(connection: asyncpg.Connection, target: Target, counts: Counts) -> None:
    found = await connection.fetch(
        "SELECT loader_verdict AS verdict, count(*) AS rows FROM pg_temp.loader_verdict GROUP BY 1"
    )
    verdicts = {row["verdict"]: row["rows"] for row in found}
    for verdict, rows in verdicts.items():
        setattr(counts, verdict, getattr(counts, verdict) + rows)
    table, columns = f"{SCHEMA}.{quote(target.table)}", list_columns(target.columns)
    is_named = verdicts.get("updated", 0) + verdicts.get("inserted", 0) <= MOST_NAMED
    if verdicts.get("updated"):
        rest = [column for column in target.columns if column not in target.key]
        values = [f"{quote(column)} = {_new(target, column, 'v')}" for column in rest]
        if target.withdrawn and target.withdrawn not in target.columns:
            values.append(f"{quote(target.withdrawn)} = NULL")
        where = f"v.loader_verdict = 'updated' AND {_same_key(target, 't', 'v')}"
        if target.revision:
            # another source may have written a newer revision since the comparison
            revision = quote(target.revision)
            where += f" AND (t.{revision} <= v.{revision} OR t.{revision} IS NULL OR v.{revision} IS NULL)"
        statement = f"UPDATE {table} t SET {', '.join(values)} FROM pg_temp.loader_verdict v WHERE {where}"
        await _change(connection, target, f"{statement} RETURNING t.id", "update", is_named=is_named)
    if verdicts.get("inserted"):
        # another writer may have inserted one of them since the comparison: that row stays until the next load
        statement = (
            f"INSERT INTO {table} ({columns}) SELECT {columns} FROM pg_temp.loader_verdict "
            f"WHERE loader_verdict = 'inserted' ON CONFLICT ({list_columns(target.key)}) DO NOTHING RETURNING id"
        )
        await _change(connection, target, statement, "create", is_named=is_named)


async def _change(
    connection: asyncpg.Connection, target: Target, statement: str, action: str, *, is_named: bool
) -> int:
    """Run a statement that returns the ids of the rows that it changes, and record these for change listeners.

    Returns the number of rows. If there are too many to record, only their number is recorded.
    """
    named = "SELECT id::text FROM changed" if is_named else "SELECT NULL FROM changed LIMIT 1"
    rows = await connection.fetchval(
        f"WITH changed AS ({statement}), named AS (INSERT INTO dams.changed_item (relation, item, action) "
        f"SELECT $1::text::regclass, item, $2 FROM ({named}) n (item)) SELECT count(*) FROM changed",
        f"{SCHEMA}.{quote(target.table)}",
        action,
    )
    return int(rows)


async def _remove_rest(
    connection: asyncpg.Connection, target: Target, parts: list[tuple[Any, ...]], counts: Counts
) -> None:
    """Delete rows of the replaced parts that are missing from the batch."""
    await temporary(connection, "loader_part", target, target.scope, parts)
    where = (
        f"({list_columns(target.scope, 't.')}) IN (SELECT {list_columns(target.scope)} FROM pg_temp.loader_part)"
        f" AND NOT EXISTS (SELECT FROM pg_temp.loader_came c WHERE {_same_key(target, 't', 'c')})"
    )
    table = f"{SCHEMA}.{quote(target.table)}"
    if found := await connection.fetchval(f"SELECT count(*) FROM {table} t WHERE {where}"):
        statement = f"DELETE FROM {table} t WHERE {where} RETURNING t.id"
        counts.removed += await _change(connection, target, statement, "delete", is_named=found <= MOST_NAMED)


async def _withdraw(connection: asyncpg.Connection, target: Target, gone: list[Withdrawal], counts: Counts) -> int:
    """Return how many rows were marked, or deleted if their table has no mark."""
    columns = [*target.key, *([target.revision] if target.revision else [])]
    rows = [(*each.key, each.revision)[: len(columns)] for each in gone]
    counts.refused += await stage_rows(connection, "loader_gone", target, columns, rows)
    table, mark = f"{SCHEMA}.{quote(target.table)}", quote(target.withdrawn or "")
    conditions = _same_key(target, "t", "g")
    if target.revision:
        revision = quote(target.revision)
        conditions += f" AND (g.{revision} IS NULL OR t.{revision} IS NULL OR t.{revision} <= g.{revision})"
    where = f"EXISTS (SELECT FROM pg_temp.loader_gone g WHERE {conditions})"
    if target.withdrawn:
        where += f" AND t.{mark} IS NULL"
    found = await connection.fetchval(f"SELECT count(*) FROM {table} t WHERE {where}")
    if found:
        ends = f", {quote(target.ends)} = least(t.{quote(target.ends)}, now())" if target.ends else ""
        change = f"UPDATE {table} t SET {mark} = now(){ends}" if target.withdrawn else f"DELETE FROM {table} t"
        action = "update" if target.withdrawn else "delete"
        statement = f"{change} WHERE {where} RETURNING t.id"
        await _change(connection, target, statement, action, is_named=found <= MOST_NAMED)
    await connection.execute("DROP TABLE pg_temp.loader_gone")
    return int(found)


def _new(target: Target, column: str, row: str) -> str:
    """Return the new value of a column, for SQL."""
    name = quote(column)
    return f"coalesce({row}.{name}, t.{name})" if column in target.keeps else f"{row}.{name}"


def _same_key(target: Target, one: str, other: str) -> str:
    return " AND ".join(f"{one}.{quote(column)} = {other}.{quote(column)}" for column in target.key)
