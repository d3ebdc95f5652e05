"""Rows that the database cannot compute: the counts without them, and their number."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Database, PoolSettings
from libs.pg.shares import Shares
from libs.pg.sql import sql
from libs.selection.selection import Selection
from services.features.aggregation.facet import Facet, PlaceFacet, TermFacet
from services.features.aggregation.facet_counts import FacetCounts
from services.features.rows.failing_rows import FailingRows
from tests.conftest import MakeDatabase
from tests.services.features.rows.set_versions import SetVersions

ID = Column("id", "integer", "integer", not_null=True)
GEOM = GeometryColumn("geom", "Point", 2193)
ROWS = Collection("public.rows", "public", "rows", 1, "table", "R", None, (ID,), (GEOM,), key="id", sources=(1,))
BROKEN = replace(ROWS, id="public.broken", name="broken", kind="view", geometries=())
EVERY = Selection(ROWS, GEOM, (), (ID,), ())
RIGHT = replace(EVERY, conditions=(sql("is_right(id)"),))
TERMS, PLACES = TermFacet("id", ID, size=100), PlaceFacet("geom", GEOM, 90.0)


@pytest.fixture(scope="module")
async def url(make_database: MakeDatabase) -> str:
    """Make a table of nine rows. A condition fails on two; one has an invalid place, one has none."""
    url = await make_database()
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE FUNCTION is_right(id integer) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " IF id IN (3, 4) THEN RAISE EXCEPTION 'no place' USING ERRCODE = 'XX000'; END IF; RETURN id <> 5; END $$;"
        "CREATE TABLE rows AS SELECT n AS id, CASE WHEN n < 9 THEN ST_SetSRID(ST_MakePoint("
        " CASE WHEN n = 2 THEN 1e30 ELSE 1748000 END, 5427000), 2193) END AS geom FROM generate_series(1, 9) n;"
        "CREATE VIEW broken AS SELECT CASE WHEN is_right(id) THEN id END AS id FROM rows"
    )
    await owner.close()
    return url


@pytest.fixture
async def facets(url: str) -> AsyncIterator[FacetCounts]:
    """Make facet counts without any results yet."""
    async with Database(PoolSettings(url, "failing-facets", size=1)) as database:
        versions = SetVersions(database)
        yield FacetCounts(database, versions, FailingRows(versions), at_once=1, of_collection=1)


def _entered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the collections whose connections are used from now on; services of other tests use this process too."""
    entered: list[str] = []
    enter = Shares.enter

    async def noted(shares: Shares, name: str) -> None:
        entered.append(name)
        await enter(shares, name)

    monkeypatch.setattr(Shares, "enter", noted)
    return entered


@pytest.mark.parametrize(
    ("selection", "asked", "counted"),
    [
        (EVERY, [TERMS], ([(9, 0)], 0)),
        (RIGHT, [TERMS], ([(6, 0)], 2)),
        # a row whose place cannot be computed counts as one without
        (EVERY, [PLACES], ([(7, 2)], 0)),
        (EVERY, [TERMS, PLACES], ([(9, 0), (7, 2)], 0)),
        (RIGHT, [PLACES, TERMS], ([(4, 2), (6, 0)], 2)),
    ],
)
async def test_the_others_are_counted(
    facets: FacetCounts,
    monkeypatch: pytest.MonkeyPatch,
    selection: Selection,
    asked: list[Facet],
    counted: tuple[list[tuple[int, int]], int],
) -> None:
    entered = _entered(monkeypatch)
    for is_known in (False, True):
        entered.clear()
        found, omitted = await facets.count(selection, asked)
        assert ([(each.values, each.nulls) for each in found], omitted) == counted
        # the second time it is known which rows they are, and what there is beside them
        assert (ROWS.id not in entered) == is_known


async def test_what_fails_whatever_is_left_out_is_an_error(
    facets: FacetCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered = _entered(monkeypatch)
    with pytest.raises(StoredValueError):
        await facets.count(Selection(BROKEN, None, (), (ID,), ()), [TERMS])
    # a second attempt would not help
    assert entered.count(BROKEN.id) == 1
