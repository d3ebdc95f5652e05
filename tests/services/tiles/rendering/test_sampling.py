"""Full tiles of a large table: how many rows PostgreSQL reads for them, and which it chooses."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, bind, sql
from services.tiles.rendering.render import render
from services.tiles.rendering.statement import condition, tile_statement
from services.tiles.rendering.thinning import chosen_rows, floor_statement, thinned_statement
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from tests.conftest import MakeDatabase
from tests.services.tiles.places import decoded

_ROWS = 300_000
_NEAR = _ROWS * 4 // 5
_LIMIT = 40_000
_TABLE = f"""
CREATE TABLE quakes (id integer PRIMARY KEY, magnitude float8, depth integer, name text, geom geometry(Point, 4326));
-- four in five lie in the tile; no block holds rows of one strength or place
INSERT INTO quakes SELECT n, CASE WHEN n % 10 > 0 THEN n * 7001 % {_ROWS} END, -(n * 7001 % {_ROWS}), NULL,
    ST_SetSRID(ST_MakePoint(CASE WHEN n % 5 = 0 THEN -100 ELSE 1 + n % 1000 / 10.0 END, 1 + n % 777 / 12.0), 4326)
FROM generate_series(1, {_ROWS}) n;
CREATE INDEX ON quakes USING gist (geom);
CREATE INDEX ON quakes (magnitude, id);
CREATE VIEW seen AS SELECT * FROM quakes;
CREATE TABLE few AS SELECT * FROM quakes LIMIT 3000;
CREATE TABLE turned AS SELECT id, magnitude, depth, name, ST_Translate(geom, 360, 0) AS geom FROM quakes LIMIT 3000;
CREATE TABLE parts (LIKE quakes) PARTITION BY HASH (id);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts SELECT * FROM quakes LIMIT 3000;
CREATE TABLE lines AS SELECT id, magnitude, depth, name,
    ST_MakeLine(geom, ST_Translate(geom, 0.1, 0.1))::geography AS geom FROM quakes LIMIT 20000;
CREATE INDEX ON lines USING gist ((geom::geometry));
CREATE INDEX ON lines USING gist (geom);
"""  # noqa: S608 - our own number


class _Counted(Database):
    """A database that counts how often it is used: once for each statement of a tile."""

    uses = 0

    def connection(self, *, transaction: bool = False, snapshot: bool = False) -> Any:
        self.uses += 1
        return super().connection(transaction=transaction, snapshot=snapshot)


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[_Counted]:
    url = await make_database()
    owner = await asyncpg.connect(url, command_timeout=120)
    await owner.execute(_TABLE)
    await owner.execute("VACUUM ANALYZE")
    await owner.close()
    async with _Counted(PoolSettings(url, "sampling-test", size=1)) as database:
        yield database


def _request(
    *importance: str, limit: int = _LIMIT, place: tuple[int, int, int] = (1, 1, 0), **of_collection: Any
) -> TileRequest:
    collection = Collection(
        id="public.quakes",
        schema="public",
        name="quakes",
        oid=1,
        kind="table",
        title="Quakes",
        description=None,
        columns=(
            Column("id", "integer", "integer", not_null=True),
            Column("magnitude", "double precision", "number"),
            Column("depth", "integer", "integer"),
            Column("name", "text", "string"),
            Column("at", "date", "string", format="date"),
            Column("shape", "json", ""),
        )[: 6 if set(importance) & {"at", "shape"} else 4],
        geometries=(GeometryColumn("geom", "Point", 4326),),
        key="id",
        importance=importance,
        rows=_ROWS,
        sources=(1,),
    )
    collection = replace(collection, shape=repr(of_collection), **of_collection)
    return tile_of(collection, tile_matrix_set("WebMercatorQuad"), *place, limit, ())


async def _plan(database: Database, statement: Sql, *, analyze: bool = False) -> str:
    options = sql("ANALYZE, FORMAT JSON" if analyze else "FORMAT JSON")
    found = await database.fetchval(sql("EXPLAIN ({options}) {statement}", options=options, statement=statement))
    return str(found)


async def _read(database: Database, statement: Sql) -> int:
    """The number of rows that a statement's scans of the table give."""

    def rows(node: dict[str, Any]) -> int:
        own = node["Actual Rows"] if node.get("Relation Name") == "quakes" else 0
        return int(own) + sum(map(rows, node.get("Plans", ())))

    return rows(json.loads(await _plan(database, statement, analyze=True))[0]["Plan"])


async def _ids(database: Database, request: TileRequest, matched: int = 0) -> set[int]:
    rows = sql(
        "SELECT id FROM {table} WHERE ctid IN ({chosen})",
        table=request.selection.table,
        chosen=chosen_rows(request, matched),
    )
    return {row["id"] for row in await database.fetch(rows)}


@pytest.mark.parametrize(
    ("of_request", "matched", "read"),
    [
        # all, where not many more than twice the limit, or 5,000, are near
        ({"limit": 1000}, 5000, _NEAR),
        ({"limit": _NEAR // 2}, _NEAR, _NEAR),
        # some hundred blocks
        ({"limit": 1000}, _NEAR, 20_000),
        ({"limit": 20_000}, _NEAR, 40_000),
        # a part of the rows, where no blocks can be read, or most would be read in vain
        ({"limit": 1000, "kind": "view", "name": "seen"}, _NEAR, 5000),
        ({"limit": 4000, "kind": "view", "name": "seen"}, _NEAR, 8000),
        ({"limit": 1000, "rows": 10**9}, _NEAR, 5000),
        ({"limit": 1000, "rows": 10_000}, 100_000, _NEAR // 20),
    ],
)
async def test_a_few_times_as_many_rows_are_read_as_the_tile_may_have(
    database: Database, of_request: dict[str, Any], matched: int, read: int
) -> None:
    assert await _read(database, chosen_rows(_request(**of_request), matched)) == pytest.approx(read, rel=0.1)


async def test_blocks_are_read_only_where_many_of_their_rows_are_near(database: Database) -> None:
    async def by_blocks(matched: int, rows: int) -> bool:
        return "Sample Scan" in await _plan(database, chosen_rows(_request(limit=1000, rows=rows), matched))

    assert [await by_blocks(200_000 + more, 200_000 + more) for more in (0, 1)] == [False, True]
    # a row that an index finds costs as much as four of blocks
    assert [await by_blocks(400_000, rows) for rows in (32_000_000, 31_999_999)] == [False, True]


async def test_rows_of_full_partitions_are_read_by_address(database: Database) -> None:
    parts: dict[str, Any] = {"kind": "table", "name": "parts", "key": None, "sources": (1, 2)}
    for matched, is_by_address in ((10_000_000, True), (150, False)):
        statement = thinned_statement(_request(limit=100, **parts), matched)
        assert ("Tid Scan" in await _plan(database, statement)) is is_by_address
        row = await database.fetchrow(thinned_statement(_request(limit=100, **parts), 0))
        assert row is not None
        assert row["rows"] == 100


@pytest.mark.parametrize(("limit", "half"), [(1, 1), (2, 1), (3, 2), (8, 4), (50, 25)])
async def test_half_of_the_tile_is_of_the_most_important(database: Database, limit: int, half: int) -> None:
    near = "SELECT id FROM few WHERE ST_X(geom) > 0 AND magnitude IS NOT NULL ORDER BY magnitude DESC LIMIT $1"
    async with database.connection() as connection:
        strongest = {row["id"] for row in await connection.fetch(near, half)}
    found = await _ids(database, _request("-magnitude", limit=limit, name="few"))
    assert strongest <= found
    assert len(found) == limit


@pytest.mark.parametrize(("limit", "cells"), [(8, 2), (50, 5)])
async def test_of_each_cell_the_most_important_comes_first(database: Database, limit: int, cells: int) -> None:
    request = _request("-magnitude", limit=limit, name="few", place=(2, 2, 1))
    [(left, bottom, right, top)] = request.region.near
    first = sql(
        "SELECT id FROM (SELECT DISTINCT ON (floor(ST_X(geom) / {wide}), floor(ST_Y(geom) / {high})) * FROM few"
        " WHERE {near} ORDER BY floor(ST_X(geom) / {wide}), floor(ST_Y(geom) / {high}), magnitude DESC NULLS LAST)"
        " AS cells ORDER BY magnitude DESC LIMIT {rest}",
        wide=bind((right - left) / cells, "float8"),
        high=bind((top - bottom) / cells, "float8"),
        near=condition(request),
        rest=bind(limit // 2, "int8"),
    )
    assert {row["id"] for row in await database.fetch(first)} <= await _ids(database, request)


async def test_places_whose_longitudes_are_stored_turned_are_spread_too(database: Database) -> None:
    column = GeometryColumn("geom", "Point", 4326, turns=(1,))
    found = await _ids(database, _request(name="turned", limit=200, geometries=(column,)))
    squares = "SELECT count(DISTINCT (floor(ST_X(geom) / 18), floor(ST_Y(geom) / 9))) FROM turned WHERE id = ANY($1)"
    async with database.connection() as connection:
        assert await connection.fetchval(squares, list(found)) >= 30


@pytest.mark.parametrize("importance", ["-magnitude", "depth"])
async def test_the_tile_is_the_same_with_any_floor(database: Database, importance: str) -> None:
    request = _request(importance)
    look = floor_statement(request, _NEAR)
    assert look is not None
    floor = await database.fetchval(look)
    column, above = ("magnitude", ">=") if importance == "-magnitude" else ("depth", "<=")
    async with database.connection() as connection:
        count = f"SELECT count(*) FROM quakes WHERE ST_X(geom) > 0 AND {column} {above} $1"  # noqa: S608 - our own
        # enough, and few in vain
        assert _LIMIT // 2 <= await connection.fetchval(count, floor) < 1.5 * _LIMIT
        tiles = []
        # the last two have too few above them, or none
        for given in (None, floor, *((_ROWS - 9, _ROWS + 1) if column == "magnitude" else (9 - _ROWS, -_ROWS - 1))):
            text, args = thinned_statement(request, _NEAR, given).render()
            tiles.append((await connection.fetchrow(text, *args))["tile"])
    assert tiles[0]
    assert tiles.count(tiles[0]) == 4


async def test_a_floor_spares_reading_all_rows_near(database: Database) -> None:
    request = _request("-magnitude", limit=2000)
    floor = await database.fetchval(floor_statement(request, _NEAR) or sql("SELECT NULL"))
    read = [await _read(database, thinned_statement(request, _NEAR, given)) for given in (None, floor)]
    assert read[1] < read[0] * 1.5


async def test_the_strongest_are_in_a_full_tile_of_a_large_table(database: Database) -> None:
    rendered = await render(database, _request("-magnitude"), 10**9)
    ids = {drawn.id for drawn in decoded(rendered.encoded, "public.quakes")}
    async with database.connection() as connection:
        strongest = await connection.fetch(
            "SELECT id FROM quakes WHERE ST_X(geom) > 0 AND magnitude IS NOT NULL ORDER BY magnitude DESC LIMIT $1",
            _LIMIT // 2,
        )
    assert {row["id"] for row in strongest} <= ids
    assert len(ids) == _LIMIT


def test_where_it_spares_nothing_there_is_no_floor() -> None:
    def has_one(*importance: str, matched: int = _NEAR, **of_request: Any) -> bool:
        return floor_statement(_request(*importance, **of_request), matched) is not None

    assert has_one("-magnitude")
    # read in order, enough of them are found among the first 20,000
    assert not has_one("-magnitude", matched=_ROWS)
    assert not has_one("-magnitude", rows=None)
    # of 100 million rows 50,000 are near: for 10 of them, which are half of a tile, 20,000 are read
    for limit, rows, found in (
        (20, 10**8, False),
        (20, 10**8 + 1, True),
        (19, 10**8 + 1, True),
        (18, 10**8 + 1, False),
    ):
        assert has_one("-magnitude", limit=limit, rows=rows, matched=50_000) is found
    # few are near
    assert [has_one("-magnitude", matched=matched) for matched in (40_000, 40_001)] == [False, True]
    # views are not sampled, and the order of texts depends on the collation
    assert not has_one("-magnitude", kind="view")
    assert [has_one(name) for name in ("id", "at", "name")] == [True, True, False]
    # a column without an order does not count
    assert has_one("shape", "magnitude")
    assert not has_one("shape")
    assert not has_one()


async def test_a_column_that_is_called_like_one_of_the_statement_is_what_orders(database: Database) -> None:
    """A bare name would be that of the identities, which the statement calls `feature`."""
    async with database.connection() as connection:
        await connection.execute("SET default_transaction_read_only = off")
        await connection.execute("CREATE TABLE named AS SELECT id, -depth AS feature, geom FROM quakes LIMIT 1000")
        strongest = await connection.fetchval("SELECT id FROM named WHERE ST_X(geom) > 0 ORDER BY feature DESC LIMIT 1")
    columns = (Column("id", "integer", "integer", not_null=True), Column("feature", "integer", "integer"))
    assert await _ids(database, _request("-feature", limit=1, name="named", columns=columns)) == {strongest}


@pytest.mark.parametrize(
    ("of_request", "uses"),
    [
        # all rows near are read at once
        ({"place": (6, 63, 63)}, 1),
        ({"place": (6, 40, 26), "rows": None}, 1),
        # the estimate says that the tile is full, and no floor is worth its time
        ({"limit": 1000}, 2),
        # one row more than the limit was read, then estimated, and chosen
        ({"limit": 1000, "rows": None}, 3),
        # few of many rows are near, which are counted
        ({"place": (6, 40, 26), "limit": 100}, 3),
        # the floor, too
        ({"importance": ("-magnitude",)}, 3),
    ],
)
async def test_a_tile_takes_few_statements(database: _Counted, of_request: dict[str, Any], uses: int) -> None:
    importance = of_request.pop("importance", ()) if "importance" in of_request else ()
    database.uses = 0
    await render(database, _request(*importance, **of_request), 10**9)
    assert database.uses == uses


async def test_a_tile_that_may_be_full_is_looked_at_before_it_is_encoded(database: Database) -> None:
    async def is_encoded(rows: int | None, place: tuple[int, int, int] = (1, 1, 0), limit: int = 100) -> bool:
        row = await database.fetchrow(tile_statement(_request(rows=rows, place=place, limit=limit)))
        assert row is not None
        assert row["rows"] == limit + 1
        return bool(row["tile"])

    # twenty times the number of an even distribution: 20 rows for each of four tiles
    assert [await is_encoded(rows) for rows in (None, 0, 19, 20, 21)] == [False, True, True, False, False]
    assert await is_encoded(20, (2, 2, 1))
    assert [await is_encoded(100, limit=limit) for limit in (500, 501)] == [False, True]


async def test_the_database_plans_a_statement_once_for_all_tiles_of_a_zoom(database: Database) -> None:
    count = sql("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%ST_AsMVT(%'")
    # the first also adds itself
    await database.fetchval(count)
    await database.fetchrow(tile_statement(_request(rows=10, place=(7, 70, 50), limit=77)))
    before = await database.fetchval(count)
    for x in range(71, 76):
        await database.fetchrow(tile_statement(_request(rows=10, place=(7, x, 51), limit=77)))
    assert await database.fetchval(count) == before


@pytest.mark.parametrize("crosses", [False, True])
@pytest.mark.parametrize("place", [(5, 17, 14), (6, 33, 30)])
async def test_a_narrow_tile_of_a_geography_is_found_by_its_index(
    database: Database, crosses: bool, place: tuple[int, int, int]
) -> None:
    column = GeometryColumn("geom", "LineString", 4326, is_geography=True, crosses=crosses)
    request = _request(name="lines", geometries=(column,), place=place)
    near = sql("SELECT id FROM lines WHERE {near}", near=condition(request))
    plan = await _plan(database, near)
    assert "Bitmap" in plan or "Index Scan" in plan
    found = {row["id"] for row in await database.fetch(near)}
    [(left, bottom, right, top)] = request.region.near
    box = f"ST_MakeEnvelope({left}, {bottom}, {right}, {top}, 4326)"
    async with database.connection() as connection:
        inside = await connection.fetch(f"SELECT id FROM lines WHERE ST_Intersects(geom::geometry, {box})")  # noqa: S608
    assert inside
    assert {row["id"] for row in inside} <= found
