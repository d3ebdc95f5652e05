"""Features in each format, in pieces: a head, rows as they come, a tail. Small answers join them, large ones stream."""

from dataclasses import dataclass
from typing import Protocol

from libs.ogc.media_type import MediaType
from libs.ogc.temporal import now
from services.features.formats import csv, sequences
from services.features.formats.geojson import encode, encoded, features
from services.features.formats.links import PageLinks
from services.features.request.items_query import ItemsQuery
from services.features.rows.row_plan import Fetched, RowPlan


@dataclass(frozen=True, slots=True)
class ItemsAnswer:
    """What a representation is made from, beside the rows."""

    query: ItemsQuery
    plan: RowPlan
    matched: int | None
    """Number of features that match, where it could be told in time."""
    links: PageLinks


class Representation(Protocol):
    """One format."""

    geometry_as: str
    """How PostGIS encodes the geometry for it: `geojson` or `wkt`."""
    of_features: bool
    """Whether it is made of features in GeoJSON, which may be at hand."""

    def head(self, answer: ItemsAnswer) -> bytes:
        """What comes before the first feature."""
        ...

    def rows(self, fetched: Fetched, *, first: bool) -> bytes | memoryview:
        """Some features; `first` tells whether none came before."""
        ...

    def tail(self, returned: int) -> bytes:
        """What comes after the last feature."""
        ...


class _GeoJson:
    geometry_as = "geojson"
    of_features = True

    def head(self, answer: ItemsAnswer) -> bytes:
        collection = answer.query.selection.collection
        document = {
            "type": "FeatureCollection",
            "id": collection.id,
            "title": collection.title,
            "description": collection.description,
            "timeStamp": now(),
            "numberMatched": answer.matched,
        }
        if answer.matched is None:
            # the standard allows to leave it out where it is hard to tell (/rec/core/fc-numberMatched)
            del document["numberMatched"]
        return b"".join((encode(document)[:-1], b',"links":[', answer.links.json, b'],"features":['))

    def rows(self, fetched: Fetched, *, first: bool) -> bytes | memoryview:
        texts = fetched.texts
        if texts is not None:
            return b",".join(texts if first or not texts else [b"", *texts])
        # the brackets of the list go, its commas stay; without a copy, which is large
        encoded = memoryview(encode(features(fetched.rows, fetched.plan)))[1:-1]
        return encoded if first or not encoded else b"".join((b",", encoded))

    def tail(self, returned: int) -> bytes:
        return b'],"numberReturned":%d}' % returned


class _Csv:
    geometry_as = "wkt"
    of_features = False

    def head(self, answer: ItemsAnswer) -> bytes:
        return csv.header(answer.plan)

    def rows(self, fetched: Fetched, *, first: bool) -> bytes:
        return csv.lines(fetched.rows, fetched.plan)

    def tail(self, returned: int) -> bytes:
        return b""


class _Sequence:
    geometry_as = "geojson"
    of_features = True

    def __init__(self, separator: bytes) -> None:
        self._separator = separator

    def head(self, answer: ItemsAnswer) -> bytes:
        return b""

    def rows(self, fetched: Fetched, *, first: bool) -> bytes:
        texts = encoded(fetched.rows, fetched.plan) if fetched.texts is None else fetched.texts
        return sequences.lines(texts, self._separator)

    def tail(self, returned: int) -> bytes:
        return b""


REPRESENTATIONS: dict[str, Representation] = {
    MediaType.GEOJSON: _GeoJson(),
    MediaType.JSON: _GeoJson(),
    MediaType.CSV: _Csv(),
    MediaType.GEOJSONSEQ: _Sequence(sequences.RECORD_SEPARATOR),
    MediaType.NDJSON: _Sequence(b""),
}
"""By media type; HTML is a page and made elsewhere."""
