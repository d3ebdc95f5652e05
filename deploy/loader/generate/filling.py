"""Write made-up rows into a table that the operator names, which is made like one of schema hazard."""

import re
import time
from collections.abc import Iterator

import asyncpg
from tqdm import tqdm

from deploy.loader.generate.chunks import SIMULATED, Chunk

_NAME = re.compile(r"([a-z_][a-z0-9_]*)\.([a-z_][a-z0-9_]*)\Z", re.ASCII)


class GenerateError(Exception):
    """No rows are made; the message says why."""


def parts_of(table: str) -> tuple[str, str]:
    """Return schema and name. Raises GenerateError for a name that needs quotes, or has no schema."""
    found = _NAME.match(table)
    if found is None:
        raise GenerateError(f"{table!r} is not a table as schema.name, in small letters, digits and underscores")
    return found[1], found[2]


async def prepare(connection: asyncpg.Connection, table: str, like: str, seasons: range | None, *, real: bool) -> bool:
    """Create the table like `like` if it is missing, partitioned by `seasons` if given; return whether it was created.

    Raises GenerateError if it contains rows that are not simulated, unless `real`.
    """
    schema, _ = parts_of(table)
    if await connection.fetchval("SELECT to_regclass($1)", table) is not None:
        others = await connection.fetchval(
            f"SELECT EXISTS (SELECT FROM {table} WHERE source IS DISTINCT FROM $1)",  # noqa: S608 - matched by _NAME
            SIMULATED,
        )
        if others and not real:
            raise GenerateError(
                f"{table} holds rows that are not simulated; --with-real-rows adds to them all the same"
            )
        return False
    await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    partitioned = " PARTITION BY LIST (season)" if seasons else ""
    await connection.execute(
        f"CREATE TABLE {table} (LIKE {like} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING COMMENTS){partitioned}"
    )
    title = await connection.fetchval("SELECT split_part(obj_description($1::regclass), E'\\n', 1)", like)
    comment = await connection.fetchval(
        "SELECT quote_literal($1::text)", f"{title}, generated\nSimulated, not observed."
    )
    await connection.execute(f"COMMENT ON TABLE {table} IS {comment}")
    for season in seasons or ():
        await connection.execute(f"CREATE TABLE {table}_{season} PARTITION OF {table} FOR VALUES IN ({season})")
    await connection.execute(f"CREATE SEQUENCE IF NOT EXISTS {table}_id_seq OWNED BY {table}.id")
    return True


async def fill(connection: asyncpg.Connection, table: str, chunks: Iterator[Chunk], rows: int, *, made: bool) -> float:
    """Copy the rows, in one transaction if the table is already visible to others; return the duration in seconds."""
    schema, name = parts_of(table)
    begun, first = time.monotonic(), 1
    async with connection.transaction():
        with tqdm(total=rows, unit=" rows", unit_scale=True, leave=False) as bar:
            for chunk in chunks:
                count = len(chunk.values[0])
                records = chunk.records()
                names = chunk.names
                if made:
                    # number the rows of a new table here: PostgreSQL 15 has no identity columns in partitions
                    records = ((first + place, *record) for place, record in enumerate(records))
                    names = ("id", *names)
                await connection.copy_records_to_table(name, schema_name=schema, columns=names, records=records)
                first += count
                bar.update(count)
    return time.monotonic() - begun


async def finish(connection: asyncpg.Connection, table: str, like: str, *, by_season: bool) -> None:
    """Make the table a collection: indexes like those of `like`, the reader's privileges, change tracking."""
    schema, _ = parts_of(table)
    for index in await connection.fetch(
        "SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indrelid = $1::regclass AND NOT indisunique",
        like,
    ):
        using = index["text"].partition(" USING ")[2]
        await connection.execute(f"CREATE INDEX ON {table} USING {using}")
    await connection.execute(f"ALTER TABLE {table} ADD PRIMARY KEY ({'season, id' if by_season else 'id'})")
    await connection.execute(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))")  # noqa: S608
    await connection.execute(f"ALTER TABLE {table} ALTER COLUMN id SET DEFAULT nextval('{table}_id_seq')")
    if await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dams_reader')"):
        await connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO dams_reader")
        await connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO dams_reader")
    await connection.execute("SELECT dams.watch($1::text::regclass)", table)
    await connection.execute(f"VACUUM (ANALYZE) {table}")
