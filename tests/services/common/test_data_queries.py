"""The data queries of OGC API EDR in the document of a collection."""

from __future__ import annotations

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.service_part import Whole
from services.common.documents.collection import collection_json
from services.features.part import PART

COLUMNS = (
    Column("id", "integer", "integer"),
    Column("wind_kt", "integer", "integer", title="Wind", unit="kt"),
)
BASE = "https://example.org"


def document(whole: Whole, *geometries: GeometryColumn) -> dict[str, object]:
    collection = Collection("s.t", "s", "t", 1, "table", "T", None, COLUMNS, geometries)
    return collection_json(collection, whole, BASE, "application/json")


def test_collection_lists_its_queries_parameters_and_formats() -> None:
    found = document(Whole.of([PART]), GeometryColumn("geom", "Point", 4326))
    queries = found["data_queries"]
    assert isinstance(queries, dict)
    formats = ["geojson", "json", "csv", "geojsonseq", "ndjson", "fgb", "parquet", "gpkg"]
    assert list(queries) == ["position", "radius", "area", "corridor", "items"]
    for name, query in queries.items():
        link = query["link"]
        assert (link["href"], link["rel"]) == (f"{BASE}/collections/s.t/{name}", "data")
        assert (link["variables"]["query_type"], link["variables"]["output_formats"]) == (name, formats)
    units = ("km", "m", "ft", "mi", "nmi")
    assert queries["radius"]["link"]["variables"]["within_units"] == units
    assert queries["corridor"]["link"]["variables"]["width_units"] == units
    assert found["output_formats"] == formats
    assert found["parameter_names"] == {
        "id": {"type": "Parameter", "observedProperty": {"id": "id", "label": "id"}},
        "wind_kt": {
            "type": "Parameter",
            "observedProperty": {"id": "wind_kt", "label": "Wind"},
            "unit": {"symbol": "kt"},
        },
    }


def test_without_geometry_or_the_service_there_are_no_queries() -> None:
    for found in (document(Whole.of([PART])), document(Whole.of([]), GeometryColumn("geom", "Point", 4326))):
        assert not found.keys() & {"data_queries", "parameter_names", "output_formats"}
