"""Each source has its own records: what was loaded, and what must be requested again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest
from aiohttp import web

from deploy.loader.command.reports import state_as_json, states_as_lines
from deploy.loader.source import DocumentError, Source
from deploy.loader.sources import usgs_geojson
from deploy.loader.store.bookkeeping import begin, states
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import feature, feed


def publish(publisher: Publisher, tag: str, *event_ids: str) -> str:
    """Publish a feed of these events; a client that already has this version does not get it again."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304)
        return web.json_response(feed(*map(feature, event_ids)), headers={"ETag": tag})

    return publisher.answer("/feed", answer)


def source(address: str, name: str = "first") -> Source:
    return replace(usgs_geojson.SOURCE, name=name, addresses=lambda _since: [address])


async def test_two_sources_of_one_address_know_nothing_of_each_other(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    address = publish(publisher, '"1"', "us1")
    first, second = source(address), source(address, "second")
    assert (await run(first)).counts.inserted == 1
    assert not (await run(first)).is_modified
    before = (await states(owner))["first"]
    # the results of the last load, not of the last request
    assert (before["summary"]["read"], before["summary"]["inserted"]) == (1, 1)
    # the second was never sent it
    assert (await run(second)).is_modified
    publish(publisher, '"2"', "us1", "us2")
    assert (await run(second)).counts.inserted == 1
    publisher.publish("/feed", "<html>")
    with pytest.raises(DocumentError):
        await run(second)
    after = await states(owner)
    assert after["second"]["message"]
    assert after["second"]["changed"] > before["changed"]
    assert after["first"] == before


async def test_a_load_that_is_stopped_tells_of_no_earlier_failure(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    address = publisher.publish("/feed", "<html><title>Down</title>")
    with pytest.raises(DocumentError):
        await run(source(address))
    state = (await states(owner))["first"]
    assert ("Down" in states_as_lines({"first": state})[0], state_as_json(state)["isUnfinished"]) == (True, False)
    # the record that a killed load leaves: it began, and did not report again
    await begin(owner, source(address))
    state = (await states(owner))["first"]
    assert (state_as_json(state)["error"], state_as_json(state)["isUnfinished"]) == (None, True)
    assert "Down" not in (line := states_as_lines({"first": state})[0])
    assert "a load began 0 s ago and has not ended" in line
    publish(publisher, '"1"', "us1")
    await run(source(address))
    assert state_as_json((await states(owner))["first"])["isUnfinished"] is False


@pytest.mark.parametrize("way", ["since", "dry_run", "given"])
async def test_what_was_loaded_in_another_way_is_no_version_of_the_newest(
    run: Load, publisher: Publisher, way: str
) -> None:
    address = publish(publisher, '"1"', "us1")
    given = [address] if way == "given" else []
    ways: dict[str, Any] = {"since": datetime(2018, 1, 1, tzinfo=UTC), "dry_run": True}
    asked = {name: value for name, value in ways.items() if name == way}
    await run(source(address), *given, **asked)
    assert (await run(source(address))).is_modified
    # a load of something else does not update the version of the newest data, which stays
    assert (await run(source(address), *given, **asked)).is_modified
    assert not (await run(source(address))).is_modified
