"""A plain PostGIS database with the standard's data set, and what runs filters on it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from libs.cql import Queryable, filter_sql, queryable
from libs.pg.sql import Sql
from tests.conftest import MakeDatabase
from tests.libs.cql.rows_of_every_type import COLUMNS, MOODS, ROWS

STANDARD = Path(__file__).parent / "standard"
_INSTANT = "timestamp with time zone"
STANDARD_TABLES = {
    "countries": ("MultiPolygon", {"NAME": "text", "POP_EST": "double precision"}),
    "places": (
        "Point",
        {
            **dict.fromkeys(("name", "nameascii"), "text"),
            **dict.fromkeys(("pop_max", "pop_min", "pop_other"), "integer"),
            **{"boolean": "boolean", "date": "date", "start": _INSTANT, "end": _INSTANT},
        },
    ),
    "rivers": ("LineString", {"name": "text"}),
}
"""Type of geometry and of the other columns of each."""


def standard_features(table: str) -> list[dict[str, Any]]:
    """The GeoJSON features of a table."""
    return [json.loads(line) for line in (STANDARD / f"{table}.ndjson").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
async def db(make_database: MakeDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(await make_database())
    yield connection
    await connection.close()


class Table:
    """A table and the queryables of its columns."""

    def __init__(self, db: asyncpg.Connection, name: str, queryables: Mapping[str, Queryable]) -> None:
        self.db = db
        self.name = name
        self.queryables = dict(queryables)

    def sql(self, text: str, lang: Any = "cql2-text") -> Sql:
        return filter_sql(text, lang, self.queryables)

    async def ids(self, where: str | Sql, lang: Any = "cql2-text") -> list[int]:
        """The ids of the rows that a filter or an SQL condition selects."""
        text, args = (self.sql(where, lang) if isinstance(where, str) else where).render()
        return [row[0] for row in await self.db.fetch(f"SELECT id FROM {self.name} WHERE {text} ORDER BY id", *args)]  # noqa: S608

    async def plan(self, where: str | Sql) -> str:
        text, args = (self.sql(where) if isinstance(where, str) else where).render()
        rows = await self.db.fetch(f"EXPLAIN SELECT * FROM {self.name} WHERE {text}", *args)  # noqa: S608
        return "\n".join(row[0] for row in rows)


async def make_table(
    db: asyncpg.Connection, name: str, columns: Mapping[str, str], rows: Sequence[tuple[object, ...]], **options: Any
) -> Table:
    """A table with an `id` and typed columns; rows are SQL literals or values cast from text."""
    definitions = ", ".join('"' + column.replace('"', '""') + f'" {kind}' for column, kind in columns.items())
    await db.execute(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} (id int PRIMARY KEY, {definitions})")
    kinds = list(columns.values())
    for index, row in enumerate(rows, start=1):
        # A collation goes with the column, not with a cast.
        values = ", ".join(f"${place}::text::{kind.split(' COLLATE ')[0]}" for place, kind in enumerate(kinds, start=1))
        await db.execute(f"INSERT INTO {name} VALUES ({index}, {values})", *row)  # noqa: S608
    found = await db.fetch(
        "SELECT attname, format_type(atttypid, atttypmod) AS kind, coalesce(f.srid, g.srid) AS srid"
        " FROM pg_attribute"
        " LEFT JOIN geometry_columns f ON f.f_table_name = $1 AND f.f_geometry_column = attname"
        " LEFT JOIN geography_columns g ON g.f_table_name = $1 AND g.f_geography_column = attname"
        " WHERE attrelid = $1::text::regclass AND attnum > 0",
        name,
    )
    enums = options.get("enums", {})
    table = {
        row["attname"]: queryable(row["attname"], row["kind"], srid=row["srid"], enum=enums.get(row["attname"]))
        for row in found
    }
    return Table(db, name, table)


@pytest.fixture(scope="session")
async def standard(db: asyncpg.Connection) -> dict[str, Table]:
    """The three tables of the standard's cases."""
    return await make_standard(db)


async def make_standard(db: asyncpg.Connection) -> dict[str, Table]:
    """The three tables of the standard's cases, made in this database."""
    tables = {}
    for name, (kind, columns) in STANDARD_TABLES.items():
        definitions = ", ".join(f'"{column}" {sql_type}' for column, sql_type in columns.items())
        await db.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, geom geometry({kind}, 4326), {definitions})")
        for feature in standard_features(name):
            record = {**feature["properties"], "id": feature["id"], "geom": feature["geometry"]}
            insert = f"INSERT INTO {name} SELECT (json_populate_record(NULL::{name}, $1::text::json)).*"
            await db.execute(insert, json.dumps(record))
        queryables = {column: queryable(column, sql_type) for column, sql_type in columns.items()}
        queryables["geom"] = queryable("geom", f"geometry({kind},4326)", srid=4326)
        tables[name] = Table(db, name, queryables)
    return tables


@pytest.fixture(scope="session")
async def types(db: asyncpg.Connection) -> Table:
    """Five rows with a column of every type."""
    await db.execute("CREATE EXTENSION IF NOT EXISTS citext; CREATE TYPE types_mood AS ENUM ('sad', 'ok', 'happy')")
    return await make_table(db, "types", COLUMNS, ROWS, enums={"mood": MOODS})
