"""What programs are to read: files of features by their addresses, and the query behind them."""

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
"""By type of geometry, whether of one or of many: the layer of MapLibre that draws it."""


@dataclass(frozen=True, slots=True)
class Query:
    """All features of a collection that match."""

    base: str
    collection: str
    parameters: Mapping[str, str]
    """Without those of pages and formats."""
    layer: str | None
    """The type of the layer of MapLibre that draws them; None where they have no geometry."""

    @property
    def tiles(self) -> str:
        """The template of the tiles of the same features."""
        selecting = {name: text for name, text in self.parameters.items() if name not in NOT_SELECTING}
        address = f"{self.base}/collections/{path_segment(self.collection)}/tiles/WebMercatorQuad/{{z}}/{{x}}/{{y}}"
        return f"{address}?{parameters_query(selecting)}" if selecting else address


@dataclass(frozen=True, slots=True)
class Source:
    """Files of the same features."""

    title: str
    name: str
    """Of files and variables: ASCII letters, digits, `_` and `-`."""
    files: Mapping[str, str]
    """Address by format, such as `gpkg`; at least one."""
    query: Query | None = None
    spreadsheet: str | None = None
    """The address of CSV as spreadsheets want it."""

    def file(self, *formats: str) -> tuple[str, str]:
        """The first of these formats that there is, and its address."""
        found = next(name for name in formats if name in self.files)
        return found, self.files[found]


def file_name(text: str) -> str:
    """`text` as a name that every shell and every system takes."""
    return _UNSAFE.sub("_", text).strip("_-") or "data"


def source_of(collection: Collection, given: Mapping[str, str], base: str, *, geometry_type: str | None) -> Source:
    """The files of all features that match the parameters `given`, whichever page of them is shown.

    `geometry_type` is that of the column that the request shows, None where it shows none.
    """
    left_out = {*OF_PAGES, *OF_FORMATS, "f"}
    parameters = {name: text for name, text in given.items() if name not in left_out}
    export = f"{base}/collections/{path_segment(collection.id)}/export?"
    query = parameters_query(parameters)
    files = {entry.name: f"{export}{query}{'&' if query else ''}f={entry.name}" for entry in EXPORT_FORMATS.values()}
    # columns of longitude and latitude are of points as they are
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
    # circles show where anything is
    return _LAYERS.get(geometry_type.lower().removeprefix("multi"), "circle")


def parameters_query(parameters: Mapping[str, str]) -> str:
    """A query string as people read it; what ends a word of a shell or a string of a program is escaped."""
    return urlencode(parameters, quote_via=quote, safe=",:/")
