"""Which pages are put together of features that were encoded before, and how: without a service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.crs import crs_of
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import AS_STORED, GeometryOptions, ItemsQuery, total_order
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.items_sql import items_plan
from services.features.rows.layout import Layout, Row, Rows
from tests.conftest import MakeDatabase
from tests.services.features.conftest import Fetch
from tests.services.features.rows.few import ID
from tests.services.features.rows.set_versions import SetVersions

PLACE = GeometryColumn("geom", "Point", 4326)
WORD = Column("word", "text", "string", not_null=True)
WHICH = Column("which", "uuid", "string", not_null=True)
DAY = Column("day", "date", "string", "date", not_null=True)
PART = Column("part", "double precision", "number", not_null=True)
TABLE = Collection(
    "public.placed",
    "public",
    "placed",
    1,
    "table",
    "P",
    None,
    (ID, WORD, PART),
    geometries=(PLACE,),
    key="id",
    sources=(1,),
)
MERCATOR = crs_of("http://www.opengis.net/def/crs/EPSG/0/3857")


@pytest.fixture(scope="module")
async def url(make_database: MakeDatabase) -> str:
    return await make_database(placed_tables)


async def placed_tables(owner: asyncpg.Connection) -> None:
    """Six hundred places, and as many of which the first is none."""
    await owner.execute(
        "CREATE TABLE placed (id integer PRIMARY KEY, word text, part float8, geom geometry(Point, 4326),"
        " other geometry(Point, 4326), which uuid, day date);"
        "INSERT INTO placed SELECT n, 'word ' || n, n / 2.0, ST_SetSRID(ST_MakePoint(n % 90, 1), 4326),"
        " 'SRID=4326;POINT(3 4)', lpad(n::text, 32, '0')::uuid, date '2000-01-01' + n FROM generate_series(1, 600) n;"
        "CREATE TABLE nearly AS SELECT id, word, part, CASE WHEN id > 1 THEN geom"
        " ELSE ST_SetSRID(ST_MakePoint(1, 1, 'NaN'), 4326) END AS geom FROM placed"
    )


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    async with Database(PoolSettings(url, "cached-test", size=1)) as database:
        yield database


class Cache(FeatureCache):
    """A cache whose features are the text of a row. Each is encoded once while it is cached."""

    def __init__(self, database: Database, versions: SetVersions | None = None) -> None:
        self.encoded: list[int] = []
        super().__init__(database, versions or SetVersions(database), self.encode, 10**8)

    def encode(self, rows: Sequence[Row], _: Layout) -> list[bytes]:
        """Encode rows, as the service does in JSON."""
        self.encoded += [row[0] for row in rows]
        return [str(tuple(row)).encode() for row in rows]

    async def page(self, query: ItemsQuery) -> Rows:
        """As the store asks for it."""
        limit = query.limit + 1
        return await self.rows(query, items_plan(query, limit=limit), limit=limit)


def _query(
    collection: Collection = TABLE,
    *,
    limit: int = 150,
    geometry: GeometryColumn | None = PLACE,
    properties: tuple[Column, ...] | None = None,
    options: GeometryOptions = AS_STORED,
    least: int = 0,
) -> ItemsQuery:
    shown = collection.columns if properties is None else properties
    conditions = (sql("id > 0"),) * least
    selection = Selection(collection, geometry, conditions, shown, (SortTerm(ID),))
    return ItemsQuery(selection, total_order(selection), limit, 0, None, options, {}, "")


async def _comes_from_the_cache(cache: Cache, query: ItemsQuery) -> bool:
    pages = [await cache.page(query) for _ in range(4)]
    assert {len(page.rows) for page in pages} == {query.limit + 1}
    last = pages[-1]
    return last.features is not None


@pytest.mark.parametrize(
    "query",
    [
        _query(),
        _query(limit=100),
        _query(geometry=None),
        _query(options=GeometryOptions(bbox_only=True)),
        _query(replace(TABLE, key="word")),
        _query(replace(TABLE, columns=(ID, replace(WORD, sql_type="character varying(20)")), key="word")),
        _query(replace(TABLE, columns=(ID, WHICH), key="which")),
        _query(replace(TABLE, columns=(ID, DAY), key="day")),
        _query(replace(TABLE, sources=(1, 2))),
    ],
)
async def test_pages_that_come_again_are_put_together(database: Database, query: ItemsQuery) -> None:
    cache = Cache(database)
    # what comes for the first time, or again for the first time, is not
    assert [(await cache.page(query)).features for _ in range(2)] == [None, None]
    assert cache.encoded == []
    assert await _comes_from_the_cache(cache, query)
    assert len(cache.encoded) == query.limit + 1


@pytest.mark.parametrize(
    "query",
    [
        _query(limit=99),
        _query(replace(TABLE, kind="view")),
        _query(replace(TABLE, key=None)),
        _query(replace(TABLE, key="other")),
        _query(replace(TABLE, columns=(replace(ID, not_null=False), WORD, PART))),
        _query(replace(TABLE, key="part")),
        # whose blanks at the end say nothing
        _query(replace(TABLE, columns=(ID, replace(WORD, sql_type="bpchar")), key="word")),
        # queries that few clients send
        _query(properties=(ID, WORD)),
        _query(options=GeometryOptions(simplify=0.1)),
        _query(options=GeometryOptions(crs=MERCATOR)) if MERCATOR else _query(limit=99),
        # the number of features without a geometry would be unknown
        _query(geometry=replace(PLACE, partial=True)),
    ],
)
async def test_other_pages_are_not(database: Database, query: ItemsQuery) -> None:
    cache = Cache(database)
    assert not await _comes_from_the_cache(cache, query)
    assert cache.encoded == []


async def test_without_a_version_of_the_server_nothing_is_cached(database: Database) -> None:
    versions = SetVersions(database)
    versions.server = None
    assert not await _comes_from_the_cache(Cache(database, versions), _query())


async def test_what_is_shown_otherwise_is_cached_by_itself(database: Database) -> None:
    versions = SetVersions(database)
    cache = Cache(database, versions)
    features: dict[str, Any] = {}
    for name, query in {
        "whole": _query(),
        "boxes": _query(options=GeometryOptions(bbox_only=True)),
        "no geometry": _query(geometry=None),
        "another geometry": _query(geometry=replace(PLACE, name="other")),
        "another definition": _query(replace(TABLE, shape="other")),
        "another table": _query(replace(TABLE, oid=2, sources=(2,))),
        "another collection": _query(replace(TABLE, id="another")),
    }.items():
        assert await _comes_from_the_cache(cache, query), name
        features[name] = (await cache.page(query)).features
    assert len(cache.encoded) == 7 * 151
    # another server may have given the same names to other rows
    versions.server = "another"
    assert await _comes_from_the_cache(cache, _query())
    assert len(cache.encoded) == 8 * 151
    assert len({(*each,) for each in features.values()}) == 3


def _numbers(fetches: list[Fetch]) -> list[int]:
    """Return the number of rows of each statement for pages; services of other tests poll at the same time."""
    return [fetch.rows for fetch in fetches if '"placed"' in fetch.text]


async def test_what_is_missing_is_fetched_and_stays(database: Database, fetches: list[Fetch]) -> None:
    cache = Cache(database)
    assert await _comes_from_the_cache(cache, _query(limit=200))
    fetches.clear()
    # half of the features are missing: the lookup is worthwhile
    found = await cache.page(_query(limit=401, least=1))
    assert found.features is not None
    assert [row[0] for row in found.rows] == [*range(1, 403)]
    assert [int(feature[1:].partition(b",")[0]) for feature in found.features] == [*range(1, 403)]
    # first the keys of all, then the rows that are missing
    assert _numbers(fetches) == [402, 201]
    fetches.clear()
    again = await cache.page(_query(limit=401, least=2))
    assert (again.features, _numbers(fetches)) == (found.features, [402])


async def test_a_page_of_which_most_is_missing_comes_as_it_is(database: Database, fetches: list[Fetch]) -> None:
    cache = Cache(database)
    assert await _comes_from_the_cache(cache, _query(limit=199))
    fetches.clear()
    # but only once, in case a client that reads all of them stores some
    found = await cache.page(_query(limit=401))
    assert (found.features, [len(row) for row in found.rows[:1]]) == (None, [5])
    assert _numbers(fetches) == [402, 402]
    assert (await cache.page(_query(limit=401))).features is not None


async def test_what_is_put_together_ends_where_the_page_does(database: Database) -> None:
    cache, query = Cache(database), _query(limit=200)
    assert await _comes_from_the_cache(cache, query)
    until = Position(("120",))
    found = await cache.rows(query, items_plan(query, limit=201, until=until), limit=201, until=until)
    assert ([row[0] for row in found.rows], found.features and len(found.features)) == ([*range(1, 121)], 120)
    # rows are keys and versions then, and say so
    assert (found.layout.has_geometry, found.layout.properties) == (False, ())


async def test_a_page_of_which_a_geometry_is_not_given_comes_as_it_is(database: Database) -> None:
    cache = Cache(database)
    query = _query(replace(TABLE, id="public.nearly", name="nearly"))
    assert not await _comes_from_the_cache(cache, query)
    assert (await cache.page(query)).omitted == 1
