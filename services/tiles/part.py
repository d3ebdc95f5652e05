"""The tiles service's part of the API: conformance classes, links, OpenAPI paths."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from libs.catalogue.model import Collection
from libs.ogc.link import REL_TILESETS_VECTOR, REL_TILING_SCHEMES, Link
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import CollectionLink, ServicePart
from libs.selection.property_parameters import with_property_parameters
from libs.web.openapi import load_document

_TILES = tuple(
    f"{tileset}/{resource}"
    for tileset in ("/collections/{collectionId}/tiles/{tileMatrixSetId}", "/tiles/{tileMatrixSetId}")
    for resource in ("{z}/{x}/{y}", "tilejson.json", "style.json")
)
"""Paths with parameters that select features."""

PART = ServicePart(
    name="tiles",
    openapi=load_document(Path(__file__).parent / "openapi.yaml"),
    conforms_to=(
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/core",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/tileset",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/tilesets-list",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/dataset-tilesets",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/geodata-tilesets",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/collections-selection",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/mvt",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/oas30",
        *(
            f"http://www.opengis.net/spec/tms/2.0/conf/{encoding}{name}"
            for name in ("tilematrixset", "tilematrixsetlimits", "variablematrixwidth", "tilesetmetadata")
            for encoding in ("", "json-")
        ),
    ),
    landing_links=(
        Link("/tiles", REL_TILESETS_VECTOR, MediaType.JSON, "Vector tilesets of several collections"),
        Link("/tileMatrixSets", REL_TILING_SCHEMES, MediaType.JSON, "Tile matrix sets"),
    ),
    collection_links=(
        CollectionLink(Link("/tileMatrixSets", REL_TILING_SCHEMES, MediaType.JSON, "Tile matrix sets"), True),
        CollectionLink(
            Link("/collections/{collectionId}/tiles", REL_TILESETS_VECTOR, MediaType.JSON, "Vector tilesets"),
            True,
        ),
        CollectionLink(
            Link(
                "/collections/{collectionId}/tiles/WebMercatorQuad/tilejson.json",
                "describedby",
                MediaType.JSON,
                "TileJSON for web maps",
            ),
            True,
        ),
        CollectionLink(
            Link(
                "/collections/{collectionId}/tiles/WebMercatorQuad/style.json",
                "stylesheet",
                MediaType.JSON,
                "MapLibre style",
            ),
            True,
        ),
    ),
)


def amend_part(part: ServicePart, known: Mapping[str, Collection] | None) -> ServicePart:
    """Return the part with properties of the collections by name; `known` are these by id, None if not loaded yet."""
    openapi = part.openapi
    for path in _TILES:
        openapi = with_property_parameters(openapi, path, (known or {}).values())
    return replace(part, openapi=openapi)
