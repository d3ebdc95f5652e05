"""What this service adds to the whole."""

from pathlib import Path

from libs.ogc.link import REL_TILESETS_VECTOR, REL_TILING_SCHEMES, Link
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import CollectionLink, ServicePart
from libs.web.openapi import load_document

PART = ServicePart(
    name="tiles",
    openapi=load_document(Path(__file__).parent / "openapi.yaml"),
    conforms_to=(
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/core",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/tileset",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/tilesets-list",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/geodata-tilesets",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/mvt",
        "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/oas30",
    ),
    landing_links=(Link("/tileMatrixSets", REL_TILING_SCHEMES, MediaType.JSON, "Tile matrix sets"),),
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
