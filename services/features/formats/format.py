"""What a format is: all that the service says about it, and how it writes features."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

from libs.catalogue.model import Collection
from services.features.rows.layout import Layout, Row, Rows


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links of a page or a feature: members of a JSON array, and the value of the `Link` header."""

    json: bytes
    header: str

    def members(self) -> list[dict[str, Any]]:
        """As values, for a page."""
        members: list[dict[str, Any]] = orjson.loads(b"[" + self.json + b"]")
        return members


class Format:
    """What links, negotiation, the OpenAPI document and pages say about a format."""

    name: ClassVar[str]
    """The value of `f`."""
    media_type: ClassVar[str]
    label: ClassVar[str]
    """What pages call it."""
    title: ClassVar[str]
    """Of a collection's link to its features."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """What clients call the media type, too."""
    extension: ClassVar[str | None] = None
    """Of the file as which browsers save a page; without one they show it."""
    of_rows: ClassVar[bool] = False
    """Whether it is made of flat rows, in which a point may be two columns (`geometry=lonlat`)."""
    byte_order_mark: ClassVar[bytes] = b""
    """What comes before the first byte for whoever wants `bom`; empty where the format has none."""
    has_links: ClassVar[bool] = False
    """Whether what it says has links; else the `Link` header alone tells of other formats."""
    items_schema: ClassVar[Mapping[str, Any]] = {"type": "string"}
    """OpenAPI schema of a page."""
    item_schema: ClassVar[Mapping[str, Any]] = {"type": "string"}
    """OpenAPI schema of a feature."""


class FileFormat(Format):
    """A format that is a file as a whole, which a process of its own writes (`services/features/writers`)."""

    items_schema: ClassVar[Mapping[str, Any]] = {"type": "string", "format": "binary"}
    item_schema: ClassVar[Mapping[str, Any]] = {"type": "string", "format": "binary"}
    geometry_as: ClassVar[str] = "wkb"
    writer: ClassVar[str]
    """The module of that package."""
    driver: ClassVar[str] = ""
    """GDAL's name of the format, where GDAL writes it."""


class FeatureFormat(Format, ABC):
    """A format that writes features: a head, rows as they come, a tail. Small pages join them, large ones stream."""

    geometry_as: ClassVar[str] = "geojson"
    """How PostGIS encodes the geometry for it: `geojson` or `wkt`."""
    of_features: ClassVar[bool] = False
    """Whether it is made of features in GeoJSON, which may come from the cache (`Rows.features`)."""
    streams: ClassVar[bool] = True
    """Whether rows can be written before all of them are there."""

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        """What comes before the first feature; `matched` is None where it could not be counted in time."""
        return b""

    @abstractmethod
    def rows(self, rows: Rows, *, first: bool) -> bytes | memoryview:
        """Some features; `first` tells whether none came before."""

    def tail(self, returned: int, omitted: int = 0) -> bytes:
        """What comes after the last of so many features, of which some are without their geometry."""
        return b""

    def item(self, collection: Collection, layout: Layout, row: Row, links: PageLinks) -> bytes:
        """One feature by itself."""
        return b"".join(
            (self.head(collection, layout, 1, links), self.rows(Rows(layout, [row]), first=True), self.tail(1))
        )
