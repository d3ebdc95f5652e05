"""Merge events that got another identifier, and record the old one as an alias."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import asyncpg

from deploy.loader.records.target import Rename, Target
from deploy.loader.store.connection import SCHEMA, quote

_COLUMN = "event_id"


class Renamed(NamedTuple):
    """The ids of rows of a table that got the new identifier of their event, and of rows that gave way to its row."""

    target: Target
    updated: list[int]
    deleted: list[int]


async def rename_events(connection: asyncpg.Connection, renames: Sequence[Rename]) -> list[Renamed]:
    """Give rows of old identifiers the new one, in the open transaction. Return what changed, by table.

    If the new event already has a row with the same key, the old row is deleted, or stays for a withdrawal if its table
    has a mark for that. The old identifiers become aliases of the new event. Raise asyncpg.PostgresError.
    """
    changed: list[Renamed] = []
    for targets, group in groupby(renames, key=lambda rename: rename.targets):
        pairs = list(group)
        present = [target for target in targets if await _has_rows(connection, target, pairs)]
        changed += [await _rename(connection, target, pairs) for target in present]
        await _record(connection, targets, pairs)
    return [each for each in changed if each.updated or each.deleted]


async def outdated_aliases(connection: asyncpg.Connection, target: Target, revisions: Mapping[str, Any]) -> set[str]:
    """Return the identifiers that are aliases of stored events, and forget those that a publisher uses again.

    revisions: the identifiers of new rows, each with its revision. An identifier is used again if its revision is later
    than that of the event it is an alias of, or if that event was deleted. In tables without revisions it never is.
    """
    revision = f"t.{quote(target.revision)}" if target.revision else "NULL"
    rows = await connection.fetch(
        f"SELECT a.alias, max({revision}) AS revision, count(t.{_COLUMN}) AS rows FROM dams.event_alias a "
        f"LEFT JOIN {SCHEMA}.{quote(target.table)} t ON t.{_COLUMN} = a.event_id "
        "WHERE a.alias = ANY ($1::text[]) GROUP BY 1",
        list(revisions),
    )
    again = {
        row["alias"]
        for row in rows
        if target.revision and (not row["rows"] or _is_later(revisions[row["alias"]], row["revision"]))
    }
    if again:
        await connection.execute("DELETE FROM dams.event_alias WHERE alias = ANY ($1::text[])", list(again))
    return {row["alias"] for row in rows} - again


def _is_later(new: Any, stored: Any) -> bool:
    return new is not None and stored is not None and bool(new > stored)


async def _has_rows(connection: asyncpg.Connection, target: Target, pairs: Sequence[Rename]) -> bool:
    return bool(
        await connection.fetchval(
            f"SELECT EXISTS (SELECT FROM {SCHEMA}.{quote(target.table)} WHERE {_COLUMN} = ANY ($1::text[]))",
            [rename.old for rename in pairs],
        )
    )


async def _rename(connection: asyncpg.Connection, target: Target, pairs: Sequence[Rename]) -> Renamed:
    table, rest = f"{SCHEMA}.{quote(target.table)}", [quote(name) for name in target.key if name != _COLUMN]
    same = "".join(f" AND o.{name} = t.{name}" for name in rest)
    updated = await connection.fetch(
        f"WITH chosen AS (SELECT DISTINCT ON ({', '.join(['r.new', *(f't.{name}' for name in rest)])}) t.id, r.new "
        f"FROM {table} t JOIN {_PAIRS} ON t.{_COLUMN} = r.old WHERE {_select_renamed(target, pairs)} AND NOT EXISTS "
        f"(SELECT FROM {table} o WHERE o.{_COLUMN} = r.new{same}) "
        f"ORDER BY {', '.join(['r.new', *(f't.{name}' for name in rest), 't.id'])}) "
        f"UPDATE {table} t SET {_COLUMN} = c.new FROM chosen c WHERE t.id = c.id RETURNING t.id",
        *_values(pairs),
    )
    deleted = []
    if not target.withdrawn:
        deleted = await connection.fetch(
            f"DELETE FROM {table} t USING {_PAIRS} "
            f"WHERE t.{_COLUMN} = r.old AND {_select_renamed(target, pairs)} RETURNING t.id",
            *_values(pairs),
        )
    return Renamed(target, [row["id"] for row in updated], [row["id"] for row in deleted])


async def _record(connection: asyncpg.Connection, targets: Sequence[Target], pairs: Sequence[Rename]) -> None:
    """Record the old identifiers as aliases, except those with a row that was revised later."""
    refused: set[str] = set()
    for target in targets[:1]:
        rows = await connection.fetch(
            f"SELECT t.{_COLUMN} FROM {SCHEMA}.{quote(target.table)} t JOIN {_PAIRS} ON t.{_COLUMN} = r.old "
            f"WHERE NOT ({_select_renamed(target, pairs)}) AND {_not_withdrawn(target)}",
            *_values(pairs),
        )
        refused |= {row[_COLUMN] for row in rows}
    known = {rename.old: rename.new for rename in pairs if rename.old not in refused}
    old, new = list(known), list(known.values())
    await connection.execute("DELETE FROM dams.event_alias WHERE alias = ANY ($1::text[])", new)
    await connection.execute(
        "INSERT INTO dams.event_alias (alias, event_id) SELECT * FROM unnest($1::text[], $2::text[]) "
        "ON CONFLICT (alias) DO UPDATE SET event_id = excluded.event_id "
        "WHERE event_alias.event_id <> excluded.event_id",
        old,
        new,
    )
    # aliases of an old identifier lead to the new event at once
    await connection.execute(
        "UPDATE dams.event_alias a SET event_id = r.new FROM unnest($1::text[], $2::text[]) r (old, new) "
        "WHERE a.event_id = r.old AND a.alias <> r.new",
        old,
        new,
    )


_PAIRS = "unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) r (old, new, source, revision)"


def _select_renamed(target: Target, pairs: Sequence[Rename]) -> str:
    """Return the rows that may get the new identifier."""
    conditions = ["(r.source IS NULL OR t.source = r.source)", _not_withdrawn(target)]
    if target.revision and any(rename.revision for rename in pairs):
        revision = quote(target.revision)
        conditions.append(f"(r.revision IS NULL OR t.{revision} IS NULL OR t.{revision} <= r.revision)")
    return " AND ".join(conditions)


def _not_withdrawn(target: Target) -> str:
    return f"t.{quote(target.withdrawn)} IS NULL" if target.withdrawn else "true"


def _values(pairs: Sequence[Rename]) -> tuple[list[Any], ...]:
    return tuple([getattr(rename, name) for rename in pairs] for name in ("old", "new", "source", "revision"))
