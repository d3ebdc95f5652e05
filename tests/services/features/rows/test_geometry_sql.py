"""One geometry as text: in other CRSs, as a box, with fewer vertices, as a drawing; or the error instead."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from math import cos, pi, sin
from typing import Any, Protocol

import pytest
import shapely

from libs.catalogue.model import GeometryColumn
from libs.geo.crs import Crs, crs_of
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import bind, sql
from services.features.request.items_query import AS_STORED, GeometryOptions
from services.features.rows.geometry_sql import encoded_geometry
from services.features.rows.layout import OMITTED
from tests.conftest import MakeDatabase

BOXES = GeometryOptions(bbox_only=True)


def _crs(code: int) -> Crs:
    found = crs_of(f"http://www.opengis.net/def/crs/EPSG/0/{code}")
    assert found is not None
    return found


WEB_MERCATOR, UTM_32, WGS_84 = GeometryOptions(crs=_crs(3857)), GeometryOptions(crs=_crs(25832)), _crs(4326)


def _column(kind: str = "Geometry", srid: int = 4326, **more: Any) -> GeometryColumn:
    return GeometryColumn("geom", kind, srid, **more)


class Given(Protocol):
    """The text of a geometry, which is given as EWKT."""

    async def __call__(
        self, stored: str | None, column: GeometryColumn, options: GeometryOptions = ..., geometry_as: str = ...
    ) -> Any: ...


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    async with Database(PoolSettings(await make_database(), "geometry-test", size=1)) as database:
        yield database


@pytest.fixture
def given(database: Database) -> Given:
    async def text(
        stored: str | None, column: GeometryColumn, options: GeometryOptions = AS_STORED, geometry_as: str = "wkt"
    ) -> Any:
        return await database.fetchval(
            sql(
                "SELECT {text} FROM (SELECT {stored} AS geom OFFSET 0) AS item",
                text=encoded_geometry(column, geometry_as, options),
                stored=bind(stored, "text", cast="geography" if column.is_geography else "geometry"),
            )
        )

    return text


async def test_each_way_to_write_a_place(given: Given) -> None:
    stored, column = "SRID=4326;POINT(1.00000000012 2.0000000009)", _column("Point")
    # nine decimals
    assert await given(stored, column) == "POINT(1 2.000000001)"
    found = json.loads(await given(stored, column, geometry_as="geojson"))
    # the answer does not name the CRS
    assert found == {"type": "Point", "coordinates": [1, 2.000000001]}
    # to the last digit
    assert shapely.from_wkb(await given(stored, column, geometry_as="wkb")).y == 2.0000000009


@pytest.mark.parametrize("geometry_as", ["wkt", "geojson", "wkb"])
@pytest.mark.parametrize("options", [AS_STORED, BOXES, WEB_MERCATOR])
async def test_what_has_no_place_is_said_to_be_omitted_where_such_rows_are_known(
    given: Given, geometry_as: str, options: GeometryOptions
) -> None:
    omitted = OMITTED.encode() if geometry_as == "wkb" else OMITTED
    for stored, of_partial in (
        ("SRID=4326;POINT(0 91)", omitted),
        ("SRID=4326;POINT(0 -90.1)", omitted),
        ("SRID=4326;POINT(181.5 0)", omitted),
        ("SRID=4326;POINT EMPTY", None),
        (None, None),
    ):
        moved = options is WEB_MERCATOR
        found = await given(stored, _column(), options, geometry_as)
        assert found == (of_partial if moved else None), stored
        assert await given(stored, _column(partial=True), options, geometry_as) == of_partial
    assert await given("SRID=4326;POINT(180.0000000004 90)", _column(partial=True), options, geometry_as) not in (
        None,
        omitted,
    )


@pytest.mark.parametrize(
    ("is_there", "as_stored", "places"),
    [
        # half of the ninth decimal may be missed, at each end of the world
        (True, True, ("-180.0000000004 -90.0000000004", "180.0000000004 90.0000000004")),
        (False, True, ("-180.00002 0", "180.00002 0", "-999999 -90.0000000004", "999999 90.0000000004")),
        (False, False, ("0 -90.00002", "0 90.00002")),
    ],
)
async def test_the_world_ends_where_it_does(
    given: Given, is_there: bool, as_stored: bool, places: tuple[str, ...]
) -> None:
    columns = (_column("Point"), is_there), (_column("Point", as_stored=True), as_stored)
    for place, (column, found) in product(places, columns):
        stored = f"SRID=4326;POINT({place})"
        assert (await given(stored, column) is not None) is found
        assert (await given(stored, replace(column, partial=True)) != OMITTED) is found


async def test_rows_of_a_crs_that_nobody_knows_are_omitted(given: Given) -> None:
    mixed = _column(srid=0)
    assert await given("SRID=990001;POINT(1 1)", mixed) == OMITTED
    assert await given("SRID=3857;POINT(0 0)", mixed) == "POINT(0 0)"
    assert await given("POINT(3 4)", mixed) == "POINT(3 4)"
    for stored in ("POINT EMPTY", None, "POINT(0 91)"):
        assert await given(stored, mixed) is None
    # where each row has the CRS of the column that cannot be
    assert await given("POINT(0 91)", _column("Point", 0)) is None


async def test_longitudes_may_be_given_as_they_are_stored(given: Given) -> None:
    far = "SRID=4326;LINESTRING(170 0, 190 0)"
    assert await given(far, _column("LineString", as_stored=True, turns=(1,))) == "LINESTRING(170 0,190 0)"
    assert await given(far, _column("LineString", turns=(1,))) == "MULTILINESTRING((170 0,180 0),(-180 0,-170 0))"
    assert await given(far, _column("LineString")) is None
    assert await given("SRID=4326;POINT(190 0)", _column("Point", turns=(1,))) == "POINT(-170 0)"
    assert await given("SRID=4326;POINT(190 0)", _column("Point", as_stored=True, turns=(1,))) == "POINT(190 0)"
    several = "SRID=4326;MULTILINESTRING((170 0, 190 0), (1 1, 2 2))"
    found = shapely.from_wkt(await given(several, _column("MultiLineString", turns=(1,))))
    assert (found.geom_type, len(found.geoms)) == ("MultiLineString", 3)
    beyond = "SRID=4326;LINESTRING(170 0, 190 91)"
    assert await given(beyond, _column("LineString", as_stored=True)) is None


async def test_edges_of_geographies_go_the_short_way(given: Given) -> None:
    stored = "SRID=4326;LINESTRING(170 0, -170 0)"
    crossing = _column("LineString", is_geography=True, crosses=True)
    assert await given(stored, crossing) == "MULTILINESTRING((170 0,180 0),(-180 0,-170 0))"
    assert await given(stored, replace(crossing, crosses=False)) == "LINESTRING(170 0,-170 0)"
    assert (
        shapely.from_wkt(await given("SRID=4326;LINESTRING(170 0, -170 1)", crossing, BOXES)).geom_type
        == "MultiPolygon"
    )


async def test_web_mercator_is_turned_before_it_is_transformed(given: Given) -> None:
    turn = 2 * 20037508.342789244
    column = _column("LineString", 3857, turns=(1,))
    west, east = 170 * turn / 360, 190 * turn / 360
    found = shapely.from_wkt(await given(f"SRID=3857;LINESTRING({west} 0, {east} 0)", column))
    assert [part.bounds for part in found.geoms] == [
        pytest.approx((170, 0, 180, 0)),
        pytest.approx((-180, 0, -170, 0)),
    ]


@pytest.mark.parametrize("kind", ["Geometry", "CompoundCurve", "Tin"])
async def test_what_geojson_does_not_know_is_made_what_it_does(given: Given, kind: str) -> None:
    for options in (AS_STORED, GeometryOptions(crs=WGS_84)):
        found = await given("SRID=4326;CIRCULARSTRING(0 0, 1 1, 2 0)", _column(kind), options)
        assert found.startswith("LINESTRING(0 0,")
    stored = "SRID=25832;CIRCULARSTRING(500000 0, 500001 1, 500002 0)"
    assert (await given(stored, _column(kind, 25832), UTM_32)).startswith("LINESTRING(500000 0,")


async def test_places_in_another_crs(given: Given) -> None:
    column = _column("Point")
    assert await given("SRID=4326;POINT(90 0)", column, WEB_MERCATOR) == "POINT(10018754.1714 0)"
    # latitude first, but in files
    turned = GeometryOptions(crs=WGS_84)
    assert turned.crs.northing_first
    northing = replace(_crs(3857), srid=25832, northing_first=True)
    for crs, expected in ((northing, "POINT(0 500000)"), (replace(northing, northing_first=False), "POINT(500000 0)")):
        options = GeometryOptions(crs=crs)
        assert await given("SRID=4326;POINT(9 0)", column, options) == expected
        assert shapely.from_wkb(await given("SRID=4326;POINT(9 0)", column, options, "wkb")).x == pytest.approx(5e5)
    # as it is stored where that is the CRS, but for geographies
    stored = "SRID=25832;POINT(512345.00004 5.4)"
    assert await given(stored, _column("Point", 25832), UTM_32) == "POINT(512345 5.4)"
    assert await given(None, _column("Point", 25832), UTM_32) is None
    assert await given("SRID=25832;POINT EMPTY", _column("Point", 25832), UTM_32) is None
    in_degrees = _column("Point", is_geography=True)
    assert await given("SRID=4326;POINT(1 2)", in_degrees, AS_STORED) == "POINT(1 2)"
    assert await given("SRID=4326;POINT(1 2)", in_degrees, turned) == "POINT(2 1)"
    # turned around the Earth there, too
    beyond = _column("Point", 3857, turns=(1,))
    assert await given("SRID=3857;POINT(30037508.342789244 0)", beyond, WEB_MERCATOR) == "POINT(-10037508.3428 0)"


@pytest.mark.parametrize("place", ["{} 1", "-{} 1", "1 {}", "1 -{}"])
@pytest.mark.parametrize(("number", "is_there"), [(999999999, True), (1000000000, False)])
async def test_places_that_no_crs_has_are_omitted(given: Given, place: str, number: int, is_there: bool) -> None:
    place = place.format(number)
    column = _column("Point", 25832)
    assert await given(f"SRID=25832;POINT({place})", column, UTM_32) == (f"POINT({place})" if is_there else OMITTED)
    # also where only one end lies there
    column = _column("LineString", 25832)
    found = await given(f"SRID=25832;LINESTRING(0 0, {place})", column, UTM_32)
    assert found == (f"LINESTRING(0 0,{place})" if is_there else OMITTED)


@pytest.mark.parametrize(
    ("kind", "stored", "box"),
    [
        ("Point", "POINT(3 4)", "POINT(3 4)"),
        ("LineString", "LINESTRING(3 4, 5 8)", "POLYGON((3 4,5 4,5 8,3 8,3 4))"),
        ("Polygon", "POLYGON((3 4, 3 8, 5 8, 3 4))", "POLYGON((3 4,5 4,5 8,3 8,3 4))"),
        ("MultiPoint", "MULTIPOINT(3 4, 5 8)", "POLYGON((3 4,5 4,5 8,3 8,3 4))"),
        # one part that goes around the world has one box, several that meet the antimeridian on both sides have two
        ("LineString", "LINESTRING(-180 4, 180 8)", "POLYGON((-180 4,180 4,180 8,-180 8,-180 4))"),
        (
            "MultiPoint",
            "MULTIPOINT(180 4, 170 9, -180 8, -175 3)",
            "MULTIPOLYGON(((170 3,180 3,180 9,170 9,170 3)),((-180 3,-175 3,-175 9,-180 9,-180 3)))",
        ),
        # on one side alone there is nothing to cut, nor where parts leave no gap
        ("MultiPoint", "MULTIPOINT(180 4, 170 9)", "POLYGON((170 4,180 4,180 9,170 9,170 4))"),
        (
            "MultiLineString",
            "MULTILINESTRING((-180 3, 0 4), (0 5, 180 9))",
            "POLYGON((-180 3,180 3,180 9,-180 9,-180 3))",
        ),
        # parts may lie within the longitudes of others
        (
            "MultiLineString",
            "MULTILINESTRING((170 0, 180 10), (-180 -5, -170 5), (-60 2, 100 3), (-50 1, -40 12))",
            "MULTIPOLYGON(((-60 -5,180 -5,180 12,-60 12,-60 -5)),((-180 -5,-170 -5,-170 12,-180 12,-180 -5)))",
        ),
        # the widest gap, and of two the western one
        (
            "MultiPoint",
            "MULTIPOINT(180 4, 60 9, -60 3, -180 8)",
            "MULTIPOLYGON(((-60 3,180 3,180 9,-60 9,-60 3)),EMPTY)",
        ),
    ],
)
async def test_boxes(given: Given, kind: str, stored: str, box: str) -> None:
    found = await given(f"SRID=4326;{stored}", _column(kind), BOXES)
    if "EMPTY" not in box:
        assert found == box
    else:
        assert shapely.from_wkt(found).bounds == (-180, 3, 180, 9)


async def test_a_box_in_another_crs_is_one(given: Given) -> None:
    found = await given("SRID=4326;MULTIPOINT(180 0, -180 0)", _column("MultiPoint"), replace(BOXES, crs=_crs(3857)))
    assert shapely.from_wkt(found).bounds == (-20037508.3428, 0, 20037508.3428, 0)
    assert found.startswith("LINESTRING")


def _ring(corners: int, radius: float, *, x: float = 0, clockwise: bool = True) -> str:
    places = [(x + radius * sin(2 * pi * n / corners), radius * cos(2 * pi * n / corners)) for n in range(corners)]
    if not clockwise:
        places.reverse()
    return "(" + ",".join(f"{a} {b}" for a, b in [*places, places[0]]) + ")"


@pytest.mark.parametrize("kind", ["Polygon", "MultiPolygon", "Geometry"])
async def test_simpler_areas_have_their_rings_counterclockwise(given: Given, kind: str) -> None:
    stored = "SRID=4326;POLYGON" + f"({_ring(100, 5)})"
    found = shapely.from_wkt(await given(stored, _column(kind), GeometryOptions(simplify=0.1)))
    assert found.geom_type == ("MultiPolygon" if kind == "MultiPolygon" else "Polygon")
    area = found.geoms[0] if kind == "MultiPolygon" else found
    assert area.exterior.is_ccw
    assert 4 < len(area.exterior.coords) < 60
    # as it is
    assert not shapely.from_wkt(await given(stored, _column("Polygon"))).exterior.is_ccw


@pytest.mark.parametrize("kind", ["LineString", "Geometry"])
async def test_simpler_lines_go_the_same_way(given: Given, kind: str) -> None:
    stored = "SRID=4326;LINESTRING(0 0, 1 0.001, 2 0, 3 3)"
    assert await given(stored, _column(kind), GeometryOptions(simplify=0.1)) == "LINESTRING(0 0,2 0,3 3)"


async def test_corners_that_are_no_numbers_are_not_made_simpler(given: Given) -> None:
    stored = "SRID=4326;LINESTRING(0 0, NaN 1, 2 0)"
    assert await given(stored, _column("LineString"), GeometryOptions(simplify=0.1)) is None


async def test_members_of_a_collection_stay(given: Given) -> None:
    """A valid geometry needs no repair, which would keep members of one dimension only."""
    stored = "SRID=4326;GEOMETRYCOLLECTION(POINT(9 9),LINESTRING(0 0,1 0.001,2 0))"
    found = await given(stored, _column(), GeometryOptions(simplify=0.1))
    assert found == "GEOMETRYCOLLECTION(POINT(9 9),LINESTRING(0 0,2 0))"


def _comb(corners: int, width: float, height: float, x: float, y: float) -> str:
    """An area with very many teeth, and a hole that is a hundredth as wide as it is high."""
    teeth = corners - 7
    places = [(x + width * n / (teeth - 1), y + height * (n % 2)) for n in range(teeth)]
    places += [(x + width, y - height), (x, y - height), places[0]]
    a, b, small = x + width / 2, y - height / 2, height / 100
    hole = [(a, b), (a + small, b), (a, b + small), (a, b)]
    rings = ["(" + ",".join(f"{left!r} {up!r}" for left, up in ring) + ")" for ring in (places, hole)]
    return f"SRID=4326;POLYGON({','.join(rings)})"


@pytest.mark.parametrize(
    ("corners", "width", "height", "keeps"),
    [
        (5000, 0.1, 0.1, True),
        (5001, 0.1, 0.1, False),
        # of very many corners it is the edges' length beside the area that counts
        (5001, 150, 0.1, True),
        (5001, 0.5, 0.001, False),
    ],
)
async def test_where_very_many_edges_are_crowded_holes_are_lost(
    given: Given, corners: int, width: float, height: float, keeps: bool
) -> None:
    stored = _comb(corners, width, height, 25, 80)
    found = shapely.from_wkt(await given(stored, _column("Polygon"), GeometryOptions(simplify=height / 10)))
    assert (len(found.interiors) == 1) is keeps


async def _drawn(given: Given, stored: str) -> list[Any]:
    """The positions of a line, or of the outer ring, on a small map."""
    drawing = json.loads(await given(f"SRID=4326;{stored}", _column(), geometry_as="drawing"))
    found: list[Any] = drawing["coordinates"]
    return found[0] if drawing["type"] == "Polygon" else found


def _line(positions: list[tuple[float, float]]) -> str:
    return "LINESTRING(" + ",".join(f"{x!r} {y!r}" for x, y in positions) + ")"


@pytest.mark.parametrize(
    ("width", "height", "bump", "stays"),
    [
        # no map is narrower than 40 degrees: a pixel is 0.05
        (1, 0, 0.0503, True),
        (1, 0, 0.04997, False),
        # 80 degrees wide, or half as high
        (80, 0, 0.1003, True),
        (80, 0, 0.0997, False),
        (0, 60, 0.1503, True),
        (0, 60, 0.1497, False),
    ],
)
async def test_a_drawing_has_what_a_pixel_shows(
    given: Given, width: float, height: float, bump: float, stays: bool
) -> None:
    places = [(90 + width * n / 60, 20 + height * n / 60) for n in range(61)]
    # aside from the middle
    places[30] = (places[30][0] + (0 if width else bump), places[30][1] + (bump if width else 0))
    assert (len(await _drawn(given, _line(places))) > 2) is stays


async def test_corners_that_are_no_numbers_are_drawn_as_a_box(given: Given) -> None:
    places: list[tuple[float, float]] = [(n / 10, n / 10) for n in range(60)]
    assert len(await _drawn(given, _line([*places[:30], (float("nan"), 2), *places[30:]]))) == 5


async def test_what_is_no_place_is_not_drawn_though_a_pixel_would_hide_it(given: Given) -> None:
    places: list[tuple[float, float]] = [(n, 90.0) for n in range(61)]
    assert len(await _drawn(given, _line(places))) == 2
    places[30] = (30, 90.01)
    assert await given(f"SRID=4326;{_line(places)}", _column(), geometry_as="drawing") is None


async def test_few_positions_are_drawn_as_they_are(given: Given) -> None:
    for number, drawn in ((50, 50), (51, 2)):
        assert len(await _drawn(given, _line([(n / 1e6, 0) for n in range(number)]))) == drawn
    # of an area that a pixel hides there is the box
    for corners, drawn in ((49, 50), (50, 5)):
        assert len(await _drawn(given, f"POLYGON({_ring(corners, 0.001)})")) == drawn


@pytest.mark.parametrize(
    ("positions", "height", "drawn"),
    [
        (500, 0.3, 500),
        # too many: what four pixels hide is left out, else what sixteen do, and at last there is the box
        (501, 0.3, 2),
        (520, 1.2, 2),
        (520, 10, 5),
    ],
)
async def test_a_drawing_has_so_many_positions_at_the_most(
    given: Given, positions: int, height: float, drawn: int
) -> None:
    places = [(80 * n / (positions - 1), height * (n % 2)) for n in range(positions)]
    assert len(await _drawn(given, _line(places))) == drawn
