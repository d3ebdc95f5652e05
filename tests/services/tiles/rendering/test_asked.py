"""The statements for a tile, their order, and the results made of their answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from json import dumps
from typing import Any, Self

import pytest

from libs.catalogue.model import GeometryColumn
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Statements
from libs.pg.sql import Sql, bind, sql
from services.tiles.rendering.render import Rendered, render
from services.tiles.rendering.statement import (
    chosen_statement,
    count_statement,
    estimate_statement,
    nowhere_statement,
    tile_statement,
)
from services.tiles.rendering.thinning import chosen_rows, floor_statement, thinned_statement
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.rendering.statements import request

FAILS = StoredValueError()
SETTINGS = "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '32MB'"
Step = tuple[Sql | None, Any]


class Scripted(Statements):
    """A database that expects exactly these statements in this order, and has these answers."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps

    @asynccontextmanager
    async def connection(self, *, transaction: bool = False) -> AsyncIterator[Self]:  # type: ignore[override]
        self.settings = ""
        self.transaction = transaction
        yield self

    async def execute(self, text: str) -> None:
        assert (self.transaction, text) == (True, SETTINGS)
        self.settings = text

    async def fetch(self, statement: Sql | str, *args: Any) -> list[Any]:
        asked = (statement, args) if isinstance(statement, str) else statement.render()
        expected, answer = self.steps.pop(0)
        assert expected is not None
        assert asked == expected.render()
        if isinstance(answer, StoredValueError):
            raise answer
        return [answer] if isinstance(answer, dict) else answer

    async def fetchrow(self, statement: Sql | str, *args: Any) -> Any:
        # a tile of chosen rows is planned for just these values
        assert isinstance(statement, Sql) or self.settings
        return (await self.fetch(statement, *args))[0]


def _tile(size: int, rows: int) -> dict[str, Any]:
    return {"tile": b"x" * size, "rows": rows, "simplified": 0}


def _value(value: object) -> list[list[object]]:
    return [[value]]


def _plan(rows: int) -> list[list[object]]:
    return _value(dumps([{"Plan": {"Plan Rows": rows}}]))


def read_first(limit: int = 100, sortby: str = "", where: str = "", **of_collection: Any) -> TileRequest:
    """Return a request for a tile of a table with an unknown number of rows, which are read before any estimate."""
    return request(limit=limit, sortby=sortby, where=where, rows=None, **of_collection)


async def _rendered(of: TileRequest, *steps: Step, most: int = 1000, seconds: float = 8) -> Rendered:
    database = Scripted([*steps])
    found = await render(database, of, most, search_seconds=seconds)
    assert database.steps == []
    return found


async def test_where_all_fit_nothing_else_is_asked() -> None:
    of = read_first()
    for rows in (0, 1, 100):
        assert await _rendered(of, (tile_statement(of), _tile(9, rows))) == Rendered(b"x" * 9, rows, 0, False)
    assert await _rendered(of, (tile_statement(of), {"tile": None, "rows": 0, "simplified": 0})) == Rendered(b"")


@pytest.mark.parametrize(
    ("limit", "estimate", "counted"), [(100, 20_000, 150), (100, 20_001, None), (5000, 25_000, 7), (5000, 25_001, None)]
)
async def test_more_than_fit_are_counted_or_estimated_and_chosen(
    limit: int, estimate: int, counted: int | None
) -> None:
    of = read_first(limit=limit)
    count: list[Step] = [] if counted is None else [(count_statement(of), _value(counted))]
    matched = estimate if counted is None else counted
    found = await _rendered(
        of,
        (tile_statement(of), _tile(9, limit + 1)),
        (estimate_statement(of), _plan(estimate)),
        *count,
        (thinned_statement(of, matched), _tile(8, limit)),
    )
    assert found == Rendered(b"x" * 8, max(matched, limit), max(0, matched - limit), counted is None)


@pytest.mark.parametrize(("estimate", "counted"), [(20_001, None), (20_000, 19_000), (101, 130)])
async def test_full_tile_of_large_table_is_estimated_before_reading(estimate: int, counted: int | None) -> None:
    of = request(limit=100)
    count: list[Step] = [] if counted is None else [(count_statement(of), _value(counted))]
    matched = estimate if counted is None else counted
    found = await _rendered(
        of, (estimate_statement(of), _plan(estimate)), *count, (thinned_statement(of, matched), _tile(8, 100))
    )
    assert found == Rendered(b"x" * 8, matched, matched - 100, counted is None)


async def test_sparse_tile_of_large_table_is_read_without_count() -> None:
    of = request(limit=100)
    found = await _rendered(of, (estimate_statement(of), _plan(100)), (tile_statement(of), _tile(9, 70)))
    assert found == Rendered(b"x" * 9, 70, 0, False)


async def test_tile_whose_count_is_within_the_limit_is_read_whole() -> None:
    of = request(limit=100)
    counted = (estimate_statement(of), _plan(110)), (count_statement(of), _value(100))
    assert await _rendered(of, *counted, (tile_statement(of), _tile(9, 100))) == Rendered(b"x" * 9, 100, 0, False)


async def test_estimate_far_too_high_leaves_an_exact_tile() -> None:
    of = request(limit=100)
    thinned: list[Step] = [(thinned_statement(of, matched), _tile(7, 60)) for matched in (30_000, 3750, 468, 0)]
    steps = (estimate_statement(of), _plan(30_000)), *thinned, (tile_statement(of), _tile(9, 60))
    assert await _rendered(of, *steps) == Rendered(b"x" * 9, 60, 0, False)


@pytest.mark.parametrize(
    "of",
    [
        request(rows=None),
        request(where="size > 1"),
        request(sortby="size"),
        # as many rows as the limit for each of the four tiles of zoom 1, a fourth of them
        request(z=1, rows=100),
    ],
    ids=["rows unknown", "filter", "order", "few rows"],
)
async def test_tile_without_a_safe_estimate_is_read_first(of: TileRequest) -> None:
    assert await _rendered(of, (tile_statement(of), _tile(9, 3))) == Rendered(b"x" * 9, 3, 0, False)
    # one row more, and the tile of a plain request is estimated first
    dense = request(z=1, rows=101)
    found = await _rendered(dense, (estimate_statement(dense), _plan(2)), (tile_statement(dense), _tile(9, 2)))
    assert found.rows == 2


async def test_an_estimate_that_was_too_high_is_given_up_step_by_step() -> None:
    of = read_first()
    # sixteen times the limit, and less
    for estimates, left in (([25_608, 3201, 400, 0], [99, 7, 0, 5]), ([25_600, 3200, 400, 0], [1, 2, 3, 4])):
        thinned = [
            (thinned_statement(of, matched), _tile(rows, rows)) for matched, rows in zip(estimates, left, strict=True)
        ]
        found = await _rendered(
            of, (tile_statement(of), _tile(9, 101)), (estimate_statement(of), _plan(estimates[0])), *thinned
        )
        assert found == Rendered(b"x" * left[-1], estimates[0], estimates[0] - left[-1], True)
    few: list[Step] = [(thinned_statement(of, matched), _tile(1, 1)) for matched in (1600, 0)]
    counted = (estimate_statement(of), _plan(1600)), (count_statement(of), _value(1600))
    assert (await _rendered(of, (tile_statement(of), _tile(9, 101)), *counted, *few)).left_out == 1599


async def test_a_floor_is_looked_for_first() -> None:
    of = request(limit=2000, importance=("-size",))
    look = floor_statement(of, 50_000)
    found = await _rendered(
        of,
        (estimate_statement(of), _plan(50_000)),
        (look, _value(2.5)),
        (thinned_statement(of, 50_000, 2.5), _tile(8, 2000)),
    )
    assert found == Rendered(b"x" * 8, 50_000, 48_000, True)


async def test_too_many_bytes_make_fewer_features() -> None:
    of = read_first()
    some = [(replace(of, limit=limit), size) for limit, size in ((55, 1500), (34, 1001), (31, 1000))]
    found = await _rendered(
        of,
        (tile_statement(of), _tile(9, 101)),
        (estimate_statement(of), _plan(30_000)),
        (thinned_statement(of, 30_000), _tile(1690, 100)),
        *((thinned_statement(fewer, 30_000), _tile(size, fewer.limit)) for fewer, size in some),
    )
    assert found == Rendered(b"x" * 1000, 30_000, 30_000 - 31, True)
    # all of those near, if they are few enough but too large
    fewer = replace(of, limit=2)
    steps = (tile_statement(of), _tile(3000, 8)), (thinned_statement(fewer, 8), _tile(900, 2))
    assert await _rendered(of, *steps) == Rendered(b"x" * 900, 8, 6, False)
    # one feature of any size is kept
    fewer = replace(of, limit=1)
    steps = (tile_statement(of), _tile(90_000, 2)), (thinned_statement(fewer, 2), _tile(80_000, 1))
    assert await _rendered(of, *steps) == Rendered(b"x" * 80_000, 2, 1, False)


async def test_of_what_the_request_orders_the_first_are_taken() -> None:
    of = read_first(sortby="-size")
    first = replace(of, limit=46)
    found = await _rendered(
        of,
        (tile_statement(of), _tile(2000, 101)),
        (estimate_statement(of), _plan(20_000)),
        (count_statement(of), _value(700)),
        (tile_statement(first), _tile(900, 47)),
    )
    assert found == Rendered(b"x" * 900, 700, 654, False)


def _candidates(of: TileRequest, where: Sql) -> Sql:
    template = "SELECT (ctid)::text FROM {table} WHERE {where} AND (ctid) IS NOT NULL LIMIT {most}"
    return sql(template, table=of.selection.table, where=where, most=bind(50_000, "int8"))


def _drawn(of: TileRequest, *rows: str) -> Sql:
    return chosen_statement(of, sql("SELECT unnest({rows})", rows=bind([*rows], "text[]", cast="tid[]")))


def _without(of: TileRequest, *rows: str) -> TileRequest:
    valid = sql("((ctid) = ANY({rows})) IS NOT TRUE", rows=bind([*rows], "text[]", cast="tid[]"))
    return replace(of, selection=replace(of.selection, conditions=(*of.selection.conditions, valid)))


def _near(of: TileRequest) -> Sql:
    near = count_statement(of)
    # what counts them has the condition alone behind its WHERE
    return Sql(tuple(near.parts[near.parts.index(" WHERE ") + 1 :]))


def _begins(of: TileRequest) -> list[Step]:
    return [
        (tile_statement(of), FAILS),
        (estimate_statement(of), _plan(1)),
        (count_statement(of), _value(1)),
    ]


async def test_rows_that_fail_a_tile_are_looked_for_by_halves_and_left_out() -> None:
    of = read_first(where="size > 1")
    valid = _without(of, "b", "c")
    found = await _rendered(
        of,
        (tile_statement(of), FAILS),
        (estimate_statement(of), _plan(3)),
        (count_statement(of), _value(3)),
        (_candidates(of, _near(of)), [["a"], ["b"], ["c"]]),
        (_drawn(of, "a", "b", "c"), FAILS),
        (_drawn(of, "a"), []),
        (_drawn(of, "b", "c"), FAILS),
        (_drawn(of, "b"), FAILS),
        (_drawn(of, "c"), FAILS),
        (tile_statement(valid), _tile(5, 1)),
    )
    assert found == Rendered(b"x" * 5, 2, 2, False)


async def test_of_a_crowded_tile_those_that_it_would_show_are_tried() -> None:
    of = read_first()
    of_many = sql("SELECT (feature)::text FROM ({chosen}) AS chosen", chosen=chosen_rows(of, 101))
    all_of_few = read_first(sortby="size")
    for asked, matched, candidates in (
        (of, 101, of_many),
        (of, 100, _candidates(of, _near(of))),
        (all_of_few, 101, _candidates(all_of_few, _near(all_of_few))),
    ):
        valid = _without(asked, "a")
        found = await _rendered(
            asked,
            (tile_statement(asked), FAILS),
            (estimate_statement(asked), _plan(9)),
            (count_statement(asked), _value(matched)),
            (candidates, [["a"]]),
            (_drawn(asked, "a"), FAILS),
            (tile_statement(valid), _tile(5, 9)),
        )
        assert found == Rendered(b"x" * 5, 9, 1, False)


async def test_where_rows_have_no_box_either_all_are_tried() -> None:
    """The condition of the request may itself fail on a row: then those that it leaves out are tried, too."""
    of = read_first(where="size > 1")
    everywhere = sql("({size})", size=Sql(of.selection.conditions[0].parts))
    valid = _without(of, "a")
    steps: list[Step] = [
        (_drawn(of, "a"), FAILS),
        (tile_statement(valid), _tile(5, 9)),
    ]
    unknown: list[Step] = [(tile_statement(of), FAILS), (estimate_statement(of), FAILS)]
    found = await _rendered(of, *unknown, (_candidates(of, everywhere), [["a"]]), *steps)
    assert found == Rendered(b"x" * 5, 9, 1, False)
    uncounted: list[Step] = [
        (tile_statement(of), FAILS),
        (estimate_statement(of), _plan(1)),
        (count_statement(of), FAILS),
        (_candidates(of, everywhere), FAILS),
        (_candidates(of, sql("TRUE")), [["a"]]),
    ]
    assert await _rendered(of, *uncounted, *steps) == found


async def test_a_search_in_vain_is_an_error() -> None:
    of = read_first()
    # there is nothing to look for
    with pytest.raises(StoredValueError):
        await _rendered(of, _begins(of)[0], seconds=0)
    # the rows have no identity
    unnamed = read_first(kind="view", key=None)
    with pytest.raises(StoredValueError):
        await _rendered(unnamed, *_begins(unnamed))
    # each can be drawn by itself
    with pytest.raises(StoredValueError):
        await _rendered(of, *_begins(of), (_candidates(of, _near(of)), [["a"]]), (_drawn(of, "a"), []))


async def test_what_takes_the_place_of_invalid_rows_is_looked_into_a_few_times() -> None:
    of = read_first()
    steps: list[Step] = []
    for row in "abcde":
        steps += [*_begins(of), (_candidates(of, _near(of)), [[row]]), (_drawn(of, row), FAILS)]
        of = _without(of, row)
        if row == "d":
            found = await _rendered(read_first(), *steps, (tile_statement(of), _tile(5, 9)))
            assert found == Rendered(b"x" * 5, 9, 4, False)
    with pytest.raises(StoredValueError):
        await _rendered(read_first(), *steps)


@pytest.mark.parametrize(
    ("late", "asked", "is_found"),
    [
        # eight seconds after its beginning no search begins
        ((2, 108.0), 3, False),
        ((2, 107.9), 6, True),
        ((3, 108.0), 6, True),
        ((3, 108.1), 4, False),
    ],
)
async def test_the_search_ends_in_time(
    monkeypatch: pytest.MonkeyPatch, late: tuple[int, float], asked: int, is_found: bool
) -> None:
    of, now = read_first(), [100.0]

    class Slow(Scripted):
        async def fetch(self, statement: Sql | str, *args: Any) -> list[Any]:
            answered, moment = late
            if len(self.steps) == 6 - answered:
                now[0] = moment
            return await super().fetch(statement, *args)

    found = [(_drawn(of, "a"), FAILS), (tile_statement(_without(of, "a")), _tile(5, 9))]
    database = Slow([*_begins(of), (_candidates(of, _near(of)), [["a"]]), *found])
    with monkeypatch.context() as patched:
        patched.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
        try:
            assert await render(database, of, 1000) == Rendered(b"x" * 5, 9, 1)
            assert is_found
        except StoredValueError:
            assert not is_found
    assert len(database.steps) == 6 - asked


async def test_rows_that_are_nowhere_are_left_out_of_each_tile() -> None:
    of = read_first(geometries=(GeometryColumn("geom", "Geometry", 0),))
    nowhere = nowhere_statement(of)
    assert await _rendered(of, (tile_statement(of), _tile(9, 0)), (nowhere, _value(3))) == Rendered(b"x" * 9, 3, 3)
    assert await _rendered(of, (tile_statement(of), _tile(9, 5)), (nowhere, _value(3))) == Rendered(b"x" * 9, 5, 3)
    assert await _rendered(of, (tile_statement(of), _tile(9, 5)), (nowhere, _value(0))) == Rendered(b"x" * 9, 5)
