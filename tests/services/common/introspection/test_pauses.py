"""How often rows are looked at again, by a clock that goes as the database takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection, GeometryColumn
from libs.pg.pool import PoolSettings
from services.common.introspection.extents import Extents
from services.common.introspection.introspect import Introspection
from services.common.introspection.row_counts import RowCounts
from services.common.introspection.view_check import ViewCheck
from services.common.introspection.view_extents import ViewExtents
from tests.services.common.introspection.asking import Slow

_MODULES = ("row_counts", "view_extents", "view_check")


@pytest.fixture
def relations() -> str:
    return (
        "CREATE TABLE own.days AS SELECT date '2020-01-01' AS at;"
        "CREATE VIEW own.seen AS SELECT * FROM own.days WHERE at < '2021-01-01'"
    )


@pytest.fixture
async def slow(
    owner: asyncpg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Slow, Collection]]:
    """A database, and a view of one column."""
    assert owner
    async with Slow(PoolSettings(database_url, "test", size=1)) as database:
        found = await Introspection(database, ("own",)).collections()
        (bare,) = (each for each in found if each.name == "seen")
        (at,) = bare.times
        for module in _MODULES:
            monkeypatch.setattr(f"services.common.introspection.{module}.time", database.clock)
        yield database, replace(bare, times=(replace(at, start=None, end=None),), item_count=None)


_PAUSES = [
    # seconds that it takes, whether there is such a view, seconds that it is left alone
    (0.0, True, 3.0),
    (0.05, True, 3.0),
    (0.0625, True, 3.0),
    (0.25, True, 5.0),
    (1.0, True, 20.0),
    # then the service checks whether there is a database, which takes as long
    (0.25, False, 60.0),
    (1.0, False, 240.0),
]


@pytest.mark.parametrize(("takes", "is_there", "pause"), _PAUSES)
@pytest.mark.parametrize("of", [RowCounts, ViewExtents])
async def test_what_takes_long_is_looked_at_again_more_seldom_while_rows_change(
    slow: tuple[Slow, Collection], of: type[RowCounts | ViewExtents], takes: float, is_there: bool, pause: float
) -> None:
    database, view = slow
    view = view if is_there else replace(view, name="gone")
    looking = of(database)
    asked = []
    for state, seconds in enumerate((0, pause - 0.5, 1)):
        database.takes, database.times = takes, 0
        database.now += seconds
        await looking.fill_in((view,), {view.id: state})
        asked.append(database.times > 0)
    assert asked == [True, False, True]


async def test_extents_are_read_again_after_five_minutes_in_any_case(slow: tuple[Slow, Collection]) -> None:
    database, view = slow
    extents, asked = ViewExtents(database), []
    for seconds in (0, 299, 2):
        database.now, database.times = database.now + seconds, 0
        (found,) = await extents.fill_in((view,), {view.id: 1})
        asked.append(database.times)
        assert found.times[0].start == "2020-01-01T00:00:00Z"
    assert asked == [1, 0, 1]


@pytest.mark.parametrize("of", [RowCounts, ViewExtents])
async def test_what_could_not_be_read_at_a_busy_moment_is_read_again_ever_more_rarely(
    slow: tuple[Slow, Collection], of: type[RowCounts | ViewExtents]
) -> None:
    database, view = slow
    gone, looking, asked = replace(view, name="gone"), of(database), []
    # the service also checks whether there is a database, so one takes half a second
    for seconds in (0, 59, 2, 118, 3, 178, 3):
        database.takes, database.times = 0.25, 0
        database.now += seconds
        await looking.fill_in((gone,), {view.id: 1})
        asked.append(database.times > 0)
    assert asked == [True, False, True, False, True, False, True]
    database.now += 250
    (found,) = await looking.fill_in((view,), {view.id: 1})
    assert found.item_count == 1 or found.times[0].start == "2020-01-01T00:00:00Z"


async def test_extents_of_tables_are_read_anew_every_five_minutes(
    slow: tuple[Slow, Collection], monkeypatch: pytest.MonkeyPatch
) -> None:
    database, view = slow
    monkeypatch.setattr("services.common.introspection.extents.time", database.clock)
    tables = tuple(each for each in await Introspection(database, ("own",)).collections() if each.name == "days")
    extents, asked = Extents(database), []
    for seconds in (0, 0, 300, 1):
        database.now, database.times = database.now + seconds, 0
        await extents.fill_in(tables)
        # more than the state of the database, and what is analysed
        asked.append(database.times > 2)
    assert asked == [True, False, False, True]
    # a view gets no further statements
    database.times = 0
    await extents.fill_in((view,))
    assert database.times == 2


async def test_a_view_that_was_fine_is_planned_again_after_a_minute(slow: tuple[Slow, Collection]) -> None:
    database, view = slow
    check, asked = ViewCheck(database), []
    for seconds in (0, 59, 2):
        database.now, database.times = database.now + seconds, 0
        assert await check.usable((view,)) == (view,)
        asked.append(database.times)
    # the tables with functions, the plan, and at first a row
    assert asked == [3, 1, 2]


@pytest.mark.parametrize("of", [RowCounts, ViewExtents])
async def test_after_a_quarter_of_a_second_the_others_wait_for_the_next_time(
    owner: asyncpg.Connection, slow: tuple[Slow, Collection], of: type[RowCounts | ViewExtents]
) -> None:
    database, view = slow
    views = tuple(replace(view, id=f"own.{number}") for number in range(5))
    states = {each.id: 1 for each in views}
    database.takes, looking = 0.1, of(database)

    async def known() -> list[bool]:
        found = await looking.fill_in(views, states)
        return [each.item_count == 1 or each.times[0].start is not None for each in found]

    assert await known() == [True, True, True, False, False]
    assert await known() == [True] * 5
    # the one that was checked the longest time ago is first, in any position
    await owner.execute("INSERT INTO own.days VALUES ('2019-01-01')")
    database.now += 10
    states = {each.id: 2 for each in views}
    database.times = 0
    found = await looking.fill_in(views[::-1], states)
    assert database.times == 3
    anew = [each.item_count == 2 or each.times[0].start == "2019-01-01T00:00:00Z" for each in found]
    assert anew == [False, False, True, True, True]
    if of is RowCounts:
        # of another state the number of before is not told
        assert [each.item_count for each in found[:2]] == [None, None]


async def test_small_tables_are_counted_again_soon(
    slow: tuple[Slow, Collection],
) -> None:
    database, view = slow
    tables = tuple(replace(view, id=f"own.{number}", kind="table") for number in range(2))
    counts, database.takes = RowCounts(database), 1.0
    for state in (1, 2):
        found = await counts.fill_in(tables, dict.fromkeys((each.id for each in tables), state))
        assert [each.item_count for each in found] == [1, 1]
        database.now += 4


async def test_times_are_read_before_boxes(slow: tuple[Slow, Collection]) -> None:
    """An index may answer them at once."""
    database, view = slow
    database.takes, database.times = 1.0, 0
    of_both = replace(view, geometries=(GeometryColumn("geom", "Point", 4326),))
    (found,) = await ViewExtents(database).fill_in((of_both,), {view.id: 1})
    assert (found.times[0].start, database.times) == ("2020-01-01T00:00:00Z", 1)
