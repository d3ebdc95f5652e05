"""Features that are stored in a projected CRS are in tiles of every zoom, wherever in that CRS they lie."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.services.in_process import Client, Services
from tests.services.tiles.conftest import TilesOn, drawn_tile
from tests.services.tiles.places import grids

CITIES = {1: (-9.1, 38.7), 2: (-0.1, 51.5), 3: (2.3, 48.9), 4: (14.4, 50.1), 5: (25.5, 71.1), 6: (37.6, 55.8)}
"""Longitude and latitude, from Lisbon to Moscow: on all sides of the CRSs' origins, and beyond their areas of use."""
SRIDS = (32633, 3035, 2154, 27700, 3857, 54030, 990035)
"""The last but one is of ESRI, the last of the database alone."""

_CITIES = """
CREATE SCHEMA europe;
INSERT INTO spatial_ref_sys SELECT 990035, 'own', 35, srtext, proj4text FROM spatial_ref_sys WHERE srid = 3035;
CREATE TABLE europe.cities (id integer PRIMARY KEY, longitude float8, latitude float8);
"""
_ROWS = ", ".join(str((number, *place)) for number, place in CITIES.items())
_INSERT = f"INSERT INTO europe.cities VALUES {_ROWS};"  # noqa: S608 - our own numbers
_TABLE = """
CREATE TABLE europe.crs_0 (id integer PRIMARY KEY, geom geometry(Point, 0));
INSERT INTO europe.crs_0
SELECT id, ST_Transform(ST_SetSRID(ST_MakePoint(longitude, latitude), 4326), 0) FROM europe.cities;
CREATE INDEX ON europe.crs_0 USING gist (geom);
"""
_TABLES = _CITIES + _INSERT + "".join(_TABLE.replace("crs_0", f"crs_{n}").replace(" 0)", f" {n})") for n in SRIDS)
_GRANTS = (
    "GRANT USAGE ON SCHEMA europe TO hostile_reader; GRANT SELECT ON ALL TABLES IN SCHEMA europe TO hostile_reader;"
)


@pytest.fixture(scope="module")
async def europe(tiles_on: TilesOn) -> AsyncIterator[Services]:
    async with tiles_on(_TABLES + _GRANTS, "{}", DAMS_COLLECTION_SCHEMAS="europe") as services:
        yield services


@pytest.fixture(scope="module")
def tiles(europe: Services) -> Client:
    return europe["tiles"]


@pytest.mark.parametrize("srid", SRIDS)
async def test_all_places_are_in_their_tiles(tiles: Client, srid: int) -> None:
    levels = grids(await tiles.json("/tileMatrixSets/WebMercatorQuad", f="json"))
    for grid in [*levels[:6], levels[9], levels[14]]:
        drawn = set()
        for column, row in {grid.tile_at(*place) for place in CITIES.values()}:
            features, _ = await drawn_tile(tiles, f"europe.crs_{srid}", f"{grid.id}/{column}/{row}", {})
            drawn |= {feature.id for feature in features}
        assert drawn == set(CITIES), grid.id


@pytest.mark.parametrize("srid", SRIDS)
@pytest.mark.parametrize("identifier", ["EuropeanETRS89_LAEAQuad", "UTM31WGS84Quad"])
async def test_limits_hold_all_places(tiles: Client, srid: int, identifier: str) -> None:
    tileset = await tiles.json(f"/collections/europe.crs_{srid}/tiles/{identifier}", f="json")
    levels = grids(await tiles.json(f"/tileMatrixSets/{identifier}", f="json"))
    for grid, limit in zip(levels, tileset["tileMatrixSetLimits"], strict=True):
        for place in CITIES.values():
            column, row = grid.tile_at(*place)
            assert limit["minTileCol"] <= column <= limit["maxTileCol"], (grid.id, place)
            assert limit["minTileRow"] <= row <= limit["maxTileRow"], (grid.id, place)
