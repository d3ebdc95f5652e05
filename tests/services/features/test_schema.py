"""The schema of a collection's features."""

from __future__ import annotations

from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn, TimeColumn
from services.features.rows.value_ranges import ValueRange
from services.features.schema import schema_json
from services.features.sortables import sortables_json


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


QUAKES = Collection(
    "a.quakes",
    "a",
    "quakes",
    1,
    "table",
    "Quakes",
    None,
    (
        Column("id", "integer", "integer", not_null=True),
        Column("at", "timestamp with time zone", "string", "date-time", not_null=True),
        Column("until", "timestamp with time zone", "string", "date-time"),
        Column("wind", "real", "number", unit="kt", not_null=True),
        Column("depth", "real", "number", unit="km"),
        Column("felt", "integer", "integer", unit="bushels", not_null=True),
        Column("more", "jsonb", "object", not_null=True),
        Column("tags", "text[]", "array", items="string"),
        Column("spot", "point", "string"),
    ),
    (GeometryColumn("geom", "Point", 4326),),
    (TimeColumn("at", "timestamp with time zone"), TimeColumn("until", "timestamp with time zone")),
    key="id",
)


def test_a_schema_is_one_of_common_part_3() -> None:
    document = schema_json(QUAKES, {"at": ValueRange()}, "https://example.org/schema")
    assert (document["$schema"], document["$id"]) == (
        "https://json-schema.org/draft/2020-12/schema",
        "https://example.org/schema",
    )
    Draft202012Validator.check_schema(document)
    properties = document["properties"]
    assert [entry["x-ogc-propertySeq"] for entry in properties.values()] == list(range(1, 11))
    assert {name: entry.get("type") for name, entry in properties.items()} == {
        "geom": None,
        **{column.name: column.type for column in QUAKES.columns},
        # JSON may be anything
        "more": ["object", "array", "string", "number", "boolean"],
    }
    # JSON cannot express infinite times and numbers: they may be null, also in a NOT NULL column
    assert document["required"] == ["id", "felt", "more"]
    assert document["additionalProperties"] is False
    assert {name: entry["x-ogc-role"] for name, entry in properties.items() if "x-ogc-role" in entry} == {
        "geom": "primary-geometry",
        "id": "id",
        "at": "primary-instant",
    }


def test_units_are_codes_of_ucum_beside_what_people_call_them() -> None:
    properties = schema_json(QUAKES, {}, "https://example.org/schema")["properties"]
    units = {
        name: (entry.get("x-ogc-unit"), entry.get("x-dams-unitLabel"))
        for name, entry in properties.items()
        if name in {"wind", "depth", "felt", "id"}
    }
    assert units == {"id": (None, None), "wind": ("[kn_i]", "kt"), "depth": ("km", None), "felt": (None, "bushels")}


@pytest.mark.parametrize(("end", "roles"), [("timestamp with time zone", 2), ("date", 0)])
def test_both_ends_of_an_interval_are_of_one_granularity(end: str, roles: int) -> None:
    columns = tuple(
        replace(column, sql_type=end, format="date-time" if roles else "date") if column.name == "until" else column
        for column in QUAKES.columns
    )
    lasting = replace(QUAKES, columns=columns, times=(QUAKES.times[0], TimeColumn("until", end)), time_end="until")
    properties = schema_json(lasting, {}, "https://example.org/schema")["properties"]
    found = [entry["x-ogc-role"] for entry in properties.values() if "primary-in" in entry.get("x-ogc-role", "")]
    assert found == ["primary-interval-start", "primary-interval-end"][:roles]


def test_sortables_are_what_has_an_order() -> None:
    document = sortables_json(QUAKES, "https://example.org/sortables")
    Draft202012Validator.check_schema(document)
    assert list(document["properties"]) == ["id", "at", "until", "wind", "depth", "felt"]
    assert document["properties"]["wind"] == {
        "title": "wind",
        "type": "number",
        "x-ogc-unit": "[kn_i]",
        "x-dams-unitLabel": "kt",
        "x-ogc-propertySeq": 4,
    }
    assert document["additionalProperties"] is False
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_what_is_known_of_values_is_said() -> None:
    columns = (
        Column("size", "real", "number", description="How large"),
        Column("level", "integer", "integer"),
        Column("day", "date", "string", "date"),
        Column("kind", "hostile.kind", "string", enum=("a", "b")),
        Column("word", "text", "string"),
        Column("tags", "text[]", "array", items="string"),
        Column("lists", "point[]", "array"),
        Column("endless", "double precision", "number"),
    )
    things = Collection(
        "a.things",
        "a",
        "things",
        1,
        "table",
        "Things",
        "All of them",
        columns,
        (GeometryColumn("geom", "Point", 4326), GeometryColumn("area", "Polygon", 4326)),
    )
    ranges = {
        "size": ValueRange(0, 7.5),
        "level": ValueRange(-1, None),
        "day": ValueRange("2020-01-01", "2020-12-31"),
        "kind": ValueRange(values=["a"]),
        "word": ValueRange(values=["x", "y"]),
        "endless": ValueRange(float("-inf"), float("nan")),
        "geom": ValueRange(omitted=3),
        "area": ValueRange(),
    }
    document = schema_json(things, ranges, "https://example.org/schema")
    assert (document["title"], document["description"], "required" in document) == ("Things", "All of them", False)
    assert {
        name: {key: value for key, value in entry.items() if key not in ("title", "x-ogc-propertySeq")}
        for name, entry in document["properties"].items()
    } == {
        "geom": {
            "description": "Outside longitude and latitude, hence null: 3",
            "format": "geometry-point",
            "x-ogc-role": "primary-geometry",
        },
        "area": {"format": "geometry-polygon"},
        "size": {"type": "number", "description": "How large", "minimum": 0, "maximum": 7.5},
        "level": {"type": "integer", "minimum": -1},
        "day": {"type": "string", "format": "date", "formatMinimum": "2020-01-01", "formatMaximum": "2020-12-31"},
        # the values of the type, used or not
        "kind": {"type": "string", "enum": ["a", "b"]},
        "word": {"type": "string", "enum": ["x", "y"]},
        "tags": {"type": "array", "items": {"type": ["string", "null"]}},
        "lists": {"type": "array", "items": {}},
        "endless": {"type": "number"},
    }
    # without them the schema has none
    assert "enum" not in schema_json(things, {}, "")["properties"]["word"]
    assert "description" not in schema_json(replace(things, description=None), {}, "")


def test_a_period_is_no_instant() -> None:
    columns = (Column("during", "tstzrange", "string"),)
    times = (TimeColumn("during", "tstzrange"),)
    spans = replace(QUAKES, columns=columns, times=times, key=None)
    assert "x-ogc-role" not in schema_json(spans, {}, "")["properties"]["during"]
