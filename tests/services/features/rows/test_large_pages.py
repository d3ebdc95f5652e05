"""Pages in chunks while rows are added and deleted, and the statement for each chunk."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import GeometryColumn
from libs.pg.pool import Database, PoolSettings
from libs.selection.selection import SortTerm
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.items_store import ItemsStore
from services.features.rows.layout import Layout, Row
from tests.conftest import MakeDatabase
from tests.services.features.conftest import Fetch
from tests.services.features.rows.few import ID, KEYED, KIND, VIEW, few_tables, ids, query, store_of
from tests.services.features.rows.set_versions import SetVersions


@pytest.fixture(scope="module")
async def url(make_database: MakeDatabase) -> str:
    return await make_database(few_tables)


@pytest.fixture
async def owner(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


@pytest.fixture
async def store(url: str) -> AsyncIterator[ItemsStore]:
    """With a cache of features."""

    def encode(rows: Sequence[Row], _: Layout) -> list[bytes]:
        return [str(row[0]).encode() for row in rows]

    async with Database(PoolSettings(url, "large-test", size=2)) as database:
        yield store_of(database, FeatureCache(database, SetVersions(database), encode, 10**8))


async def test_a_page_that_grows_meanwhile_keeps_its_rows(
    store: ItemsStore, owner: asyncpg.Connection, fetches: list[Fetch]
) -> None:
    await owner.execute(
        "CREATE TABLE grows AS SELECT n * 100 AS id, 'a' AS kind, 'b' AS body FROM generate_series(1, 60) n"
    )
    more = "INSERT INTO grows SELECT $1::int + n, 'new', 'new' FROM generate_series(1, 30) n"
    try:
        grows, seen = replace(KEYED, id="public.grows", name="grows", row_bytes=100_000), []
        page = await store.large(query(grows, 50))
        async for found in store.chunks(page, "geojson"):
            seen += ids(found)
            await owner.execute(more, seen[-1])
        assert seen == [number * 100 for number in range(1, 51)]
        # it reads more than the number of rows left: among added rows, each statement might otherwise find only one
        assert _numbers(fetches, "grows") == [*[20] * 6, 10]
    finally:
        await owner.execute("DROP TABLE grows")


@pytest.mark.parametrize("features", [False, True])
async def test_a_page_that_shrinks_meanwhile_ends_where_it_did(
    store: ItemsStore, owner: asyncpg.Connection, fetches: list[Fetch], features: bool
) -> None:
    await owner.execute(
        "CREATE TABLE shrinks AS SELECT n AS id, 'a' AS kind, 'b' AS body FROM generate_series(1, 600) n"
    )
    shrinks = replace(KEYED, id="public.shrinks", name="shrinks", row_bytes=20_000)
    try:
        asked = query(shrinks, 400)
        if features:
            for _ in range(3):
                page = await store.large(asked)
                assert len([found async for found in store.chunks(page, "geojson", features=True)]) == 4
        page, seen = await store.large(asked), []
        fetches.clear()
        async for found in store.chunks(page, "geojson", features=features):
            assert (found.features is not None) is features
            seen.append(len(found.rows))
            await owner.execute("DELETE FROM shrinks WHERE id BETWEEN 101 AND 150")
        assert seen == _numbers(fetches, "shrinks") == [100, 100, 100, 50]
    finally:
        await owner.execute("DROP TABLE shrinks")


async def test_what_comes_after_the_last_row_of_a_page_is_not_asked_for(
    store: ItemsStore, owner: asyncpg.Connection, fetches: list[Fetch]
) -> None:
    await owner.execute("CREATE TABLE ends AS SELECT * FROM few")
    try:
        ends = replace(KEYED, id="public.ends", name="ends", row_bytes=100_000)
        page, seen = await store.large(query(ends, 60)), []
        fetches.clear()
        async for found in store.chunks(page, "geojson"):
            seen += ids(found)
            await owner.execute("DELETE FROM ends WHERE id BETWEEN 21 AND 40")
        assert seen == [*range(1, 21), *range(41, 61)]
        assert _numbers(fetches, "ends") == [20, 20]
    finally:
        await owner.execute("DROP TABLE ends")


async def test_rows_that_are_alike_are_counted_from_where_they_begin(store: ItemsStore) -> None:
    """Not from an earlier row, where other equal rows fill a chunk."""
    late = replace(VIEW, id="public.late", name="late", row_bytes=100_000)
    page = await store.large(query(late, 59, sort=(SortTerm(KIND),)))
    chunks = ["".join(row[0] for row in found.rows) async for found in store.chunks(page, "geojson")]
    assert chunks == ["a" * 20, "b" * 20, "b" * 19]


async def test_an_offset_is_where_the_first_chunk_begins(store: ItemsStore) -> None:
    page = await store.large(query(replace(KEYED, row_bytes=100_000), 50, offset=5))
    chunks = [ids(found) async for found in store.chunks(page, "geojson")]
    assert chunks == [[*range(6, 26)], [*range(26, 46)], [*range(46, 56)]]


async def test_geometries_as_bytes_are_measured_too(store: ItemsStore) -> None:
    place = GeometryColumn("geom", "Polygon", 4326)
    wide = replace(KEYED, id="public.wide", name="wide", columns=(ID,), geometries=(place,))
    asked = query(wide, 800)
    asked = replace(asked, selection=replace(asked.selection, geometry=place))
    (row,) = (await store.page(replace(asked, limit=1), "wkb"))[0].rows
    assert isinstance(row[1], bytes)
    page = await store.large(asked)
    # of half of 501 places of 16 bytes
    assert [len(found.rows) async for found in store.chunks(page, "wkb")] == [200, 498, 102]


def _numbers(fetches: list[Fetch], name: str) -> list[int]:
    """Return the number of rows that each statement for a chunk returned; services of other tests poll at the same
    time.
    """
    return [
        fetch.rows
        for fetch in fetches
        if f'FROM "public"."{name}" AS item' in fetch.text and "value 0" not in fetch.text
    ]
