"""What this service adds to the whole."""

from pathlib import Path

from libs.ogc.link import REL_QUERYABLES, REL_SCHEMA, Link
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import CollectionLink, ServicePart
from libs.web.openapi import load_document

PART = ServicePart(
    name="features",
    openapi=load_document(Path(__file__).parent / "openapi.yaml"),
    conforms_to=(
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/html",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables-query-parameters",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter",
        *(
            f"http://www.opengis.net/spec/cql2/1.0/conf/{name}"
            for name in (
                "cql2-text",
                "cql2-json",
                "basic-cql2",
                "advanced-comparison-operators",
                "case-insensitive-comparison",
                "accent-insensitive-comparison",
                "basic-spatial-functions",
                "basic-spatial-functions-plus",
                "spatial-functions",
                "temporal-functions",
                "array-functions",
                "property-property",
                "arithmetic",
            )
        ),
    ),
    collection_links=(
        CollectionLink(Link("/collections/{collectionId}/items", "items", MediaType.GEOJSON, "Features as GeoJSON")),
        CollectionLink(Link("/collections/{collectionId}/items?f=html", "items", MediaType.HTML, "Features as a page")),
        CollectionLink(Link("/collections/{collectionId}/items?f=csv", "items", MediaType.CSV, "Features as CSV")),
        CollectionLink(
            Link("/collections/{collectionId}/items?f=json", "items", MediaType.JSON, "Features as plain JSON")
        ),
        CollectionLink(
            Link(
                "/collections/{collectionId}/items?f=geojsonseq",
                "items",
                MediaType.GEOJSONSEQ,
                "Features as a GeoJSON text sequence",
            )
        ),
        CollectionLink(
            Link(
                "/collections/{collectionId}/items?f=ndjson",
                "items",
                MediaType.NDJSON,
                "Features as newline-delimited GeoJSON",
            )
        ),
        CollectionLink(
            Link("/collections/{collectionId}/queryables", REL_QUERYABLES, MediaType.SCHEMAJSON, "Queryables")
        ),
        CollectionLink(
            Link("/collections/{collectionId}/schema", REL_SCHEMA, MediaType.SCHEMAJSON, "Schema of the features")
        ),
        # where GDAL looks for the types of properties
        CollectionLink(
            Link("/collections/{collectionId}/schema", "describedby", MediaType.SCHEMAJSON, "Schema of the features")
        ),
    ),
)
