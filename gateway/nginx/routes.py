"""Which service answers which path: the one place to look it up."""

from __future__ import annotations

PREFIX = "/api"

# The end of a path segment, in the request line as the client sent it.
_END = r"(?=[/?]|$)"
_COLLECTION = r"/collections/[^/?]+"

ROUTES: tuple[tuple[str, str], ...] = (
    (rf"{_COLLECTION}/(items|queryables|schema){_END}", "features"),
    (rf"{_COLLECTION}/tiles/[^/?]+/map\.html(?=\?|$)", "viewer"),
    (rf"{_COLLECTION}/tiles{_END}", "tiles"),
    (rf"/tileMatrixSets{_END}", "tiles"),
    (rf"/(map|docs|assets|basemap){_END}", "viewer"),
    (r"/", "common"),
)
"""(regular expression for the beginning of the path after `/api`, service); the first that fits counts.

They are matched against the escaped path: a collection or item id may contain any character, `%2F` too.
"""

_FOLDER = r"(/collections/[^/?]+/tiles/WebMercatorQuad"

ALIASES: tuple[tuple[str, str], ...] = (
    (rf"{_FOLDER}/\d+/\d+/\d+)\.(?:pbf|mvt)(\?.*)?", "$1$2"),
    (rf"{_FOLDER})/metadata\.json(\?.*)?", "$1/tilejson.json$2"),
)
"""(regular expression of a path and query after `/api`, what it is another name of).

Clients that take a tileset for a folder of files, such as GDAL's MVT driver, make up these names themselves. They
take it to be in Web Mercator, too, so that another tileset must not look like a folder.
"""
