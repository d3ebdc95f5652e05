"""Which service answers which path: what the services' parts declare, as patterns for nginx."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gateway.settings import SERVICES
from libs.ogc.service_part import ServicePart

PREFIX = "/api"

_FOLDER = r"(/collections/[^/?]+/tiles/WebMercatorQuad"

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
    complete: bool = False
    """Whether all services are known. Until then a path that fits none may be a path of one that is not."""


def routes(parts: Iterable[ServicePart]) -> Routes:
    """The routes that the parts declare; where two declare the same path, to the one that comes first."""
    parts = list(parts)
    declared = [(path, _pattern(path), part.name) for part in parts for path in part.openapi["paths"]]
    declared += [(prefix, f"^{re.escape(prefix)}", part.name) for part in parts for prefix in part.assets]
    patterns: dict[str, str] = {}
    for _, pattern, service in sorted(declared, key=lambda entry: _order(entry[0])):
        patterns.setdefault(pattern, service)
    return Routes(tuple(patterns.items()), complete={part.name for part in parts} >= set(SERVICES))


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


def _pattern(path: str) -> str:
    """`/collections/{collectionId}` as the regular expression of all paths that it stands for, with any query."""
    literals = [re.escape(literal) for literal in _VARIABLE.split(path)]
    return f"^{'[^/?]+'.join(literals)}(?:[?]|$)"


def _order(path: str) -> tuple[int, list[tuple[bool, int]], str]:
    """The longest first, since they are asked for the most; a word before a variable (OpenAPI 3.0, Paths Object)."""
    segments = path.split("/")
    shapes = [("{" in segment, -len(_VARIABLE.sub("", segment))) for segment in segments]
    return -len(segments), shapes, _pattern(path)
