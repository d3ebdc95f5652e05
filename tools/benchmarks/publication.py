"""Time from a source's publication to the map: `python -m tools.benchmarks.publication`, beside a stack of `make up`.

A local server stands for the USGS, and the loader watches it as `load --watch` does. Each round publishes one more
earthquake. It measures when the loader requests the server, when the stream of changes reports the change, and when
items and a tile contain the earthquake: all three through the gateway, at addresses that were requested before. The
loaded rows are deleted at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import mapbox_vector_tile
import morecantile
from aiohttp import ClientSession, ClientTimeout, web

from deploy.loader.loading import Outcome
from deploy.loader.schedule.watching import Watch, watch
from deploy.loader.source import Source
from deploy.loader.sources import usgs_geojson
from deploy.local import remembered, stack
from deploy.local.settings import read_settings
from deploy.local.state import StateFolder

_NAME = "benchmark-of-publication"
_COLLECTION = "hazard.hazard_eq_events"
_ZOOM = 9
_STEPS = ("asked", "changes", "items", "tile")


@dataclass
class _Publisher:
    """A feed in the USGS's format with an ETag; `asked` is when the newest version was first sent."""

    features: list[dict[str, Any]] = field(default_factory=list)
    asked: float | None = None

    async def answer(self, request: web.Request) -> web.Response:
        tag = f'"{len(self.features)}"'
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304)
        self.asked = self.asked or time.perf_counter()
        return web.json_response({"type": "FeatureCollection", "features": self.features}, headers={"ETag": tag})

    def publish(self, longitude: float, latitude: float) -> str:
        """Add a current earthquake and return its id."""
        now, name = int(time.time() * 1000), f"{_NAME}-{time.time_ns()}"
        said = {"mag": 5.0, "place": "measured", "time": now, "updated": now, "status": "reviewed", "net": "bm"}
        place = {"type": "Point", "coordinates": [longitude, latitude, 10]}
        self.features.append({"type": "Feature", "id": name, "properties": said, "geometry": place})
        self.asked = None
        return name


async def _wait_until(is_true: Callable[[], Awaitable[bool]]) -> float:
    while not await is_true():  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0.02)
    return time.perf_counter()


async def _wait_for_event(session: ClientSession, listening: asyncio.Event) -> float:
    async with session.get(
        f"/api/collections/{_COLLECTION}/changes", headers={"Accept": "text/event-stream"}
    ) as stream:
        listening.set()
        async for line in stream.content:
            if line.startswith(b"data:") and b"collection.update" in line:
                return time.perf_counter()
    raise RuntimeError("the stream of changes ended")


async def _round(session: ClientSession, publisher: _Publisher) -> list[float]:
    """Return seconds from publication until the request, and from there until each of the others has it."""
    longitude, latitude = random.uniform(-170, 170), random.uniform(-60, 60)  # noqa: S311 - no secret
    tile = morecantile.tms.get("WebMercatorQuad").tile(longitude, latitude, _ZOOM)
    address = f"/api/collections/{_COLLECTION}/tiles/WebMercatorQuad/{_ZOOM}/{tile.x}/{tile.y}"
    name = ""

    async def is_published() -> bool:
        return publisher.asked is not None

    async def in_items() -> bool:
        async with session.get(f"/api/collections/{_COLLECTION}/items?limit=5&sortby=-event_date&f=json") as answer:
            return name in await answer.text()

    async def in_tile() -> bool:
        async with session.get(address) as answer:
            layers = mapbox_vector_tile.decode(await answer.read())
            return any(
                each["properties"].get("event_id") == name for one in layers.values() for each in one["features"]
            )

    listening = asyncio.Event()
    told = asyncio.create_task(_wait_for_event(session, listening))
    await listening.wait()
    # so that caches contain the earlier state
    for _ in range(3):
        await asyncio.gather(in_items(), in_tile())
    await asyncio.sleep(random.uniform(0, 1))  # noqa: S311 - at any moment between two polls
    published, name = time.perf_counter(), publisher.publish(longitude, latitude)
    first, *rest = await asyncio.wait_for(
        asyncio.gather(_wait_until(is_published), told, _wait_until(in_items), _wait_until(in_tile)), timeout=60
    )
    return [first - published, *(moment - first for moment in rest)]


def _say(source: Source, outcome: Outcome) -> None:
    if outcome.findings.rejected:
        print(f"{source.name}: {outcome.findings.rejected[0]}", file=sys.stderr)


async def _main(rounds: int, interval: float) -> int:
    settings = read_settings(os.environ | remembered.recall(read_settings(os.environ).state_dir))
    folder = StateFolder(settings.state_dir)
    state = folder.load()
    publisher = _Publisher()
    application = web.Application()
    application.router.add_get("/feed", publisher.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    feed = f"http://127.0.0.1:{runner.addresses[0][1]}/feed"
    pause = timedelta(seconds=interval)
    source = replace(usgs_geojson.SOURCE, name=_NAME, addresses=lambda _since: [feed], rhythm=pause, catches_up=False)
    watching = asyncio.create_task(
        watch([source], Watch(url=stack.loader_url(folder, state), say=_say, shortest=pause))
    )
    gateway = f"http://127.0.0.1:{settings.gateway_port}"
    try:
        async with ClientSession(gateway, timeout=ClientTimeout(total=None)) as session:
            await _round(session, publisher)  # the loader reads its places
            found = [await _round(session, publisher) for _ in range(rounds)]
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await runner.cleanup()
        owner = await asyncpg.connect(stack.owner_url(folder, state))
        await owner.execute(f"DELETE FROM {_COLLECTION} WHERE event_id LIKE '{_NAME}-%'")
        await owner.execute("DELETE FROM dams.load_source WHERE source = $1", _NAME)
        await owner.close()
    print(f"{datetime.now(UTC):%Y-%m-%d}, {rounds} rounds, a poll every {interval:g} s")
    for place, step in enumerate(_STEPS):
        seconds = [each[place] for each in found]
        since = "publication" if step == "asked" else "the poll"
        print(f"{step:<8} {statistics.median(seconds):5.2f} s median, {max(seconds):5.2f} s at most, after {since}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.publication", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--interval", type=float, default=2, help="seconds between two polls")
    given = parser.parse_args()
    return asyncio.run(_main(given.rounds, given.interval))


if __name__ == "__main__":
    sys.exit(main())
