"""Records about each source: its publisher, its loads, and the versions of its documents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import orjson

from deploy.loader.source import Source
from deploy.loader.store.connection import SCHEMA

FORGOTTEN = timedelta(days=90)
"""Time after which a document that was not fetched again is forgotten."""


@dataclass(frozen=True, slots=True)
class Validators:
    """Headers of a document by which only a newer one can be requested (RFC 9110, section 8.8)."""

    etag: str | None = None
    last_modified: str | None = None


async def begin(connection: asyncpg.Connection, source: Source) -> None:
    """Record that a load of the source begins, with the source's description; clears the last failure."""
    await connection.execute(
        "INSERT INTO dams.load_source (source, title, licence, licence_url, attribution, rhythm, attempted) "
        "VALUES ($1, $2, $3, $4, $5, $6, now()) ON CONFLICT (source) DO UPDATE SET title = excluded.title, "
        "licence = excluded.licence, licence_url = excluded.licence_url, attribution = excluded.attribution, "
        "rhythm = excluded.rhythm, attempted = excluded.attempted, message = NULL",
        source.name,
        source.title,
        source.licence,
        source.licence_url,
        source.attribution,
        source.rhythm,
    )
    await connection.executemany(
        "INSERT INTO dams.load_table (source, relation) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        [(source.name, relation) for relation in sorted({f"{SCHEMA}.{target.table}" for target in source.targets})],
    )


async def note_changes(connection: asyncpg.Connection, source: Source, tables: Iterable[str]) -> list[str]:
    """Record in the open transaction which tables it changes; return those that no load has changed before."""
    relations = [f"{SCHEMA}.{table}" for table in tables]
    if not relations:
        return []
    first = await connection.fetch(
        "SELECT relation FROM dams.load_table WHERE relation = ANY ($1) GROUP BY 1 HAVING bool_and(changed IS NULL)",
        relations,
    )
    await connection.execute("UPDATE dams.load_source SET changed = now() WHERE source = $1", source.name)
    await connection.execute(
        "UPDATE dams.load_table SET changed = now() WHERE source = $1 AND relation = ANY ($2)", source.name, relations
    )
    return [row["relation"].removeprefix(f"{SCHEMA}.") for row in first]


async def succeed(
    connection: asyncpg.Connection,
    source: Source,
    *,
    summary: Mapping[str, Any] | None,
    issued: datetime | None,
    validators: Mapping[str, Validators],
    retrieved: datetime,
) -> None:
    """Record a successful load. `summary` is None if the source had nothing new."""
    await connection.execute("SELECT dams.prune_changed_items()")
    async with connection.transaction():
        await connection.execute(
            "UPDATE dams.load_source SET checked = now(), message = NULL, issued = greatest(issued, $2), "
            "summary = coalesce($3::text::jsonb, summary) WHERE source = $1",
            source.name,
            issued,
            orjson.dumps(summary).decode() if summary is not None else None,
        )
        await connection.executemany(
            "INSERT INTO dams.load_document VALUES ($1, $2, $3, $4, $5) ON CONFLICT (source, address) DO UPDATE "
            "SET etag = excluded.etag, last_modified = excluded.last_modified, retrieved = excluded.retrieved",
            [
                (source.name, address, each.etag, each.last_modified, retrieved)
                for address, each in validators.items()
                if source.once or each.etag or each.last_modified
            ],
        )
        # documents that are fetched once would accumulate
        await connection.execute(
            "DELETE FROM dams.load_document WHERE source = $1 AND retrieved < $2", source.name, retrieved - FORGOTTEN
        )


async def fail(connection: asyncpg.Connection, source: Source, message: str) -> None:
    """Record why a load failed."""
    await connection.execute("UPDATE dams.load_source SET message = $2 WHERE source = $1", source.name, message)


async def known_validators(connection: asyncpg.Connection, source: Source) -> dict[str, Validators]:
    """Return the validators of completely loaded documents, by address."""
    rows = await connection.fetch(
        "SELECT address, etag, last_modified FROM dams.load_document WHERE source = $1", source.name
    )
    return {row["address"]: Validators(row["etag"], row["last_modified"]) for row in rows}


def delay_of(state: Mapping[str, Any]) -> timedelta | None:
    """Return the time from the issue of the newest document to the last change of a row; None if it changed none."""
    issued, changed = state["issued"], state["changed"]
    return changed - issued if issued and changed and changed >= issued else None


async def states(connection: asyncpg.Connection) -> dict[str, dict[str, Any]]:
    """Return the records of all sources that were ever loaded, by name; times are UTC."""
    rows = await connection.fetch(
        "SELECT source, rhythm, attempted, checked, changed, issued, message, summary::text FROM dams.load_source"
    )
    return {
        row["source"]: {**dict(row), "summary": orjson.loads(row["summary"]) if row["summary"] else None}
        for row in rows
    }
