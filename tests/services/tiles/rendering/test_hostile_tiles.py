"""No collection, however odd, makes a tile an error."""

from __future__ import annotations

from math import pi
from urllib.parse import quote

import asyncpg
import pytest
import shapely
from shapely.geometry import Point, box

from libs.geo.zooms import IDS
from tests.eventually import eventually
from tests.services.in_process import Client, Services
from tests.services.tiles.conftest import Placed, TilesOn
from tests.services.tiles.places import ANCHORS, decoded, grids, inside, shown


@pytest.mark.parametrize("identifier", IDS)
async def test_every_collection_has_a_tile(running: Services, placed_services: Services, identifier: str) -> None:
    seen = 0
    for services in (running, placed_services):
        for collection in (await services["common"].json("/collections", limit="1000", f="json"))["collections"]:
            tiles = services["tiles"]
            grid = grids(await tiles.json(f"/tileMatrixSets/{identifier}", f="json"))[0]
            column, row = grid.tile_at(*ANCHORS[identifier])
            place = f"{identifier}/{grid.id}/{column}/{row}"
            answer = await tiles.get(f"/collections/{quote(collection['id'], safe='')}/tiles/{place}")
            if answer.status == 404:
                assert "has no geometry" in answer.json()["detail"], answer.url
                continue
            assert answer.status == 200, (answer.url, answer.body)
            seen += len(decoded(answer.body, collection["id"]))
    assert seen


async def test_numbers_of_any_type_are_numbers_and_negative_keys_are_properties(placed_tiles: Client) -> None:
    answer = await placed_tiles.get("/collections/placed.graded/tiles/WebMercatorQuad/0/0/0")
    drawn = decoded(answer.body, "placed.graded")
    assert [feature.properties["price"] for feature in drawn if "price" in feature.properties] == [-1234.5, 2.0]
    below = next(feature for feature in drawn if feature.properties["level"] == "high")
    assert (below.properties["small"], below.properties["large"]) == (-32768, 2**32 - 1)
    # 0 is how the format says that there is no id
    assert (below.id or None, below.properties["id"]) == (None, -5)
    assert all("id" not in feature.properties for feature in drawn if feature.id)


async def test_ids_equal_those_of_items_beyond_javascript_numbers(placed: Placed, placed_tiles: Client) -> None:
    numbers = [3, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, -7]
    owner = await asyncpg.connect(placed.owner_url)
    await owner.execute(
        "CREATE TABLE placed.large_ids (id bigint PRIMARY KEY, geom geometry(Point, 4326));"
        f"INSERT INTO placed.large_ids SELECT unnest(ARRAY{numbers}), 'SRID=4326;POINT(1 1)';"
        "GRANT SELECT ON placed.large_ids TO hostile_reader"
    )
    await owner.close()
    path = "/collections/placed.large_ids/tiles/WebMercatorQuad/0/0/0"
    await eventually(lambda: placed_tiles.json("/collections/placed.large_ids/tiles"))
    drawn = decoded((await placed_tiles.get(path)).body, "placed.large_ids")
    as_in_items = {3, 2**53 - 1, str(2**53), str(2**53 + 1), str(-(2**53) - 1), -7}
    assert {feature.id or feature.properties["id"] for feature in drawn} == as_in_items
    assert all(("id" in feature.properties) == (not feature.id) for feature in drawn)
    drawn = decoded((await placed_tiles.get(path, {"properties": "id"})).body, "placed.large_ids")
    assert {feature.properties["id"] for feature in drawn} == as_in_items


async def test_geographies_are_found_in_every_tile(placed_tiles: Client) -> None:
    for grid in grids(await placed_tiles.json("/tileMatrixSets/WebMercatorQuad", f="json"))[:4]:
        seen: set[int | None] = set()
        for column in range(grid.columns):
            for row in range(grid.rows):
                place = f"WebMercatorQuad/{grid.id}/{column}/{row}"
                answer = await placed_tiles.get(f"/collections/placed.spheres/tiles/{place}")
                seen |= {feature.id for feature in decoded(answer.body, "placed.spheres")}
        assert len(seen) == 60 * 28, grid.id


@pytest.mark.parametrize("identifier", ANCHORS)
async def test_points_that_are_stored_in_another_crs(placed: Placed, placed_tiles: Client, identifier: str) -> None:
    found = grids(await placed_tiles.json(f"/tileMatrixSets/{identifier}", f="json"))
    for grid in (found[0], found[len(found) // 2]):
        column, row = grid.tile_at(*ANCHORS[identifier])
        path = f"/collections/placed.projected/tiles/{identifier}/{grid.id}/{column}/{row}"
        drawn = {feature.id: feature for feature in decoded((await placed_tiles.get(path)).body, "placed.projected")}
        compared = 0
        for number, point in shown(identifier, placed.shapes["points"]).items():
            assert isinstance(point, Point)
            place = grid.place(point, column, row)
            if abs(point.y) < 86 and not inside(place).is_empty:
                assert drawn[number].geometry.distance(place) <= 1, (grid.id, number)
                compared += 1
        assert compared > 10


async def test_a_geometry_column_of_any_name_is_escaped_in_templates(placed_tiles: Client) -> None:
    path = "/collections/placed.graded/tiles/WebMercatorQuad"
    document = await placed_tiles.json(f"{path}/tilejson.json", **{"geom-column": "other &geom=1#{z}"})
    template = document["tiles"][0]
    address = template.replace("{z}", "0").replace("{x}", "0").replace("{y}", "0")
    answer = await placed_tiles.get(address)
    assert answer.status == 200, answer.body
    (feature,) = decoded(answer.body, "placed.graded")
    assert feature.x == pytest.approx(2048 + 11 / 360 * 4096, abs=1)


@pytest.mark.parametrize("identifier", IDS)
async def test_an_invalid_row_does_not_cost_the_others_their_tile(placed_tiles: Client, identifier: str) -> None:
    found = grids(await placed_tiles.json(f"/tileMatrixSets/{identifier}", f="json"))
    for grid in (found[0], found[len(found) // 3]):
        for anchor in (ANCHORS[identifier], (15.0, 15.0)):
            column, row = grid.tile_at(*anchor)
            if 0 <= column < grid.columns and 0 <= row < grid.rows:
                place = f"{identifier}/{grid.id}/{column}/{row}"
                answer = await placed_tiles.get(f"/collections/placed.invalid/tiles/{place}")
                assert answer.status == 200, (answer.url, answer.body)


async def test_valid_rows_are_drawn_beside_invalid_ones(placed_tiles: Client) -> None:
    answer = await placed_tiles.get("/collections/placed.invalid/tiles/WebMercatorQuad/0/0/0")
    drawn = {str(feature.properties["what"]): feature.geometry for feature in decoded(answer.body, "placed.invalid")}
    assert drawn["healthy place"].distance(Point(2048 + 15 / 360 * 4096, 1550)) < 20
    width = 10 / 360 * 4096
    assert drawn["healthy area"].bounds[2] - drawn["healthy area"].bounds[0] == pytest.approx(width, abs=1)
    for what in ("surface", "network", "triangle", "bow"):
        assert drawn[what].area > 100, what
    assert not {"nowhere", "infinite place", "far away", "infinite area"} & drawn.keys()
    # without the corner that is nowhere, and counted
    assert shapely.get_num_coordinates(drawn["infinite line"]) == 2
    assert int(answer.headers["DAMS-Features-Simplified"]) >= 4


@pytest.mark.parametrize("identifier", ["WebMercatorQuad", "WorldCRS84Quad"])
@pytest.mark.parametrize("table", ["surfaces", "networks", "triangles"])
async def test_columns_of_surfaces_are_drawn_as_areas(placed_tiles: Client, table: str, identifier: str) -> None:
    grid = grids(await placed_tiles.json(f"/tileMatrixSets/{identifier}", f="json"))[0]
    column, row = grid.tile_at(*{"surfaces": (35.0, 5.0), "networks": (52.0, 6.0), "triangles": (72.0, 6.0)}[table])
    answer = await placed_tiles.get(f"/collections/placed.{table}/tiles/{identifier}/{grid.id}/{column}/{row}")
    (feature,) = decoded(answer.body, f"placed.{table}")
    assert feature.geometry.area > 1000


async def test_curves_are_drawn_bent(tiles: Client) -> None:
    # degrees have 91 units; the circle through the corners of a square is wider than this
    answer = await tiles.get("/collections/hostile.mixed_types/tiles/WebMercatorQuad/3/4/3")
    drawn = {feature.id: feature.geometry for feature in decoded(answer.body, "hostile.mixed_types")}
    for number in (13, 15):
        assert drawn[number].intersection(box(0, 3000, 500, 4096)).bounds[2] == pytest.approx(4.83 * 91, abs=2)
    # half a circle, and a straight end
    assert [drawn[number].length for number in (12, 14)] == pytest.approx([pi * 91, (pi + 1) * 91], abs=3)


async def test_times_are_the_same_text_as_in_the_features(tiles: Client, features: Client) -> None:
    compared = set()
    for collection in ("hostile.several", "hostile.events"):
        items = await features.json(f"/collections/{collection}/items", limit="300")
        exact = {item["id"]: item["properties"] for item in items["features"]}
        answer = await tiles.get(f"/collections/{collection}/tiles/WebMercatorQuad/0/0/0")
        for feature in decoded(answer.body, collection):
            for name in {"born", "seen", "reported", "at"} & feature.properties.keys():
                assert feature.properties[name] == exact[feature.id][name]
                compared.add(feature.properties[name])
    assert {"2020-01-01", "2020-06-01T12:00:00.25Z", "2020-12-01T10:00:00Z"} <= compared


async def test_points_beyond_the_poles_are_counted_as_left_out(tiles_on: TilesOn) -> None:
    table = (
        "CREATE TABLE hazard.beyond_poles (id int PRIMARY KEY, geom geometry(Point, 4326));"
        " INSERT INTO hazard.beyond_poles VALUES (1, 'SRID=4326;POINT(5 50)'), (2, 'SRID=4326;POINT(5 95)'),"
        " (3, 'SRID=4326;POINT(5 -900)'); ANALYZE hazard.beyond_poles;"
    )
    async with tiles_on(table, "collections: {}") as running:
        for identifier in ("WebMercatorQuad", "UPSArcticWGS84Quad"):
            answer = await running["tiles"].get(f"/collections/hazard.beyond_poles/tiles/{identifier}/0/0/0")
            assert {feature.id for feature in decoded(answer.body, "hazard.beyond_poles")} == {1}
            assert answer.headers["DAMS-Features-Omitted"] == "2"
