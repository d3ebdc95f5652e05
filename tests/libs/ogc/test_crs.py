"""Which SRIDs have an identifier of their authority."""

from __future__ import annotations

import pytest

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from libs.ogc.crs import CRS84, GREGORIAN, USUAL_SRIDS, crs_uri


@pytest.mark.parametrize(
    ("srid", "identifier"),
    [
        (0, None),
        (1023, None),
        (1024, "EPSG/0/1024"),
        (4326, "EPSG/0/4326"),
        (32_767, "EPSG/0/32767"),
        (32_768, None),
        (36_999, None),
        (37_000, "ESRI/0/37000"),
        (102_100, "ESRI/0/102100"),
        (199_999, "ESRI/0/199999"),
        (200_000, None),
        # how old maps have Web Mercator
        (900_913, None),
    ],
)
def test_identifiers_of_epsg_and_esri(srid: int, identifier: str | None) -> None:
    assert crs_uri(srid) == (identifier and f"http://www.opengis.net/def/crs/{identifier}")


def test_the_usual_crs_are_those_of_the_tile_matrix_sets() -> None:
    assert {tile_matrix_set(identifier).srid for identifier in IDS} == set(USUAL_SRIDS)
    assert None not in [crs_uri(srid) for srid in USUAL_SRIDS]


def test_crs84_and_times_have_their_identifiers() -> None:
    assert GREGORIAN == "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian"
    assert CRS84 == "http://www.opengis.net/def/crs/OGC/1.3/CRS84" != crs_uri(4326)
