"""Properties, ids, orders and the identity of rows in tiles, by PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from services.tiles.rendering.statement import (
    count_statement,
    estimate_statement,
    identities,
    identity,
    nowhere_statement,
    tile_statement,
)
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from tests.conftest import MakeDatabase
from tests.services.tiles.places import Drawn, decoded
from tests.services.tiles.rendering.points import POINTS

ID = Column("id", "integer", "integer", not_null=True)
LARGE = Column("id", "bigint", "integer", not_null=True)
SIZE = Column("size", "real", "number")
NAME = Column("name", "text", "string")
COLLECTION = replace(POINTS, columns=(ID, SIZE, NAME))
NO_ID = 0
"""What the decoder returns for a feature without an id."""
TYPES = {
    "smallint": ("5", 5),
    "integer": ("5", 5),
    "bigint": ("5", 5),
    "oid": ("5", 5),
    "double precision": ("0.5", 0.5),
    "numeric": ("1.5", 1.5),
    "text": ("a", "a"),
    "boolean": ("true", True),
    "uuid": ("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    "int4range": ("[1,2)", "[1,2)"),
    "integer[]": ("{1,NULL}", "[1,null]"),
    "date": ("2020-01-31", "2020-01-31"),
    "timestamp without time zone": ("2020-01-31 01:02:03", "2020-01-31T01:02:03Z"),
    "timestamp with time zone": ("2020-01-31 01:02:03Z", "2020-01-31T01:02:03Z"),
}
NO_VALUES = {
    "double precision": "NaN",
    "numeric": "1e400",
    "date": "0044-03-15 BC",
    "timestamp with time zone": "infinity",
}


async def with_points(owner: asyncpg.Connection) -> None:
    """Make a table and a view of five points, tables with one value of each type, and partitions."""
    await owner.execute(
        "CREATE SCHEMA s; CREATE TABLE s.t (id integer PRIMARY KEY, size real, name text, geom geometry(Point, 4326));"
        "INSERT INTO s.t SELECT n, (n % 3)::real, 'n' || n, ST_Point(n, n, 4326) FROM generate_series(1, 4) n;"
        "INSERT INTO s.t VALUES (-5, NULL, NULL, ST_Point(5, 5, 4326)); ANALYZE s.t;"
        "CREATE VIEW s.v AS SELECT * FROM s.t;"
        "CREATE TABLE s.large AS SELECT id::bigint, geom FROM s.t WHERE id = 1;"
        "INSERT INTO s.large VALUES (9007199254740993, ST_Point(2, 2, 4326));"
        "CREATE TABLE s.parts (LIKE s.t) PARTITION BY HASH (id);"
        "CREATE TABLE s.part_0 PARTITION OF s.parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);"
        "CREATE TABLE s.part_1 PARTITION OF s.parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);"
        "INSERT INTO s.parts SELECT * FROM s.t;"
        "CREATE TABLE s.mixed (id integer, geom geometry);"
        "INSERT INTO s.mixed VALUES (1, 'POINT(1 1)'), (2, 'SRID=990001;POINT(1 1)')"
    )
    for place, (sql_type, (stored, _)) in enumerate(TYPES.items()):
        await owner.execute(f"CREATE TABLE s.typed_{place} (id integer, c {sql_type}, geom geometry(Point, 4326))")
        await owner.execute(f"INSERT INTO s.typed_{place} VALUES (1, '{stored}', ST_Point(1, 1, 4326))")  # noqa: S608
        if sql_type in NO_VALUES:
            await owner.execute(
                f"INSERT INTO s.typed_{place} VALUES (2, '{NO_VALUES[sql_type]}', ST_Point(1, 1, 4326))"  # noqa: S608
            )


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    async with Database(PoolSettings(await make_database(with_points), "columns-test", size=1)) as opened:
        yield opened


def _request(*, sortby: str = "", properties: str = "", limit: int = 100, **of_collection: Any) -> TileRequest:
    collection = replace(COLLECTION, **of_collection)
    collection = replace(collection, shape=repr(of_collection))
    pairs = [(name, text) for name, text in (("sortby", sortby), ("properties", properties)) if text]
    return tile_of(collection, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, limit, pairs)


async def _features(database: Database, request: TileRequest) -> list[Drawn]:
    row = await database.fetchrow(tile_statement(request))
    assert row is not None
    return decoded(row["tile"], request.selection.collection.id)


@pytest.mark.parametrize("sql_type", TYPES)
async def test_a_property_has_the_type_of_vector_tiles(database: Database, sql_type: str) -> None:
    place = [*TYPES].index(sql_type)
    kinds = {"date": ("string", "date"), "timestamp without time zone": ("string", "date-time")}
    kinds["timestamp with time zone"] = ("string", "date-time")
    number = {"smallint", "integer", "bigint", "oid", "double precision", "numeric"}
    json_type, format_ = kinds.get(sql_type, ("number" if sql_type in number else "string", None))
    column = Column("c", sql_type, "array" if sql_type == "integer[]" else json_type, format=format_)
    found = await _features(database, _request(name=f"typed_{place}", columns=(ID, column)))
    values = {feature.id: feature.properties.get("c") for feature in found}
    assert values == {1: TYPES[sql_type][1], **({2: None} if sql_type in NO_VALUES else {})}


@pytest.mark.parametrize(
    ("properties", "found"),
    [
        ("", {1: None, 2: None, 3: None, 4: None, NO_ID: -5}),
        ("id", {1: 1, 2: 2, 3: 3, 4: 4, NO_ID: -5}),
        ("name", {1: None, 2: None, 3: None, 4: None, NO_ID: None}),
    ],
)
async def test_an_id_is_a_property_where_it_is_negative_or_requested(
    database: Database, properties: str, found: dict[int, int | None]
) -> None:
    features = await _features(database, _request(properties=properties))
    assert {feature.id: feature.properties.get("id") for feature in features} == found


@pytest.mark.parametrize("properties", ["", "id"])
async def test_a_large_id_is_a_text(database: Database, properties: str) -> None:
    features = await _features(database, _request(name="large", columns=(LARGE,), properties=properties))
    found = {feature.id: feature.properties.get("id") for feature in features}
    assert found == {1: 1 if properties else None, NO_ID: "9007199254740993"}


async def test_features_without_a_key_have_no_id(database: Database) -> None:
    features = await _features(database, _request(key=None))
    assert [feature.id for feature in features] == [NO_ID] * 5
    assert {feature.properties["id"] for feature in features} == {1, 2, 3, 4, -5}


@pytest.mark.parametrize(
    ("sortby", "first"),
    [
        ("size", [3, 1, 4, 2]),
        ("-size", [2, 1, 4, 3]),
        ("-size,-name", [2, 4, 1, 3]),
        ("size,-name", [3, 4, 1, 2]),
        ("-id", [4, 3, 2, 1]),
    ],
)
async def test_a_full_tile_has_the_first_rows_of_the_order(database: Database, sortby: str, first: list[int]) -> None:
    """Nulls come last."""
    for limit in range(1, 5):
        features = await _features(database, _request(sortby=sortby, limit=limit))
        assert {feature.id for feature in features} == set(first[:limit])


@pytest.mark.parametrize(
    "of_collection",
    [
        {"sources": (1,)},
        {"sources": (1, 2), "kind": "partitioned table", "name": "parts"},
        {"sources": (1, 2), "kind": "partitioned table", "name": "parts", "key": None},
        {"sources": (1, 2), "name": "parts", "key": None},
        {"kind": "view", "name": "v"},
    ],
)
async def test_an_identity_selects_its_row(database: Database, of_collection: dict[str, Any]) -> None:
    request = _request(**of_collection)
    name = identity(request)
    assert name is not None
    rows = await database.fetch(
        sql("SELECT id, ({name})::text AS name FROM {table}", name=name, table=request.selection.table)
    )
    for row in rows:
        found = await database.fetch(
            sql(
                "SELECT id FROM {table} WHERE {name} = ANY({rows})",
                table=request.selection.table,
                name=name,
                rows=identities(request, [row["name"]]),
            )
        )
        assert [each["id"] for each in found] == [row["id"]]


@pytest.mark.parametrize("of_collection", [{"kind": "view", "key": None}, {"kind": "function"}, {}])
def test_some_rows_have_no_identity(of_collection: dict[str, Any]) -> None:
    """Without its sources it is unknown whether a table has children."""
    assert identity(_request(**of_collection)) is None


async def test_rows_near_a_tile_are_counted_or_estimated(database: Database) -> None:
    request = _request()
    assert await database.fetchval(count_statement(request)) == 5
    plan = json.loads(await database.fetchval(estimate_statement(request)))
    assert plan[0]["Plan"]["Plan Rows"] > 0


async def test_rows_that_are_nowhere_are_counted_where_there_may_be_some(database: Database) -> None:
    assert nowhere_statement(_request()) is None
    mixed = nowhere_statement(_request(name="mixed", geometries=(GeometryColumn("geom", "Geometry", 0),)))
    assert mixed is not None
    assert await database.fetchval(mixed) == 1
