"""The JSON Schema of a feature in GeoJSON, from which GDAL takes the types of columns."""

from __future__ import annotations

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from services.features.formats.feature_schema import feature_schema_json
from tests.services.in_process import Client

ADDRESS = "https://a/collections/x/schema/feature"
COLLECTION = Collection(
    "a.b",
    "a",
    "b",
    1,
    "table",
    "B",
    None,
    (
        Column("small", "integer", "integer", unit="m"),
        Column("large", "bigint", "integer"),
        Column("exact", "numeric", "number", title="Exact"),
        Column("at", "timestamp with time zone", "string", "date-time"),
        Column("list", "integer[]", "array", items="integer"),
        Column("doc", "jsonb", "object"),
    ),
    (GeometryColumn("geom", "Point", 4326),),
)


def test_each_property_has_a_type_that_gdal_reads() -> None:
    document = feature_schema_json(COLLECTION, ADDRESS)
    members = document["properties"]
    assert (document["$id"], document["title"], members["type"]) == (ADDRESS, "B", {"const": "Feature"})
    found = members["properties"]["properties"]
    assert {name: entry.get("type") for name, entry in found.items()} == {
        "small": "integer",
        # as a single type it would be one of 32 bits
        "large": ["integer", "null"],
        "exact": "number",
        "at": "string",
        "list": ["array", "null"],
        "doc": None,
    }
    assert (found["at"]["format"], found["exact"]["title"], found["small"]["x-ogc-unit"]) == ("date-time", "Exact", "m")


@pytest.mark.parametrize(
    ("geometries", "expected"),
    [
        ((), {"type": "null"}),
        ((GeometryColumn("geom", "Point", 4326),), "Point"),
        ((GeometryColumn("geom", "MultiPolygon", 4326),), "MultiPolygon"),
        ((GeometryColumn("geom", "Geometry", 0),), "Geometry"),
        # cut in two where it crosses the antimeridian
        ((GeometryColumn("geom", "Polygon", 4326, turns=(1,)),), "Geometry"),
    ],
)
def test_the_geometry_has_its_type_or_is_null(geometries: tuple[GeometryColumn, ...], expected: object) -> None:
    bare = Collection("a.b", "a", "b", 1, "table", "B", None, (), geometries)
    found = feature_schema_json(bare, ADDRESS)["properties"]["geometry"]
    if isinstance(expected, str):
        expected = {"oneOf": [{"type": "null"}, {"$ref": f"https://geojson.org/schema/{expected}.json"}]}
    assert found == expected


async def test_it_is_served_and_validated(features: Client) -> None:
    address = "/collections/hostile.events/schema/feature"
    answer = await features.get(address)
    assert (answer.status, answer.type) == (200, "application/schema+json")
    assert answer.json()["$id"] == f"{features.base}{address}"
    again = await features.get(address, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status == 304
    assert (await features.get(address, {"x": "1"})).status == 422
    assert (await features.get("/collections/no.such/schema/feature")).status == 404
