"""What the service tells the others of itself: its part of the document, its links, and how it is."""

from __future__ import annotations

import pytest

from services.tiles.part import PART, amended
from tests.eventually import eventually
from tests.services.in_process import Client, Services
from tests.services.tiles.cache import OwnRedis

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
    part = amended(PART, None)
    assert part.openapi["paths"] == PART.openapi["paths"]
    assert part.name == "tiles"


@pytest.mark.parametrize(
    ("rel", "path"),
    [
        ("http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes", "/tileMatrixSets"),
        ("http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector", "/collections/{collectionId}/tiles"),
        ("describedby", "/collections/{collectionId}/tiles/WebMercatorQuad/tilejson.json"),
        ("stylesheet", "/collections/{collectionId}/tiles/WebMercatorQuad/style.json"),
    ],
)
def test_collections_with_a_geometry_lead_to_their_tiles(rel: str, path: str) -> None:
    (found,) = (each for each in PART.collection_links if each.link.rel == rel)
    assert (found.link.href, found.link.type, found.needs_geometry) == (path, "application/json", True)
    assert len(PART.collection_links) == 4


def test_the_landing_page_leads_to_tiles_of_all() -> None:
    assert [(each.rel.rpartition("/")[2], each.href, each.type) for each in PART.landing_links] == [
        ("tilesets-vector", "/tiles", "application/json"),
        ("tiling-schemes", "/tileMatrixSets", "application/json"),
    ]


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
