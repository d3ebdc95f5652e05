"""What collections and geometry columns say of themselves."""

from __future__ import annotations

import pytest

from libs.catalogue.model import Collection, GeometryColumn


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


@pytest.mark.parametrize(("kind", "said"), [("table", "Table"), ("view", "Table"), ("function", "Function")])
def test_what_a_collection_is_in_the_words_of_the_contract(kind: str, said: str) -> None:
    assert Collection("a.b", "a", "b", 1, kind, "B", None, ()).type == said
