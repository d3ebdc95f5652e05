"""The identifiers and zooms of the tile matrix sets stand in one place, and all others agree with it."""

from pathlib import Path

import pytest
import yaml

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS, ZOOMS, zoom_faults, zooms_of
from libs.ogc.errors import NotFound
from tests.services.tiles.places import ANCHORS

COMPONENTS = Path(__file__).parents[3] / "libs" / "web" / "components.yaml"


def test_the_zooms_are_those_of_the_definitions() -> None:
    found = {identifier: sorted(tile_matrix_set(identifier).matrices) for identifier in IDS}
    assert {identifier: (levels[0], levels[-1]) for identifier, levels in found.items()} == ZOOMS
    assert all(levels == list(range(levels[0], levels[-1] + 1)) for levels in found.values())


def test_the_openapi_document_has_the_same_identifiers() -> None:
    parameter = yaml.safe_load(COMPONENTS.read_text(encoding="utf-8"))["parameters"]["tileMatrixSetId"]
    assert parameter["schema"]["enum"] == list(IDS)


def test_tiles_of_every_set_are_tested() -> None:
    assert tuple(ANCHORS) == IDS


def test_a_set_that_does_not_exist() -> None:
    for ask in (tile_matrix_set, zooms_of):
        with pytest.raises(NotFound) as raised:
            ask("webmercatorquad")
        assert str(raised.value) == (
            "There is no tile matrix set 'webmercatorquad'; there are CDB1GlobalGrid, CanadianNAD83_LCC,"
            " EuropeanETRS89_LAEAQuad, GNOSISGlobalGrid, LINZAntarticaMapTilegrid, NZTM2000Quad,"
            " UPSAntarcticWGS84Quad, UPSArcticWGS84Quad, UTM31WGS84Quad, WGS1984Quad, WebMercatorQuad,"
            " WorldCRS84Quad, WorldMercatorWGS84Quad."
        )


@pytest.mark.parametrize(
    ("identifier", "minzoom", "maxzoom", "faults"),
    [
        ("WebMercatorQuad", None, None, []),
        ("WebMercatorQuad", 0, 24, []),
        ("WebMercatorQuad", 7, 7, []),
        ("CDB1GlobalGrid", -10, None, []),
        ("CDB1GlobalGrid", -11, None, [("minzoom", "minzoom must be between -10 and 21 on CDB1GlobalGrid", -11)]),
        ("WebMercatorQuad", None, 25, [("maxzoom", "maxzoom must be between 0 and 24 on WebMercatorQuad", 25)]),
        ("UTM31WGS84Quad", 0, None, [("minzoom", "minzoom must be between 1 and 24 on UTM31WGS84Quad", 0)]),
        ("WebMercatorQuad", 5, 4, [("minzoom", "minzoom 5 is above maxzoom 4", 5)]),
        (
            "WebMercatorQuad",
            25,
            4,
            [
                ("minzoom", "minzoom must be between 0 and 24 on WebMercatorQuad", 25),
                ("minzoom", "minzoom 25 is above maxzoom 4", 25),
            ],
        ),
    ],
)
def test_faults(identifier: str, minzoom: int | None, maxzoom: int | None, faults: list[tuple[str, str, int]]) -> None:
    found = zoom_faults(identifier, minzoom, maxzoom)
    assert [(fault.loc, fault.msg, fault.input, fault.type) for fault in found] == [
        (("query", name), message, zoom, "value_error") for name, message, zoom in faults
    ]
