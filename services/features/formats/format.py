"""The interface of a format: its description, and how it writes features."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
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
        """Return the links as values, for a page."""
        members: list[dict[str, Any]] = orjson.loads(b"[" + self.json + b"]")
        return members


class Format:
    """The description of a format in links, negotiation, the OpenAPI document and pages."""

    name: ClassVar[str]
    """Value of `f`."""
    media_type: ClassVar[str]
    label: ClassVar[str]
    """Name of the format on pages."""
    title: ClassVar[str]
    """Title of a collection's link to its features in this format."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that clients use for the media type."""
    extension: ClassVar[str | None] = None
    """Extension of the file that browsers save; None if they show the page."""
    of_rows: ClassVar[bool] = False
    """Whether the format consists of flat rows, in which a point may be two columns (`geometry=lonlat`)."""
    byte_order_mark: ClassVar[bytes] = b""
    """Bytes before the first one if `bom=true`; empty if the format has none."""
    variant: str = ""
    """Distinguishes variants that one name has, such as those with another separator."""
    has_links: ClassVar[bool] = False
    """Whether the body contains links. If not, only the `Link` header lists the other formats."""
    items_schema: ClassVar[Mapping[str, Any]] = {"type": "string"}
    """OpenAPI schema of a page."""
    item_schema: ClassVar[Mapping[str, Any]] = {"type": "string"}
    """OpenAPI schema of a feature."""

    def link_header(self, links: PageLinks) -> str:
        """Return the `Link` header of a response in this format."""
        return links.header


class FileFormat(Format):
    """A format that is one whole file, written by a separate process (`services/features/writers`)."""

    items_schema: ClassVar[Mapping[str, Any]] = {"type": "string", "format": "binary"}
    item_schema: ClassVar[Mapping[str, Any]] = {"type": "string", "format": "binary"}
    geometry_as: ClassVar[str] = "wkb"
    writer: ClassVar[str]
    """Name of its module in that package."""
    driver: ClassVar[str] = ""
    """GDAL's name of the format, if GDAL writes it."""


class FeatureFormat(Format, ABC):
    """A format that writes features: a head, rows, a tail. Small pages join them, large ones stream."""

    geometry_as: ClassVar[str] = "geojson"
    """Encoding of the geometry that PostGIS returns: `geojson` or `wkt`."""
    of_features: ClassVar[bool] = False
    """Whether the format consists of GeoJSON features, which can be cached (`Rows.features`)."""
    streams: ClassVar[bool] = True
    """Whether rows can be written before all are read."""

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        """Return the bytes before the first feature; `matched` is None if the count timed out."""
        return b""

    @abstractmethod
    def rows(self, rows: Rows, *, first: bool) -> bytes | memoryview:
        """Return the bytes of some features; `first` says that no rows precede them."""

    def tail(self, returned: int, omitted: int = 0) -> bytes:
        """Return the bytes after `returned` features, `omitted` of which have no geometry."""
        return b""

    async def pieces(self, head: bytes, first: Rows, rest: AsyncIterator[Rows]) -> AsyncIterator[bytes | memoryview]:
        """Yield the head with the first rows, the other rows while they are read, and the tail."""
        yield b"".join((head, self.rows(first, first=True)))
        returned, omitted = len(first.rows), first.omitted
        async for rows in rest:
            yield self.rows(rows, first=returned == 0)
            returned += len(rows.rows)
            omitted += rows.omitted
        yield self.tail(returned, omitted)

    def item(self, collection: Collection, layout: Layout, row: Row, links: PageLinks) -> bytes:
        """Return one feature as a complete document."""
        return b"".join(
            (self.head(collection, layout, 1, links), self.rows(Rows(layout, [row]), first=True), self.tail(1))
        )
