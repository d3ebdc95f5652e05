"""Every vertex of decoded tiles beside an independent computation, on all tile matrix sets."""

from __future__ import annotations

from math import ceil

import pytest
import shapely
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from tests.services.in_process import Client
from tests.services.tiles.conftest import Placed
from tests.services.tiles.places import ANCHORS, CYLINDRICAL, EXTENT, Drawn, Grid, decoded, grids, inside, shown

# rounding to whole units moves a vertex by at most 0.7; a curve may be one unit off its chord
TOLERANCE = 1.8
SPECK = 1.5 * 2**0.5 + 0.1


async def _grids(tiles: Client, identifier: str) -> list[Grid]:
    """The lowest, two middle and the highest matrices of a set."""
    found = grids(await tiles.json(f"/tileMatrixSets/{identifier}", f="json"))
    return [found[0], found[len(found) // 3], found[2 * len(found) // 3], found[-1]]


async def _tile(tiles: Client, table: str, identifier: str, grid: Grid, at: tuple[int, int]) -> list[Drawn]:
    answer = await tiles.get(f"/collections/placed.{table}/tiles/{identifier}/{grid.id}/{at[0]}/{at[1]}")
    assert answer.status == 200, (answer.url, answer.body)
    return decoded(answer.body, f"placed.{table}")


def _away(drawn: BaseGeometry, place: BaseGeometry, grid: Grid, row: int) -> float:
    """The distance of a point from its place, which may be on the other side of the antimeridian."""
    world = grid.columns // grid.group(row) * EXTENT if grid.srid in CYLINDRICAL else 0
    return float(min(drawn.distance(translate(place, turn * world)) for turn in (-1, 0, 1)))


def _bent(geometry: BaseGeometry, grid: Grid) -> BaseGeometry:
    """With corners along straight lines in longitude and latitude, where those are curves in the set's CRS."""
    return geometry if grid.srid == 4326 else shapely.segmentize(geometry, 0.05)


@pytest.mark.parametrize("identifier", ANCHORS)
async def test_points(placed: Placed, placed_tiles: Client, identifier: str) -> None:
    for grid in await _grids(placed_tiles, identifier):
        column, row = grid.tile_at(*ANCHORS[identifier])
        drawn = {
            feature.id: feature for feature in await _tile(placed_tiles, "points", identifier, grid, (column, row))
        }
        expected = {
            number: grid.place(point, column, row)
            for number, point in shown(identifier, placed.shapes["points"]).items()
        }
        within = {number for number, point in expected.items() if not shapely.is_empty(inside(point))}
        assert within, (grid.id, "the test would prove nothing")
        assert within <= drawn.keys(), grid.id
        for number, feature in drawn.items():
            assert number is not None
            place = grid.place(placed.shapes["points"][number], column, row)
            assert _away(feature.geometry, place, grid, row) <= 0.75, (grid.id, number)
            assert feature.properties["name"] == f"points {number}"


@pytest.mark.parametrize("table", ["lines", "polygons"])
@pytest.mark.parametrize("identifier", ANCHORS)
async def test_lines_and_polygons(placed: Placed, placed_tiles: Client, identifier: str, table: str) -> None:
    compared = 0
    for grid in await _grids(placed_tiles, identifier):
        column, row = grid.tile_at(*ANCHORS[identifier])
        drawn = {feature.id: feature for feature in await _tile(placed_tiles, table, identifier, grid, (column, row))}
        for number, original in shown(identifier, placed.shapes[table]).items():
            expected = grid.place(_bent(original, grid), column, row)
            if not shapely.is_valid(expected) or shapely.is_empty(expected):
                continue
            if number in drawn:
                vertices = inside(drawn[number].geometry)
                away = max((point.distance(_edge(expected)) for point in vertices.geoms), default=0)
                # what is smaller than a unit is drawn as a square of one, at a corner that was rounded
                speck = table == "polygons" and expected.area < 2 and drawn[number].geometry.area == 1
                assert away <= (SPECK if speck else TOLERANCE), (grid.id, number, away)
            corners = inside(grid.place(original, column, row))
            if _size(expected) > 100 and not corners.is_empty:
                edge = _edge(drawn[number].geometry)
                away = max(point.distance(edge) for point in corners.geoms)
                assert away <= TOLERANCE, (grid.id, number, away)
                compared += len(corners.geoms)
    assert compared >= 12, "the test would prove nothing"


def _edge(geometry: BaseGeometry) -> BaseGeometry:
    return geometry.boundary if geometry.geom_type.endswith("Polygon") else geometry


def _size(geometry: BaseGeometry) -> float:
    left, bottom, right, top = geometry.bounds
    return float(min(right - left, top - bottom))


@pytest.mark.parametrize("identifier", ["CDB1GlobalGrid", "GNOSISGlobalGrid"])
async def test_columns_that_make_one_tile_give_the_same_tile(
    placed: Placed, placed_tiles: Client, identifier: str
) -> None:
    rows_seen = 0
    for grid in grids(await placed_tiles.json(f"/tileMatrixSets/{identifier}", f="json"))[:2]:
        for first, last, count in grid.widths:
            for row in {first, last}:
                rows_seen += 1
                path = f"/collections/placed.points/tiles/{identifier}/{grid.id}"
                bodies = {
                    (await placed_tiles.get(f"{path}/{column}/{row}")).body for column in {0, count // 2, count - 1}
                }
                assert len(bodies) == 1, (grid.id, row)
                expected = [grid.place(point, 0, row) for point in placed.shapes["points"].values()]
                drawn = decoded(bodies.pop(), "placed.points")
                assert {feature.id for feature in drawn} >= {
                    number for number, point in enumerate(expected, start=1) if not inside(point).is_empty
                }
                for feature in drawn:
                    assert feature.id is not None
                    assert _away(feature.geometry, expected[feature.id - 1], grid, row) <= 0.75
    assert rows_seen >= 2


@pytest.mark.parametrize("identifier", ANCHORS)
async def test_the_whole_world_covers_every_tile(tiles: Client, identifier: str) -> None:
    """A polygon from pole to pole: what no projection can show is cut away, the tile at hand is filled."""
    for grid in await _grids(tiles, identifier):
        column, row = grid.tile_at(*ANCHORS[identifier])
        answer = await tiles.get(f"/collections/hostile.planet/tiles/{identifier}/{grid.id}/{column}/{row}")
        assert answer.status == 200, (answer.url, answer.body)
        drawn = {feature.id: feature.geometry for feature in decoded(answer.body, "hostile.planet")}
        place = grid.place(shapely.Point(ANCHORS[identifier]), column, row)
        assert drawn[4].distance(place) <= TOLERANCE, grid.id
        if grid.id >= ceil(len(grid.widths)) + 8:
            assert drawn[4].area >= EXTENT**2, grid.id


@pytest.mark.parametrize(("identifier", "number"), [("UPSAntarcticWGS84Quad", 2), ("LINZAntarticaMapTilegrid", 2)])
async def test_a_polar_cap_is_a_disc(tiles: Client, identifier: str, number: int) -> None:
    grid = grids(await tiles.json(f"/tileMatrixSets/{identifier}", f="json"))[0]
    answer = await tiles.get(f"/collections/hostile.planet/tiles/{identifier}/{grid.id}/0/0")
    drawn = {feature.id: feature.geometry for feature in decoded(answer.body, "hostile.planet")}
    circle = shapely.segmentize(shapely.LineString([(-180, -60), (180, -60)]), 0.5)
    disc = shapely.Polygon(shapely.get_coordinates(grid.place(circle, 0, 0))).intersection(
        shapely.box(-64, -64, EXTENT + 64, EXTENT + 64)
    )
    assert drawn[number].symmetric_difference(disc).area <= 0.005 * disc.area
    # the seam along the antimeridian and the pole itself leave no hole
    assert drawn[number].buffer(1).contains(grid.place(shapely.Point(0, -90), 0, 0))


async def test_shapes_on_both_sides_of_the_antimeridian_meet(tiles: Client) -> None:
    grid = grids(await tiles.json("/tileMatrixSets/NZTM2000Quad", f="json"))[2]
    column, row = grid.tile_at(180, -9)
    answer = await tiles.get(f"/collections/hostile.planet/tiles/NZTM2000Quad/{grid.id}/{column}/{row}")
    drawn = {feature.id: feature.geometry for feature in decoded(answer.body, "hostile.planet")}
    for longitude in (179.5, -179.5):
        assert drawn[1].contains(grid.place(shapely.Point(longitude, -9), column, row)), longitude
