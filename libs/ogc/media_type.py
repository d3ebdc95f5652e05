"""Media types and the names that the `f` parameter gives them."""

from collections.abc import Iterable
from enum import StrEnum


class MediaType(StrEnum):
    """The media types that several services speak. A service's own formats are named by `name_format`."""

    JSON = "application/json"
    SCHEMAJSON = "application/schema+json"
    HTML = "text/html"
    OPENAPI_JSON = "application/vnd.oai.openapi+json;version=3.0"
    MVT = "application/vnd.mapbox-vector-tile"


FORMATS: dict[str, str] = {
    "json": MediaType.JSON,
    "html": MediaType.HTML,
    "schemajson": MediaType.SCHEMAJSON,
    "mvt": MediaType.MVT,
}
"""Value of `f` to media type."""

FORMAT_NAMES: dict[str, str] = {media_type: name for name, media_type in FORMATS.items()}
"""Media type to value of `f`."""

# What clients call our types: OGC's test suites ask for the script types, other tile clients
# for the two older names of a vector tile, and many take every JSON for application/json (which
# it stays where it is offered).
ALIASES: dict[str, str] = {
    "application/javascript": MediaType.JSON,
    "text/javascript": MediaType.JSON,
    "text/json": MediaType.JSON,
    "application/json": MediaType.SCHEMAJSON,
    "application/xhtml+xml": MediaType.HTML,
    "application/x-protobuf": MediaType.MVT,
    "application/vnd.vector-tile": MediaType.MVT,
}


LABELS: dict[str, str] = {
    MediaType.JSON: "JSON",
    MediaType.HTML: "HTML",
    MediaType.SCHEMAJSON: "JSON Schema",
    MediaType.MVT: "vector tile",
}
"""Media type to what pages call it."""


def name_format(name: str, media_type: str, label: str, aliases: Iterable[str] = ()) -> None:
    """A format of this process gets its value of `f`, its label, and what clients call it, too.

    Raises ValueError where the name or the media type belongs to another format.
    """
    if FORMATS.get(name, media_type) != media_type or FORMAT_NAMES.get(media_type, name) != name:
        raise ValueError(f"f={name} is {FORMATS.get(name)}, and {media_type} is f={FORMAT_NAMES.get(media_type)}")
    FORMATS[name], FORMAT_NAMES[media_type], LABELS[media_type] = media_type, name, label
    ALIASES.update(dict.fromkeys(aliases, media_type))


def with_charset(media_type: str) -> str:
    """The Content-Type of a body of this type: text carries its charset, JSON is UTF-8 by definition."""
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
