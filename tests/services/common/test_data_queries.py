"""The data queries of OGC API EDR in the document of a collection."""

from __future__ import annotations

from typing import Any

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.service_part import Whole
from services.common.documents.collection import collection_json
from services.features.part import PART

COLUMNS = (
    Column("id", "integer", "integer"),
    Column("wind_kt", "integer", "integer", title="Wind", unit="kt"),
)
BASE = "https://example.org"


def document(whole: Whole, *geometries: GeometryColumn, **members: Any) -> dict[str, Any]:
    collection = Collection(
        "s.t", "s", "t", 1, "table", "T", None, **{"columns": COLUMNS, **members}, geometries=geometries
    )
    return collection_json(collection, whole, BASE, "application/json")


def test_collection_lists_its_queries_parameters_and_formats() -> None:
    found = document(Whole.of([PART]), GeometryColumn("geom", "Point", 4326))
    queries = found["data_queries"]
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


def test_instances_are_those_of_features_with_earlier_versions() -> None:
    advisories: dict[str, Any] = {
        "columns": (
            Column("event_id", "text", "string"),
            Column("issued", "timestamp with time zone", "string", "date-time"),
        ),
        "time_issued": "issued",
        "item_links": (("predecessor-version", (("issued", "previous"),)),),
    }
    geometry = GeometryColumn("geom", "Point", 4326)
    link = document(Whole.of([PART]), geometry, **advisories)["data_queries"]["instances"]["link"]
    assert (link["href"], link["type"]) == (f"{BASE}/collections/s.t/instances", "application/json")
    for lacking in ("time_issued", "item_links"):
        others = {name: value for name, value in advisories.items() if name != lacking}
        found = document(Whole.of([PART]), geometry, **others)
        assert "instances" not in found["data_queries"]
        assert not any("/instances" in link["href"] for link in found["links"])
