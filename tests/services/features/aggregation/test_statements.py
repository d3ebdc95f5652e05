"""What the database counts: the values of a column, its nulls, and the range or cell of each row."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.pg.sql import Sql, sql
from libs.selection.selection import Selection
from services.features.aggregation import statements
from services.features.aggregation.facet import PlaceFacet, TermFacet, TimeFacet

TYPES = {
    "whole": ("bigint", "integer", None),
    "exact": ("numeric", "number", None),
    "double": ("double precision", "number", None),
    "price": ("money", "number", None),
    "number": ("oid", "integer", None),
    "yes": ("boolean", "boolean", None),
    "word": ("text", "string", None),
    "day": ("date", "string", "date"),
    "clock": ("timestamp without time zone", "string", "date-time"),
    "moment": ("timestamp with time zone", "string", "date-time"),
}
COLUMNS = {name: Column(name, kind, type_, form) for name, (kind, type_, form) in TYPES.items()}
GEOM = GeometryColumn("geom", "Point", 4326)
KINDS = Collection("pg_temp.kinds", "pg_temp", "kinds", 1, "table", "K", None, tuple(COLUMNS.values()), (GEOM,))
ALL = Selection(KINDS, GEOM, (), KINDS.columns, ())
_ROWS = (
    "(1, 1.5, 1.5, '1.50', 7, true, 'a', '2020-01-01', '2020-01-01 12:00', '2020-01-01 12:00+00',"
    " ST_Point(0, 0, 4326)),"
    "(1, 1.50, 2.5, '2.50', 4000000000, false, 'b', '9999-12-31', '9999-12-31 23:59', '9999-12-31 23:59+00',"
    " ST_Point(180, 90, 4326)),"
    "(-1, 'NaN', 'NaN', NULL, NULL, NULL, '', 'infinity', 'infinity', '-infinity', ST_Point(-180, -90, 4326)),"
    "(3, 1e400, 'Infinity', NULL, NULL, NULL, NULL, '0044-03-15 BC', '10000-01-01', '0044-03-15 BC',"
    " ST_Point('NaN', 'NaN', 4326)),"
    "(NULL, -1e400, '-Infinity', NULL, NULL, NULL, NULL, '10000-01-01', '0044-03-15 BC', '10000-01-01 00:00+00', NULL),"
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ST_Point(359, 10, 4326))"
)


@pytest.fixture
async def kinds(owner: asyncpg.Connection) -> AsyncIterator[asyncpg.Connection]:
    """A connection on which the table is, in UTC as those of the services."""
    await owner.execute("SET timezone = 'UTC'")
    columns = ", ".join(f"{name} {kind}" for name, (kind, _, _) in TYPES.items())
    await owner.execute(f"CREATE TEMP TABLE kinds ({columns}, geom geometry(Point, 4326))")
    await owner.execute(f"INSERT INTO kinds VALUES {_ROWS}")  # noqa: S608 ours
    yield owner
    await owner.execute("DROP TABLE kinds")


async def _rows(connection: asyncpg.Connection, statement: Sql) -> list[tuple[Any, ...]]:
    text, args = statement.render()
    return [tuple(row) for row in await connection.fetch(text, *args)]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("whole", [(1, 2), (-1, 1), (3, 1)]),
        ("exact", [("1.5", 2)]),
        ("double", [("1.5", 1), ("2.5", 1)]),
        ("price", [("1.50", 1), ("2.50", 1)]),
        ("number", [("7", 1), ("4000000000", 1)]),
        ("yes", [(False, 1), (True, 1)]),
        ("word", [("", 1), ("a", 1), ("b", 1)]),
        ("day", [("2020-01-01", 1), ("9999-12-31", 1)]),
        ("clock", [("2020-01-01 12:00:00", 1), ("9999-12-31 23:59:00", 1)]),
    ],
)
async def test_values_that_features_show_are_terms(
    kinds: asyncpg.Connection, name: str, shown: list[tuple[object, int]]
) -> None:
    rows = await _rows(kinds, statements.terms(ALL, TermFacet(name, COLUMNS[name])))
    assert [row[:2] for row in rows if row[0] is not None] == shown
    number = sum(n for _, n in shown)
    assert {row[2:] for row in rows} == {(len(shown), number, 6 - number)}


@pytest.mark.parametrize(
    ("sorting", "least", "shown"),
    [
        ("count_desc", 1, [1, -1]),
        ("count_asc", 1, [-1, 3]),
        ("value_asc", 1, [-1, 1]),
        ("value_desc", 1, [3, 1]),
        # those that are too few come behind those that are not
        ("value_desc", 2, [1, 3]),
    ],
)
async def test_the_order_of_terms(kinds: asyncpg.Connection, sorting: str, least: int, shown: list[int]) -> None:
    facet = TermFacet("whole", COLUMNS["whole"], size=2, sorting=sorting, least=least)
    assert [row[0] for row in await _rows(kinds, statements.terms(ALL, facet))] == shown


async def test_terms_are_those_of_the_selection(kinds: asyncpg.Connection) -> None:
    some = Selection(KINDS, GEOM, (sql("whole > 1"),), KINDS.columns, ())
    assert await _rows(kinds, statements.terms(some, TermFacet("whole", COLUMNS["whole"]))) == [(3, 1, 1, 1, 0)]
    nothing = Selection(KINDS, GEOM, (sql("false"),), KINDS.columns, ())
    assert await _rows(kinds, statements.terms(nothing, TermFacet("whole", COLUMNS["whole"]))) == []
    # where all are null, a row tells how many
    nulls = Selection(KINDS, GEOM, (sql("whole IS NULL"),), KINDS.columns, ())
    assert await _rows(kinds, statements.terms(nulls, TermFacet("whole", COLUMNS["whole"]))) == [(None, 2, 0, 0, 2)]


async def test_ends_and_ranges_of_numbers(kinds: asyncpg.Connection) -> None:
    whole, exact, price = COLUMNS["whole"], COLUMNS["exact"], COLUMNS["price"]
    assert await _rows(kinds, statements.number_ends(ALL, whole)) == [("-1", "3")]
    ((least, greatest),) = await _rows(kinds, statements.number_ends(ALL, exact))
    assert (float(least), float(greatest)) == (1.5, 1.5)
    assert await _rows(kinds, statements.number_quantiles(ALL, whole, 2)) == [(["-1", "1", "3"],)]
    # a value at an edge is in the range that begins there; whole numbers are compared with fractions
    for column, edges, numbers in (
        (whole, ["1", "1.5"], {(None, 2), (0, 1), (1, 2), (2, 1)}),
        (exact, ["1.5"], {(None, 4), (1, 2)}),
        (exact, ["1.51"], {(None, 4), (0, 2)}),
        (COLUMNS["double"], ["1.5", "2.4"], {(None, 4), (1, 1), (2, 1)}),
        (price, ["1.505"], {(None, 4), (0, 1), (1, 1)}),
        (whole, [], {(None, 2), (0, 4)}),
    ):
        assert {*await _rows(kinds, statements.numbers(ALL, column, edges))} == numbers, (column.name, edges)


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("day", "2020-01-01", "9999-12-31"),
        ("clock", "2020-01-01 12:00", "9999-12-31 23:59"),
        ("moment", "2020-01-01 12:00", "9999-12-31 23:59"),
    ],
)
async def test_times_are_moments_in_utc(kinds: asyncpg.Connection, name: str, first: str, last: str) -> None:
    facet = TimeFacet(name, COLUMNS[name])
    ends = (_at(first), _at(last))
    assert await _rows(kinds, statements.time_ends(ALL, facet)) == [ends]
    assert await _rows(kinds, statements.time_quantiles(ALL, facet, 1)) == [([*ends],)]
    edges = [_at(first), _at(first) + timedelta(microseconds=1)]
    assert {*await _rows(kinds, statements.times(ALL, COLUMNS[name], edges))} == {(None, 4), (1, 1), (2, 1)}


async def test_a_day_ends_with_its_last_microsecond(kinds: asyncpg.Connection) -> None:
    clock, day = COLUMNS["clock"], COLUMNS["day"]
    facet = TimeFacet("datetime", clock, day)
    last = _at("9999-12-31 23:59:59.999999")
    assert await _rows(kinds, statements.time_ends(ALL, facet)) == [(_at("2020-01-01 12:00"), last)]
    edges = [_at("2020-01-01 12:00"), _at("2020-01-01 23:59:59.999999"), _at("2020-01-02")]
    found = await _rows(kinds, statements.period_statement(ALL, clock, day, edges))
    # if one end is null, the feature is open on that side
    assert {*found} == {(1, 2, 1), (3, 3, 1), (None, None, 4)}
    # one that ends before it starts reaches from the end to the start
    assert await _rows(kinds, statements.time_ends(ALL, TimeFacet("datetime", day, clock))) == [
        (_at("2020-01-01"), _at("9999-12-31 23:59"))
    ]


@pytest.mark.parametrize(
    ("facet", "cells"),
    [
        # the east of the world begins in the west, and its north is in the last row
        (PlaceFacet("geom", GEOM, 90.0), {(2, 1, 1), (0, 1, 1), (0, 0, 1), (1, 1, 1), (None, None, 2)}),
        (PlaceFacet("geom", GEOM, 50.0), {(3, 1, 1), (0, 3, 1), (0, 0, 1), (3, 2, 1), (None, None, 2)}),
    ],
)
async def test_each_place_is_in_one_cell(
    kinds: asyncpg.Connection, facet: PlaceFacet, cells: set[tuple[int | None, ...]]
) -> None:
    assert {*await _rows(kinds, statements.places(ALL, facet))} == cells


async def test_rows_that_have_no_place_by_a_condition_are_nowhere(kinds: asyncpg.Connection) -> None:
    facet = PlaceFacet("geom", GEOM, 90.0, placed=sql("whole = 1"))
    assert {*await _rows(kinds, statements.places(ALL, facet))} == {(2, 1, 1), (0, 1, 1), (None, None, 4)}
    assert (
        await _rows(kinds, sql("SELECT {placed} FROM pg_temp.kinds", placed=statements.is_placed(GEOM)))
        == [(True,)] * 6
    )


async def test_too_many_cells_return_one_more_than_the_limit(
    kinds: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    facet = PlaceFacet("geom", GEOM, 90.0, placed=sql("whole = 1"))
    monkeypatch.setattr(statements, "MOST_CELLS", 1)
    assert {*await _rows(kinds, statements.places(ALL, facet))} == {(2, 1, 1), (0, 1, 1), (None, None, 4)}
    monkeypatch.setattr(statements, "MOST_CELLS", 0)
    assert len(await _rows(kinds, statements.places(ALL, facet))) == 2
