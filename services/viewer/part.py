"""The viewer service's part of the API: conformance classes, links, OpenAPI paths."""

from pathlib import Path

from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import CollectionLink, ServicePart
from libs.web.openapi import load_document

PART = ServicePart(
    name="viewer",
    openapi=load_document(Path(__file__).parent / "openapi.yaml"),
    conforms_to=(),
    assets=("/assets/", "/basemap/"),
    landing_links=(
        Link("/docs", "service-doc", MediaType.HTML, "API explorer"),
        Link("/map", "preview", MediaType.HTML, "Map of all collections"),
    ),
    collection_links=(
        CollectionLink(
            Link(
                "/collections/{collectionId}/tiles/WebMercatorQuad/map.html",
                "preview",
                MediaType.HTML,
                "Map of this collection",
            ),
            needs_geometry=True,
        ),
    ),
)
