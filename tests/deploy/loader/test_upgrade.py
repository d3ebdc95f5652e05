"""A database of an earlier release gets the missing parts, keeps its data, and takes live data as a new one does.

`earlier/` has the schemas of the first release and of the release before advisories, without their comments.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_loader
from deploy.loader.sources import nhc_advisories, usgs_geojson
from tests.conftest import MakeDatabase
from tests.deploy.loader.conftest import PASSWORD, Load, Publisher, with_hazard_schema
from tests.deploy.loader.earthquake_feed import feature, feed
from tests.deploy.loader.storms.test_nhc_advisories import IRMA

EARLIER = Path(__file__).parent / "earlier"
SHAPES = {
    "Point": "POINT (1 1)",
    "MultiLineString": "MULTILINESTRING ((1 1, 2 2))",
    "MultiPolygon": "MULTIPOLYGON (((1 1, 2 1, 2 2, 1 1)))",
}
TABLES = """
    SELECT c.relname AS name, array_agg(a.attname || '|' || format_type(a.atttypid, a.atttypmod)) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'hazard'::regnamespace AND c.relkind = 'r' AND a.attname <> 'id'
        AND (a.attnotnull OR a.attname IN ('event_id', 'source', 'title'))
    GROUP BY 1
"""
# The contents of the schema, as texts that do not depend on the order of creation.
SCHEMA = {
    "columns": """
        SELECT c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
            pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum), obj_description(c.oid, 'pg_class')
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
        WHERE c.relnamespace IN ('hazard'::regnamespace, 'dams'::regnamespace) AND c.relkind IN ('r', 'v')""",
    "indexes": "SELECT replace(indexdef, indexname, '') FROM pg_indexes WHERE schemaname IN ('hazard', 'dams')",
    "constraints": """
        SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace IN ('hazard'::regnamespace, 'dams'::regnamespace) AND contype <> 'n'""",
    "triggers": "SELECT tgrelid::regclass, tgname, tgenabled, tgfoid::regproc FROM pg_trigger WHERE NOT tgisinternal",
    "functions": """
        SELECT oid::regprocedure, prosrc, prosecdef, proacl::text FROM pg_proc
        WHERE pronamespace IN ('hazard'::regnamespace, 'dams'::regnamespace)""",
}


@pytest.fixture(params=["first", "before_advisories"])
async def owner(
    request: pytest.FixtureRequest, make_database: MakeDatabase, loader_role: str
) -> AsyncIterator[asyncpg.Connection]:
    """The owner of a database of an earlier release, with rows, to which the schema of now was applied."""
    connection = await asyncpg.connect(await make_database())
    await connection.execute((EARLIER / f"{request.param}.sql").read_text(encoding="utf-8"))
    for table in await connection.fetch(TABLES):
        columns = dict(each.split("|") for each in table["columns"])
        values = ", ".join(sample(name, kind) for name, kind in columns.items())
        await connection.execute(f"INSERT INTO hazard.{table['name']} ({', '.join(columns)}) VALUES ({values})")  # noqa: S608
    await apply_schema(connection)
    await ensure_loader(connection, loader_role, PASSWORD)
    yield connection
    await connection.close()


def sample(name: str, kind: str) -> str:
    """A value of a column, as SQL."""
    if name == "kind":
        return "'analysed'"
    if name == "alert_level":
        return "'Orange'"
    if geometry := re.match(r"geometry\((\w+)", kind):
        return f"ST_GeomFromText('{SHAPES[geometry[1]]}', 4326)"
    if kind.startswith("timestamp"):
        return "'2020-01-01T00:00:00Z'"
    if kind in {"integer", "bigint", "double precision"}:
        return "34"
    return "'USGS'" if name == "source" else "'us2000cs46'"


async def schema_of(connection: asyncpg.Connection) -> dict[str, list[Any]]:
    return {name: sorted(str(tuple(row)) for row in await connection.fetch(asked)) for name, asked in SCHEMA.items()}


async def test_an_earlier_database_becomes_one_of_now(
    owner: asyncpg.Connection, make_database: MakeDatabase, run: Load, publisher: Publisher, tmp_path: Path
) -> None:
    new = await asyncpg.connect(await make_database(with_hazard_schema))
    wanted, found = await schema_of(new), await schema_of(owner)
    await new.close()
    for name in wanted:
        assert set(found[name]) == set(wanted[name])
    await apply_schema(owner)
    assert await schema_of(owner) == found, "applying again changes nothing"

    # the old row is still there, and is revised in place
    (before,) = await owner.fetch("SELECT id, title FROM hazard.hazard_eq_events")
    assert (before["title"], await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_nodes")) == ("us2000cs46", 1)
    outcome = await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(feature(), feature("us1"))))
    assert (outcome.counts.updated, outcome.counts.inserted) == (1, 1)
    title = await owner.fetchval("SELECT title FROM hazard.hazard_eq_events WHERE id = $1", before["id"])
    assert title == "M 6.4 - 22km NNE of Hualian, Taiwan"
    path = tmp_path / "tcm.txt"
    path.write_text(IRMA)
    await run(nhc_advisories.SOURCE, path)
    assert (await run(nhc_advisories.SOURCE, path)).counts.changed == 0
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_nodes") == 1 + 1 + 3
