"""Profiles of GeoJSON after OGC Features and Geometries JSON 1.0 (OGC 21-045r1).

- `rfc7946`: GeoJSON as it is, with a link to the profile;
- `jsonfg`: with the members of JSON-FG;
- `jsonfg-plus`: the same, with a `geometry` in each feature that has a `place`. Without another CRS it has no `place`.
"""

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
_REGISTER = "http://www.opengis.net/def/profile/OGC/0/"
RFC7946, JSONFG, JSONFG_PLUS = "rfc7946", "jsonfg", "jsonfg-plus"


def profile_name(text: str) -> str:
    """Return the name of a profile in the register of the OGC; other addresses stay."""
    return text.removeprefix(_REGISTER)


class Rfc7946(GeoJson):
    """GeoJSON with a link to its profile."""

    def link_header(self, links: PageLinks) -> str:
        return _profile_header(links, RFC7946)

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        return super().head(collection, layout, matched, _with_profile(links, RFC7946))

    def item(self, collection: Collection, layout: Layout, row: Row, links: PageLinks) -> bytes:
        return super().item(collection, layout, row, _with_profile(links, RFC7946))


class JsonFg(GeoJson):
    """GeoJSON of one collection whose features have a `time`, and a `place` in the CRS of the response."""

    # cached features do not have these members
    of_features = False

    def __init__(self, collection: Collection, profile: str = JSONFG) -> None:
        self._profile = self.variant = profile
        pair = collection.period_columns()
        time = collection.time()
        names = [column.name for column in pair] if pair else [time.name] if time is not None else []
        columns = [collection.column(name) for name in names]
        self._times = [(column.name, column.format == "date") for column in columns if column is not None]

    def link_header(self, links: PageLinks) -> str:
        return _profile_header(links, self._profile)

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        plain = super().head(collection, layout, matched, _with_profile(links, self._profile))
        return b"".join((encode(_profile_members(collection, layout))[:-1], b",", plain[1:]))

    def rows(self, rows: Rows, *, first: bool) -> bytes | memoryview:
        encoded = memoryview(encode(self._features(rows.rows, rows.layout)))[1:-1]
        return encoded if first or not encoded else b"".join((b",", encoded))

    def item(self, collection: Collection, layout: Layout, row: Row, links: PageLinks) -> bytes:
        feature = {**_profile_members(collection, layout), **self._features([row], layout)[0]}
        return b"".join((encode(feature)[:-1], b',"links":[', _with_profile(links, self._profile).json, b"]}"))

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


def _link(profile: str) -> Link:
    return Link(f"{_REGISTER}{profile}", "profile")


def _profile_header(links: PageLinks, profile: str) -> str:
    return f"{links.header}, {_link(profile).to_header()}"


def _with_profile(links: PageLinks, profile: str) -> PageLinks:
    return PageLinks(b",".join((links.json, orjson.dumps(_link(profile).to_json()))), links.header)
