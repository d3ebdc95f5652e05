"""How a column's type and CRS decide what is done to its geometries for a tile: without a database."""

from __future__ import annotations

import re
from typing import Any

import pytest

from libs.catalogue.model import GeometryColumn
from libs.pg.sql import Sql
from services.tiles.rendering.shape import is_near, is_nowhere, middle, project
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.rendering.points import tile_of_column

WORLD = (5, 9, 9)
CURVES = ("CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface")
SURFACES = ("PolyhedralSurface", "Triangle", "Tin")
PLAIN = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection")


def _column(kind: str = "Polygon", srid: int = 4326, **of_column: Any) -> GeometryColumn:
    return GeometryColumn("geom", kind, srid, **of_column)


def _request(
    column: GeometryColumn, tms: str = "WebMercatorQuad", place: tuple[int, int, int] = WORLD, **of_collection: Any
) -> TileRequest:
    return tile_of_column(column, tms, place, **of_collection)


def _text(statement: Sql) -> str:
    return statement.render()[0]


@pytest.mark.parametrize("kind", [*PLAIN, *CURVES, *SURFACES, "Geometry"])
def test_what_tiles_do_not_know_is_made_what_they_do(kind: str) -> None:
    text = _text(project(_request(_column(kind))))
    assert ("ST_CurveToLine" in text) is (kind in (*CURVES, "Geometry"))
    assert ("POLYHEDRALSURFACE" in text) is (kind in (*SURFACES, "Geometry"))
    assert ("ST_Force2D" in text) is (kind == "Geometry")
    # no geography has surfaces
    assert "POLYHEDRALSURFACE" not in _text(project(_request(_column(kind, is_geography=True))))


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_heights_are_left_out(dimensions: int) -> None:
    text = _text(project(_request(_column("LineString", dimensions=dimensions))))
    assert ("ST_Force2D" in text) is (dimensions > 2)


def test_edges_of_geographies_go_the_short_way() -> None:
    across, along = (
        _text(project(_request(_column("LineString", is_geography=True, crosses=crosses)))) for crosses in (True, False)
    )
    assert "ST_LineInterpolatePoint" in across
    assert "ST_LineInterpolatePoint" not in along
    # worked out once, though named several times
    assert across.endswith(" OFFSET 0) AS earth)")
    assert '"geom"::geometry' in across
    assert '"geom"::geometry' in along


@pytest.mark.parametrize(
    ("column", "is_mixed"),
    [
        (_column("Geometry", 0), True),
        (_column("Geometry", 4326), False),
        (_column("Polygon", 0), True),
        (_column("Polygon", 0, row_srids=(0,)), False),
        (_column("Geometry", 0, is_geography=True), False),
    ],
)
def test_rows_of_a_crs_each(column: GeometryColumn, is_mixed: bool) -> None:
    request = _request(column)
    assert (is_nowhere(column) is not None) is is_mixed
    for statement in (project(request), is_near(request)):
        assert ("spatial_ref_sys" in _text(statement)) is is_mixed


def test_without_a_crs_numbers_are_longitudes_and_latitudes() -> None:
    bare = _column("Polygon", 0, row_srids=(0,))
    assert 'ST_SetSRID("geom", 4326)' in _text(project(_request(bare)))
    assert "ST_SetSRID" not in _text(project(_request(_column("Polygon", 4326))))
    assert _text(is_near(_request(bare))).startswith('("geom" && ')


@pytest.mark.parametrize("is_geography", [False, True])
def test_where_a_feature_is_is_the_middle_of_its_box(is_geography: bool) -> None:
    shape = '"geom"::geometry' if is_geography else '"geom"'
    box = f"{shape}::box2d::box3d"
    across = f"(ST_XMin({box}) + ST_XMax({box})) / 2"
    up = f"(ST_YMin({box}) + ST_YMax({box})) / 2"
    assert [_text(part) for part in middle(_column("Polygon", is_geography=is_geography))] == [across, up]
    point = middle(_column("Point", is_geography=is_geography))
    assert [_text(part) for part in point] == [f"ST_X({shape})", f"ST_Y({shape})"]
    crossing = middle(_column("Polygon", is_geography=is_geography, crosses=True))
    assert [_text(part) for part in crossing] == [
        f"CASE WHEN ST_XMax({shape}) - ST_XMin({shape}) > 180 THEN 180 ELSE {across} END",
        up,
    ]


@pytest.mark.parametrize(
    ("tms", "place", "boxes"),
    [
        # on both sides of the antimeridian
        ("WebMercatorQuad", (4, 0, 0), 2),
        # whose boxes reach beyond the edges of the world
        ("WorldCRS84Quad", (3, 0, 0), 1),
        ("WorldCRS84Quad", (3, 15, 7), 1),
    ],
)
def test_the_index_of_a_geography_looks_within_the_world_by_short_steps(
    tms: str, place: tuple[int, int, int], boxes: int
) -> None:
    request = _request(_column("Polygon", is_geography=True), tms, place)
    around = "ST_Segmentize(ST_MakeEnvelope(#, #, #, #, #), #)::geography"
    text, args = is_near(request).render()
    found = re.findall(re.escape(around).replace(r"\#", r"\$(\d+)::\w+"), text)
    assert len(found) == len(request.region.near) == boxes
    for numbers, (left, bottom, right, top) in zip(found, request.region.near, strict=True):
        values = [args[int(number) - 1] for number in numbers]
        assert values == [
            max(left, -180),
            max(bottom, -90),
            min(right, 180),
            min(top, 90),
            4326,
            pytest.approx((right - left) / 16),
        ]
