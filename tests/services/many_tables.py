"""2,000 tables as a large agency has them, one of 1,600 columns, and one that says it has 100 million rows."""

from __future__ import annotations

import asyncpg

TABLES = 2000
BATCH = 100
COLUMNS = 1600
HUGE_ROWS = 100_000_000

_TABLE = """
CREATE TABLE many.{name} (
    id integer PRIMARY KEY, name text NOT NULL, category varchar(20), magnitude real, depth double precision,
    count bigint, flag boolean, tags text[], about jsonb, event_date timestamptz, updated timestamp,
    geom geometry({type}, {srid})
);
INSERT INTO many.{name} (id, name, magnitude, event_date, updated, geom)
SELECT n, 'event ' || n, n, timestamptz '2020-01-01Z' + n * interval '1 day', timestamp '2020-01-02',
    ST_Transform(ST_Buffer(ST_SetSRID(ST_MakePoint({longitude}, n), 4326), 0.5), {srid})
FROM generate_series(1, 3) n;
CREATE INDEX ON many.{name} (event_date);
CREATE INDEX ON many.{name} USING gist (geom);
COMMENT ON TABLE many.{name} IS E'Table {number}\\nOne of many.';
COMMENT ON COLUMN many.{name}.magnitude IS 'Magnitude. How strong. [Mw]';
"""
_HUGE = """
CREATE TABLE many.huge (id bigint PRIMARY KEY, at timestamptz, geom geometry(Point, 4326));
INSERT INTO many.huge SELECT n, timestamptz '2020-01-01Z' + n * interval '1 day', ST_SetSRID(ST_MakePoint(n, n), 4326)
FROM generate_series(1, 80) n;
CREATE INDEX ON many.huge (at);
CREATE INDEX ON many.huge USING gist (geom);
ANALYZE many.huge;
-- what its cost could depend on is what the planner and the introspection read
UPDATE pg_class SET reltuples = 100000000, relpages = 1000000 WHERE oid = 'many.huge'::regclass;
GRANT USAGE ON SCHEMA many TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA many TO dams_reader;
"""


async def make_many_tables(owner: asyncpg.Connection, tables: int = TABLES) -> None:
    """Make schema `many`: table_0001 to, say, table_2000, wide, huge. A hundred a second; needs a superuser."""
    await owner.execute("CREATE SCHEMA many")
    # in batches, as the server keeps a lock for each table and index until a transaction ends
    for first in range(1, tables + 1, BATCH):
        await owner.execute(
            "".join(
                _TABLE.format(
                    name=f"table_{number:04}",
                    number=number,
                    type="Polygon" if number % 2 else "Geometry",
                    srid=4326 if number % 5 else 3857,
                    longitude=number % 170,
                )
                for number in range(first, min(first + BATCH, tables + 1))
            )
        )
    columns = ", ".join(f"c{number} integer" for number in range(1, COLUMNS + 1))
    await owner.execute(f"CREATE TABLE many.wide ({columns})")
    await owner.execute("INSERT INTO many.wide (c1, c1600) VALUES (1, 1600)")
    await owner.execute("ANALYZE")
    await owner.execute(_HUGE)
