"""Which identifiers are CRSs in which features can be given."""

from __future__ import annotations

import pytest

from libs.geo.crs import crs_of
from libs.ogc.crs import crs_uri


# of three axes: longitude, latitude, height; geocentric; national with heights. Of one: heights
@pytest.mark.parametrize("code", [4979, 4978, 7405, 5703])
def test_a_crs_of_other_than_two_axes_is_none(code: int) -> None:
    assert crs_of(crs_uri(code) or "") is None


@pytest.mark.parametrize(
    ("code", "northing_first", "in_degrees"), [(4326, True, True), (3857, False, False), (5514, False, False)]
)
def test_a_crs_of_two_has_its_own_order_of_axes(code: int, northing_first: bool, in_degrees: bool) -> None:
    found = crs_of(crs_uri(code) or "")
    assert found is not None
    assert (found.srid, found.northing_first, found.in_degrees) == (code, northing_first, in_degrees)
