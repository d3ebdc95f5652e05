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
    # JSON has no word for infinite times and numbers: such a value may be null, whatever the column says
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
