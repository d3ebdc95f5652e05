"""The service's description of itself for the others: its part of the OpenAPI document, its links, and its state."""

from __future__ import annotations

from typing import Any

import pytest

from libs.cache.tile_cache import TileCache
from libs.catalogue.versions import DataVersions
from libs.ogc.errors import Restarting
from libs.ogc.link import Link
from services.tiles.part import PART, amend_part
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.tile_store import Tile, TileStore
from tests.eventually import eventually
from tests.services.in_process import Client, Services, services
from tests.services.tiles.cache import OwnRedis
from tests.services.tiles.conftest import Placed

OF_ONE = "/collections/{collectionId}/tiles/{tileMatrixSetId}/{z}/{x}/{y}"
OF_SEVERAL = "/tiles/{tileMatrixSetId}/{z}/{x}/{y}"


async def _properties(tiles: Client) -> list[set[str]]:
    """Names of parameters that are properties, of both kinds of tiles."""
    paths = (await tiles.json("/internal/part"))["openapi"]["paths"]
    return [
        {each["name"] for each in paths[path]["get"]["parameters"] if each.get("x-queryable")}
        for path in (OF_ONE, OF_SEVERAL)
    ]


async def test_properties_of_the_collections_are_parameters_of_tiles(placed_tiles: Client) -> None:
    one, several = await _properties(placed_tiles)
    assert {"name", "level"} <= one == several


def test_before_the_collections_are_known_any_property_is_taken() -> None:
    part = amend_part(PART, None)
    assert part.openapi["paths"] == PART.openapi["paths"]
    assert part.name == "tiles"


TILESETS = "http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector"
SCHEMES = "http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes"


def test_collections_with_a_geometry_lead_to_their_tiles() -> None:
    own = "/collections/{collectionId}/tiles"
    assert [(*_told(each.link), each.needs_geometry) for each in PART.collection_links] == [
        (SCHEMES, "/tileMatrixSets", "application/json", "Tile matrix sets", True),
        (TILESETS, own, "application/json", "Vector tilesets", True),
        (
            "describedby",
            f"{own}/WebMercatorQuad/tilejson.json",
            "application/json",
            "TileJSON for web maps",
            True,
        ),
        ("stylesheet", f"{own}/WebMercatorQuad/style.json", "application/json", "MapLibre style", True),
    ]


def test_the_landing_page_leads_to_tiles_of_all() -> None:
    assert [_told(each) for each in PART.landing_links] == [
        (TILESETS, "/tiles", "application/json", "Vector tilesets of several collections"),
        (SCHEMES, "/tileMatrixSets", "application/json", "Tile matrix sets"),
    ]


def _told(link: Link) -> tuple[str | None, ...]:
    return link.rel, link.href, link.type, link.title


def test_what_it_conforms_to() -> None:
    tiles = ("core", "tileset", "tilesets-list", "dataset-tilesets", "geodata-tilesets", "collections-selection", "mvt")
    sets = ("tilematrixset", "tilematrixsetlimits", "variablematrixwidth", "tilesetmetadata")
    assert {uri.removeprefix("http://www.opengis.net/spec/") for uri in PART.conforms_to} == {
        *(f"ogcapi-tiles-1/1.0/conf/{name}" for name in (*tiles, "oas30")),
        *(f"tms/2.0/conf/{name}" for name in sets),
        *(f"tms/2.0/conf/json-{name}" for name in sets),
    }


async def test_it_is_well_without_a_cache_and_says_so(cached: Services, own_redis: OwnRedis) -> None:
    tiles = cached["tiles"]
    assert (await tiles.json("/internal/health")) == {"status": "ok"}
    await own_redis.stop()

    async def told() -> None:
        await tiles.get("/collections/placed.points/tiles/WebMercatorQuad/0/0/0")
        answer = await tiles.get("/internal/health")
        assert answer.status == 200
        assert any("cache" in each.lower() for each in answer.json().get("detail", []))

    await eventually(told)


async def test_without_its_catalogue_it_is_not_ready(placed: Placed) -> None:
    async with services() as started:
        tiles = await started.start("tiles", {**placed.env, "DAMS_CATALOGUE_URL": "http://127.0.0.1:9"})
        answer = await tiles.get("/internal/health")
        assert (answer.status, "catalogue" in answer.json()["detail"][0]) == (503, True)
        assert (await tiles.get("/collections/placed.points/tiles")).status == 503


async def test_it_tells_what_is_wrong_with_what_it_stands_on(
    placed_tiles: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TileCache, "trouble", "no cache")
    monkeypatch.setattr(DataVersions, "trouble", "no answer of a replica")
    found = await placed_tiles.json("/internal/health")
    assert found == {"status": "ok", "detail": ["no cache", "no answer of a replica"]}

    async def health(_: DataVersions) -> str:
        return "no database"

    monkeypatch.setattr(DataVersions, "health", health)
    answer = await placed_tiles.get("/internal/health")
    assert (answer.status, answer.json()) == (503, {"status": "unavailable", "detail": ["no database"]})


async def test_what_a_restart_interrupts_is_asked_for_again(
    placed_tiles: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[TileRequest] = []
    tile = TileStore.tile

    async def interrupted(store: TileStore, request: TileRequest, *more: Any, **named: Any) -> Tile:
        attempts.append(request)
        if len(attempts) == 1:
            raise Restarting("The database is restarted.")
        return await tile(store, request, *more, **named)

    monkeypatch.setattr(TileStore, "tile", interrupted)
    assert (await placed_tiles.get("/collections/placed.points/tiles/WebMercatorQuad/0/0/0")).status == 200
    assert len(attempts) == 2
