"""How a column's type and CRS decide what is done to its geometries for a tile: without a database."""

from __future__ import annotations

import re
from typing import Any

import pytest

from libs.catalogue.model import GeometryColumn
from libs.pg.sql import Sql, sql
from services.tiles.rendering.shape import drawn, is_near, is_nowhere, may_hold_areas, middle, projected
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.rendering.points import bound, tile_of_column

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
    text = _text(projected(_request(_column(kind))))
    assert ("ST_CurveToLine" in text) is (kind in (*CURVES, "Geometry"))
    assert ("POLYHEDRALSURFACE" in text) is (kind in (*SURFACES, "Geometry"))
    assert ("ST_Force2D" in text) is (kind == "Geometry")
    # no geography has surfaces
    assert "POLYHEDRALSURFACE" not in _text(projected(_request(_column(kind, is_geography=True))))


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_heights_are_left_out(dimensions: int) -> None:
    text = _text(projected(_request(_column("LineString", dimensions=dimensions))))
    assert ("ST_Force2D" in text) is (dimensions > 2)


@pytest.mark.parametrize(
    ("kind", "cut"), [("Point", False), ("MultiPoint", False), ("LineString", True), ("Polygon", True)]
)
def test_what_may_reach_beyond_the_projection_is_cut(kind: str, cut: bool) -> None:
    text = _text(projected(_request(_column(kind))))
    assert ("ST_ClipByBox2D" in text, "'LINESTRING(-1e30 -1e30, 1e30 1e30)'" in text) == (cut, cut)
    assert "ST_Transform(" in text
    # a geography has no such corners
    text = _text(projected(_request(_column(kind, is_geography=True))))
    assert ("ST_ClipByBox2D" in text, "1e30" in text) == (cut, False)
    # as it is stored where it is in the tile's CRS
    assert _text(projected(_request(_column(kind, 3857)))) == '"geom"'


@pytest.mark.parametrize(
    ("tms", "srid", "is_straight"),
    [
        ("WebMercatorQuad", 4326, True),
        ("WorldMercatorWGS84Quad", 4326, True),
        ("WorldCRS84Quad", 3857, True),
        ("UPSArcticWGS84Quad", 4326, False),
        ("UPSArcticWGS84Quad", 3857, True),
    ],
)
def test_long_lines_are_bent_where_parallels_are_arcs(tms: str, srid: int, is_straight: bool) -> None:
    statement = projected(_request(_column("LineString", srid), tms, (1, 0, 0)))
    assert ("ST_Segmentize" in _text(statement)) is not is_straight
    # corners that are no numbers fail in some projections alone
    assert ("ST_Length" in _text(statement)) is (tms == "UPSArcticWGS84Quad")


def test_what_is_in_small_tiles_needs_no_bending() -> None:
    text = _text(projected(_request(_column("LineString"), "UPSArcticWGS84Quad", (20, 2**18, 2**18))))
    assert "ST_Segmentize" not in text
    assert "ST_ClipByBox2D" in text


def test_pieces_on_both_sides_of_the_antimeridian_are_put_together() -> None:
    across = _request(_column("LineString"), "NZTM2000Quad", (0, 0, 0))
    assert len(across.region.cut) == 2
    assert _text(projected(across)).count("ST_ClipByBox2D") == 2
    assert "ST_CollectionHomogenize" in _text(projected(across))
    assert "ST_CollectionHomogenize" not in _text(projected(_request(_column("LineString"))))


def test_edges_of_geographies_go_the_short_way() -> None:
    across, along = (
        _text(projected(_request(_column("LineString", is_geography=True, crosses=crosses))))
        for crosses in (True, False)
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
        (_column("Polygon", 0), False),
        (_column("Geometry", 0, is_geography=True), False),
    ],
)
def test_rows_of_a_crs_each(column: GeometryColumn, is_mixed: bool) -> None:
    request = _request(column)
    assert (is_nowhere(column) is not None) is is_mixed
    for statement in (projected(request), is_near(request)):
        assert ("spatial_ref_sys" in _text(statement)) is is_mixed


def test_without_a_crs_numbers_are_longitudes_and_latitudes() -> None:
    assert 'ST_SetSRID("geom", 4326)' in _text(projected(_request(_column("Polygon", 0))))
    assert "ST_SetSRID" not in _text(projected(_request(_column("Polygon", 4326))))
    assert _text(is_near(_request(_column("Polygon", 0)))).startswith('("geom" && ')


@pytest.mark.parametrize(
    ("kind", "may"),
    [
        ("Point", False),
        ("MultiPoint", False),
        ("LineString", False),
        ("Polygon", True),
        ("Geometry", True),
        ("Tin", True),
    ],
)
def test_areas_too_small_for_the_grid_are_a_square(kind: str, may: bool) -> None:
    column = _column(kind)
    assert may_hold_areas(column) is may
    statement = drawn(_request(column), sql("shape"))
    text = _text(statement)
    assert ("'POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))'" in text) is may
    assert re.search(r"ST_AsMVTGeom\(.*, \$\d+::int4, \$\d+::int4, true\)", text)
    assert [value for value in statement.render()[1] if value in (4096, 64)] == [4096, 64]


def test_an_area_that_crosses_itself_has_fewer_corners_or_is_none() -> None:
    request = _request(_column())
    left, _, right, _ = request.region.bounds
    unit = (right - left) / 4096
    statement = drawn(request, sql("shape"))
    pattern = "CASE WHEN ST_NPoints(shape) <= # OR ST_Dimension(shape) < 2 OR ST_IsValid(shape) THEN shape"
    assert bound(statement, pattern) == [300]
    pattern = (
        " WHEN ST_NPoints(ST_Simplify(shape, #)) <= # THEN ST_Simplify(shape, #)"
        " WHEN ST_NPoints(ST_Simplify(shape, #)) <= # THEN ST_Simplify(shape, #) END"
    )
    assert bound(statement, pattern) == pytest.approx([unit, 300, unit, 8 * unit, 300, 8 * unit])


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
