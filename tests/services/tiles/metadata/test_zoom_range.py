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


@pytest.mark.parametrize("rows", [None, 0, 3, 1000, 10_000_000])
@pytest.mark.parametrize("bbox", [None, WORLD, TOWN, (1.0, 1.0, 1.0, 1.0)])
def test_a_place_is_right_to_less_than_a_pixel_of_zoom_18(
    rows: int | None, bbox: tuple[float, float, float, float] | None
) -> None:
    world, last = 40_075_016.7, _range(rows=rows, bbox=bbox)[1]
    # rounding to the grid moves a place by half the diagonal of a unit
    rounded = world / 2**last / 4096 * 2**0.5 / 2
    pixel = world / 2**18 / 512
    assert rounded < pixel


def test_areas_begin_where_their_extent_is_seen() -> None:
    assert _range(kind="Polygon")[0] == 0
    first, last = _range(kind="Polygon", bbox=TOWN)
    # 700 m are a pixel where 256 of them are 180 km
    assert first == 7
    assert last == 15
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
    assert _range(maxzoom=3, minzoom=3) == (3, 3)
    assert _range(minzoom=17) == (17, 17)


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
    assert levels[0] == first <= last <= levels[-1]
    assert (style["sources"]["hostile.events"]["minzoom"], style["sources"]["hostile.events"]["maxzoom"]) == (
        first,
        last,
    )
    for found in (document, document["vector_layers"][0]):
        assert (found["minzoom"], found["maxzoom"]) == (max(0, first), last)


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


def test_an_extent_of_a_pixel_is_seen() -> None:
    for zoom in (0, 3, 8):
        degrees = 360 / 256 / 2**zoom
        assert _range(kind="LineString", bbox=(0.0, 0.0, degrees, 0.0))[0] == zoom
        assert _range(kind="LineString", bbox=(0.0, 0.0, 0.99 * degrees, 0.0))[0] == zoom
        assert _range(kind="LineString", bbox=(0.0, 0.0, 0.4 * degrees, 0.0))[0] == zoom + 1
    assert _range(kind="LineString", bbox=(7.0, 7.0, 7.0, 7.0))[0] == 15


async def test_tiles_are_asked_for_with_the_column_that_the_request_names(tiles: Client) -> None:
    path = "/collections/hostile.events/tiles/WebMercatorQuad"
    plain, _, version = (await tiles.json(f"{path}/tilejson.json"))["tiles"][0].partition("?")
    assert plain.endswith(f"{path}/{{z}}/{{x}}/{{y}}")
    (named,) = (await tiles.json(f"{path}/tilejson.json", **{"geom-column": "geom"}))["tiles"]
    assert named == f"{plain}?geom-column=geom&{version}"
