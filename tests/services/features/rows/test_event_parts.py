"""The collections with features of an event: read a few at a time, in order, even if some fail."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column
from libs.catalogue.versions import DataVersions
from libs.ogc.errors import TooSlow
from libs.pg.pool import Database, PoolSettings
from services.features.request.items_query import ItemsQuery
from services.features.rows.counts import Counts
from services.features.rows.event_parts import event_parts
from services.features.rows.failing_rows import FailingRows
from services.features.rows.items_store import ItemsStore

EVENT = Column("event_id", "text", "string")
KNOWING = Collection("s.t", "s", "t", 1, "table", "T", None, (EVENT,), sources=(1,))
ABOUT_NUMBERS = replace(KNOWING, id="s.numbers", columns=(Column("event_id", "integer", "integer"),))


class Store(ItemsStore):
    """Counts take a moment, and are what the test says."""

    def __init__(self, numbers: dict[str, int | None]) -> None:
        # never connected to
        database = Database(PoolSettings("postgresql://nobody@127.0.0.1:1/none", "parts-test", size=1))
        versions = DataVersions(database)
        super().__init__(database, Counts(database, versions, seconds=1, at_once=1), None, FailingRows(versions))
        self.numbers = numbers
        self.at_once = self.most = 0

    async def count(self, query: ItemsQuery) -> int | None:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        for _ in range(3):
            await asyncio.sleep(0)
        self.at_once -= 1
        number = self.numbers[query.selection.collection.id]
        if number == -1:
            raise TooSlow
        return number


async def test_those_that_have_some_or_of_which_it_cannot_be_told() -> None:
    numbers = {"s.few": 3, "s.none": 0, "s.unknown": None, "s.slow": -1, "s.one": 1}
    known = [replace(KNOWING, id=name) for name in numbers]
    found = await event_parts(Store(numbers), [ABOUT_NUMBERS, *known], "storm", 7)
    assert [(part.collection.id, part.matched) for part in found] == [
        ("s.few", 3),
        ("s.unknown", None),
        ("s.slow", None),
        ("s.one", 1),
    ]
    assert [part.collection for part in found] == [part.query.selection.collection for part in found]
    assert {part.query.limit for part in found} == {7}
    [args] = {part.query.selection.where.render()[1] for part in found}
    assert args == ("storm",)


@pytest.mark.parametrize(("number", "most"), [(3, 3), (4, 4), (9, 4)])
async def test_four_are_looked_at_together(number: int, most: int) -> None:
    known = [replace(KNOWING, id=f"s.t{place}") for place in range(number)]
    store = Store({collection.id: 1 for collection in known})
    assert len(await event_parts(store, known, "storm", 1)) == number
    assert store.most == most
