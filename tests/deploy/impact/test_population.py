"""People of a raster equal an independent sum over its cells; a raster that cannot be used is named."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import orjson
import pytest
import rasterio
import shapely
from aiohttp import web
from rasterio.transform import from_origin
from shapely.affinity import translate

from deploy.impact.circles import circle
from deploy.impact.exposure import Files
from deploy.impact.intensity import radii_km
from deploy.impact.population import PopulationRaster, RasterError, open_raster
from deploy.impact.watching import update
from deploy.loader.geometry.antimeridian import split_polygons
from deploy.loader.places.packaged import SourceMissingError
from libs.catalogue.exposure import Population
from tests.deploy.impact.conftest import WORLD, AddPlaces, AddZone, Count, MakeRaster, described

_HOLE = "POLYGON((0.2 0.3, 20 0, 20.1 20, 0 20.7, 0.2 0.3), (5 5, 15 5.5, 15 15, 5 15, 5 5))"
_PARTS = "MULTIPOLYGON(((0 0, 10 0, 0 10, 0 0)), ((-30 -20, -20 -20, -20 -5, -30 -20)))"
_POLE = "POLYGON((-180 80.5, 180 80.5, 180 90, -180 90, -180 80.5))"
_SQUARE = "POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))"


def people_of_world() -> np.ndarray[Any, Any]:
    """Two degrees a cell, from north to south."""
    return np.random.default_rng(3).uniform(0, 5000, (90, 180)).astype("float32")


def brute_force(values: np.ndarray[Any, Any], zone: shapely.Geometry) -> float:
    """Intersect every cell with the zone, one by one."""
    worlds = [zone, translate(zone, -360), translate(zone, 360)]
    total = 0.0
    for row, column in np.ndindex(*values.shape):
        cell = shapely.box(-180 + 2 * column, 88 - 2 * row, -178 + 2 * column, 90 - 2 * row)
        total += float(values[row, column]) * sum(shapely.intersection(cell, world).area for world in worlds) / 4
    return total


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collections file that names the raster; no package is installed."""

    def find() -> Files:
        raise SourceMissingError("not installed")

    monkeypatch.setattr(Files, "find", find)
    file = tmp_path / "collections.yaml"
    monkeypatch.setenv("DAMS_COLLECTIONS_CONFIG", f'"{file}"')
    config = described(str(tmp_path / "people.tif")).model_dump(mode="json")
    file.write_text(orjson.dumps({"collections": {}, "exposure": {"population": config}}).decode())


@pytest.mark.parametrize("wkt", [_HOLE, _PARTS, _POLE], ids=["hole", "parts", "pole"])
@pytest.mark.usefixtures("land")
async def test_people_of_cells_equal_brute_force(
    wkt: str, make_raster: MakeRaster, add_zone: AddZone, count: Count
) -> None:
    values = people_of_world()
    await add_zone("A", wkt)
    found = await count("A", make_raster(values))
    [zone] = found["impact"]["zones"]
    expected = brute_force(values, shapely.from_wkt(wkt))
    assert zone["people"] == pytest.approx(expected, abs=1)
    assert zone["quality"] == found["impact"]["quality"] == found["headline"]["quality"] == "estimate"
    assert (found["headline"]["data"], found["headline"]["year"]) == ("Grid", "2020")
    [country] = zone["countries"]
    assert country["people"] == pytest.approx(expected, abs=3)
    west = brute_force(values, shapely.intersection(shapely.from_wkt(wkt), shapely.box(-180, -90, 2, 90)))
    assert {each["name"]: each["people"] for each in country["provinces"]} == {
        "West": pytest.approx(west, abs=1),
        None: pytest.approx(expected - west, abs=2),
    }
    assert [each["dataset"] for each in found["impact"]["exposure"]] == ["population", "places"]


@pytest.mark.usefixtures("land")
async def test_people_across_antimeridian_equal_brute_force(
    make_raster: MakeRaster, add_zone: AddZone, count: Count
) -> None:
    values, unrolled = (
        people_of_world(),
        shapely.Point(178, -10).buffer(9).difference(shapely.Point(181, -12).buffer(3)),
    )
    await add_zone("A", split_polygons(unrolled).wkt)
    [zone] = (await count("A", make_raster(values)))["impact"]["zones"]
    assert zone["people"] == pytest.approx(brute_force(values, unrolled), rel=1e-5)


@pytest.mark.parametrize(("longitude", "latitude"), [(179.9, -17.0), (30.0, 89.7)])
@pytest.mark.usefixtures("land")
async def test_people_in_circle_equal_brute_force(
    longitude: float, latitude: float, database: asyncpg.Connection, make_raster: MakeRaster, count: Count
) -> None:
    values = people_of_world()
    await database.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, title, magnitude, depth, event_date, source, geom) "
        "VALUES ('Q', 'M 7', 7.0, 10, '2020-01-01', 'tests', ST_SetSRID(ST_MakePoint($1, $2), 4326))",
        longitude,
        latitude,
    )
    zones = (await count("Q", make_raster(values)))["impact"]["zones"]
    for zone, radius in zip(zones, radii_km(7.0, 10.0).values(), strict=True):
        area = circle(longitude, latitude, radius * 1000)
        assert zone["people"] == pytest.approx(brute_force(values, area), abs=1)


@pytest.mark.usefixtures("land")
async def test_advisories_count_cells_too(
    database: asyncpg.Connection, make_raster: MakeRaster, add_zone: AddZone, count: Count
) -> None:
    values = people_of_world()
    await add_zone("A", _SQUARE)
    await database.execute(
        "INSERT INTO hazard.hazard_ts_advisory_buffers (event_id, wind_speed_kt, start_date, end_date, kind, scope, "
        "advisory, advisory_time, geom) VALUES ('A', 64, '2020-01-01', '2020-01-02', 'forecast', 'whole', 1, "
        "'2020-01-01', ST_Multi(ST_GeomFromText($1, 4326)))",
        _HOLE,
    )
    [advisory] = (await count("A", make_raster(values)))["impact"]["advisories"]
    assert advisory["zones"][0]["people"] == pytest.approx(brute_force(values, shapely.from_wkt(_HOLE)), abs=1)


@pytest.mark.parametrize("case", ["no data", "extent"])
@pytest.mark.usefixtures("land")
async def test_partial_sum_is_never_shown(
    case: str, make_raster: MakeRaster, add_places: AddPlaces, add_zone: AddZone, count: Count
) -> None:
    await add_places([(1.0, 1.0, 700)])
    await add_zone("A", _SQUARE)
    if case == "no data":
        values = people_of_world()
        values[:, 91:] = -1
        config = make_raster(values, nodata=-1)
    else:
        config = make_raster(np.full((10, 10), 5, "float32"), west=-18.0, north=10.0)
    impact = (await count("A", config))["impact"]
    [zone] = impact["zones"]
    assert (zone["people"], zone["quality"], impact["quality"]) == (700, "lower bound", "lower bound")
    assert impact["missing"] == [
        "Grid has values for 50% of the land in the zone 64 kt only. A partial sum would be too low, so the "
        "figures count listed places instead."
    ]
    assert [each["dataset"] for each in impact["exposure"]] == ["places"]


@pytest.mark.usefixtures("land")
async def test_sea_without_data_is_no_gap(
    database: asyncpg.Connection, make_raster: MakeRaster, add_zone: AddZone, count: Count
) -> None:
    await database.execute("DELETE FROM exposure.unit WHERE id = 2")
    await database.execute("UPDATE exposure.unit SET geom = ST_Multi(ST_MakeEnvelope(0, 0, 2, 4, 4326))")
    values = np.full((90, 180), 100, "float32")
    values[:, 91:] = -1
    await add_zone("A", _SQUARE)
    impact = (await count("A", make_raster(values, nodata=-1)))["impact"]
    assert (impact["zones"][0]["people"], impact["missing"]) == (200, [])


@pytest.mark.usefixtures("land")
async def test_people_off_the_known_coast_are_in_the_total(
    database: asyncpg.Connection, make_raster: MakeRaster, add_zone: AddZone, count: Count
) -> None:
    await database.execute("DELETE FROM exposure.unit WHERE id = 2")
    await database.execute("UPDATE exposure.unit SET geom = ST_Multi(ST_MakeEnvelope(0, 0, 2, 4, 4326))")
    await add_zone("A", _SQUARE)
    [zone] = (await count("A", make_raster(np.full((90, 180), 100, "float32"))))["impact"]["zones"]
    assert (zone["people"], zone["countries"][0]["people"], zone["peopleElsewhere"]) == (400, 200, 200)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ({"transform": from_origin(-180, 90, 2, 2) * rasterio.Affine.rotation(10)}, "it is rotated; `gdalwarp"),
        ({"crs": None}, "it has no coordinate reference system"),
        ({"count": 2}, "it has 2 bands"),
        ({"west": 0.0}, "it lies beyond"),
    ],
)
@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_wrong_raster_is_refused(profile: dict[str, Any], message: str, make_raster: MakeRaster) -> None:
    config = make_raster(people_of_world(), **profile)
    with pytest.raises(RasterError, match=message), open_raster(config):
        pass


@pytest.mark.usefixtures("land")
async def test_negative_people_are_reported(make_raster: MakeRaster, add_zone: AddZone, count: Count) -> None:
    values = people_of_world()
    values[44, 91] = -200
    await add_zone("A", _SQUARE)
    found = await count("A", make_raster(values))
    assert found["impact"]["quality"] == "lower bound"
    assert found["impact"]["missing"] == [
        "The population raster was not counted, as it has negative values (-200) that are not declared as no data."
    ]


async def test_raster_by_address_is_read_in_ranges(make_raster: MakeRaster, tmp_path: Path) -> None:
    values = people_of_world()
    make_raster(values)
    asked: list[str] = []

    async def served(request: web.Request) -> web.FileResponse:
        asked.append(request.headers.get("Range", request.method))
        return web.FileResponse(tmp_path / "people.tif")

    app = web.Application()
    app.router.add_get("/people.tif", served)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]

    def sums() -> float:
        with open_raster(described(f"http://127.0.0.1:{port}/people.tif")) as raster:
            return raster.count([shapely.box(0, 0, 4, 4)])[0].people

    try:
        assert await asyncio.to_thread(sums) == pytest.approx(brute_force(values, shapely.box(0, 0, 4, 4)), rel=1e-6)
        with pytest.raises(RasterError, match="cannot be"):
            await asyncio.to_thread(_open, f"http://127.0.0.1:{port}/none.tif")
    finally:
        await runner.cleanup()
    assert any(each.startswith("bytes=") for each in asked)


def _open(address: str) -> None:
    with open_raster(described(address)):
        pass


@pytest.mark.usefixtures("configured")
async def test_missing_raster_is_named_in_the_tables(
    database: asyncpg.Connection,
    add_places: AddPlaces,
    add_zone: AddZone,
    make_raster: MakeRaster,
) -> None:
    await add_places([(1.0, 1.0, 700)])
    await database.execute("INSERT INTO exposure.unit VALUES (1, 'XX', 'Xland', NULL, $1::text::geometry)", WORLD)
    await add_zone("A", _SQUARE)
    said: list[str] = []
    await update(database, said.append)
    impact = orjson.loads(await database.fetchval("SELECT impact FROM impact.event WHERE event_id = 'A'"))
    assert impact["missing"][0].startswith("The population raster Grid cannot be used, as it cannot be opened:")
    assert (impact["quality"], impact["zones"][0]["people"]) == ("lower bound", 700)
    assert any(line.startswith("warning: The population raster Grid") for line in said)
    # once it is there, the event is computed again
    make_raster(np.full((90, 180), 100, "float32"))
    assert await update(database, said.append) == 1
    impact = orjson.loads(await database.fetchval("SELECT impact FROM impact.event WHERE event_id = 'A'"))
    assert (impact["quality"], impact["zones"][0]["people"], impact["missing"]) == ("estimate", 400, [])
    assert await update(database, said.append) == 0


def test_fingerprint_follows_the_file(make_raster: MakeRaster) -> None:
    def fingerprint(config: Population) -> str:
        with open_raster(config) as raster:
            assert isinstance(raster, PopulationRaster)
            return raster.fingerprint

    first = fingerprint(make_raster(people_of_world()))
    assert first != fingerprint(make_raster(people_of_world()[:, :50]))
