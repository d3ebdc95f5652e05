"""How all rows of a collection are read."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Collection, GeometryColumn
from libs.pg.pool import Database, PoolSettings
from libs.pg.snapshot import Snapshot, snapshot
from libs.pg.sql import Sql
from libs.selection.selection import SortTerm
from services.features.rows.read_all import read_all
from tests.conftest import MakeDatabase
from tests.services.features.rows.few import ID, KEYED, ROWS, few_tables, query, store_of


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    async with Database(PoolSettings(await make_database(few_tables), "whole-test", size=1)) as database:
        yield database


@pytest.mark.parametrize(
    ("collection", "by_key"),
    [
        *((replace(KEYED, kind=kind), True) for kind in ("table", "partitioned table", "materialized view")),
        (replace(KEYED, kind="view"), False),
        (replace(KEYED, key=None), False),
        (replace(KEYED, key_repeats=True), False),
    ],
)
async def test_tables_with_a_key_are_read_by_it(
    database: Database, monkeypatch: pytest.MonkeyPatch, collection: Collection, by_key: bool
) -> None:
    """So that a geometry that fails costs itself alone; all others are walked through once."""
    walks: list[bool] = []
    walk = Snapshot.walk

    async def noted(rows: Snapshot, statement: Sql, number: int) -> AsyncGenerator[list[Any]]:
        walks.append("ORDER BY" in statement.render()[0])
        async for found in walk(rows, statement, number):
            yield found

    monkeypatch.setattr(Snapshot, "walk", noted)
    for sort, is_walked in (((), not by_key), ((SortTerm(ID, descending=True),), True)):
        walks.clear()
        async with snapshot(database) as rows:
            chunks = [
                found async for found in read_all(store_of(database), rows, query(collection, sort=sort), "geojson")
            ]
        # and nothing after the last of them
        assert [len(found.rows) for found in chunks] == [ROWS]
        # in order if requested, as an order costs the database time
        assert walks == ([bool(sort)] if is_walked else [])


@pytest.mark.parametrize("kind", ["table", "view"])
async def test_geometries_are_encoded_as_the_format_wants_them(database: Database, kind: str) -> None:
    place = GeometryColumn("geom", "Polygon", 4326)
    wide = replace(KEYED, id="public.wide", name="wide", kind=kind, columns=(ID,), geometries=(place,))
    asked = query(wide)
    asked = replace(asked, selection=replace(asked.selection, geometry=place))
    async with snapshot(database) as rows:
        async for found in read_all(store_of(database), rows, asked, "wkb"):
            assert found.layout.has_geometry
            assert {type(row[1]) for row in found.rows} == {bytes}
