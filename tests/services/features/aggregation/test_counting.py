"""How facets are counted: in one state of the data, once for equal facets with different names, and again after a
failure.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import ClassVar, cast

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion
from libs.ogc.errors import InvalidParameters, Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.shares import Shares
from libs.selection.selection import Selection, select
from libs.web.query_params import QueryValues
from services.features.aggregation import facet_counts
from services.features.aggregation.facet import NumberFacet, PlaceFacet, TermFacet
from services.features.aggregation.facet_counts import FacetCounts
from services.features.resources import CATALOGUE, FACETS, VERSIONS
from services.features.rows.failing_rows import FailingRows
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.features.rows.set_versions import SetVersions
from tests.services.in_process import Client, Services


async def test_ends_and_what_lies_between_them_are_of_one_state(features: Client, owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE VIEW hostile.isolation AS SELECT 1 AS id, current_setting('transaction_isolation') AS level;"
        "GRANT SELECT ON hostile.isolation TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.isolation/queryables"))
        counted = await features.json("/collections/hostile.isolation/facets", facets="level")
        assert [bucket["value"] for bucket in counted["facets"]["level"]["buckets"]] == ["repeatable read"]
        # a file has all rows of one state, too
        export = await features.get("/collections/hostile.isolation/export?f=ndjson")
        assert export.json()["level"] == "repeatable read"
    finally:
        await owner.execute("DROP VIEW hostile.isolation")


@pytest.mark.faults
async def test_what_cannot_be_counted_takes_no_turns_from_what_can(features: Client) -> None:
    path = "/collections/hostile.events/facets"
    for number in range(12):
        refused = await features.get(path, {"facets": "id:width:0.001", "filter": f"id <> {number}"})
        assert refused.status == 422
    assert (await features.get(path, {"facets": "category", "filter": "id <> 99"})).status == 200


def _selection(collection: Collection, **values: object) -> Selection:
    return select(collection, QueryValues(defaultdict(lambda: None, values)))


async def test_the_same_is_counted_once_whatever_it_is_called(running: Services) -> None:
    app = running.apps["features"]
    facets = app[FACETS]

    async def known() -> tuple[Collection, Collection]:
        found = [app[CATALOGUE].collection(f"hostile.{name}") for name in ("events", "event_view")]
        for collection in found:
            assert app[VERSIONS].version(collection) is not None
        return found[0], found[1]

    events, view = await eventually(known)
    category = events.column("category")
    assert category
    facet, every = TermFacet("category", category), _selection(events)

    async def counted(selection: Selection, asked: TermFacet | PlaceFacet = facet) -> object:
        return (await facets.count(selection, [asked]))[0][0]

    first = await counted(every)
    assert await counted(_selection(events), replace(facet, name="another")) is first
    place = PlaceFacet("geom", events.geometries[0])
    others = [
        await counted(_selection(events, filter="id < 9")),
        await counted(_selection(events, filter="id < 10")),
        await counted(_selection(view)),
        await counted(every, replace(facet, size=2)),
        await counted(every, replace(facet, sorting="value_asc")),
        await counted(every, replace(facet, least=2)),
        await counted(every, place),
        await counted(every, replace(place, size=5.0)),
        await counted(every, replace(place, hexagons=True)),
    ]
    assert len({id(each) for each in (first, *others)}) == 1 + len(others)
    assert await counted(every) is first
    # several at once are as they would be alone, and in their order
    both, _ = await facets.count(every, [place, facet])
    assert both == [others[6], first]


class Changing(SetVersions):
    """Versions that change at each call, until they rest."""

    rests = False
    asked = 0

    def version(self, collection: Collection) -> DataVersion | None:
        self.asked += not self.rests
        found = super().version(collection)
        return found and DataVersion(f"{found.token} {self.asked}", found.since)


async def test_what_changed_while_it_was_counted_is_not_remembered(running: Services, hostile: HostileDatabase) -> None:
    events = running.apps["features"][CATALOGUE].collection("hostile.events")
    category = events.column("category")
    assert category
    facet, selection = TermFacet("category", category), _selection(events)
    async with Database(PoolSettings(hostile.reader_url, "test-facets", size=2)) as database:
        versions = Changing(database)
        facets = FacetCounts(database, versions, FailingRows(versions), at_once=1, of_collection=1)

        async def counted() -> object:
            return (await facets.count(selection, [facet]))[0][0]

        first = await counted()
        # as it was called before it was counted, and after
        for asked in range(versions.asked + 1):
            versions.asked, versions.rests = asked, True
            assert await counted() is not first
        rested = await counted()
        assert await counted() is rested
        # those that are counted together are remembered one by one
        others = [TermFacet(name, found) for name in ("magnitude", "name") if (found := events.column(name))]
        together = (await facets.count(selection, others))[0]
        for other, before in zip(others, together, strict=True):
            assert (await facets.count(selection, [other]))[0][0] is before
        # without a version it is unknown when the data change
        versions.token = None
        assert await counted() is not await counted()


async def test_counts_take_turns_by_collection(
    running: Services, hostile: HostileDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, object]] = []
    told: list[tuple[str, int, str]] = []

    class Noted(Shares):
        def __init__(self, most: int, *, wait_seconds: float) -> None:
            super().__init__(most, wait_seconds=wait_seconds)
            self.most = most
            made.append((most, wait_seconds))

        async def enter(self, name: str) -> None:
            await super().enter(name)
            told.append(("enters", self.most, name))

        def leave(self, name: str) -> None:
            super().leave(name)
            told.append(("leaves", self.most, name))

    monkeypatch.setattr(facet_counts, "Shares", Noted)
    events = running.apps["features"][CATALOGUE].collection("hostile.events")
    key = events.column("id")
    assert key
    async with Database(PoolSettings(hostile.reader_url, "test-facets", size=2)) as database:
        versions = SetVersions(database)
        facets = FacetCounts(database, versions, FailingRows(versions), at_once=3, of_collection=2)
        assert made == [(3, 5.0), (2, 5.0)]
        await facets.count(_selection(events), [TermFacet("id", key)])
        with pytest.raises(InvalidParameters):
            await facets.count(_selection(events), [NumberFacet("id", key, width="0.001")])
    turns = [("enters", 2, events.id), ("enters", 3, ""), ("leaves", 3, ""), ("leaves", 2, events.id)]
    assert told == turns * 2


async def test_what_is_still_counted_is_given_up_with_the_process(running: Services) -> None:
    events = running.apps["features"][CATALOGUE].collection("hostile.events")
    category = events.column("category")
    assert category

    class Waiting:
        """A database that never answers."""

        asked, left = asyncio.Event(), asyncio.Event()
        shares: ClassVar[list[str]] = []

        def of(self, name: str) -> Waiting:
            self.shares.append(name)
            return self

        @asynccontextmanager
        async def connection(self, *, transaction: bool) -> AsyncIterator[None]:
            assert transaction
            self.asked.set()
            try:
                await asyncio.Event().wait()
                yield
            finally:
                self.left.set()

    database = cast("Database", Waiting())
    versions = SetVersions(database)
    facets = FacetCounts(database, versions, FailingRows(versions), at_once=1, of_collection=1)
    counting = asyncio.create_task(facets.count(_selection(events), [TermFacet("category", category)]))
    await Waiting.asked.wait()
    assert Waiting.shares == ["hostile.events"]
    await facets.close()
    assert Waiting.left.is_set()
    await asyncio.wait([counting], timeout=60)
    assert counting.done()
    with pytest.raises((asyncio.CancelledError, Unavailable)):
        counting.result()
