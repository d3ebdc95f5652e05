"""What PostGIS makes of one geometry for a tile: without a service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import pytest
import shapely

from libs.catalogue.model import GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, bind, sql
from services.tiles.rendering.shape import drawing, drawn_points, is_near, is_nowhere, project
from services.tiles.request.region import EXTENT
from services.tiles.request.tile_request import TileRequest
from tests.conftest import MakeDatabase
from tests.services.tiles.places import transformer
from tests.services.tiles.rendering.points import tile_of_column

WORLD = (0, 0, 0)


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    async with Database(PoolSettings(await make_database(), "drawn-test", size=1)) as database:
        yield database


def _column(kind: str = "Geometry", srid: int = 4326, **more: Any) -> GeometryColumn:
    return GeometryColumn("geom", kind, srid, **more)


def _request(
    column: GeometryColumn, tms: str = "WebMercatorQuad", place: tuple[int, int, int] = WORLD, **more: Any
) -> TileRequest:
    return tile_of_column(column, tms, place, **more)


async def _of_row(database: Database, value: Sql, column: GeometryColumn, stored: str) -> Any:
    return await database.fetchval(
        sql(
            "SELECT {value} FROM (SELECT {stored} AS geom OFFSET 0) AS t",
            value=value,
            stored=bind(stored, "text", cast="geography" if column.is_geography else "geometry"),
        )
    )


async def _drawn(database: Database, request: TileRequest, stored: str, *, many: bool = False) -> Any:
    """In units of the tile, y downwards."""
    text = sql("ST_AsText({shape})", shape=drawn_points(request, project(request)))
    if request.geometry.dimension != 0:
        text = sql(
            "(SELECT ST_AsText(drawing.drawn) FROM (SELECT {shape} AS g OFFSET 0) AS shape"
            " CROSS JOIN LATERAL ({drawing}) AS drawing WHERE drawing.drawn IS NOT NULL LIMIT 1)",
            shape=project(request),
            drawing=drawing(request, sql("shape.g"), is_one_of_many=bind(many, "boolean")),
        )
    text = await _of_row(database, text, request.geometry, stored)
    return None if text is None else shapely.from_wkt(text)


@pytest.mark.parametrize(
    ("stored", "kind"),
    [
        ("SRID=4326;CIRCULARSTRING(0 0, 40 40, 80 0)", "LineString"),
        ("SRID=4326;CURVEPOLYGON(CIRCULARSTRING(0 0, 40 40, 80 0, 40 -40, 0 0))", "Polygon"),
        ("SRID=4326;POLYHEDRALSURFACE Z(((0 0 0, 0 40 0, 40 40 0, 0 0 0)))", "Polygon"),
        ("SRID=4326;TIN Z(((0 0 0, 0 40 0, 40 40 0, 0 0 0)))", "Polygon"),
        ("SRID=4326;TRIANGLE((0 0, 0 40, 40 40, 0 0))", "Polygon"),
        ("SRID=4326;POINT ZM(40 40 1 2)", "Point"),
        ("SRID=4326;POLYGON((0 0, 0 40, 40 40, 0 0))", "Polygon"),
    ],
)
@pytest.mark.parametrize("tms", ["WebMercatorQuad", "WorldCRS84Quad"])
async def test_all_kinds_are_drawn(database: Database, stored: str, kind: str, tms: str) -> None:
    found = await _drawn(database, _request(_column(), tms, (0, 0, 0) if tms.startswith("Web") else (0, 1, 0)), stored)
    assert found.geom_type.removeprefix("Multi") == kind
    assert not found.has_z


@pytest.mark.parametrize(("longitude", "x"), [(0, 2048), (90, 3072), (-90, 1024), (270, 1024), (-270, 3072)])
@pytest.mark.parametrize("kind", ["Point", "LineString"])
async def test_longitudes_are_turned(database: Database, longitude: float, x: int, kind: str) -> None:
    stored = f"POINT({longitude} 0)" if kind == "Point" else f"LINESTRING({longitude} 0, {longitude} 10)"
    found = await _drawn(database, _request(_column(kind, turns=(-1, 1))), f"SRID=4326;{stored}")
    assert found.bounds[0] == found.bounds[2] == x


async def test_what_is_turned_stays_one_geometry(database: Database) -> None:
    stored = "SRID=4326;MULTILINESTRING((160 0, 200 0), (0 0, 40 40))"
    found = await _drawn(database, _request(_column("MultiLineString", turns=(1,))), stored)
    assert (found.geom_type, len(found.geoms)) == ("MultiLineString", 3)


async def test_an_edge_of_a_geography_goes_the_short_way(database: Database) -> None:
    column = _column("LineString", is_geography=True, crosses=True)
    found = await _drawn(database, _request(column), "SRID=4326;LINESTRING(170 0, -170 0)")
    assert [part.bounds[0] for part in found.geoms] == pytest.approx([3982, -64], abs=90)
    whole = replace(column, crosses=False)
    found = await _drawn(database, _request(whole), "SRID=4326;LINESTRING(170 0, -170 0)")
    assert found.length > 3000


@pytest.mark.parametrize("tms", ["WebMercatorQuad", "UPSArcticWGS84Quad"])
@pytest.mark.parametrize("kind", ["LineString", "Polygon"])
async def test_a_corner_that_is_not_finite_is_left_out(database: Database, tms: str, kind: str) -> None:
    request = _request(_column(kind), tms)
    for corner in ("50 80", "1e31 80", "-1e31 80", "NaN 80", "40 1e31"):
        text = f"(1 70, 40 70, {corner}, 5 75, 1 70)"
        stored = f"SRID=4326;POLYGON({text})" if kind == "Polygon" else f"SRID=4326;LINESTRING{text}"
        rest = await _drawn(database, request, stored.replace(f" {corner},", ""))
        found = await _drawn(database, request, stored)
        assert found.is_valid
        assert bool(shapely.hausdorff_distance(found, rest) <= 1) is (corner != "50 80")


async def test_pieces_on_both_sides_of_the_antimeridian(database: Database) -> None:
    request = _request(_column("MultiLineString"), "NZTM2000Quad", (0, 0, 0))
    for stored, number in (
        ("(170 -40, 180 -40), (-180 -40, -175 -40)", 2),
        ("(170 -40, 180 -40)", 1),
        ("(-180 -40, -175 -40)", 1),
    ):
        found = await _drawn(database, request, f"SRID=4326;MULTILINESTRING({stored})")
        # they meet
        assert len(shapely.get_parts(found.buffer(2))) == 1
        assert (found.length > 400) is (number == 2)


async def test_a_parallel_is_bent(database: Database) -> None:
    request = _request(_column("LineString"), "UPSArcticWGS84Quad", (1, 1, 0))
    found = await _drawn(database, request, "SRID=4326;LINESTRING(100 75, 170 75)")
    assert len(found.coords) > 10


@pytest.mark.parametrize("tms", ["WebMercatorQuad", "WorldMercatorWGS84Quad"])
@pytest.mark.parametrize("place", [(0, 0, 0), (1, 0, 0), (2, 1, 0)])
async def test_a_long_edge_at_high_latitudes_follows_its_curve(
    database: Database, tms: str, place: tuple[int, int, int]
) -> None:
    request = _request(_column("LineString"), tms, place)
    found = await _drawn(database, request, "SRID=4326;LINESTRING(-95 78, -40 84.9)")
    matrices = tile_matrix_set(tms)
    left, _, right, top = matrices.tile_bounds(*place)
    longitudes, latitudes = shapely.get_coordinates(
        shapely.segmentize(shapely.LineString([(-95, 78), (-40, 84.9)]), 0.01)
    ).T
    eastings, northings = transformer(matrices.srid).transform(longitudes, latitudes)
    unit = (right - left) / EXTENT
    curve = shapely.LineString(list(zip((eastings - left) / unit, (top - northings) / unit, strict=True)))
    drawn = shapely.box(0, 0, EXTENT, EXTENT)
    assert shapely.hausdorff_distance(found.intersection(drawn), curve.intersection(drawn)) <= 1


@pytest.mark.parametrize(("length", "many", "reach"), [(6, False, 0), (40, False, 40), (40, True, 0)])
async def test_what_is_thinner_than_a_unit_is_drawn_if_it_is_longer_than_a_pixel(
    database: Database, length: int, many: bool, reach: int
) -> None:
    unit = 2 * 20037508.342789244 / EXTENT
    # 20 combs of 0.4 units on the right side of a square
    combs = [(x, 10 * n + y) for n in range(20) for x, y in ((200, 0), (200 + length, 0.2), (200, 0.4))]
    corners = ", ".join(f"{x * unit} {y * unit}" for x, y in [(0, 0), *combs, (200, 200), (0, 200), (0, 0)])
    stored = f"SRID=3857;POLYGON(({corners}))"
    found = await _drawn(database, _request(_column("Polygon", 3857)), stored, many=many)
    left, _, right, _ = found.bounds
    assert (left, right) == (EXTENT / 2, EXTENT / 2 + 200 + reach)
    if not reach:
        assert shapely.get_num_coordinates(found) == 5


def _ring(corners: int, radius: float, spikes: float = 0.0) -> str:
    places = [
        (
            10 + (radius + spikes * (n % 2)) * cos(2 * pi * n / corners),
            10 + (radius + spikes * (n % 2)) * sin(2 * pi * n / corners),
        )
        for n in range(corners)
    ]
    return "POLYGON((" + ",".join(f"{x!r} {y!r}" for x, y in [*places, places[0]]) + "))"


@pytest.mark.parametrize(
    ("stored", "crosses", "is_seen"),
    [
        ("POINT(10 50)", False, True),
        ("POINT(40 50)", False, False),
        ("POINT(10 -50)", False, False),
        ("LINESTRING(-10 50, 40 50)", False, True),
        # its numbers are those of a box on the other side
        ("LINESTRING(179 50, -179 50)", True, False),
        ("LINESTRING(10 50, -179 50)", True, True),
        ("POINT(10 50)", True, True),
    ],
)
async def test_rows_of_geographies_near_a_tile(database: Database, stored: str, crosses: bool, is_seen: bool) -> None:
    column = _column("Geometry", is_geography=True, crosses=crosses)
    request = _request(column, place=(4, 8, 5))
    assert await _of_row(database, is_near(request), column, f"SRID=4326;{stored}") is is_seen


@pytest.mark.parametrize(("srid", "is_so"), [(4326, False), (0, False), (990001, True)])
async def test_rows_of_a_crs_that_nobody_knows_are_nowhere(database: Database, srid: int, is_so: bool) -> None:
    column = _column("Geometry", 0)
    condition = is_nowhere(column)
    assert condition is not None
    assert await _of_row(database, condition, column, f"SRID={srid};POINT(1 1)") is is_so
