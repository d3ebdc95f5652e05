"""What a geometry column says of itself, from its type alone."""

from __future__ import annotations

import pytest

from libs.catalogue.model import GeometryColumn


@pytest.mark.parametrize(
    ("kind", "dimension"),
    [
        ("Point", 0),
        ("MultiPoint", 0),
        ("LineString", 1),
        ("MultiLineString", 1),
        ("MultiCurve", 1),
        ("Polygon", 2),
        ("MultiPolygon", 2),
        ("MultiSurface", 2),
        ("Geometry", None),
        ("GeometryCollection", None),
    ],
)
def test_several_parts_have_the_dimension_of_one(kind: str, dimension: int | None) -> None:
    assert GeometryColumn("geom", kind, 4326).dimension == dimension
