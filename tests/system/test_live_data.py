"""From a source to the map: a watcher fetches a changed document, and items and tiles of the gateway have it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import asinh, floor, pi, radians, tan

import asyncpg
import httpx
import pytest
from mapbox_vector_tile import decode

from deploy.loader.loading import Outcome
from deploy.loader.schedule.watching import Watch, watch
from deploy.loader.source import Source
from deploy.loader.sources import usgs_geojson
from deploy.local import stack as local_stack
from deploy.local.state import StateFolder
from tests.deploy.loader.conftest import IMPATIENT, Publisher, serving
from tests.deploy.loader.earthquake_feed import feature, feed
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

_LOG = logging.getLogger(__name__)
_LONGEST = 60
"""Maximum time from the change of a document to the map, in seconds: the goal of the product."""
_RHYTHM = timedelta(seconds=1)
_EVENT = "uslivedata"
_PLACE = (3.25, 71.25)
_ZOOM = 6


class Order:
    """What happened, in this order."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}

    def note(self, event: str) -> None:
        self.times.setdefault(event, time.monotonic())

    def seconds(self, first: str) -> dict[str, float]:
        return {event: round(moment - self.times[first], 2) for event, moment in self.times.items()}


@pytest.fixture
async def owner(stack: RunningStack) -> AsyncIterator[asyncpg.Connection]:
    """Yield the owner of the stack's database, which afterwards is as before."""
    connection = await asyncpg.connect(stack.owner_url("dams"))
    yield connection
    await connection.execute("DELETE FROM hazard.hazard_eq_events WHERE event_id = $1", _EVENT)
    for table in ("load_document", "load_table", "load_source"):
        await connection.execute(f"DELETE FROM dams.{table} WHERE source = $1", usgs_geojson.SOURCE.name)  # noqa: S608
    await connection.close()


async def test_a_changed_document_is_on_the_map_within_a_minute(stack: RunningStack, owner: asyncpg.Connection) -> None:
    folder = StateFolder(stack.state_dir)
    url = local_stack.loader_url(folder, folder.load())
    async with serving() as publisher, httpx.AsyncClient(base_url=f"{stack.base_url}/", timeout=30) as client:
        address = publish(publisher, magnitude=None)
        loads: asyncio.Queue[Outcome] = asyncio.Queue()

        def say(_source: Source, outcome: Outcome) -> None:
            if outcome.counts.changed:
                loads.put_nowait(outcome)

        source = replace(usgs_geojson.SOURCE, addresses=lambda _since: [address], rhythm=_RHYTHM, catches_up=False)
        watching = asyncio.create_task(watch([source], Watch(url=url, say=say, shortest=_RHYTHM, patience=IMPATIENT)))
        try:
            for magnitude in (6.5, 7.25):
                # both are cached as they were
                assert magnitude not in {await in_items(client), await in_tile(client)}
                order = Order()
                publish(publisher, magnitude=magnitude)
                order.note("published")
                asked = len(publisher.asked)
                async with asyncio.timeout(_LONGEST):
                    await loads.get()
                    order.note("loaded")
                    assert len(publisher.asked) > asked
                    await asyncio.gather(*(until(order, name, show, magnitude, client) for name, show in SHOWN.items()))
                _LOG.info("seconds after the document changed: %s", order.seconds("published"))
                assert list(order.times)[:2] == ["published", "loaded"]
                assert order.times.keys() == {"published", "loaded", *SHOWN}
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching


def publish(publisher: Publisher, *, magnitude: float | None) -> str:
    """Publish the earthquake with this magnitude, or a feed without it."""
    now = int(datetime.now(UTC).timestamp() * 1000)
    said = {"ids": f",{_EVENT},", "coordinates": [*_PLACE, 10], "time": now - 600_000, "updated": now, "detail": None}
    features = [] if magnitude is None else [feature(_EVENT, mag=magnitude, **said)]
    content = feed(*features, generated=now)
    return publisher.publish("/feed", content, headers={"ETag": f'"{now}"'})


async def in_items(client: httpx.AsyncClient) -> float | None:
    answer = await client.get("collections/hazard.hazard_eq_events/items", params={"event_id": _EVENT, "limit": 1})
    answer.raise_for_status()
    features = answer.json()["features"]
    return features[0]["properties"]["magnitude"] if features else None


async def in_tile(client: httpx.AsyncClient) -> float | None:
    size = 2**_ZOOM
    column = floor((_PLACE[0] + 180) / 360 * size)
    row = floor((1 - asinh(tan(radians(_PLACE[1]))) / pi) / 2 * size)
    answer = await client.get(f"collections/hazard.hazard_eq_events/tiles/WebMercatorQuad/{_ZOOM}/{column}/{row}")
    answer.raise_for_status()
    layers = decode(answer.content).values() if answer.content else ()
    found = [each["properties"] for layer in layers for each in layer["features"]]
    return next((each["magnitude"] for each in found if each.get("event_id") == _EVENT), None)


SHOWN: dict[str, Callable[[httpx.AsyncClient], Awaitable[float | None]]] = {"items": in_items, "tile": in_tile}


async def until(
    order: Order,
    name: str,
    show: Callable[[httpx.AsyncClient], Awaitable[float | None]],
    magnitude: float,
    client: httpx.AsyncClient,
) -> None:
    """Wait until a response of the gateway has the magnitude."""
    while await show(client) != magnitude:  # noqa: ASYNC110 - a client can only request again
        await asyncio.sleep(0.1)
    order.note(name)
