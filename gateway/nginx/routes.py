"""The service of each path: the paths that the services' parts declare, as patterns for nginx."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gateway.settings import SERVICES
from libs.ogc.service_part import ServicePart

PREFIX = "/api"

_FOLDER = r"((?:/collections/[^/?]+)?/tiles/WebMercatorQuad"

ALIASES: tuple[tuple[str, str], ...] = (
    (rf"{_FOLDER}/\d+/\d+/\d+)\.(?:pbf|mvt)(\?.*)?", "$1$2"),
    (rf"{_FOLDER})/metadata\.json(\?.*)?", "$1/tilejson.json$2"),
)
"""(regular expression of a path and query after `/api`, the path that it is an alias of).

Clients that read a tileset as a folder of files, such as GDAL's MVT driver, generate these names. They also assume Web
Mercator, so that other tilesets must not look like a folder.
"""

_SEGMENT = r"(?:[A-Za-z0-9._~-]|\{\w+\})+"
_PATH = re.compile(rf"/|(?:/{_SEGMENT})+", re.ASCII)
_ASSETS = re.compile(rf"(?:/{_SEGMENT})+/", re.ASCII)
_OWN = re.compile(r"/(?:internal(?:/|$)|openapi\.json$)")
_VARIABLE = re.compile(r"\{\w+\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Routes:
    """The routes to the known services."""

    patterns: tuple[tuple[str, str], ...] = ()
    """(regular expression of a path and query after `/api`, service); the first match decides.

    They are matched against the escaped path: a collection or item id may contain any character, including `%2F`.
    """
    escaped: tuple[tuple[str, str], ...] = ()
    """The same for a path with escapes, whose literal letters may be escaped, too (RFC 3986 section 6.2.2.2)."""
    files: tuple[str, ...] = ()
    """Regular expressions of paths above files that their service has in several codings."""
    searches: tuple[str, ...] = ()
    """Regular expressions of the paths that accept POST."""
    complete: bool = False
    """Whether all services are known. Until then, an unknown path may belong to one that is not."""


def routes(parts: Iterable[ServicePart]) -> Routes:
    """Return the routes that the parts declare; if two declare the same path, it goes to the first."""
    parts = list(parts)
    declared = [(path, "(?:[?]|$)", part.name) for part in parts for path in part.openapi["paths"]]
    declared += [(prefix, "", part.name) for part in parts for prefix in part.assets]
    patterns: dict[str, str] = {}
    escaped: dict[str, str] = {}
    for path, end, service in sorted(declared, key=lambda entry: _order(entry[0])):
        patterns.setdefault(f"^{_pattern(path)}{end}", service)
        escaped.setdefault(f"^{_pattern(path, _any_spelling)}{end}", service)
    complete = {part.name for part in parts} >= set(SERVICES)
    files = sorted({f"^{_pattern(prefix)}" for part in parts for prefix in part.assets})
    paths = {path for part in parts for path, item in part.openapi["paths"].items() if "post" in item}
    searches = tuple(sorted(f"^{_pattern(path)}(?:[?]|$)" for path in paths))
    return Routes(tuple(patterns.items()), tuple(escaped.items()), tuple(files), searches, complete=complete)


def unroutable(part: ServicePart) -> list[str]:
    """Return a sentence for each path of the part that the gateway cannot or must not route."""
    malformed = [path for path in part.openapi["paths"] if not _PATH.fullmatch(path)]
    malformed += [prefix for prefix in part.assets if not _ASSETS.fullmatch(prefix)]
    # the gateway answers these itself
    taken = [path for path in (*part.openapi["paths"], *part.assets) if _OWN.match(path)]
    return [
        *(f"{part.name} declares {path!r}, which is no path that can be routed" for path in malformed),
        *(f"{part.name} declares {path!r}, which never reaches a service" for path in taken),
    ]


def _pattern(path: str, spelling: Callable[[str], str] = re.escape) -> str:
    """Return `/collections/{collectionId}` as the regular expression of all its paths."""
    return "[^/?]+".join(spelling(literal) for literal in _VARIABLE.split(path))


def _any_spelling(literal: str) -> str:
    """Return a regular expression of the literal, in which any character except the slash may be escaped."""
    return "".join(char if char == "/" else f"(?:{re.escape(char)}|(?i:%{ord(char):02x}))" for char in literal)


def _order(path: str) -> tuple[int, list[int], str]:
    """Return the sort key: the longest first, since they are requested most; literals before variables (OpenAPI 3.0).

    A literal segment is longer than any variable that could match it.
    """
    segments = path.split("/")
    return -len(segments), [-len(_VARIABLE.sub("", segment)) for segment in segments], _pattern(path)
