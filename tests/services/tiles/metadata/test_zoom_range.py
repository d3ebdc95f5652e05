"""First and last zoom of a tileset: from the data, from the configuration, from the request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from services.tiles.metadata.zoom_range import zoom_range
from tests.services.in_process import Client

WORLD = (-180.0, -90.0, 180.0, 90.0)
TOWN = (7.0, 50.70, 7.01, 50.705)


def _range(
    tms: str = "WebMercatorQuad",
    kind: str = "Point",
    bbox: tuple[float, float, float, float] | None = WORLD,
    rows: int | None = 1000,
    **more: Any,
) -> tuple[int, int]:
    geometry = GeometryColumn("geom", kind, 4326, bbox=bbox)
    collection = Collection("s.t", "s", "t", 1, "table", "T", None, (), (geometry,), rows=rows)
    return zoom_range(replace(collection, **more), geometry, tile_matrix_set(tms))


def test_the_denser_the_data_the_deeper_the_tiles() -> None:
    found = [_range(rows=rows)[1] for rows in (10, 1000, 100_000, 10_000_000)]
    assert found == sorted(found)
    assert found[0] < found[1] < found[2] < found[3] <= 14
    # a thousand places in a town are nearer to each other than a thousand in the world
    assert _range(bbox=TOWN)[1] == 14
    # areas have corners, which lie closer than their middles
    assert _range(kind="Polygon", row_bytes=16_000)[1] > _range(kind="Polygon", row_bytes=160)[1]


def test_what_has_no_statistics_is_as_deep_as_tiles_are_worth() -> None:
    assert _range(rows=None) == _range(bbox=None) == _range(bbox=(1.0, 1.0, 1.0, 1.0)) == (0, 14)


def test_areas_begin_where_their_extent_is_seen() -> None:
    assert _range(kind="Polygon")[0] == 0
    first, last = _range(kind="Polygon", bbox=TOWN)
    # 700 m are a pixel where 256 of them are 180 km
    assert first == 7
    assert last == 14
    # a point is drawn as large at any zoom
    assert _range(bbox=TOWN)[0] == 0


def test_the_configuration_counts_in_zooms_of_web_mercator() -> None:
    assert _range(minzoom=3, maxzoom=9) == (3, 9)
    assert _range("WorldCRS84Quad", minzoom=3, maxzoom=9) == (2, 8)
    assert _range("UTM31WGS84Quad", maxzoom=9) == (1, 9)
    # one-degree tiles at every level up to 0
    assert _range("CDB1GlobalGrid", maxzoom=4) == (-10, 0)
    assert _range(maxzoom=30)[1] == 24
    # an end that is said moves the other
    assert _range(bbox=TOWN, kind="Polygon", maxzoom=2) == (2, 2)
    assert _range(rows=10, minzoom=12) == (12, 12)


@pytest.mark.parametrize("identifier", IDS)
async def test_descriptors_and_tileset_agree(tiles: Client, identifier: str) -> None:
    path = f"/collections/hostile.events/tiles/{identifier}"
    tileset = await tiles.json(path)
    (layer,) = tileset["layers"]
    document = await tiles.json(f"{path}/tilejson.json")
    style = await tiles.json(f"{path}/style.json")
    first, last = int(layer["minTileMatrix"]), int(layer["maxTileMatrix"])
    levels = [int(limit["tileMatrix"]) for limit in tileset["tileMatrixSetLimits"]]
    assert levels == sorted(tile_matrix_set(identifier).matrices)
    assert levels[0] == first <= last < levels[-1]
    for found in (document, document["vector_layers"][0], style["sources"]["hostile.events"]):
        assert (found["minzoom"], found["maxzoom"]) == (first, last)


async def test_the_request_has_the_last_word(tiles: Client) -> None:
    path = "/collections/hostile.events/tiles/WebMercatorQuad/tilejson.json"
    plain = await tiles.json(path)

    async def zooms(**parameters: str) -> tuple[int, int]:
        document = await tiles.json(path, **parameters)
        return document["minzoom"], document["maxzoom"]

    assert await zooms(minzoom="2") == (2, plain["maxzoom"])
    assert await zooms(maxzoom="20") == (0, 20)
    assert await zooms(minzoom="20") == (20, 20)
    assert await zooms(minzoom="3", maxzoom="5") == (3, 5)
    for parameters in ({"minzoom": "5", "maxzoom": "4"}, {"maxzoom": "25"}, {"minzoom": "-1"}):
        assert (await tiles.get(path, parameters)).status == 422


def test_zooms_follow_from_how_far_apart_places_are() -> None:
    # 8192 places are 128 in a row of the world: one on average in tiles of zoom 7, a quarter of one two zooms deeper
    assert _range(rows=8192)[1] == 9
    assert _range(rows=2)[1] == 3
    # a corner has 16 bytes
    assert _range(kind="Polygon", rows=2048, row_bytes=64)[1] == 9
    assert _range(kind="Polygon", rows=8192, row_bytes=8)[1] == _range(kind="Polygon", rows=8192)[1] == 9
    assert _range(rows=0)[1] == 14
    # across the antimeridian it is as far as elsewhere
    assert _range(bbox=(170.0, -10.0, -170.0, 10.0)) == _range(bbox=(-10.0, -10.0, 10.0, 10.0))
    # towards the poles degrees are shorter: half as long at 60°
    assert _range(bbox=(0.0, 59.0, 10.0, 61.0)) == _range(bbox=(0.0, -1.0, 5.0, 1.0))
    assert _range(bbox=(5.0, 5.0, 5.0, 8.0))[1] == 14


def test_an_extent_of_a_pixel_is_seen() -> None:
    for zoom in (0, 3, 8):
        degrees = 360 / 256 / 2**zoom
        assert _range(kind="LineString", bbox=(0.0, 0.0, degrees, 0.0))[0] == zoom
        assert _range(kind="LineString", bbox=(0.0, 0.0, 0.99 * degrees, 0.0))[0] == zoom
        assert _range(kind="LineString", bbox=(0.0, 0.0, 0.4 * degrees, 0.0))[0] == zoom + 1
    assert _range(kind="LineString", bbox=(7.0, 7.0, 7.0, 7.0))[0] == 14


async def test_tiles_are_asked_for_with_the_column_that_the_request_names(tiles: Client) -> None:
    path = "/collections/hostile.events/tiles/WebMercatorQuad"
    plain, _, version = (await tiles.json(f"{path}/tilejson.json"))["tiles"][0].partition("?")
    assert plain.endswith(f"{path}/{{z}}/{{x}}/{{y}}")
    (named,) = (await tiles.json(f"{path}/tilejson.json", **{"geom-column": "geom"}))["tiles"]
    assert named == f"{plain}?geom-column=geom&{version}"
