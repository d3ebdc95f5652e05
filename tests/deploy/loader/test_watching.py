"""Of all watching processes, one loads the sources, at their intervals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta

import asyncpg
import pytest
from aiohttp import web
from prometheus_client import REGISTRY

from deploy.loader.loading import Outcome
from deploy.loader.schedule.watching import Watch, watch
from deploy.loader.source import Source
from deploy.loader.sources import usgs_geojson
from deploy.loader.store.lock import hold_lock
from tests.deploy.loader.conftest import IMPATIENT, Publisher
from tests.deploy.loader.earthquake_feed import feature, feed
from tests.eventually import eventually

Outcomes = list[Outcome]


def source(address: Callable[[datetime | None], list[str]], **changed: object) -> Source:
    return replace(usgs_geojson.SOURCE, addresses=address, rhythm=timedelta(milliseconds=50), **changed)  # type: ignore[arg-type]


@asynccontextmanager
async def watched(url: str, found: Source) -> AsyncIterator[Outcomes]:
    """Watch a source during the block; yields the outcomes of its loads."""
    outcomes: Outcomes = []
    settings = Watch(
        url=url,
        say=lambda _source, outcome: outcomes.append(outcome),
        shortest=timedelta(milliseconds=50),
        patience=IMPATIENT,
    )
    task = asyncio.create_task(watch([found], settings))
    try:
        yield outcomes
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def tagged(content: object, tag: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304)
        return web.json_response(content, headers={"ETag": tag})

    return answer


async def test_what_is_new_is_loaded_and_what_is_not_is_not_sent(
    owner: asyncpg.Connection, loader_url: str, publisher: Publisher
) -> None:
    address = publisher.answer("/feed", tagged(feed(feature("us1")), '"1"'))

    async def count() -> int:
        return int(await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events"))

    async def has_two() -> bool:
        return await count() == 2

    async with watched(loader_url, source(lambda _since: [address], catches_up=False)) as outcomes:

        async def is_unmodified() -> bool:
            return len(outcomes) >= 3 and not outcomes[-1].is_modified

        await eventually(is_unmodified)
        assert await count() == 1
        publisher.answer("/feed", tagged(feed(feature("us1"), feature("us2")), '"2"'))
        await eventually(has_two)
    assert REGISTRY.get_sample_value("dams_loader_leading", {"source": "usgs-earthquakes"}) == 1
    checked = await owner.fetchval("SELECT extract(epoch FROM checked) FROM dams.load_source")
    measured = REGISTRY.get_sample_value("dams_loader_checked_timestamp_seconds", {"source": "usgs-earthquakes"})
    assert measured is not None
    assert abs(measured - float(checked)) < 60


async def test_a_fault_without_words_is_told_by_its_kind(loader_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    def hung(_since: datetime | None) -> list[str]:
        raise TimeoutError

    told: list[str] = []
    async with watched(loader_url, source(hung)):

        async def is_told() -> bool:
            told.extend(capsys.readouterr().err.splitlines())
            return "usgs-earthquakes: error: TimeoutError" in told

        await eventually(is_told)


async def test_one_of_two_leads_and_a_fault_ends_nothing(
    owner: asyncpg.Connection, loader_url: str, publisher: Publisher
) -> None:
    address = publisher.publish("/feed", "<html><title>Down</title>")
    found = source(lambda _since: [address], catches_up=False)
    async with watched(loader_url, found) as first, watched(loader_url, found) as second:

        async def has_failed() -> bool:
            return bool(await owner.fetchval("SELECT message LIKE '%Down%' FROM dams.load_source"))

        await eventually(has_failed)
        publisher.publish("/feed", feed(feature()))

        async def has_loaded() -> bool:
            return len(first) + len(second) >= 4

        await eventually(has_loaded)
        assert not first or not second
        assert await owner.fetchval("SELECT message FROM dams.load_source") is None
        # the leader loses its connection
        await owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name LIKE 'dams loader usgs%' AND datname = current_database()"
        )
        led = len(first) + len(second)

        async def goes_on() -> bool:
            return len(first) + len(second) >= led + 2

        await eventually(goes_on)


ODD: list[object] = [
    [],
    None,
    "x",
    {"features": 1},
    {"type": "FeatureCollection", "metadata": None, "features": [None, [], 1]},
    feed(feature(nst=2**40)),
    feed(feature(place="a\0b")),
    feed(feature(geometry=None)),
    feed(feature(coordinates=[None])),
    feed(feature(time="yesterday", ids=7)),
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
async def test_no_document_ends_the_watch(
    owner: asyncpg.Connection, loader_url: str, publisher: Publisher, odd: object
) -> None:
    address = publisher.answer("/feed", tagged(odd, '"odd"'))
    async with watched(loader_url, source(lambda _since: [address], catches_up=False)):

        async def is_read() -> bool:
            return bool(await owner.fetchval("SELECT checked IS NOT NULL OR message IS NOT NULL FROM dams.load_source"))

        await eventually(is_read)
        publisher.answer("/feed", tagged(feed(feature("us7")), '"good"'))

        async def is_loaded() -> bool:
            return bool(await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events WHERE event_id = 'us7'"))

        await eventually(is_loaded)


async def test_faulty_documents_of_one_source_hold_up_no_other(
    owner: asyncpg.Connection, loader_url: str, publisher: Publisher
) -> None:
    """One source returns ten faulty documents while the other one returns ten valid ones."""
    faulty = publisher.answer("/faulty", *(tagged(odd, f'"{number}"') for number, odd in enumerate(ODD)))
    good = publisher.answer("/good", *(tagged(feed(feature(f"us{number}")), f'"{number}"') for number in range(10)))
    one = source(lambda _since: [faulty], catches_up=False, name="faulty")
    other = source(lambda _since: [good], catches_up=False, name="good")
    settings = Watch(url=loader_url, say=lambda *_: None, shortest=timedelta(milliseconds=50), patience=IMPATIENT)
    task = asyncio.create_task(watch([one, other], settings))

    async def has_loaded() -> bool:
        return bool(
            await owner.fetchval("SELECT count(*) = 10 FROM hazard.hazard_eq_events WHERE event_id ~ 'us[0-9]$'")
        )

    async def has_failed() -> bool:
        return (REGISTRY.get_sample_value(*unreadable) or 0) >= 3

    unreadable = ("dams_loader_loads_total", {"source": "faulty", "outcome": "unreadable"})
    try:
        await eventually(has_loaded)
        await eventually(has_failed)
        assert not task.done()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_what_was_revised_and_deleted_is_asked_for_at_the_start(
    loader_url: str, owner: asyncpg.Connection, publisher: Publisher
) -> None:
    newest = publisher.publish("/feed", feed(feature()))
    week = publisher.publish("/query", feed(feature(), feature("us1")))
    asked: list[datetime | None] = []

    def addresses(since: datetime | None) -> list[str]:
        asked.append(since)
        return [newest if since is None else week]

    async with watched(loader_url, source(addresses, catches_up=True)) as outcomes:

        async def has_loaded() -> bool:
            return len(outcomes) >= 3

        await eventually(has_loaded)
    assert [since is None for since in asked[:3]] == [False, True, True]
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 2


async def test_a_load_by_hand_goes_first(
    loader_url: str, owner: asyncpg.Connection, publisher: Publisher, capsys: pytest.CaptureFixture[str]
) -> None:
    address = publisher.publish("/feed", feed(feature()))
    hand = await asyncpg.connect(loader_url)
    told: list[str] = []

    async def has_met_it_twice() -> bool:
        told.extend(line for line in capsys.readouterr().err.splitlines() if "is being loaded already" in line)
        return len(told) >= 2

    try:
        async with AsyncExitStack() as by_hand:
            await by_hand.enter_async_context(hold_lock(hand, usgs_geojson.SOURCE.name))
            async with watched(loader_url, source(lambda _since: [address], catches_up=False)) as outcomes:
                await eventually(has_met_it_twice)
                assert not outcomes
                await by_hand.aclose()

                async def goes_on() -> bool:
                    return bool(outcomes)

                await eventually(goes_on)
    finally:
        await hand.close()
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 1


async def test_a_source_that_never_had_anything_is_asked_again(
    owner: asyncpg.Connection, loader_url: str, publisher: Publisher
) -> None:
    address = publisher.publish("/feed", feed())
    async with watched(loader_url, source(lambda _since: [address], catches_up=False)) as outcomes:

        async def is_asked_again() -> bool:
            return len(outcomes) >= 3

        await eventually(is_asked_again)
    assert await owner.fetchval("SELECT changed FROM dams.load_source") is None
