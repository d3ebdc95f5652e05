"""Media types and the names that the `f` parameter gives them."""

from enum import StrEnum


class MediaType(StrEnum):
    """The contract's enumeration of media types."""

    JSON = "application/json"
    NDJSON = "application/ndjson"
    GEOJSON = "application/geo+json"
    GEOJSONSEQ = "application/geo+json-seq"
    SCHEMAJSON = "application/schema+json"
    HTML = "text/html"
    TEXT = "text/plain"
    CSV = "text/csv"
    OPENAPI_JSON = "application/vnd.oai.openapi+json;version=3.0"
    MVT = "application/vnd.mapbox-vector-tile"


FORMATS: dict[str, MediaType] = {
    "json": MediaType.JSON,
    "html": MediaType.HTML,
    "schemajson": MediaType.SCHEMAJSON,
    "geojson": MediaType.GEOJSON,
    "geojsonseq": MediaType.GEOJSONSEQ,
    "ndjson": MediaType.NDJSON,
    "csv": MediaType.CSV,
    "mvt": MediaType.MVT,
}
"""Value of `f` to media type."""

FORMAT_NAMES: dict[str, str] = {media_type: name for name, media_type in FORMATS.items()}
"""Media type to value of `f`."""

# What clients call our types: OGC's test suites ask for the script types, other tile clients
# for the two older names of a vector tile, and many take every JSON for application/json (which
# it stays where it is offered).
ALIASES: dict[str, MediaType] = {
    "application/javascript": MediaType.JSON,
    "text/javascript": MediaType.JSON,
    "text/json": MediaType.JSON,
    "application/json": MediaType.SCHEMAJSON,
    "application/vnd.geo+json": MediaType.GEOJSON,
    "application/x-ndjson": MediaType.NDJSON,
    "application/xhtml+xml": MediaType.HTML,
    "application/x-protobuf": MediaType.MVT,
    "application/vnd.vector-tile": MediaType.MVT,
}


def with_charset(media_type: str) -> str:
    """The Content-Type of a body of this type: text carries its charset, JSON is UTF-8 by definition."""
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
