"""The most important features of a full tile of a large table: found by a floor, and the same as without it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from services.tiles.rendering.render import render
from services.tiles.rendering.thinning import floor_statement, thinned_statement
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
ANALYZE quakes;
"""  # noqa: S608 - our own number


class _Asked(Database):
    """A database that records the values of its statements."""

    def __init__(self, settings: PoolSettings) -> None:
        super().__init__(settings)
        self.texts: list[str] = []

    async def fetchval(self, statement: Sql) -> Any:
        self.texts.append(str(statement.render()[0]))
        return await super().fetchval(statement)


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[_Asked]:
    url = await make_database()
    owner = await asyncpg.connect(url, command_timeout=120)
    await owner.execute(_TABLE)
    await owner.execute("VACUUM quakes")
    await owner.close()
    async with _Asked(PoolSettings(url, "floor-test", size=1)) as database:
        yield database


def _request(*importance: str, **of_collection: Any) -> TileRequest:
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
        ),
        geometries=(GeometryColumn("geom", "Point", 4326),),
        key="id",
        importance=importance,
        rows=_ROWS,
        sources=(1,),
    )
    return tile_of(replace(collection, **of_collection), tile_matrix_set("WebMercatorQuad"), 1, 1, 0, _LIMIT, ())


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


async def test_a_full_tile_of_a_large_table_is_made_by_it(database: _Asked) -> None:
    database.texts.clear()
    rendered = await render(database, _request("-magnitude"), 10**9)
    assert [text for text in database.texts if "OFFSET" in text]
    ids = {drawn.id for drawn in decoded(rendered.encoded, "public.quakes")}
    async with database.connection() as connection:
        strongest = await connection.fetch(
            "SELECT id FROM quakes WHERE ST_X(geom) > 0 AND magnitude IS NOT NULL ORDER BY magnitude DESC LIMIT $1",
            _LIMIT // 2,
        )
    assert {row["id"] for row in strongest} <= ids
    assert len(ids) == _LIMIT


def test_where_it_spares_nothing_there_is_none() -> None:
    assert floor_statement(_request("-magnitude"), _NEAR) is not None
    # read in order, enough of them are found among the first 20,000
    assert floor_statement(_request("-magnitude"), _ROWS) is None
    assert floor_statement(_request("-magnitude", rows=None), _NEAR) is None
    # few are near
    assert floor_statement(_request("-magnitude"), 40_000) is None
    assert floor_statement(_request("-magnitude"), 40_001) is not None
    # views are not sampled, and the order of texts depends on the collation
    assert floor_statement(_request("-magnitude", kind="view"), _NEAR) is None
    assert floor_statement(_request("name"), _NEAR) is None
    assert floor_statement(_request(), _NEAR) is None


def test_a_column_that_is_called_like_one_of_the_statement_is_what_orders() -> None:
    """A bare name would be that of the identities, which the statement calls `feature`."""
    named = (Column("id", "integer", "integer", not_null=True), Column("feature", "integer", "integer"))
    text, _ = thinned_statement(_request("-feature", columns=named), _NEAR).render()
    assert 'ORDER BY "quakes"."feature" DESC' in text
    assert 'ORDER BY "feature"' not in text


def test_ties_go_to_the_next_column_in_each_half_of_the_tile() -> None:
    text, _ = thinned_statement(_request("-magnitude", "depth"), _NEAR, 5.0).render()
    # the strongest above the floor and without it, and the first of each cell
    assert text.count('ORDER BY "quakes"."magnitude" DESC, "quakes"."depth"') == 2
    assert text.count('ORDER BY "importance_0" DESC NULLS LAST, "importance_1", chance') == 1
    assert text.count('ORDER BY rank, "importance_0" DESC NULLS LAST, "importance_1", chance') == 1
