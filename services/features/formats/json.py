"""f=json: rows as flat objects, for programs that work with tables.

A client that accepts plain JSON without naming `f` gets GeoJSON (`registry.format_of`).
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from libs.catalogue.model import Collection
from libs.ogc.media_type import MediaType
from services.features.formats.flat import flat_rows
from services.features.formats.format import FeatureFormat, PageLinks
from services.features.formats.geojson import encode
from services.features.rows.layout import Layout, Row, Rows

_ROW = {"$ref": "#/components/schemas/Row"}


class Json(FeatureFormat):
    """An array of objects; a single feature is one object."""

    name = "json"
    media_type = MediaType.JSON
    label = "JSON"
    title = "Features as rows in JSON"
    items_schema: ClassVar[Mapping[str, Any]] = {
        "oneOf": [{"type": "array", "items": _ROW}, {"$ref": "#/components/schemas/Items"}]
    }
    item_schema: ClassVar[Mapping[str, Any]] = {"oneOf": [_ROW, {"$ref": "#/components/schemas/Item"}]}
    of_rows = True

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        return b"["

    def rows(self, rows: Rows, *, first: bool) -> bytes | memoryview:
        # drop the brackets of the list, keep its commas
        encoded = memoryview(encode(flat_rows(rows.rows, rows.layout)))[1:-1]
        return encoded if first or not encoded else b"".join((b",", encoded))

    def tail(self, returned: int, omitted: int = 0) -> bytes:
        return b"]"

    def item(self, collection: Collection, layout: Layout, row: Row, links: PageLinks) -> bytes:
        return encode(flat_rows([row], layout)[0])


FORMAT = Json()
