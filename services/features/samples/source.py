"""The input of programs: addresses of files of features, and the query behind them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from libs.catalogue.model import Collection
from libs.ogc.link import path_segment
from services.features.formats.links import NOT_SELECTING, OF_FORMATS, OF_PAGES
from services.features.formats.registry import EXPORT_FORMATS

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LAYERS = {"point": "circle", "linestring": "line", "polygon": "fill"}
"""MapLibre's layer type by geometry type, without the prefix `multi`."""


@dataclass(frozen=True, slots=True)
class Query:
    """All matching features of a collection."""

    base: str
    collection: str
    parameters: Mapping[str, str]
    """Parameters except those of paging and formats."""
    layer: str | None
    """MapLibre's layer type that draws them; None without a geometry."""

    @property
    def tiles(self) -> str:
        """Template of the tiles of the same features."""
        selecting = {name: text for name, text in self.parameters.items() if name not in NOT_SELECTING}
        address = f"{self.base}/collections/{path_segment(self.collection)}/tiles/WebMercatorQuad/{{z}}/{{x}}/{{y}}"
        return f"{address}?{parameters_query(selecting)}" if selecting else address


@dataclass(frozen=True, slots=True)
class Source:
    """Files of the same features."""

    title: str
    name: str
    """Name for files and variables: ASCII letters, digits, `_` and `-`."""
    files: Mapping[str, str]
    """Address by format, such as `gpkg`; at least one."""
    query: Query | None = None
    spreadsheet: str | None = None
    """Address of CSV for spreadsheets."""

    def file(self, *formats: str) -> tuple[str, str]:
        """Return the first of these formats that exists, and its address."""
        found = next(name for name in formats if name in self.files)
        return found, self.files[found]


def file_name(text: str) -> str:
    """Return `text` as a file name that works in every shell and system."""
    return _UNSAFE.sub("_", text).strip("_-") or "data"


def source_of(collection: Collection, given: Mapping[str, str], base: str, *, geometry_type: str | None) -> Source:
    """Return the files of all features that match the parameters `given`, not only of the shown page.

    `geometry_type` is that of the requested geometry column; None without one.
    """
    left_out = {*OF_PAGES, *OF_FORMATS, "f"}
    parameters = {name: text for name, text in given.items() if name not in left_out}
    export = f"{base}/collections/{path_segment(collection.id)}/export?"
    query = parameters_query(parameters)
    files = {entry.name: f"{export}{query}{'&' if query else ''}f={entry.name}" for entry in EXPORT_FORMATS.values()}
    # columns of longitude and latitude need points in CRS84
    lonlat = geometry_type == "Point" and not parameters.keys() & {"crs", "bbox-only"}
    return Source(
        collection.title,
        file_name(collection.name),
        files,
        Query(base, collection.id, parameters, _layer(geometry_type)),
        f"{files['csv']}{'&geometry=lonlat' if lonlat else ''}&bom=true",
    )


def _layer(geometry_type: str | None) -> str | None:
    if geometry_type is None:
        return None
    # circles show the position of any geometry
    return _LAYERS.get(geometry_type.lower().removeprefix("multi"), "circle")


def parameters_query(parameters: Mapping[str, str]) -> str:
    """Return a readable query string; characters that end a shell word or a program's string are escaped."""
    return urlencode(parameters, quote_via=quote, safe=",:/")
