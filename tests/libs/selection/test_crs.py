"""Which CRS a parameter of a request identifies."""

from __future__ import annotations

from typing import Any

import pytest

from libs.geo.crs import CRS84
from libs.ogc.crs import CRS84 as LONLAT
from libs.ogc.crs import crs_uri
from libs.selection.request import requested_crs
from tests.libs.selection.selecting import Query, collection, faults

MERCATOR, ZONE_33 = crs_uri(3857) or "", crs_uri(32633) or ""


def test_without_the_parameter_it_is_longitudes_and_latitudes() -> None:
    assert requested_crs(collection(), Query(), "bbox-crs") == CRS84


def test_it_is_one_of_the_collections() -> None:
    query = Query({"bbox-crs": MERCATOR})
    found = requested_crs(collection(srids=(3857,)), query, "bbox-crs")
    assert (found and found.srid, query.faults) == (3857, [])


@pytest.mark.parametrize("uri", [MERCATOR, "x" * 300])
def test_another_is_a_fault_of_that_parameter(uri: str) -> None:
    query = Query({"bbox-crs": uri})
    assert requested_crs(collection(srids=()), query, "bbox-crs") is None
    sentence = f"bbox-crs '{uri[:200]}' is not available for this collection; use one of {LONLAT}"
    assert query.faults == [("bbox-crs", sentence, "enum", uri[:200])]


def test_a_box_that_is_nowhere_in_its_crs_is_a_fault_of_the_box() -> None:
    box = [1e9, 1e9, 2e9, 2e9]
    ((name, message, _, value),) = faults(collection(srids=(32633,)), bbox=box, bbox_crs=ZONE_33)
    assert (name, message, value) == ("bbox", f"bbox is outside of where {ZONE_33} can be used", box)


@pytest.mark.parametrize(
    ("name", "beside"),
    [("bbox-crs", {"bbox": [1, 2, 3, 4]}), ("filter-crs", {"filter": "S_INTERSECTS(geom, POINT(1 2))"})],
)
def test_what_is_said_in_an_unknown_crs_is_not_read(name: str, beside: dict[str, Any]) -> None:
    given: dict[str, Any] = {name.replace("-", "_"): "nowhere", **beside}
    found = faults(collection(srids=()), **given)
    assert [fault[0] for fault in found] == [name]
