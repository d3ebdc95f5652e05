"""Which service answers which path: what the services' parts declare, as patterns for nginx."""

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
"""(regular expression of a path and query after `/api`, what it is another name of).

Clients that take a tileset for a folder of files, such as GDAL's MVT driver, make up these names themselves. They
take it to be in Web Mercator, too, so that another tileset must not look like a folder.
"""

_SEGMENT = r"(?:[A-Za-z0-9._~-]|\{\w+\})+"
_PATH = re.compile(rf"/|(?:/{_SEGMENT})+", re.ASCII)
_ASSETS = re.compile(rf"(?:/{_SEGMENT})+/", re.ASCII)
_OWN = re.compile(r"/(?:internal(?:/|$)|openapi\.json$)")
_VARIABLE = re.compile(r"\{\w+\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Routes:
    """The routes to the services that are known."""

    patterns: tuple[tuple[str, str], ...] = ()
    """(regular expression of a path and query after `/api`, service); the first that fits counts.

    They are matched against the escaped path: a collection or item id may contain any character, `%2F` too.
    """
    escaped: tuple[tuple[str, str], ...] = ()
    """The same for a path with escapes, where letters of a word may be escaped, too (RFC 3986 section 6.2.2.2)."""
    files: tuple[str, ...] = ()
    """Regular expressions of paths below which there are files that their service has compressed in several ways."""
    complete: bool = False
    """Whether all services are known. Until then a path that fits none may be a path of one that is not."""


def routes(parts: Iterable[ServicePart]) -> Routes:
    """The routes that the parts declare; where two declare the same path, to the one that comes first."""
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
    return Routes(tuple(patterns.items()), tuple(escaped.items()), tuple(files), complete=complete)


def unroutable(part: ServicePart) -> list[str]:
    """A sentence for each path of the part that the gateway cannot or will not route."""
    malformed = [path for path in part.openapi["paths"] if not _PATH.fullmatch(path)]
    malformed += [prefix for prefix in part.assets if not _ASSETS.fullmatch(prefix)]
    # these the gateway answers itself
    taken = [path for path in (*part.openapi["paths"], *part.assets) if _OWN.match(path)]
    return [
        *(f"{part.name} declares {path!r}, which is no path that can be routed" for path in malformed),
        *(f"{part.name} declares {path!r}, which never reaches a service" for path in taken),
    ]


def _pattern(path: str, spelling: Callable[[str], str] = re.escape) -> str:
    """`/collections/{collectionId}` as the regular expression of all paths that it stands for."""
    return "[^/?]+".join(spelling(literal) for literal in _VARIABLE.split(path))


def _any_spelling(literal: str) -> str:
    """A regular expression of the literal, with any of its characters but the slash escaped or not."""
    return "".join(char if char == "/" else f"(?:{re.escape(char)}|(?i:%{ord(char):02x}))" for char in literal)


def _order(path: str) -> tuple[int, list[int], str]:
    """The longest first, since they are asked for the most; a word before a variable (OpenAPI 3.0, Paths Object).

    A word is longer than what stands beside a variable that it could be.
    """
    segments = path.split("/")
    return -len(segments), [-len(_VARIABLE.sub("", segment)) for segment in segments], _pattern(path)
