"""The service's description of its formats."""

from __future__ import annotations

import pytest

from libs.ogc.errors import Fault
from libs.web.query_params import QueryValues
from services.features.formats.format import FeatureFormat, FileFormat
from services.features.formats.registry import EXPORT_FORMATS, FORMATS, format_of, refuse_options

_BYTES = {"type": "string", "format": "binary"}


def test_the_formats_in_the_order_of_preference() -> None:
    assert [(entry.name, entry.media_type, entry.extension, entry.of_rows) for entry in FORMATS] == [
        ("geojson", "application/geo+json", None, False),
        ("html", "text/html", None, False),
        ("json", "application/json", None, True),
        ("csv", "text/csv", "csv", True),
        ("geojsonseq", "application/geo+json-seq", None, False),
        ("ndjson", "application/ndjson", None, True),
        ("fgb", "application/flatgeobuf", "fgb", False),
        ("parquet", "application/vnd.apache.parquet", "parquet", False),
        ("gpkg", "application/geopackage+sqlite3", "gpkg", False),
    ]
    assert {entry.name for entry in FORMATS if isinstance(entry, FeatureFormat) and entry.of_features} == {
        "geojson",
        "geojsonseq",
    }
    assert [
        (entry.name, entry.writer, entry.driver, entry.geometry_as)
        for entry in FORMATS
        if isinstance(entry, FileFormat)
    ] == [
        ("fgb", "ogr", "FlatGeobuf", "wkb"),
        ("parquet", "geoparquet", "", "wkb"),
        ("gpkg", "ogr", "GPKG", "wkb"),
    ]
    assert [entry.name for entry in FORMATS if entry.byte_order_mark] == ["csv"]
    as_text = {entry.name: entry.geometry_as for entry in FORMATS if isinstance(entry, FeatureFormat)}
    assert as_text == {"csv": "wkt"} | dict.fromkeys(("geojson", "json", "geojsonseq", "ndjson"), "geojson")
    assert {alias for entry in FORMATS for alias in entry.aliases} == {
        "application/vnd.geo+json",
        "application/x-ndjson",
    }
    assert "text/html" not in EXPORT_FORMATS
    assert {entry.label: entry.title.removeprefix("Features as ") for entry in FORMATS} == {
        "GeoJSON": "GeoJSON",
        "HTML": "a page",
        "JSON": "rows in JSON",
        "CSV": "rows in CSV",
        "GeoJSON sequence": "a GeoJSON text sequence",
        "NDJSON": "rows in newline-delimited JSON",
        "FlatGeobuf": "FlatGeobuf",
        "GeoParquet": "GeoParquet",
        "GeoPackage": "GeoPackage",
    }


def test_the_schemas_of_what_a_format_gives() -> None:
    page, feature, row = ({"$ref": f"#/components/schemas/{name}"} for name in ("Items", "Item", "Row"))
    text = {"type": "string"}
    assert {entry.name: (entry.items_schema, entry.item_schema) for entry in FORMATS} == {
        "geojson": (page, feature),
        "json": ({"oneOf": [{"type": "array", "items": row}, page]}, {"oneOf": [row, feature]}),
        **dict.fromkeys(("html", "csv", "geojsonseq", "ndjson"), (text, text)),
        **dict.fromkeys(("fgb", "parquet", "gpkg"), (_BYTES, _BYTES)),
    }


@pytest.mark.parametrize(
    ("media_type", "named", "name"),
    [
        ("application/json", True, "json"),
        # a request for plain JSON, without a format name, gets features
        ("application/json", False, "geojson"),
        ("text/csv", False, "csv"),
        ("application/flatgeobuf", True, "fgb"),
        ("text/html", True, None),
        ("text/html", False, None),
    ],
)
def test_which_format_is_meant(media_type: str, named: bool, name: str | None) -> None:
    found = format_of(media_type, named=named)
    assert (None if found is None else found.name) == name


@pytest.mark.parametrize(
    ("name", "bom", "geometry", "wrong"),
    [
        ("csv", True, "lonlat", []),
        ("csv", False, None, []),
        ("json", True, "lonlat", ["bom"]),
        ("ndjson", False, "lonlat", []),
        ("geojson", True, "lonlat", ["bom", "geometry"]),
        ("geojson", False, None, []),
        ("fgb", None, "whole", ["geometry"]),
        (None, True, "lonlat", ["bom", "geometry"]),
        (None, False, None, []),
    ],
)
def test_options_are_for_formats_that_have_them(
    name: str | None, bom: bool | None, geometry: str | None, wrong: list[str]
) -> None:
    query = QueryValues({"bom": bom, "geometry": geometry})
    refuse_options(query, next((entry for entry in FORMATS if entry.name == name), None))
    assert [fault.loc for fault in query.faults] == [("query", each) for each in wrong]
    if "bom" in wrong:
        assert query.faults[0] == Fault(("query", "bom"), "bom is for CSV alone")
    if "geometry" in wrong:
        sentence = "geometry is for rows alone: f=json, csv, ndjson"
        assert query.faults[-1] == Fault(("query", "geometry"), sentence, geometry, "enum")
