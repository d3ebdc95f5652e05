"""Pages and counts of one small table: their contents, their ends, and the statements for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Collection
from libs.ogc.errors import InvalidParameters, StoredValueError, Uncomputable
from libs.pg.pool import Database, PoolSettings, Statements
from libs.pg.snapshot import snapshot
from libs.pg.sql import Sql, sql
from libs.selection.selection import SortTerm
from services.features.request.cursor import PageEnds, Position, digest
from services.features.request.items_query import ItemsQuery
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.items_sql import item_plan
from services.features.rows.items_store import ItemsStore
from services.features.rows.layout import Layout, Row
from services.features.rows.read_all import read_all
from tests.conftest import MakeDatabase
from tests.services.features.conftest import Fetch
from tests.services.features.rows.few import (
    BODY,
    ID,
    KEYED,
    KIND,
    PAIRED,
    ROWS,
    UNEVEN,
    UNKNOWN,
    VIEW,
    before,
    behind,
    few_tables,
    ids,
    query,
    store_of,
)
from tests.services.features.rows.set_versions import SetVersions


@pytest.fixture(scope="module")
async def url(make_database: MakeDatabase) -> str:
    return await make_database(few_tables)


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    async with Database(PoolSettings(url, "items-test", size=2)) as database:
        yield database


@pytest.fixture
def store(database: Database) -> ItemsStore:
    return store_of(database)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the counts that are made; services of other tests may count something else at the same time."""
    made: list[str] = []
    fetch = Statements.fetchval

    async def noted(database: Statements, statement: Any) -> Any:
        text = statement.render()[0]
        if text.startswith("SELECT count("):
            made.append(text)
        return await fetch(database, statement)

    monkeypatch.setattr(Statements, "fetchval", noted)
    return made


async def large(store: ItemsStore, asked: ItemsQuery) -> tuple[list[Any], PageEnds]:
    """Return the rows of a page that is read in chunks, and the starts of the pages beside it."""
    page = await store.large(asked)
    chunks = [found async for found in store.chunks(page, "geojson")]
    rows = [row for found in chunks for row in found.rows]
    assert page.number == len(rows)
    return rows, page.ends


PAGES = [
    ({}, range(1, 11), PageEnds(behind(10), None, more=True)),
    ({"limit": ROWS}, range(1, ROWS + 1), PageEnds()),
    ({"limit": ROWS - 1}, range(1, ROWS), PageEnds(behind(ROWS - 1), None, more=True)),
    ({"offset": 3}, range(4, 14), PageEnds(behind(13), before(4), more=True)),
    ({"after": behind(52)}, range(53, 61), PageEnds(None, before(53))),
    ({"after": behind(50)}, range(51, 61), PageEnds(None, before(51))),
    ({"after": behind(49)}, range(50, 60), PageEnds(behind(59), before(50), more=True)),
    ({"after": before(31)}, range(21, 31), PageEnds(behind(30), before(21), more=True)),
    ({"after": before(11)}, range(1, 11), PageEnds(behind(10), None)),
    ({"after": before(5)}, range(1, 5), PageEnds(behind(4), None)),
    ({"after": behind(ROWS)}, range(0), PageEnds()),
]


@pytest.mark.parametrize(("asked", "expected", "ends"), PAGES)
async def test_pages_hold_what_lies_between_their_ends(
    store: ItemsStore, fetches: list[Fetch], asked: dict[str, Any], expected: range, ends: PageEnds
) -> None:
    found, its_ends = await store.page(query(**asked), "geojson")
    assert (ids(found), its_ends) == ([*expected], ends)
    # one row more than are wanted tells whether another page follows
    assert [fetch.rows for fetch in fetches if '"body"' in fetch.text] == [len(expected) + ends.more]
    rows, its_ends = await large(store, query(**asked))
    assert ([row[0] for row in rows], its_ends) == ([*expected], ends)


@pytest.mark.parametrize("width", [None, 100_000, 1])
@pytest.mark.parametrize("limit", [1, 7, 20, 21, 45, 59])
async def test_pages_in_chunks_follow_each_other(
    store: ItemsStore, fetches: list[Fetch], width: int | None, limit: int
) -> None:
    collection = replace(KEYED, row_bytes=width)
    seen, asked = [], query(collection, limit)
    for _ in range(ROWS + 1):
        rows, ends = await large(store, asked)
        seen.append(rows)
        if ends.next is None:
            break
        asked = replace(asked, after=ends.next)
    assert [row[0] for rows in seen for row in rows] == [*range(1, ROWS + 1)]
    assert {len(rows) for rows in seen[:-1]} <= {limit}
    # and back again
    for rows in seen[-2::-1]:
        assert ends.prev is not None
        again, ends = await large(store, replace(asked, after=ends.prev))
        assert again == rows
    assert ends.prev is None
    if width == 100_000:
        # of so large rows a chunk has twenty
        assert max(fetch.rows for fetch in fetches if '"body"' in fetch.text) == min(limit, 20)


@pytest.mark.parametrize("limit", [1, 7, 19, 20, 41, 59, 60])
@pytest.mark.parametrize("width", [None, 100_000])
@pytest.mark.parametrize(
    ("view", "kinds"),
    [
        (VIEW, "a" * 20 + "b" * 20 + "c" * 20),
        (UNEVEN, "a" * 50 + "b" * 10),
        (PAIRED, "".join(chr(60 + number) for number in [*range(1, 21), 20, *range(22, 61)])),
    ],
    ids=["alike", "uneven", "paired"],
)
async def test_rows_that_are_alike_are_counted_on_the_way(
    store: ItemsStore, limit: int, width: int | None, view: Collection, kinds: str
) -> None:
    seen, asked = [], query(replace(view, row_bytes=width), limit, sort=(SortTerm(KIND),))
    for _ in range(ROWS + 1):
        rows, ends = await large(store, asked)
        seen.append("".join(row[0] for row in rows))
        if ends.next is None:
            break
        asked = replace(asked, after=ends.next)
    assert "".join(seen) == kinds
    assert {len(rows) for rows in seen[:-1]} <= {limit}


async def test_backwards_among_rows_that_are_alike(store: ItemsStore) -> None:
    by_kind = query(UNEVEN, 50, sort=(SortTerm(KIND),))
    _, ends = await large(store, by_kind)
    rows, ends = await large(store, replace(by_kind, limit=5, after=ends.next))
    assert [row[0] for row in rows] == ["b"] * 5
    rows, ends = await large(store, replace(by_kind, limit=5, after=ends.prev))
    assert [row[0] for row in rows] == ["a"] * 5
    # forty-five come before these
    assert ends.more
    _, ends = await large(store, replace(by_kind, limit=51))
    rows, ends = await large(store, replace(by_kind, limit=9, after=ends.next))
    assert [row[0] for row in rows] == ["b"] * 9
    rows, ends = await large(store, replace(by_kind, limit=2, after=ends.prev))
    assert [row[0] for row in rows] == ["a", "b"]


async def test_where_nothing_tells_rows_apart_a_page_goes_by_offset(store: ItemsStore) -> None:
    collection = replace(UNKNOWN, row_bytes=100_000)
    asked = query(collection, 45, sort=(SortTerm(KIND),), offset=10)
    for limit, rest in ((45, 5), (41, 1)):
        page = await store.large(replace(asked, limit=limit))
        assert (page.number, page.ends, page.rows) == (limit, PageEnds(more=True), None)
        chunks = [[row[0] for row in found.rows] async for found in store.chunks(page, "geojson")]
        assert [len(chunk) for chunk in chunks] == [20, 20, rest]
        assert [kind for chunk in chunks for kind in chunk] == ["a"] * 10 + ["b"] * 20 + ["c"] * (10 + rest)
    last = await store.large(replace(asked, limit=50))
    assert (last.number, last.ends.more) == (50, False)


@pytest.mark.parametrize(
    ("width", "rows"),
    [(None, 200), (0, 2000), (1, 2000), (1_000, 2000), (1_001, 1998), (10_000, 200), (100_001, 20), (10**9, 20)],
)
def test_a_chunk_has_as_many_rows_as_two_million_bytes_hold(store: ItemsStore, width: int | None, rows: int) -> None:
    assert store.chunk(query(replace(KEYED, row_bytes=width))) == rows


async def test_rows_of_unknown_size_are_measured_by_each_chunk(store: ItemsStore, fetches: list[Fetch]) -> None:
    wide = replace(KEYED, id="public.wide", name="wide")
    rows, _ = await large(store, query(wide, 800))
    assert [row[0] for row in rows] == [*range(1, 801)]
    # of half of 8,001 characters, as what is stored is denser
    assert [fetch.rows for fetch in fetches if '"body"' in fetch.text] == [200, 500, 100]


@pytest.mark.parametrize("in_chunks", [False, True])
async def test_what_has_been_read_to_its_end_is_not_counted(
    store: ItemsStore, counted: list[str], in_chunks: bool
) -> None:
    async def number(asked: ItemsQuery) -> int | None:
        if in_chunks:
            return (await store.large_and_count(asked))[1]
        return (await store.page_and_count(asked, "geojson"))[1]

    few = (sql("id < 59"),)
    assert (await number(query(limit=10, offset=55, conditions=few)), counted) == (58, [])
    # and is known from then on
    assert (await number(query(limit=10, conditions=few)), counted) == (58, [])
    assert (await number(query(limit=10, conditions=(*few, sql("TRUE")))), len(counted)) == (58, 1)
    assert await number(query(limit=10, conditions=few, counted=False)) is None


async def test_what_nobody_has_seen_the_end_of_is_counted(store: ItemsStore, counted: list[str]) -> None:
    pages: list[dict[str, Any]] = [{"limit": 10}, {"offset": 60}, {"offset": 99}, {"after": behind(50)}]
    for place, asked in enumerate(pages, start=1):
        _, number = await store.page_and_count(query(**asked, conditions=(sql("TRUE"),) * place), "geojson")
        assert (number, len(counted)) == (ROWS, place), asked
    # no row is before the first one
    _, number = await store.page_and_count(query(conditions=(sql("id < 0"),)), "geojson")
    assert (number, len(counted)) == (0, 4)


async def test_a_cursor_that_the_database_cannot_read_is_what_is_wrong(store: ItemsStore) -> None:
    with pytest.raises(InvalidParameters) as raised:
        await store.page_and_count(query(after=Position(("no number",))), "geojson")
    assert [(fault.loc, fault.msg) for fault in raised.value.faults] == [
        (("query", "cursor"), "cursor is damaged; start again without it")
    ]
    # where it is something else, that is said
    for after in (None, behind(1)):
        with pytest.raises(Uncomputable, match="out of range"):
            await store.page_and_count(query(after=after, conditions=(sql("1 / (id - 9) < 5"),)), "geojson")


async def test_long_values_of_a_cursor_are_those_of_its_row(store: ItemsStore, url: str) -> None:
    by_body = (SortTerm(BODY),)
    body = "x" * 2000 + "5"
    after = Position((digest(body), "12"), backwards=True, digested=frozenset({0}))
    found = await store.resolve(query(sort=by_body, after=after))
    assert found.after == Position((body, "12"), backwards=True)
    # other queries need no lookup
    for asked in (query(), query(sort=by_body, after=found.after)):
        assert await store.resolve(asked) is asked
    for values in ((digest("other"), "12"), (digest(body), "13"), (digest(body), "no number")):
        with pytest.raises(InvalidParameters) as raised:
            await store.resolve(query(sort=by_body, after=replace(after, values=values)))
        [fault] = raised.value.faults
        assert fault.loc == ("query", "cursor")
        assert fault.msg == "cursor starts behind a row that has changed or is gone; start again without it"


@pytest.mark.parametrize(
    ("collection", "sort", "in_order"),
    [
        (KEYED, (), True),
        (KEYED, (SortTerm(ID, descending=True),), True),
        (replace(KEYED, key=None), (), False),
        (VIEW, (), False),
        (VIEW, (SortTerm(KIND),), True),
    ],
)
async def test_all_rows_come_some_at_a_time(
    store: ItemsStore, database: Database, collection: Collection, sort: tuple[SortTerm, ...], in_order: bool
) -> None:
    asked = query(replace(collection, row_bytes=100_000), 5, sort=sort)
    async with snapshot(database) as rows:
        chunks = [found.rows async for found in read_all(store, rows, asked, "geojson")]
        nothing = [found.rows async for found in read_all(store, rows, replace_where(asked, sql("FALSE")), "geojson")]
    assert [len(found) for found in chunks if found] == [20, 20, 20]
    values = [row[0] for found in chunks for row in found]
    if collection.columns == (KIND,):
        assert sorted(values) == ["a"] * 20 + ["b"] * 20 + ["c"] * 20
    else:
        assert sorted(row[0] for found in chunks for row in found) == [*range(1, ROWS + 1)]
    if in_order:
        assert values == sorted(values, reverse=bool(sort) and sort[0].descending)
    assert nothing == [[]]


def replace_where(asked: ItemsQuery, condition: Sql) -> ItemsQuery:
    return replace(asked, selection=replace(asked.selection, conditions=(condition,)))


async def test_a_row_by_itself(store: ItemsStore) -> None:
    selection = query().selection
    found = await store.row(KEYED, item_plan(selection, sql("id = 7")))
    assert found is not None
    assert found[0] == 7
    assert await store.row(KEYED, item_plan(selection, sql("id = 99"))) is None


async def test_rows_on_which_conditions_fail_are_left_out_once_they_are_known(
    store: ItemsStore, fetches: list[Fetch]
) -> None:
    asked = query(conditions=(sql("is_right(id) AND NOT ST_IsEmpty('POINT(1 1)'::geometry)"), sql("id > 5")))
    with pytest.raises(StoredValueError):
        await store.page(asked, "geojson")
    assert await store.resolve(asked) is asked
    fetches.clear()
    tried = await store.exclude_failing(asked)
    assert (tried.selection.failing, len(_tries(fetches)) > 1) == (2, True)
    assert ids((await store.page(tried, "geojson"))[0]) == [6, 8, 9, 10, 11, 12, 14, 15, 16, 17]
    fetches.clear()
    # from now on without a look
    for found in (await store.exclude_failing(asked), await store.resolve(asked)):
        assert found.selection.failing == 2
    assert _tries(fetches) == []


def _tries(fetches: list[Fetch]) -> list[Fetch]:
    return [fetch for fetch in fetches if '"few"' in fetch.text]  # services of other tests poll at the same time


async def test_what_cannot_fail_is_not_tried(store: ItemsStore, fetches: list[Fetch]) -> None:
    asked = query(conditions=(sql("id > 5"),))
    assert (await store.exclude_failing(asked), _tries(fetches)) == (asked, [])
    placed = query(conditions=(sql("NOT ST_IsEmpty('POINT(1 1)'::geometry)"),))
    assert (await store.exclude_failing(placed), len(_tries(fetches))) == (placed, 1)
    with pytest.raises(StoredValueError):
        await store.leave_out_failing(placed)


async def test_rows_that_fail_are_looked_for_where_a_page_has_met_one(store: ItemsStore) -> None:
    found = await store.leave_out_failing(query(conditions=(sql("is_right(id)"),), limit=5))
    assert (found.selection.failing, found.limit) == (2, 5)


@pytest.fixture
def caching(database: Database) -> ItemsStore:
    """A store with a cache, of features of three thousand bytes."""

    def encode(rows: Sequence[Row], _: Layout) -> list[bytes]:
        return [str(row[0]).encode().ljust(3000) for row in rows]

    return store_of(database, FeatureCache(database, SetVersions(database), encode, 10**8))


SHORT = replace(KEYED, id="public.short", name="short")


async def test_features_come_from_the_cache_where_they_are_asked_for(store: ItemsStore, caching: ItemsStore) -> None:
    asked = query(SHORT, 150)
    for _ in range(3):
        found, ends = await caching.page(asked, "geojson", features=True)
    assert found.features is not None
    assert [int(feature) for feature in found.features] == [*range(1, 151)]
    assert ends.next == behind(150)
    back, _ = await caching.page(replace(asked, after=before(151)), "geojson", features=True)
    assert back.features == found.features
    for other in (
        await caching.page(asked, "geojson"),
        (await caching.page_and_count(asked, "geojson"))[0],
        await store.page(asked, "geojson", features=True),
    ):
        assert other[0].features is None
        assert [row[0] for row in other[0].rows] == [*range(1, 151)]


async def test_chunks_of_features_are_measured_by_these(caching: ItemsStore) -> None:
    asked = query(SHORT, 2500)
    for _ in range(3):
        page = await caching.large(asked)
        chunks = [found async for found in caching.chunks(page, "geojson", features=True)]
    assert [len(found.features or ()) for found in chunks] == [200, 1333, 967]
    assert [int(feature) for found in chunks for feature in found.features or ()] == [*range(1, 2501)]
    page = await caching.large(asked)
    assert {found.features async for found in caching.chunks(page, "geojson")} == {None}
