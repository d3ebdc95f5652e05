"""The topics of the landing page are read when their data or the file have changed, and stay while the database is
down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.introspect import Introspection
from services.common.situation.asked import Asked
from services.common.situation.situation import Situation, Wanted

_TABLES = """
CREATE SCHEMA own;
CREATE TABLE own.quakes (id integer PRIMARY KEY, title text, magnitude real, at timestamptz, ended timestamptz,
                         geom geometry(Point, 4326), place geography(Point));
INSERT INTO own.quakes VALUES
    (1, 'New', 6, now() - interval '1 hour', NULL, 'SRID=4326;POINT(190 10)', 'POINT(-170 20)'),
    (2, 'Newer', 7, now() - interval '1 minute', now() - interval '1 second', 'SRID=4326;POINT(20 10)', NULL),
    (3, 'Weak', 5.9, now() - interval '1 hour', NULL, NULL, NULL),
    (4, 'Old', 9, now() - interval '40 days', NULL, NULL, NULL),
    (5, 'To come', 9, now() + interval '40 days', NULL, NULL, NULL),
    (6, 'At no time', 9, NULL, NULL, NULL, NULL);
"""
STRONG = Asked.model_validate({"title": "Strong", "at_least": {"magnitude": 6}})
OTHERS = STRONG.model_copy(update={"title": "Others"})


class Asking(Database):
    """Counts its statements, and is down when a test says so."""

    times = 0
    away = False

    def connection(self, **of_it: bool) -> Any:
        if self.away:
            raise Unavailable("away")
        self.times += 1
        return super().connection(**of_it)


async def with_quakes(owner: asyncpg.Connection) -> None:
    await owner.execute(_TABLES)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Asking]:
    owner = await asyncpg.connect(database_url)
    await with_quakes(owner)
    await owner.close()
    async with Asking(PoolSettings(database_url, "test", size=2)) as database:
        yield database


@pytest.fixture
async def quakes(database: Asking) -> Collection:
    (found,) = await Introspection(database, ("own",)).collections()
    database.times = 0
    return replace(found, times=tuple(each for each in found.times if each.name in ("at", "ended")))


def _names(situation: Situation) -> list[list[str]]:
    return [[each.name for each in topic.told] for topic in situation.topics]


async def test_it_is_read_when_something_has_changed(database: Asking, quakes: Collection) -> None:
    wanted: list[Wanted] = [(quakes, STRONG, "1")]
    situation = Situation(database, lambda: wanted, refresh_seconds=60)
    assert situation.topics == []
    for _ in range(2):
        await situation.refresh()
    assert _names(situation) == [["Newer", "New"]]
    assert database.times == 1
    for number, changed in enumerate([(quakes, STRONG, "2"), (quakes, OTHERS, "2")], 2):
        wanted[:] = [changed]
        await situation.refresh()
        assert database.times == number
    assert situation.topics[0].asked.title == "Others"
    wanted.clear()
    await situation.refresh()
    assert situation.topics == []
    assert database.times == 3


async def test_what_counts_is_of_the_last_days_or_in_force(database: Asking, quakes: Collection) -> None:
    async def topic(collection: Collection = quakes, **asked: object) -> Any:
        said = Asked.model_validate({"title": "T", **asked})
        situation = Situation(database, lambda: [(collection, said, None)], refresh_seconds=60)
        await situation.refresh()
        (found,) = situation.topics
        return found

    recent = await topic(at_least={"magnitude": 6})
    assert ([each.name for each in recent.told], recent.matched) == (["Newer", "New"], 2)
    assert recent.since == f"{datetime.now(UTC) - timedelta(days=30):%Y-%m-%d}"
    assert [each.place for each in recent.told] == [(20, 10), (-170, 10)]
    longer = await topic(at_least={"magnitude": 6}, days=41)
    assert ([each.name for each in longer.told], longer.matched) == (["Newer", "New", "Old"], 3)
    unset = await topic(at_least={"magnitude": 6}, unset=["ended"])
    assert [each.name for each in unset.told] == ["New"]
    lasting = await topic(replace(quakes, time_end="ended"))
    assert ([each.name for each in lasting.told], lasting.matched) == (["New", "Weak", "Old"], 3)
    # if none is in force, the latest ones, and no number
    latest = await topic(at_least={"magnitude": 8})
    assert ([each.name for each in latest.told], latest.matched) == (["To come", "Old"], 0)
    on_the_sphere = await topic(replace(quakes, geometries=(quakes.geometries[1],)), at_least={"magnitude": 6})
    assert [each.place for each in on_the_sphere.told] == [None, (-170, 20)]
    nowhere = await topic(replace(quakes, geometries=()), at_least={"magnitude": 6})
    assert [each.place for each in nowhere.told] == [None, None]


async def test_most_severe_come_first(database: Asking, quakes: Collection, database_url: str) -> None:
    async def told(collection: Collection) -> list[str]:
        situation = Situation(database, lambda: [(collection, Asked(title="T", days=41), None)], refresh_seconds=60)
        await situation.refresh()
        return [each.name for each in situation.topics[0].told]

    assert await told(quakes) == ["Newer", "New", "Weak", "Old"]
    assert await told(replace(quakes, importance=("-magnitude", "-gone"))) == ["Old", "Newer", "New", "Weak"]
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "ALTER TABLE own.quakes RENAME magnitude TO severity; ALTER TABLE own.quakes ADD alert_level text; "
        "UPDATE own.quakes SET alert_level = (ARRAY['Yellow', 'Green', 'Red'])[id] WHERE id < 4"
    )
    await owner.close()
    (alerts,) = await Introspection(database, ("own",)).collections()
    alerts = replace(alerts, times=quakes.times, importance=("-severity",))
    assert await told(alerts) == ["Weak", "New", "Newer", "Old"]


async def test_while_nobody_answers_it_stays_as_it_was(database: Asking, quakes: Collection) -> None:
    wanted: list[Wanted] = [(quakes, STRONG, "1")]
    situation = Situation(database, lambda: wanted, refresh_seconds=60)
    await situation.refresh()
    before = situation.topics
    database.away = True
    wanted[:] = [(quakes, STRONG, "2")]
    await situation.refresh()
    assert situation.topics == before
    # and is read as soon as the database answers
    database.away = False
    await situation.refresh()
    assert database.times == 2


async def test_what_cannot_be_read_is_passed_over_until_it_changes(database: Asking, quakes: Collection) -> None:
    gone = replace(quakes, id="own.gone", name="gone")
    nothing = Asked.model_validate({"title": "None", "at_least": {"magnitude": 10}})
    wanted: list[Wanted] = [(gone, STRONG, "1"), (quakes, STRONG, "1"), (replace(quakes, id="own.b"), nothing, "1")]
    situation = Situation(database, lambda: wanted, refresh_seconds=60)
    await situation.refresh()
    assert [topic.collection.id for topic in situation.topics] == ["own.quakes"]
    asked = database.times
    await situation.refresh()
    assert database.times == asked
