"""Schemas have members for known facts only."""

from __future__ import annotations

import pytest

from libs.catalogue.model import Argument, Column, GeometryColumn
from services.features.formats.json_schema import argument_schema, column_members, geometry_format


@pytest.mark.parametrize(
    ("argument", "more"),
    [
        (Argument("n", "integer", "integer"), {"description": "Argument of the function, required."}),
        (
            Argument("n", "date", "string", "date", "now()"),
            {"description": "Argument of the function, default now().", "format": "date"},
        ),
    ],
)
def test_an_argument(argument: Argument, more: dict[str, str]) -> None:
    assert argument_schema(argument) == {"title": "n", "type": argument.type, **more}


@pytest.mark.parametrize(
    ("column", "members"),
    [
        (Column("word", "text", "string"), {"title": "word", "type": "string"}),
        (Column("any", "jsonb", ""), {"title": "any"}),
        (Column("day", "date", "string", "date"), {"title": "day", "type": "string", "format": "date"}),
        (
            Column("wind", "integer", "integer", title="Wind", description="Of a minute.", unit="kt"),
            {
                "title": "Wind",
                "description": "Of a minute.",
                "type": "integer",
                "x-ogc-unit": "[kn_i]",
                "x-dams-unitLabel": "kt",
            },
        ),
        (Column("far", "real", "number", unit="km"), {"title": "far", "type": "number", "x-ogc-unit": "km"}),
        (Column("paid", "real", "number", unit="USD"), {"title": "paid", "type": "number", "x-dams-unitLabel": "USD"}),
    ],
)
def test_a_column(column: Column, members: dict[str, str]) -> None:
    assert column_members(column) == members


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        *(
            (GeometryColumn("g", kind, 4326), f"geometry-{kind.lower()}")
            for kind in (
                *("Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"),
                "GeometryCollection",
            )
        ),
        (GeometryColumn("g", "Geometry", 4326), "geometry-any"),
        (GeometryColumn("g", "CurvePolygon", 4326), "geometry-any"),
        # cut in two where it crosses the antimeridian
        (GeometryColumn("g", "LineString", 4326, is_geography=True, crosses=True), "geometry-any"),
        (GeometryColumn("g", "Polygon", 4326, is_geography=True, crosses=True), "geometry-any"),
        (GeometryColumn("g", "Point", 4326, is_geography=True, crosses=True), "geometry-point"),
        (GeometryColumn("g", "MultiLineString", 4326, is_geography=True, crosses=True), "geometry-multilinestring"),
    ],
)
def test_a_geometry(geometry: GeometryColumn, expected: str) -> None:
    assert geometry_format(geometry) == expected
