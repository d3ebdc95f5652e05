"""Every request to a collection takes its connections from the collection's share, so that others have some."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest

from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from libs.selection.selection import SortTerm
from services.features.request.cursor import Position, digest
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.items_sql import item_plan
from services.features.rows.items_store import ItemsStore
from services.features.rows.value_ranges import ValueRanges
from tests.conftest import MakeDatabase
from tests.services.features.rows.few import BODY, KEYED, few_tables, query, store_of
from tests.services.features.rows.set_versions import SetVersions

LIKE_THIS = query(sort=(SortTerm(BODY),), after=Position((digest("x"), "1"), digested=frozenset({0})))
MAY_FAIL = query(conditions=(sql("NOT ST_IsEmpty('POINT(1 1)'::geometry)"),))


@pytest.fixture
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    """Make a pool of two connections, at most one for each collection."""
    # a busy machine may take its time to connect, too
    settings = PoolSettings(await make_database(few_tables), "shares-test", size=2, share=1, acquire_timeout=0.5)
    async with Database(settings) as database:
        yield database


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.page(query(), "geojson"),
        lambda store: store.page(query(limit=200), "geojson", features=True),
        lambda store: store.large(query()),
        lambda store: store.row(KEYED, item_plan(query().selection, sql("id = 7"))),
        lambda store: store.resolve(LIKE_THIS),
        lambda store: store.exclude_failing(MAY_FAIL),
        lambda store: store.leave_out_failing(MAY_FAIL),
    ],
    ids=["page", "features", "large page", "feature", "cursor", "try", "search for what fails"],
)
async def test_while_they_are_all_taken_it_waits(
    database: Database, ask: Callable[[ItemsStore], Awaitable[object]]
) -> None:
    store = store_of(database, FeatureCache(database, SetVersions(database), lambda rows, _: [b""] * len(rows), 10**6))
    async with database.of(KEYED.id).connection():
        with pytest.raises(Unavailable, match="asked for too much"):
            await ask(store)
        # those of others do not
        other = replace(KEYED, id="public.other")
        assert len((await store.page(query(other), "geojson"))[0].rows) == 10


async def test_what_is_not_known_for_it_is_not_said(database: Database) -> None:
    store, ranges = store_of(database), ValueRanges(database, SetVersions(database))
    async with database.of(KEYED.id).connection():
        assert (await store.count(query()), await ranges.ranges(KEYED)) == (None, None)
        other = replace(KEYED, id="public.other")
        assert (await store.count(query(other)), await ranges.ranges(other) is not None) == (60, True)
    await ranges.close()
