"""The stream names the changed features if they are known, and never claims to name all if some may be missing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions
from libs.pg.pool import Database, PoolSettings
from services.features.streaming import changed_items
from services.features.streaming.changed_items import ChangedItems, Items
from services.features.streaming.cloud_events import cloud_event
from tests.conftest import MakeDatabase

_COLUMNS = "event_id, event_date, geom"
_ROW = "now(), 'SRID=4326;POINT(0 0)'"


@dataclass
class Room:
    owner: asyncpg.Connection
    items: ChangedItems
    events: Collection

    async def load(self, *event_ids: str, names: bool = True) -> list[str]:
        """Inserts rows as the loader does, which names them; gives their ids."""
        async with self.owner.transaction():
            rows = await self.owner.fetch(
                f"INSERT INTO hazard.hazard_eq_events ({_COLUMNS}) SELECT e, {_ROW} FROM unnest($1::text[]) e "  # noqa: S608
                "RETURNING id",
                event_ids,
            )
            ids = [str(row["id"]) for row in rows]
            if names:
                await self.owner.execute(
                    "INSERT INTO dams.changed_item (relation, item, action) "
                    "SELECT 'hazard.hazard_eq_events'::regclass, i, 'create' FROM unnest($1::text[]) i",
                    ids,
                )
        return ids

    async def told(self) -> Items | None:
        return (await self.items.read([self.events])).get(self.events.id)


async def with_schema(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)


@pytest.fixture
async def room(make_database: MakeDatabase) -> AsyncIterator[Room]:
    url = await make_database(with_schema)
    owner = await asyncpg.connect(url)
    oid = await owner.fetchval("SELECT 'hazard.hazard_eq_events'::regclass::oid::bigint")
    events = Collection("hazard.e", "hazard", "e", oid, "table", "", None, (), key="id", sources=(oid,))
    async with Database(PoolSettings(url, "test")) as database, DataVersions(database) as versions:
        items = ChangedItems(database, versions)
        await items.begin()
        assert items.has_begun
        yield Room(owner, items, events)
    await owner.close()


async def test_named_features_are_told_once(room: Room) -> None:
    first = await room.load("a", "b")
    second = await room.load("c")
    assert await room.told() == Items(tuple((item, "create") for item in [*first, *second]), is_complete=True)
    assert await room.told() is None


async def test_where_somebody_else_writes_too_it_is_not_all(room: Room) -> None:
    named = await room.load("a")
    await room.load("b", names=False)
    assert await room.told() == Items(((named[0], "create"),), is_complete=False)
    await room.load("c", names=False)
    assert await room.told() is None


async def test_of_many_some_are_told(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed_items, "MOST_ITEMS", 2)
    ids = await room.load("a", "b", "c")
    assert await room.told() == Items(tuple((item, "create") for item in ids[:2]), is_complete=False)


async def test_a_transaction_that_ends_after_a_look_is_told_at_the_next(room: Room) -> None:
    async with room.owner.transaction():
        ids = await room.load("a")
        assert await room.told() is None
    assert await room.told() == Items(((ids[0], "create"),), is_complete=True)


async def test_where_the_look_fails_nothing_is_named_until_it_begins_anew(room: Room) -> None:
    await room.load("a")
    await room.owner.execute("ALTER FUNCTION dams.changed_items RENAME TO changed_elsewhere")
    assert await room.told() is None
    assert not room.items.has_begun
    await room.owner.execute("ALTER FUNCTION dams.changed_elsewhere RENAME TO changed_items")
    await room.load("b")
    # the changes since then are unknown
    assert await room.told() is None
    # it is not asked again at once
    await room.items.begin()
    assert not room.items.has_begun


async def test_views_and_other_keys_are_not_named(room: Room) -> None:
    await room.load("a")
    others = [
        replace(room.events, id="view", kind="view"),
        replace(room.events, id="key", key="event_id"),
        replace(room.events, id="parts", sources=(room.events.oid, 1)),
    ]
    assert await room.items.read(others) == {}


async def test_a_database_without_names_has_none(make_database: MakeDatabase) -> None:
    async with Database(PoolSettings(await make_database(), "test")) as database, DataVersions(database) as versions:
        items = ChangedItems(database, versions)
        await items.begin()
        assert not items.has_begun
        assert await items.read([]) == {}


def test_an_event_names_what_is_known() -> None:
    now = datetime.now(UTC)
    event = cloud_event("http://a", "1", "c", "v", now, items=Items((("7", "update"),), is_complete=True))
    assert event["data"]["items"] == [{"itemId": "7", "change": "update"}]
    assert event["data"]["itemsComplete"] is True
    assert "items" not in cloud_event("http://a", "1", "c", "v", now)["data"]
