"""The warnings in docs/observability.md name the data that an operator has to correct: the one test of log texts."""

from __future__ import annotations

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_reader
from tests.architecture.documents import code_in, page
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.running_stack import Cluster
from tests.services.conftest import PASSWORD, READER, reader_url
from tests.services.in_process import services

_LOST = "ST_SetSRID(ST_MakePoint(15700000, 14800000), 3035)"
"""A place without longitude and latitude."""
_TABLES = f"""
CREATE SCHEMA own;
CREATE TABLE own.places (id integer PRIMARY KEY, geom geometry(Point, 3035));
INSERT INTO own.places SELECT n, CASE WHEN n > 2 THEN {_LOST}
ELSE ST_Transform(ST_SetSRID(ST_MakePoint(n, 45), 4326), 3035) END FROM generate_series(1, 14) n;
CREATE TABLE own.misplaced (id integer PRIMARY KEY, geom geometry);
INSERT INTO own.misplaced SELECT n, CASE WHEN n = 17 THEN {_LOST} WHEN n = 1 THEN 'SRID=4326;POINT(1 1)'
ELSE ST_Transform(ST_SetSRID(ST_MakePoint(n / 10.0, 45), 4326), 3035) END FROM generate_series(1, 39) n;
CREATE TABLE own.hidden (id integer PRIMARY KEY);
CREATE VIEW own.broken AS SELECT * FROM own.hidden;
CREATE FUNCTION own.inner_one() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';
SET search_path = own, public;
CREATE FUNCTION own.outer_one(n integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 FROM own.inner_one()';
CREATE TABLE own.odd_index (id integer PRIMARY KEY);
CREATE INDEX ON own.odd_index (own.outer_one(id));
DROP FUNCTION own.inner_one();
ANALYZE;
GRANT USAGE ON SCHEMA own TO hostile_reader;
GRANT SELECT ON own.places, own.misplaced, own.broken, own.odd_index TO hostile_reader;
"""  # noqa: S608 - our own words


async def test_the_log_names_data_to_correct(
    make_database: MakeDatabase, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    url = await make_database()
    owner = await asyncpg.connect(url)
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute(_TABLES)
    await owner.execute("CREATE ROLE view_owner_of_log; ALTER VIEW own.broken OWNER TO view_owner_of_log")
    settings = {"DAMS_REDIS_URL": cluster.redis_url, "DAMS_COLLECTION_SCHEMAS": "own"}
    try:
        async with services() as running:
            for name in ("common", "features", "tiles"):
                await running.start(name, {"DAMS_DATABASE_URL": reader_url(url), **settings})
            places = "/collections/own.places"
            await eventually(lambda: running["features"].json(f"{places}/items", limit="20"))
            await running["features"].json(
                "/collections/own.misplaced/items", filter="NOT S_INTERSECTS(geom, BBOX(0.95, 44, 3.05, 46))"
            )
            assert (await running["tiles"].get(f"{places}/tiles/WebMercatorQuad/0/0/0")).status == 200
    finally:
        await owner.execute("DROP OWNED BY view_owner_of_log CASCADE; DROP ROLE view_owner_of_log")
        await owner.close()
    said = {record.getMessage(): vars(record)["fields"] for record in caplog.records if "fields" in vars(record)}
    for messages, fields, _ in page("docs/observability.md").table("message", "fields", "what clients get"):
        for message in code_in(messages):
            assert [*said[message]] == code_in(fields)
    assert said["view left out"]["collection"] == "own.broken"
    assert said["table left out"]["collection"] == "own.odd_index"
    ids = [str(number) for number in range(3, 13)]
    lost = {"collection": "own.places", "number": 12}
    assert said["geometry not encoded"] == {**lost, "ids": ids}
    failing = {"collection": "own.misplaced", "number": 1, "rows": ["(0,17)"]}
    assert said["rows on which a filter fails do not match"] == failing
    assert len(said["rows left out of a tile"]["rows"]) == 10
