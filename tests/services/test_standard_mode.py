"""`DAMS_INVALID_PARAMETER_STATUS=400`: the ways of the standards, where the contract has others."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from services.tiles import tile
from services.tiles.dataset import tile as dataset_tile
from tests.running_stack import Cluster
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services, services

ITEMS = "/collections/hostile.events/items"
TILES = "/collections/hostile.events/tiles/WebMercatorQuad"
SERVICES = ("common", "features", "tiles")


@pytest.fixture(scope="module")
async def standard(hostile: HostileDatabase, cluster: Cluster) -> AsyncIterator[Services]:
    async with services() as started:
        for name in SERVICES:
            await started.start(
                name, hostile.env(DAMS_REDIS_URL=cluster.redis_url, DAMS_INVALID_PARAMETER_STATUS="400")
            )
        yield started


async def test_faults_have_the_status_that_the_document_says(standard: Services, running: Services) -> None:
    path = f"{ITEMS}?limit=x"
    answer = await standard["features"].get(path)
    assert (answer.status, answer.json()["detail"][0]["loc"]) == (400, ["query", "limit"])
    assert (await running["features"].get(path)).status == 422
    for name in SERVICES:
        for started, said, other in ((standard, "400", "422"), (running, "422", "400")):
            paths = (await started[name].json("/internal/part"))["openapi"]["paths"]
            for path, item in paths.items():
                operation = item.get("get") or item["post"]
                responses = operation["responses"]
                assert {said, "405", "414", "431", "503"} <= responses.keys(), path
                # a malformed body or header is 400 in any mode
                has_header = any(parameter.get("in") == "header" for parameter in operation.get("parameters", ()))
                assert other not in responses or has_header or "post" in item, path


async def test_a_limit_above_the_maximum_is_the_maximum(standard: Services, running: Services) -> None:
    for limit in ("10001", "999999999999999999999"):
        found = await standard["features"].json(ITEMS, limit=limit)
        assert found["numberReturned"] == len(found["features"]) == found["numberMatched"] > 100
        refused = await running["features"].get(ITEMS, {"limit": limit})
        assert (refused.status, refused.json()["detail"][0]["loc"]) == (422, ["query", "limit"])
    # values below the minimum, and texts that are not numbers, are still errors
    for limit in ("-1", "1.5", "ten", ""):
        assert (await standard["features"].get(ITEMS, {"limit": limit})).status == 400, limit
    assert (await standard["common"].json("/collections", limit="5000"))["numberReturned"] > 10


async def test_an_empty_tile_outside_the_limits_does_not_exist(standard: Services, running: Services) -> None:
    tileset = await standard["tiles"].json(TILES)
    limits = next(entry for entry in tileset["tileMatrixSetLimits"] if entry["tileMatrix"] == "9")
    inside = f"{TILES}/9/{limits['minTileCol']}/{limits['minTileRow']}"
    assert limits["minTileRow"] > 0
    outside = f"{TILES}/9/{limits['minTileCol']}/0"
    assert (await standard["tiles"].get(inside)).status == 200
    refused = await standard["tiles"].get(outside)
    assert refused.status == 404
    columns, rows = [
        f"{kind} {limits[f'minTile{name}']} to {limits[f'maxTile{name}']}"
        for kind, name in (("columns", "Col"), ("rows", "Row"))
    ]
    assert refused.json() == {
        "detail": f"Tile matrix 9 of this tileset is limited to {columns} and {rows}, where its data are;"
        f" there is no tile at column {limits['minTileCol']}, row 0."
    }
    # the contract's answer
    empty = await running["tiles"].get(outside)
    assert (empty.status, empty.body) == (200, b"")
    # of several collections it is that of all
    several = "/tiles/WebMercatorQuad/9/0/0"
    for query, status in (("?collections=hostile.events", 404), ("?collections=hostile.events,hostile.empty", 200)):
        assert (await standard["tiles"].get(f"{several}{query}")).status == status
        assert (await running["tiles"].get(f"{several}{query}")).status == 200


async def test_a_tile_that_holds_something_is_given_wherever_it_is(
    standard: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (tile, dataset_tile):
        monkeypatch.setattr(module, "refuse_outside", pytest.fail)
    for path in (f"{TILES}/0/0/0", "/tiles/WebMercatorQuad/0/0/0?collections=hostile.events"):
        answer = await standard["tiles"].get(path)
        assert (answer.status, answer.body != b"") == (200, True)
