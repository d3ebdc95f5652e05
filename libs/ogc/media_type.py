"""Media types and their names in the `f` parameter."""

from collections.abc import Iterable
from enum import StrEnum


class MediaType(StrEnum):
    """The media types of several services. A service registers its own formats with `name_format`."""

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

# Other names for our types: OGC's test suites request the script types, other tile clients the two older names of
# vector tiles. Many clients use application/json for every JSON type; where it is offered itself, it stays unchanged.
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
"""Label on pages by media type."""


def name_format(name: str, media_type: str, label: str, aliases: Iterable[str] = ()) -> None:
    """Register a format of this process: its value of `f`, its label, and other names that clients use.

    Raises ValueError if the name or the media type belongs to another format.
    """
    if FORMATS.get(name, media_type) != media_type or FORMAT_NAMES.get(media_type, name) != name:
        raise ValueError(f"f={name} is {FORMATS.get(name)}, and {media_type} is f={FORMAT_NAMES.get(media_type)}")
    FORMATS[name], FORMAT_NAMES[media_type], LABELS[media_type] = media_type, name, label
    ALIASES.update(dict.fromkeys(aliases, media_type))


def with_charset(media_type: str) -> str:
    """Return the Content-Type of a body of this type: text has a charset, JSON is UTF-8 by definition."""
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
