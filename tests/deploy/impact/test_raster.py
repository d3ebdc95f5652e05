"""The raster of an event has the classes of its zones, where the zones are."""

from __future__ import annotations

import asyncpg
import numpy as np
import pytest
import shapely
from rasterio.io import MemoryFile

from deploy.impact.circles import circle
from deploy.impact.raster import MOST_PIXELS, intensity_raster
from deploy.loader.geometry.antimeridian import split_polygons
from tests.deploy.impact.conftest import AddZone, Computed


def sampled(tif: bytes, positions: list[tuple[float, float]]) -> list[int]:
    with MemoryFile(tif) as file, file.open() as raster:
        return [int(value[0]) for value in raster.sample(positions)]


def test_raster_is_cloud_optimised_with_legend() -> None:
    zones = {("analysed", "34 kt"): shapely.box(0, 0, 20, 10), ("analysed", "64 kt"): shapely.box(5, 2, 8, 6)}
    tif = intensity_raster("storm", zones, {"TITLE": "Anna"})
    assert tif is not None
    with MemoryFile(tif) as file, file.open() as raster:
        assert raster.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert (raster.crs.to_epsg(), raster.nodata, raster.units, raster.dtypes) == (4326, 0, ("kt",), ("uint8",))
        assert raster.overviews(1)
        assert max(raster.shape) <= MOST_PIXELS
        assert raster.colormap(1)[64] == (0xC2, 0x2F, 0x2F, 255)
        assert raster.tags()["CLASS_64"] == "64 kt and more, #c22f2f"
        assert raster.tags()["TITLE"] == "Anna"
        found = raster.read(1)
    assert set(np.unique(found).tolist()) == {0, 34, 64} - ({0} if (found > 0).all() else set())
    assert sampled(tif, [(6, 4), (1, 1), (19, 9)]) == [64, 34, 34]


def test_share_of_pixels_is_that_of_the_zone() -> None:
    ring = shapely.Point(10, 10).buffer(5).difference(shapely.Point(10, 10).buffer(2))
    tif = intensity_raster("storm", {("analysed", "50 kt"): ring}, {})
    assert tif is not None
    with MemoryFile(tif) as file, file.open() as raster:
        found = raster.read(1)
        pixel = raster.transform.a**2
    assert (found == 50).sum() * pixel == pytest.approx(ring.area, rel=0.005)


def test_raster_across_antimeridian_is_one_piece() -> None:
    unrolled = shapely.Point(179, -15).buffer(4)
    tif = intensity_raster("storm", {("analysed", "64 kt"): split_polygons(unrolled)}, {})
    assert tif is not None
    with MemoryFile(tif) as file, file.open() as raster:
        assert tuple(raster.bounds) == pytest.approx((175, -19, 183, -11), abs=0.05)
    assert sampled(tif, [(176, -15), (180, -15), (182.5, -15)]) == [64, 64, 64]


def test_intensities_are_numbers() -> None:
    zones = {("estimated", name): circle(121, 24, radius) for name, radius in (("IV", 90_000), ("VII", 20_000))}
    tif = intensity_raster("earthquake", zones, {})
    assert tif is not None
    assert sampled(tif, [(121, 24), (121, 24.5)]) == [7, 4]
    with MemoryFile(tif) as file, file.open() as raster:
        assert (raster.units, raster.tags()["CLASS_7"].partition(",")[0]) == (("MMI",), "intensity VII")


def test_forecast_is_drawn_only_without_other_zones() -> None:
    ahead = {("forecast", "34 kt"): shapely.box(0, 0, 4, 4)}
    alone = intensity_raster("storm", ahead, {})
    both = intensity_raster("storm", {**ahead, ("analysed", "50 kt"): shapely.box(0, 0, 1, 1)}, {})
    assert alone is not None
    assert both is not None
    assert sampled(alone, [(3, 3)]) == [34]
    with MemoryFile(both) as file, file.open() as raster:
        assert tuple(raster.bounds) == pytest.approx((0, 0, 1, 1))
        assert raster.tags()["KINDS"] == "analysed"


@pytest.mark.parametrize("hazard", ["flood", "storm"])
def test_areas_without_strength_have_no_raster(hazard: str) -> None:
    assert intensity_raster(hazard, {("alert", "alert area"): shapely.box(0, 0, 1, 1)}, {}) is None
    assert intensity_raster(hazard, {}, {}) is None


async def test_worker_stores_the_raster_with_the_tables(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await add_zone("A", "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))")
    stored = await computed("A")
    digest, tif = await database.fetchrow("SELECT digest, tif FROM impact.raster WHERE event_id = 'A'")
    assert digest == stored["digest"]
    assert sampled(tif, [(1, 1)]) == [64]
    with MemoryFile(tif) as file, file.open() as raster:
        assert (raster.tags()["EVENT_ID"], raster.tags()["SOURCE"]) == ("A", "tests")
    await database.execute("DELETE FROM hazard.hazard_ts_buffers")
    await computed("A")
    assert await database.fetchval("SELECT count(*) FROM impact.raster") == 0
