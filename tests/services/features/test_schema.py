"""The schema of a collection's features."""

from __future__ import annotations

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn
from services.features.schema import schema_json


def test_an_argument_without_a_name_is_no_property() -> None:
    function = Collection(
        "a.f",
        "a",
        "f",
        1,
        "function",
        "F",
        None,
        (Column("id", "integer", "integer"),),
        arguments=(Argument("at_least", "real", "number"), Argument("", "real", "number", default="1")),
    )
    properties = schema_json(function, {}, "https://example.org/schema")["properties"]
    assert list(properties) == ["at_least", "id"]
    assert properties["at_least"]["x-ogc-role"] == "argument"


def test_only_the_first_geometry_is_the_primary_one() -> None:
    geometries = (GeometryColumn("place", "Point", 4326), GeometryColumn("area", "Polygon", 4326))
    lakes = Collection("a.lakes", "a", "lakes", 1, "table", "Lakes", None, (), geometries=geometries)
    properties = schema_json(lakes, {}, "https://example.org/schema")["properties"]
    assert [properties[name].get("x-ogc-role") for name in ("place", "area")] == ["primary-geometry", None]
