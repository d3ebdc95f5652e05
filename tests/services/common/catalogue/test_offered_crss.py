"""The CRSs in which a collection is offered: those whose area of use it lies in, unless its operator names others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.crs import USUAL_SRIDS
from services.common.catalogue.configuration import CatalogueConfig, CollectionConfig

QUAKES = Collection(
    id="hazard.quakes",
    schema="hazard",
    name="quakes",
    oid=1,
    kind="table",
    title="Quakes",
    description=None,
    columns=(Column("id", "integer", "integer"),),
    geometries=(GeometryColumn("place", "Point", 4326), GeometryColumn("area", "Polygon", 4326)),
)


@pytest.mark.parametrize(
    ("bbox", "srids"),
    [
        # unknown rows may be anywhere
        (None, USUAL_SRIDS),
        ((-180.0, -90.0, 180.0, 90.0), (4326, 3857, 3395)),
        ((5.0, 50.0, 6.0, 51.0), (4326, 3857, 3395, 3035, 32631)),
        ((5.0, 50.0, 6.5, 51.0), (4326, 3857, 3395, 3035)),
        ((-100.0, 50.0, -90.0, 60.0), (4326, 3857, 3395, 3978)),
        ((172.0, -44.0, 174.0, -41.0), (4326, 3857, 3395, 2193)),
        # across the antimeridian
        ((170.0, -80.0, -170.0, -78.0), (4326, 3857, 3395, 5042, 5482)),
        ((10.0, 70.0, 20.0, 89.0), (4326, 3857, 3395, 5041)),
    ],
)
def test_a_collection_is_offered_in_crss_whose_area_it_lies_in(
    bbox: tuple[float, float, float, float] | None, srids: tuple[int, ...]
) -> None:
    place, area = QUAKES.geometries
    found = CatalogueConfig().apply(replace(QUAKES, geometries=(replace(place, bbox=bbox), area)))
    assert found.srids == srids
    # of several columns all have to lie there
    both = replace(QUAKES, geometries=(replace(place, bbox=bbox), replace(area, bbox=(-180.0, -80.0, 180.0, 80.0))))
    assert set(CatalogueConfig().apply(both).srids) == {4326, 3857, 3395}


def test_an_operator_may_offer_a_crs_far_from_its_area_of_use() -> None:
    far = replace(QUAKES.geometries[0], bbox=(-180.0, -90.0, 180.0, 90.0))
    config = CatalogueConfig(collections={"hazard.quakes": CollectionConfig.model_validate({"crs": ["EPSG:2193"]})})
    assert config.apply(replace(QUAKES, geometries=(far,))).srids == (2193,)
