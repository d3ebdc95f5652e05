"""Versions of the schema: the migrations that lead from each to the next, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import asyncpg

FOLDER = Path(__file__).parent
FIRST = 1
"""Version of the first release, which has no migration."""

_NAME = re.compile(r"(\d{4})_(\w+)\.(up|down)\.sql")


class MigrationError(Exception):
    """The schema cannot have the wanted version; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A change of the schema, and how to take it back."""

    name: str
    up: str
    down: str


def read_migrations(folder: Path = FOLDER) -> Mapping[int, Migration]:
    """Return all migrations by the version that they lead to. Raises MigrationError if one of a pair is missing."""
    texts = {
        (int(found[1]), found[2], found[3]): file.read_text(encoding="utf-8")
        for file in sorted(folder.glob("*.sql"))
        if (found := _NAME.fullmatch(file.name))
    }
    try:
        return {
            version: Migration(f"{version:04}_{name}", text, texts[version, name, "down"])
            for (version, name, direction), text in texts.items()
            if direction == "up"
        }
    except KeyError as error:
        raise MigrationError(f"migration {error} is missing") from None


def newest(migrations: Mapping[int, Migration]) -> int:
    """Return the version of the current schema."""
    return max(migrations, default=FIRST)


async def current_version(connection: asyncpg.Connection) -> int | None:
    """Return the version of the schema in the database; None if it has none."""
    if await connection.fetchval("SELECT to_regclass('dams.schema_version')") is not None:
        version: int = await connection.fetchval("SELECT version FROM dams.schema_version")
        return version
    exists = await connection.fetchval("SELECT to_regclass('hazard.hazard_eq_events')") is not None
    return FIRST if exists else None


async def migrate_up(connection: asyncpg.Connection, migrations: Mapping[int, Migration], version: int) -> list[str]:
    """Run the migrations after `version`, in the transaction of the caller; return their names.

    Raises MigrationError if the schema is that of a newer release.
    """
    if version > newest(migrations):
        raise MigrationError(
            f"the database has version {version} of the schema, and this release knows versions up to "
            f"{newest(migrations)}; with the newer release, first run: "
            f"python -m deploy.database revert --to {newest(migrations)}"
        )
    wanted = sorted(number for number in migrations if number > version)
    for number in wanted:
        await connection.execute(migrations[number].up)
    await _record(connection, newest(migrations))
    return [migrations[number].name for number in wanted]


async def migrate_down(connection: asyncpg.Connection, migrations: Mapping[int, Migration], to: int) -> list[str]:
    """Take back the migrations after version `to`, the last one first, in the transaction of the caller.

    Returns their names. Raises MigrationError for a version that the database never had.
    """
    version = await current_version(connection)
    if version is None or not FIRST <= to <= version or version > newest(migrations):
        has = "no schema" if version is None else f"version {version} of the schema"
        raise MigrationError(f"the database has {has}; this release cannot go from there to version {to}")
    wanted = sorted((number for number in migrations if to < number <= version), reverse=True)
    for number in wanted:
        await connection.execute(migrations[number].down)
    await _record(connection, to)
    return [migrations[number].name for number in wanted]


async def _record(connection: asyncpg.Connection, version: int) -> None:
    await connection.execute(
        "UPDATE dams.schema_version SET version = $1, changed = now() WHERE version <> $1", version
    )
