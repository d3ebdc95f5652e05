"""The common service's part of the API: conformance classes, links, OpenAPI paths."""

from pathlib import Path

from libs.ogc.link import REL_CONFORMANCE, REL_DATA, Link
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import ServicePart
from libs.web.openapi import load_document

PART = ServicePart(
    name="common",
    openapi=load_document(Path(__file__).parent / "openapi.yaml"),
    conforms_to=(
        "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core",
        "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/landing-page",
        "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/json",
        "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/html",
        "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/oas30",
        "http://www.opengis.net/spec/ogcapi-common-2/1.0/conf/collections",
        "http://www.opengis.net/spec/ogcapi-common-2/1.0/conf/json",
        "http://www.opengis.net/spec/ogcapi-common-2/1.0/conf/html",
    ),
    landing_links=(
        Link("/openapi.json", "service-desc", MediaType.OPENAPI_JSON, "API description (OpenAPI 3.0)"),
        Link("/conformance", "conformance", MediaType.JSON, "Conformance classes"),
        Link("/conformance", REL_CONFORMANCE, MediaType.JSON, "Conformance classes"),
        Link("/collections", "data", MediaType.JSON, "Collections"),
        Link("/collections", REL_DATA, MediaType.JSON, "Collections"),
    ),
)
