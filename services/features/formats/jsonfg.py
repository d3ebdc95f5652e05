"""profile=jsonfg: GeoJSON with the members of OGC Features and Geometries JSON 1.0 (OGC 21-045r1)."""

from collections.abc import Sequence
from typing import Any

import orjson

from libs.catalogue.model import Collection
from libs.ogc.crs import CRS84, CRS84H
from libs.ogc.link import Link
from services.features.formats.format import PageLinks
from services.features.formats.geojson import GeoJson, encode, features
from services.features.rows.layout import Layout, Row, Rows

_CONFORMANCE = "http://www.opengis.net/spec/json-fg-1/1.0/conf/"
_CLASSES = [f"{_CONFORMANCE}core", f"{_CONFORMANCE}types-schemas"]
_PROFILE = Link("http://www.opengis.net/def/profile/OGC/0/jsonfg", "profile")


class JsonFg(GeoJson):
    """GeoJSON of one collection whose features have a `time`, and a `place` in the CRS of the response."""

    # cached features do not have these members
    of_features = False

    def __init__(self, collection: Collection) -> None:
        pair = collection.period_columns()
        time = collection.time()
        names = [column.name for column in pair] if pair else [time.name] if time is not None else []
        columns = [collection.column(name) for name in names]
        self._times = [(column.name, column.format == "date") for column in columns if column is not None]

    def link_header(self, links: PageLinks) -> str:
        return f"{links.header}, {_PROFILE.to_header()}"

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        plain = super().head(collection, layout, matched, _with_profile(links))
        return b"".join((encode(_profile_members(collection, layout))[:-1], b",", plain[1:]))

    def rows(self, rows: Rows, *, first: bool) -> bytes | memoryview:
        encoded = memoryview(encode(self._features(rows.rows, rows.layout)))[1:-1]
        return encoded if first or not encoded else b"".join((b",", encoded))

    def item(self, collection: Collection, layout: Layout, row: Row, links: PageLinks) -> bytes:
        feature = {**_profile_members(collection, layout), **self._features([row], layout)[0]}
        return b"".join((encode(feature)[:-1], b',"links":[', _with_profile(links).json, b"]}"))

    def _features(self, rows: Sequence[Row], layout: Layout) -> list[dict[str, Any]]:
        found = features(rows, layout)
        for feature in found:
            feature["time"] = self._time(feature["properties"])
            # `geometry` is for WGS 84 only
            feature["place"] = None
            if layout.crs not in {None, CRS84H}:
                feature["place"], feature["geometry"] = feature["geometry"], None
        return found

    def _time(self, properties: dict[str, Any]) -> dict[str, Any] | None:
        values = [properties.get(name) for name, _ in self._times]
        if not any(isinstance(value, str) for value in values):
            return None
        if len(values) > 1:
            return {"interval": [".." if value is None else value for value in values]}
        if not isinstance(values[0], str) or values[0][:4].strip("0123456789"):
            # a range of times
            return None
        return {"date" if self._times[0][1] else "timestamp": values[0]}


def _profile_members(collection: Collection, layout: Layout) -> dict[str, Any]:
    return {
        "conformsTo": _CLASSES,
        "featureType": collection.id,
        "coordRefSys": layout.crs or CRS84,
    }


def _with_profile(links: PageLinks) -> PageLinks:
    return PageLinks(b",".join((links.json, orjson.dumps(_PROFILE.to_json()))), links.header)
