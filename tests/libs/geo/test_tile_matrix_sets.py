import pytest

from libs.geo.tile_matrix_sets import Matrix, tile_matrix_set
from libs.geo.zooms import IDS
from libs.ogc.errors import NotFound

WORLD = 20037508.342789244


def test_there_are_the_13_sets_of_the_contract() -> None:
    assert len(IDS) == 13
    for identifier in IDS:
        tms = tile_matrix_set(identifier)
        assert tms.srid > 0
        # the value by which clients choose a set; these three are not in the register
        registered = identifier not in {"LINZAntarticaMapTilegrid", "NZTM2000Quad", "WGS1984Quad"}
        uri = f"http://www.opengis.net/def/tilematrixset/OGC/1.0/{identifier}" if registered else None
        assert tms.uri == tms.document["uri"] == uri


def test_bounds_of_web_mercator_tiles() -> None:
    tms = tile_matrix_set("WebMercatorQuad")
    assert tms.tile_bounds(0, 0, 0) == pytest.approx((-WORLD, -WORLD, WORLD, WORLD))
    assert tms.tile_bounds(1, 1, 0) == pytest.approx((0, 0, WORLD, WORLD))


def test_bounds_where_the_first_axis_is_latitude() -> None:
    assert tile_matrix_set("WGS1984Quad").tile_bounds(0, 1, 0) == pytest.approx((0, -90, 180, 90))
    assert tile_matrix_set("WorldCRS84Quad").tile_bounds(0, 1, 0) == pytest.approx((0, -90, 180, 90))


def test_matrix_ids_need_not_start_at_zero() -> None:
    assert min(tile_matrix_set("CDB1GlobalGrid").matrices) == -10
    assert min(tile_matrix_set("UTM31WGS84Quad").matrices) == 1
    with pytest.raises(NotFound) as raised:
        tile_matrix_set("UTM31WGS84Quad").tile_bounds(0, 0, 0)
    assert str(raised.value) == "UTM31WGS84Quad has no tile matrix 0; it has 1 to 24."


def test_columns_that_make_one_tile_have_one_box() -> None:
    tms = tile_matrix_set("CDB1GlobalGrid")
    # the row at the pole: twelve one-degree columns are one tile
    polar = tms.tile_bounds(-10, 0, 0)
    assert polar == pytest.approx((-180, 89, -168, 90))
    assert tms.tile_bounds(-10, 11, 0) == polar
    assert tms.tile_bounds(-10, 12, 0) == pytest.approx((-168, 89, -156, 90))


@pytest.mark.parametrize(("z", "x", "y"), [(0, 1, 0), (0, 0, 1), (0, -1, 0), (1, 2147483647, 0), (99, 0, 0)])
def test_a_tile_outside_the_matrix_does_not_exist(z: int, x: int, y: int) -> None:
    with pytest.raises(NotFound):
        tile_matrix_set("WebMercatorQuad").tile_bounds(z, x, y)


def test_who_asks_for_a_tile_outside_the_matrix_is_told_how_many_it_has() -> None:
    with pytest.raises(NotFound) as raised:
        tile_matrix_set("WorldCRS84Quad").tile_bounds(1, 4, 2)
    assert str(raised.value) == (
        "Tile matrix 1 of WorldCRS84Quad has columns 0 to 3 and rows 0 to 1; there is no tile at column 4, row 2."
    )


def test_an_unknown_set_is_answered_with_those_there_are() -> None:
    with pytest.raises(NotFound, match="WebMercatorQuad"):
        tile_matrix_set("Nonsense")


@pytest.mark.parametrize(
    ("identifier", "z", "place", "tile"),
    [
        ("WorldCRS84Quad", 2, (1, 44), (4, 1)),
        # an edge belongs to the tile on its right or below it
        ("WorldCRS84Quad", 2, (0, 0), (4, 2)),
        ("WorldCRS84Quad", 2, (-180, 90), (0, 0)),
        ("WorldCRS84Quad", 2, (180, 0), None),
        ("WorldCRS84Quad", 2, (-180.1, 0), None),
        ("WorldCRS84Quad", 2, (0, 90.1), None),
        ("WorldCRS84Quad", 2, (0, -90), None),
        # of columns that make one tile the first
        ("CDB1GlobalGrid", -10, (-157, 89.5), (12, 0)),
        ("CDB1GlobalGrid", -10, (10.5, 0.5), (190, 89)),
    ],
)
def test_the_tile_at_a_place(identifier: str, z: int, place: tuple[float, float], tile: tuple[int, int] | None) -> None:
    matrix = tile_matrix_set(identifier).matrix(z)
    assert matrix.tile_at(*place) == tile
    if tile is not None:
        left, bottom, right, top = tile_matrix_set(identifier).tile_bounds(z, *tile)
        assert left <= place[0] < right
        assert bottom < place[1] <= top


def test_zooms_are_those_of_web_mercator_whose_tiles_are_as_wide() -> None:
    def zooms(identifier: str) -> list[float]:
        return [matrix.zoom for matrix in tile_matrix_set(identifier).matrices.values()][:3]

    assert zooms("WebMercatorQuad") == [0, 1, 2]
    # tiles of half the world
    assert zooms("WorldCRS84Quad") == [1, 2, 3]
    assert zooms("GNOSISGlobalGrid") == [2, 3, 4]
    assert zooms("UTM31WGS84Quad") == pytest.approx([1, 2, 3], abs=0.01)


@pytest.mark.parametrize(
    ("identifier", "levels"),
    [
        ("WebMercatorQuad", (3, 9)),
        ("WorldCRS84Quad", (2, 8)),
        ("GNOSISGlobalGrid", (1, 7)),
        ("CanadianNAD83_LCC", (1, 9)),
        # all of its matrices up to 0 have tiles of one degree
        ("CDB1GlobalGrid", (-10, 1)),
    ],
)
def test_the_matrices_nearest_to_two_zooms(identifier: str, levels: tuple[int, int]) -> None:
    assert tile_matrix_set(identifier).levels(3, 9) == levels


def test_of_matrices_as_near_all_are_meant() -> None:
    assert tile_matrix_set("CDB1GlobalGrid").levels(8, 8) == (-10, 0)


_EPSG = "http://www.opengis.net/def/crs/EPSG/0"


@pytest.mark.parametrize(
    ("identifier", "title", "crs", "srid"),
    [
        ("CDB1GlobalGrid", "CDB 1 Global Grid", f"{_EPSG}/4326", 4326),
        ("CanadianNAD83_LCC", "Lambert conformal conic NAD83 for Canada", f"{_EPSG}/3978", 3978),
        ("EuropeanETRS89_LAEAQuad", "Lambert Azimuthal Equal Area ETRS89 for Europe", f"{_EPSG}/3035", 3035),
        ("GNOSISGlobalGrid", "GNOSIS Global Grid", f"{_EPSG}/4326", 4326),
        (
            "LINZAntarticaMapTilegrid",
            "LINZ Antarctic Map Tile Grid (Ross Sea Region)",
            "urn:ogc:def:crs:EPSG::5482",
            5482,
        ),
        ("NZTM2000Quad", "LINZ NZTM2000Quad Map Tile Grid", "urn:ogc:def:crs:EPSG::2193", 2193),
        ("WorldCRS84Quad", "CRS84 for the World", "http://www.opengis.net/def/crs/OGC/1.3/CRS84", 4326),
    ],
)
def test_a_set_has_a_name_and_a_crs(identifier: str, title: str, crs: str, srid: int) -> None:
    found = tile_matrix_set(identifier)
    assert (found.id, found.title, found.crs, found.srid) == (identifier, title, crs, srid)
    # which clients see, too
    assert (found.document["id"], found.document["title"]) == (identifier, title)


@pytest.mark.parametrize(
    ("identifier", "matrix"),
    [
        # northing comes first in what the standard says of the origin of these two, and easting in that of the third
        ("GNOSISGlobalGrid", Matrix("1", -180, 90, 45, 45, 8, 4, 256, 3.0, ((0, 0, 2), (3, 3, 2)))),
        (
            "NZTM2000Quad",
            Matrix("2", -3260586.7284, 10438190.1652, 2504688.542848647, 2504688.542848647, 4, 4, 256, 4.0, ()),
        ),
        (
            "CanadianNAD83_LCC",
            Matrix("3", -34655800, 39310000, 2032004.064008128, 2032004.064008128, 21, 22, 256, 4.301728, ()),
        ),
        # tiles of few pixels have as few pixels as that
        (
            "CDB1GlobalGrid",
            Matrix(
                *("-10", -180, 90, 1, 1, 360, 180, 1, 8.491853),
                (
                    *((0, 0, 12), (1, 9, 6), (10, 14, 4), (15, 19, 3), (20, 39, 2)),
                    *((140, 159, 2), (160, 164, 3), (165, 169, 4), (170, 178, 6), (179, 179, 12)),
                ),
            ),
        ),
    ],
)
def test_a_matrix_is_as_its_definition_says(identifier: str, matrix: Matrix) -> None:
    assert tile_matrix_set(identifier).matrix(int(matrix.id)) == matrix
