"""The contents of a single tile: its limits on features and bytes, and its numbers for the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from services.tiles.rendering.render import Rendered, render
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from tests.conftest import MakeDatabase
from tests.services.tiles.places import decoded

ROWS = 30_000
LARGE = 40
NO_LIMIT = 10_000_000


@pytest.fixture(scope="module")
async def owner(make_database: MakeDatabase) -> AsyncIterator[tuple[asyncpg.Connection, str]]:
    """The connection, and the address, of a database of many points and a few large ones, all near each other."""
    url = await make_database()
    connection = await asyncpg.connect(url)
    await connection.execute(
        "CREATE TABLE many (id integer PRIMARY KEY, note text, geom geometry(Point, 4326));"
        "CREATE TABLE large (LIKE many INCLUDING ALL);"
    )
    place = "ST_SetSRID(ST_MakePoint(n % 100, n % 77), 4326)"
    await connection.execute(f"INSERT INTO many SELECT n, NULL, {place} FROM generate_series(1, $1) n", ROWS)  # noqa: S608
    await connection.execute(
        f"INSERT INTO large SELECT n, repeat(chr(64 + n), 1000), {place} FROM generate_series(1, $1) n",  # noqa: S608
        LARGE,
    )
    await connection.execute(
        "CREATE FUNCTION made(most integer) RETURNS SETOF many STABLE LANGUAGE sql AS"
        " 'SELECT * FROM many WHERE id <= most'"
    )
    await connection.execute("ANALYZE")
    yield connection, url
    await connection.close()


@pytest.fixture
async def database(owner: tuple[asyncpg.Connection, str]) -> AsyncIterator[Database]:
    async with Database(PoolSettings(owner[1], "render-test", size=1)) as database:
        yield database


def _request(table: str, limit: int, **parameters: str) -> TileRequest:
    columns = (Column("id", "integer", "integer", not_null=True), Column("note", "text", "string"))
    collection = Collection(
        id=f"public.{table}",
        schema="public",
        name=table,
        oid=1,
        kind="table",
        title="T",
        description=None,
        columns=columns,
        geometries=(GeometryColumn("geom", "Point", 4326),),
        key="id",
        sources=(1,),
    )
    return tile_of(collection, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, limit, parameters.items())


def _ids(tile: Rendered, table: str) -> set[int | None]:
    return {feature.id for feature in decoded(tile.encoded, f"public.{table}")}


@pytest.mark.parametrize(
    ("limit", "estimated"),
    [(100, True), (5_999, True), (6_000, False), (ROWS - 1, False)],
)
async def test_many_rows_are_estimated_and_fewer_are_counted(database: Database, limit: int, estimated: bool) -> None:
    tile = await render(database, _request("many", limit), NO_LIMIT)
    assert len(_ids(tile, "many")) == limit
    # the planner knows all places of so few rows
    assert (tile.rows, tile.left_out, tile.estimated) == (ROWS, ROWS - limit, estimated)


async def test_what_a_function_gives_for_its_arguments_is_counted(database: Database) -> None:
    columns = (Column("id", "integer", "integer", not_null=True),)
    made = replace(
        _request("large", LARGE).selection.collection,
        id="public.made",
        name="made",
        kind="function",
        columns=columns,
        arguments=(Argument("most", "integer", "integer"),),
    )
    request = tile_of(made, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, 7, {"most": "12"}.items())
    tile = await render(database, request, NO_LIMIT)
    assert len(_ids(tile, "made")) == 7
    assert (tile.rows, tile.left_out, tile.estimated) == (12, 5, False)


async def test_of_what_fits_nothing_is_left_out(database: Database) -> None:
    tile = await render(database, _request("large", LARGE), NO_LIMIT)
    assert _ids(tile, "large") == set(range(1, LARGE + 1))
    assert (tile.rows, tile.left_out, tile.estimated) == (LARGE, 0, False)
    assert await render(database, _request("large", LARGE), len(tile.encoded)) == tile
    nothing = await render(database, _request("large", LARGE, filter="id > 100"), NO_LIMIT)
    assert nothing == Rendered(b"")


@pytest.mark.parametrize("sortby", ["", "-id"])
async def test_a_tile_of_few_bytes_has_few_features_but_one(database: Database, sortby: str) -> None:
    parameters = {"sortby": sortby} if sortby else {}
    for most in (20_000, 2_500, 10):
        tile = await render(database, _request("large", LARGE, **parameters), most)
        held = _ids(tile, "large")
        # a thousand bytes each, and a little
        assert len(held) == max(1, len(tile.encoded) // 1000)
        assert len(tile.encoded) <= max(most, 1100)
        assert len(held) >= most * 0.8 // 1000
        assert (tile.rows, tile.left_out) == (LARGE, LARGE - len(held))
        if sortby:
            assert held == set(range(LARGE, LARGE - len(held), -1))
    two = await render(database, _request("large", LARGE, filter="id <= 2", **parameters), 1500)
    assert (len(_ids(two, "large")), two.rows, two.left_out) == (1, 2, 1)


@pytest.mark.parametrize(("sortby", "shown"), [("", 7), ("id", 100)], ids=["chosen later", "read before"])
async def test_rows_that_go_while_the_tile_is_made_are_not_waited_for(
    owner: tuple[asyncpg.Connection, str], sortby: str, shown: int
) -> None:
    connection, url = owner
    await connection.execute("CREATE TABLE going AS TABLE many")

    class Late(Database):
        async def fetchval(self, statement: Sql) -> Any:
            await connection.execute("DELETE FROM going WHERE id > 7; ANALYZE going")
            return await super().fetchval(statement)

    try:
        async with Late(PoolSettings(url, "render-test", size=1)) as database, asyncio.timeout(20):
            tile = await render(database, _request("going", 100, **({"sortby": sortby} if sortby else {})), NO_LIMIT)
    finally:
        await connection.execute("DROP TABLE going")
    assert _ids(tile, "going") == set(range(1, shown + 1))
    assert tile.left_out == 0
