"""Tiles show hard shapes as they are stored, on all tile matrix sets. `DAMS_FIDELITY=full` tries every zoom."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import shapely
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from deploy.database.apply import apply_schema, ensure_reader
from tests.conftest import MakeDatabase
from tests.running_stack import Cluster
from tests.services.conftest import PASSWORD, READER, reader_url
from tests.services.in_process import Client, services
from tests.services.tiles.fidelity.compare import Fetched, faults
from tests.services.tiles.fidelity.shapes import hard_shapes, jagged_shape
from tests.services.tiles.places import ANCHORS, EXTENT, Grid, decoded, grids

FULL = os.environ.get("DAMS_FIDELITY") == "full"
SHAPES: dict[str, dict[int, BaseGeometry]] = {
    identifier: dict(enumerate(hard_shapes(*anchor).values(), 100 * position + 1))
    for position, (identifier, anchor) in enumerate(ANCHORS.items())
}

JAGGED, BESIDE = 9998, 9999
OTHERS: dict[int, BaseGeometry] = {
    JAGGED: jagged_shape(20, 2),
    # the box of the second part reaches into the tile, the part does not
    BESIDE: MultiPolygon([box(15, 5, 17, 7), Polygon([(9, -2), (10.9, -2), (9, 0)])]),
}


@pytest.fixture(scope="module")
async def hard(make_database: MakeDatabase, cluster: Cluster) -> AsyncIterator[Client]:
    url = await make_database(_tables)
    env = {"DAMS_DATABASE_URL": reader_url(url), "DAMS_COLLECTION_SCHEMAS": "hard", "DAMS_REDIS_URL": cluster.redis_url}
    async with services() as started:
        for name in ("common", "tiles"):
            await started.start(name, env)
        yield started["tiles"]


async def _tables(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute(
        "CREATE SCHEMA hard; CREATE TABLE hard.shapes (id int PRIMARY KEY, geom geometry(Geometry, 4326))"
    )
    await owner.executemany(
        "INSERT INTO hard.shapes VALUES ($1, ST_GeomFromWKB($2, 4326))",
        [(number, shapely.to_wkb(shape)) for shapes in (*SHAPES.values(), OTHERS) for number, shape in shapes.items()],
    )
    await owner.execute(
        "CREATE INDEX ON hard.shapes USING gist (geom); ANALYZE hard.shapes;"
        " GRANT USAGE ON SCHEMA hard TO dams_reader; GRANT SELECT ON hard.shapes TO dams_reader"
    )


@pytest.mark.parametrize("identifier", ANCHORS)
async def test_hard_shapes_look_as_they_are_stored(hard: Client, identifier: str) -> None:
    shapes = SHAPES[identifier]

    async def fetch(grid: Grid, column: int, row: int) -> Fetched:
        answer = await hard.get(f"/collections/hard.shapes/tiles/{identifier}/{grid.id}/{column}/{row}")
        assert answer.status == 200, (answer.url, answer.body)
        counted: Any = (answer.headers[f"DAMS-Features-{what}"] for what in ("Omitted", "Simplified"))
        return decoded(answer.body, "hard.shapes"), sum(map(int, counted))

    found = []
    for grid in _grids(grids(await hard.json(f"/tileMatrixSets/{identifier}", f="json")), shapes):
        found += list(await faults(shapes, grid, fetch))
    names = list(hard_shapes(0, 0))
    lines = [f"zoom {fault.grid}: {names[(fault.feature - 1) % 100]} {fault.what}" for fault in found]
    assert not lines, "\n".join(lines)


async def test_a_long_outline_with_a_slip_is_drawn_in_detail(hard: Client) -> None:
    """Its edges cross each other only at the slip, although it is as long as a scribble."""
    every = grids(await hard.json("/tileMatrixSets/WebMercatorQuad", f="json"))
    grid = next(each for each in every if each.id == 5)
    column, row = grid.tile_at(20, 2)
    answer = await hard.get(f"/collections/hard.shapes/tiles/WebMercatorQuad/5/{column}/{row}")
    drawn = next(feature.geometry for feature in decoded(answer.body, "hard.shapes") if feature.id == JAGGED)
    stored = shapely.make_valid(grid.place(OTHERS[JAGGED], column, row)).boundary
    corners = [shapely.Point(corner) for corner in shapely.get_coordinates(drawn)]
    assert len(corners) > 1000
    assert max(stored.distance(corner) for corner in corners) < 2


async def test_an_area_is_drawn_although_a_part_lies_just_beside_the_tile(hard: Client) -> None:
    answer = await hard.get("/collections/hard.shapes/tiles/WebMercatorQuad/5/17/15")
    assert BESIDE in {feature.id for feature in decoded(answer.body, "hard.shapes")}
    assert answer.headers["DAMS-Features-Omitted"] == "0"


def _grids(every: list[Grid], shapes: dict[int, BaseGeometry]) -> list[Grid]:
    """Matrices in which the shapes are from 10 units to three tiles wide: three of them, or all."""

    def width(grid: Grid) -> float:
        left, _, right, _ = shapely.total_bounds([grid.place(shape, 0, 0) for shape in shapes.values()])
        return float(right - left)

    fitting = [grid for grid in every if 10 < width(grid) < 3 * EXTENT]
    assert fitting
    return fitting if FULL else [fitting[0], fitting[len(fitting) // 2], fitting[-1]]
