"""The services by way of a PgBouncer in transaction mode, with its defaults, answer as they do without."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import mapbox_vector_tile
import orjson
import pytest

from libs.ogc.media_type import MediaType
from tests.eventually import eventually
from tests.poolers import pgbouncer
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services, services

EVENTS = "/collections/hostile.events"
FILTER = "magnitude > 1 AND CASEI(name) IS NOT NULL AND S_INTERSECTS(geom, BBOX(-180,-90,180,90))"
# of every kind of format, filter and order
ASKED = [
    *(f"/collections/hostile.types/items?f={name}" for name in ("geojson", "json", "csv", "geojsonseq", "ndjson")),
    f"{EVENTS}/items?limit=2&sortby=-magnitude&f=geojson",
    f"{EVENTS}/items?bbox=-180,-90,180,90&datetime=1900-01-01/..&f=geojson",
    f"{EVENTS}/items?filter={quote(FILTER)}&f=csv",
    f"{EVENTS}/queryables",
    "/collections/hostile.many/items?limit=10000&f=ndjson",
    "/collections/hostile.many/export?f=ndjson",
    # read by a cursor
    f"{EVENTS}/export?f=csv&sortby=-id",
    "/collections/hostile.many/items?ids=1,2,3&f=geojson",
]


@pytest.fixture(scope="module")
async def pooled(hostile: HostileDatabase) -> AsyncIterator[Services]:
    """The services on the hostile tables, with two sessions for all of them."""
    with pgbouncer(hostile.reader_url, sessions=2, pool_mode="transaction") as address:
        async with services() as started:
            for name in ("common", "features", "tiles"):
                await started.start(name, hostile.env(DAMS_DATABASE_URL=address))
            yield started


async def content(client: Client, address: str) -> Any:
    """Return the content that is the same at each request; the number of matching rows is in an answer only if it is
    counted already.
    """
    for _ in range(10):
        answer = await client.get(address)
        if answer.status != 503:
            break
        # two sessions are few on a busy machine; clients ask again
        await asyncio.sleep(float(answer.headers["Retry-After"]))
    assert answer.status in (200, 404), (address, answer.body)
    body = answer.body.replace(client.base.encode(), b"")
    if answer.type == MediaType.MVT:
        # in which order features are drawn follows from the plan of the moment
        layers = mapbox_vector_tile.decode(body).values()
        return sorted(repr(feature) for layer in layers for feature in layer["features"])
    if "json" not in answer.type or "seq" in answer.type or "ndjson" in answer.type:
        return body
    document = orjson.loads(body)
    if isinstance(document, list):
        return document
    return {name: value for name, value in document.items() if name not in ("timeStamp", "numberMatched")}


def _ids(listed: Any) -> list[str]:
    return [collection["id"] for collection in listed["collections"]]


def _leave_out_unknown(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Leave out parts of the extent that only one knows: on a busy machine a view may take too long to read."""
    extents = one.pop("extent", {}), other.pop("extent", {})
    for known in extents[0].keys() & extents[1].keys():
        one[known], other[known] = extents[0][known], extents[1][known]


async def test_answers_are_the_same(pooled: Services, running: Services) -> None:
    async def listed() -> list[str]:
        found, others = [await content(client["common"], "/collections?limit=1000") for client in (pooled, running)]
        assert _ids(found) == _ids(others)
        for one, other in zip(found["collections"], others["collections"], strict=True):
            _leave_out_unknown(one, other)
        assert found == others
        return _ids(found)

    collections = await eventually(listed)
    addresses = [
        *(("features", address) for address in ASKED),
        *(("features", f"/collections/{quote(name, safe='')}/items?f=geojson&limit=50") for name in collections),
        *(("features", f"/collections/{quote(name, safe='')}/schema") for name in collections),
        *(
            ("tiles", f"/collections/{quote(name, safe='')}/tiles/{tms}/0/0/0")
            for name in collections
            for tms in ("WebMercatorQuad", "WorldCRS84Quad")
        ),
    ]

    async def answers(client: Services) -> dict[tuple[str, str], Any]:
        # all at once, the searches for values of schemas would share two sessions, and might all run out of time
        few = asyncio.Semaphore(8)

        async def answer(service: str, address: str) -> Any:
            async with few:
                return await content(client[service], address)

        found = await asyncio.gather(*(answer(service, address) for service, address in addresses))
        return dict(zip(addresses, found, strict=True))

    async def alike() -> None:
        # each of the processes learns within a second of changes by other tests, and reads the values for schemas in
        # the background: two sessions are few for that
        await asyncio.sleep(0.5)
        found, others = await answers(pooled), await answers(running)
        assert {
            address: (found[address], others[address]) for address in found if found[address] != others[address]
        } == {}

    await eventually(alike, seconds=120)
