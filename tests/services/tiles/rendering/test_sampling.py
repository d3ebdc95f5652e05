"""How many rows are looked at for a tile that is too full, and how they are spread over it: without a database."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.sql import Sql
from services.tiles.rendering.thinning import chosen_rows, floor_statement, thinned_statement
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.rendering.points import POINTS, bound

COLLECTION = replace(
    POINTS,
    columns=(
        Column("id", "integer", "integer", not_null=True),
        Column("size", "real", "number"),
        Column("at", "date", "string", format="date"),
        Column("shape", "json", ""),
    ),
    sources=(1,),
)


def _request(limit: int = 1000, **of_collection: Any) -> TileRequest:
    collection = replace(COLLECTION, shape=repr(of_collection), **of_collection)
    return tile_of(collection, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, limit, ())


def _numbers(statement: Sql | None, pattern: str) -> list[Any]:
    """Return the values bound at each `#` of the pattern, at its first place; empty if it has none."""
    assert statement is not None
    return bound(statement, pattern)


@pytest.mark.parametrize(
    ("limit", "matched", "share"),
    [
        # twice the limit of the tile, at least 5,000
        (1_000, 5_000, None),
        (1_000, 5_001, 65_523),
        (1_000, 10_000, 32_768),
        (2_500, 10_000, 32_768),
        (4_000, 8_000, None),
        (4_000, 16_000, 32_768),
        (2_501, 10_004, 32_768),
        # of however many not none
        (1_000, 10**9, 1),
    ],
)
def test_a_sample_is_a_few_times_as_many_rows_as_the_tile_may_have(limit: int, matched: int, share: int | None) -> None:
    for kind, chance in (("view", 'hashtextextended(("id")::text, 0)'), ("table", "hashtid(ctid)")):
        # blocks of a table of this size would be more to read
        request = _request(limit, kind=kind, rows=10**15)
        found = _numbers(chosen_rows(request, matched), f"({chance} & #) < #")
        assert found == ([] if share is None else [65_535, share])


def _percent(matched: int, limit: int = 1000, **of_collection: Any) -> float | None:
    found = _numbers(
        chosen_rows(_request(limit, **of_collection), matched), '"s"."t" TABLESAMPLE SYSTEM (#) REPEATABLE'
    )
    return found[0] if found else None


def test_of_blocks_there_are_some_hundred_at_the_least() -> None:
    assert _percent(400_000, rows=400_000) == 5.0
    assert _percent(400_000, limit=10_000, rows=400_000) == 5.0
    assert _percent(400_000, limit=20_000, rows=400_000) == 10.0
    # the number of rows elsewhere is unknown
    assert _percent(400_000, rows=None) == 5.0


def test_blocks_are_read_where_many_rows_are_near_and_few_blocks_in_vain() -> None:
    assert _percent(200_000, rows=200_000) is None
    assert _percent(200_001, rows=200_001) == pytest.approx(10, rel=0.001)
    # a row that an index finds costs as much as four of blocks
    assert (_percent(400_000, rows=32_000_000), _percent(400_000, rows=31_999_999)) == (None, 5.0)


@pytest.mark.parametrize(("limit", "cells"), [(1, 1), (2, 1), (7, 1), (8, 2), (50, 5), (8_191, 63), (8_192, 64)])
def test_a_cell_is_for_two_features_and_the_64th_of_a_side_at_the_least(limit: int, cells: int) -> None:
    for finest in (limit, limit + (100_000 if cells == 64 else 0)):
        request = _request(finest)
        [(left, bottom, right, top)] = request.region.near
        statement = chosen_rows(request, 0)
        assert _numbers(statement, 'floor(ST_X("geom") / #) AS x') == [pytest.approx((right - left) / cells)]
        assert _numbers(statement, 'floor(ST_Y("geom") / #) AS y') == [pytest.approx((top - bottom) / cells)]


def test_a_cell_is_as_wide_where_longitudes_are_stored_turned() -> None:
    plain, turned = (
        chosen_rows(_request(geometries=(GeometryColumn("geom", "Point", 4326, turns=turns),)), 0)
        for turns in ((), (-1, 1))
    )
    for pattern in ('floor(ST_X("geom") / #)', 'floor(ST_Y("geom") / #)'):
        assert _numbers(turned, pattern) == pytest.approx(_numbers(plain, pattern))


@pytest.mark.parametrize(("limit", "half"), [(1, 1), (2, 1), (3, 2), (1000, 500)])
def test_half_of_the_tile_and_no_less_is_of_the_most_important(limit: int, half: int) -> None:
    request = _request(limit, importance=("-size",))
    assert _numbers(chosen_rows(request, 0), 'ORDER BY "t"."size" DESC LIMIT #) AS best') == [half]
    with_floor = thinned_statement(request, 0, 2.5)
    assert _numbers(with_floor, 'ORDER BY "t"."size" DESC LIMIT #) SELECT feature FROM likely') == [half]
    assert _numbers(with_floor, "WHERE (SELECT count(*) FROM likely) < #) AS best") == [half]
    assert _numbers(with_floor, '"t"."size" >= #') == [2.5]
    assert _numbers(thinned_statement(_request(limit, importance=("size",)), 0, 2.5), '"t"."size" <= #') == [2.5]


def test_of_a_cell_the_most_important_come_first() -> None:
    text, _ = chosen_rows(_request(importance=("-size", "id")), 0).render()
    assert ' AS y, "t"."size" AS "importance_0", "t"."id" AS "importance_1" FROM "s"."t" WHERE ' in text
    order = '"importance_0" DESC NULLS LAST, "importance_1", chance'
    assert f"row_number() OVER (PARTITION BY x, y ORDER BY {order}) AS rank" in text
    assert f" AS ranked ORDER BY rank, {order} LIMIT " in text


def _rank(limit: int, matched: int, **of_collection: Any) -> list[Any]:
    statement = floor_statement(_request(limit, importance=("-size", "id"), **of_collection), matched)
    # of those near, by what an index on the first column answers
    pattern = ' AND "t"."size" IS NOT NULL ORDER BY "t"."size" DESC OFFSET # LIMIT 1'
    return [] if statement is None else _numbers(statement, pattern)


def test_the_floor_is_far_enough_below_what_the_sample_expects() -> None:
    # 500 rows of 100,000 are looked at; of 20,000 that are wanted it expects 100
    assert _rank(40_000, 100_000, rows=10**9) == [100 + 4 * 10 + 4]
    assert _rank(39_999, 100_000, rows=10**9) == [144]
    # one in ten thousand, and so a part of one, which is rounded up: 0.01, four times 0.1, and four
    assert _rank(2, 50_000, rows=2 * 10**9) == [5]
    statement = floor_statement(_request(40_000, importance=("-size",), rows=10**9), 100_000)
    assert _numbers(statement, "TABLESAMPLE SYSTEM (#) REPEATABLE (1) WHERE") == [0.5]


def test_there_is_a_floor_where_too_many_rows_would_be_read_in_order() -> None:
    # of 100 million rows 50,000 are near: for 10 of them 20,000 are read
    assert _rank(20, 50_000, rows=100_000_000) == []
    assert _rank(20, 50_000, rows=100_000_001) != []
    # for half of a tile, which is no less where that is odd
    assert _rank(19, 50_000, rows=100_000_001) != []
    assert _rank(18, 50_000, rows=100_000_001) == []


def test_a_floor_is_a_number_or_a_time() -> None:
    def has_one(*importance: str) -> bool:
        return floor_statement(_request(40_000, importance=importance, rows=10**9), 100_000) is not None

    assert [has_one(name) for name in ("size", "id", "at")] == [True, True, True]
    # a column without an order does not count
    assert has_one("shape", "size")
    assert not has_one("shape")


def test_where_rows_have_no_identity_the_first_are_taken() -> None:
    nothing = {"kind": "view", "key": None}
    text, args = thinned_statement(_request(77, importance=("-size",), **nothing), 0).render()
    assert re.search(r'ORDER BY "t"."size" DESC NULLS LAST LIMIT \$\d+::int8\) AS chosen', text)
    assert 77 in args
    text, _ = thinned_statement(_request(77, **nothing), 0).render()
    assert re.search(r'ORDER BY hashtextextended\("geom"::text, 0\) LIMIT \$\d+::int8\) AS chosen', text)
