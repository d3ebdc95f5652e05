"""People of a raster in another coordinate reference system, and of one whose cells are in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import shapely
from pyproj import Transformer
from shapely.affinity import translate

from deploy.impact.population import open_raster
from deploy.loader.geometry.antimeridian import split_polygons
from tests.deploy.impact.conftest import AddZone, Count, MakeRaster

_HOLE = "POLYGON((0.2 0.3, 20 0, 20.1 20, 0 20.7, 0.2 0.3), (5 5, 15 5.5, 15 15, 5 15, 5 5))"


class Grid(NamedTuple):
    """A raster with made-up people: its CRS, upper left corner and size of a cell in metres, rows and columns."""

    crs: str
    west: float
    north: float
    step: float
    rows: int
    columns: int

    def brute_force(self, values: np.ndarray[Any, Any], zone: shapely.Geometry) -> float:
        """Sum a hundred points in each cell that lie in the zone by their longitude and latitude."""
        to_degrees = Transformer.from_crs(self.crs, 4326, always_xy=True)
        total = 0.0
        for part in np.linspace(0.05, 0.95, 10):
            x, y = np.meshgrid(
                self.west + self.step * (np.arange(self.columns * 10) + 0.5) / 10,
                self.north - self.step * (np.arange(self.rows) + part),
            )
            east, north = to_degrees.transform(x, y)
            inside = shapely.contains_xy(zone, east, north) | shapely.contains_xy(translate(zone, -360), east, north)
            total += float((np.repeat(values, 10, axis=1) * inside).sum()) / 100
        return total


@pytest.mark.parametrize(
    "grid",
    [
        # as the European Commission publishes GHS-POP
        Grid("ESRI:54009", -18_041_000.0, 9_000_000.0, 100_000.0, 180, 361),
        Grid("EPSG:6933", -17_360_000.0, 7_280_000.0, 80_000.0, 182, 434),
    ],
    ids=lambda grid: grid.crs,
)
@pytest.mark.usefixtures("land")
async def test_people_of_projected_cells_equal_brute_force(
    grid: Grid, make_raster: MakeRaster, add_zone: AddZone, count: Count
) -> None:
    values = np.random.default_rng(3).uniform(0, 5000, (grid.rows, grid.columns)).astype("float32")
    across = shapely.Point(176, -20).buffer(9).difference(shapely.Point(181, -22).buffer(3))
    await add_zone("A", _HOLE)
    await add_zone("B", split_polygons(across).wkt)
    config = make_raster(values, step=grid.step, west=grid.west, north=grid.north, crs=grid.crs)
    for event, zone in (("A", shapely.from_wkt(_HOLE)), ("B", across)):
        [found] = (await count(event, config))["impact"]["zones"]
        assert found["people"] == pytest.approx(grid.brute_force(values, zone), rel=0.004), event


def test_projecting_keeps_the_sum_of_all_cells(make_raster: MakeRaster) -> None:
    values = np.random.default_rng(3).uniform(0, 5000, (100, 100)).astype("float32")
    config = make_raster(values, step=10_000.0, west=-500_000.0, north=5_000_000.0, crs="ESRI:54009")
    with open_raster(config) as raster:
        [found] = raster.count([shapely.box(-60, 0, 60, 80)])
    assert found.people == pytest.approx(float(values.sum(dtype="float64")), rel=1e-6)


@pytest.mark.parametrize("crs", ["EPSG:4326", "ESRI:54009"])
def test_cells_in_memory_give_the_same_sums(crs: str, make_raster: MakeRaster) -> None:
    values = np.random.default_rng(3).uniform(0, 5000, (90, 100)).astype("float32")
    values[10:20, 30:40] = -1
    step, west, north = (0.1, -5.0, 4.5) if crs == "EPSG:4326" else (10_000.0, -500_000.0, 450_000.0)
    config = make_raster(values, step=step, west=west, north=north, crs=crs, nodata=-1)
    # one reaches beyond the raster, one lies beside it
    shapes = [shapely.Point(1, 1).buffer(2), shapely.box(-9, -9, -4.33, 3.33), shapely.box(20, 20, 21, 21)]
    with open_raster(config) as raster:
        direct = raster.count(shapes)
        with raster.reading(shapes):
            found = raster.count(shapes)
    assert [(each.people, each.covered) for each in found] == [
        pytest.approx((each.people, each.covered)) for each in direct
    ]
    assert direct[1].people > 0
