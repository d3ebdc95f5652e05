"""f=geojson (RFC 7946). PostGIS encodes the geometry; it is embedded without parsing."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar

import orjson

from libs.catalogue.model import Collection
from libs.ogc.temporal import now
from libs.pg.column_types import SAFE_INTEGER
from services.features.formats.format import FeatureFormat, PageLinks
from services.features.rows.layout import Layout, Row, Rows
from services.features.rows.rings import may_have_short_rings, remove_short_rings

_MULTI = '{"type":"Multi'
_POINTS = '{"type":"MultiPoint"'
_GAP = re.compile(r"(?<=\[),+|,+(?=[\],])")
_BOUNDED = ("integer", "boolean")
"""Types of array items whose JSON holds only numbers that readers accept."""
_PERHAPS_HUGE = re.compile(r"[0-9]{19}|[0-9][eE]\+?[0-9]{3}")
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?')
_WHOLE = re.compile(r"-?[0-9]{19,}\Z")
_SEPARATOR = orjson.Fragment(b"\0")
_BETWEEN = b",\0,"
_OPTIONS = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z


class GeoJson(FeatureFormat):
    """A FeatureCollection; a single feature has its own links."""

    name = "geojson"
    media_type = "application/geo+json"
    label = "GeoJSON"
    title = "Features as GeoJSON"
    aliases: ClassVar[tuple[str, ...]] = ("application/vnd.geo+json",)
    items_schema: ClassVar[Mapping[str, Any]] = {"$ref": "#/components/schemas/Items"}
    item_schema: ClassVar[Mapping[str, Any]] = {"$ref": "#/components/schemas/Item"}
    of_features = True
    has_links = True

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        document = {
            "type": "FeatureCollection",
            "id": collection.id,
            "title": collection.title,
            **({"description": collection.description} if collection.description else {}),
            "timeStamp": now(),
            # the standard allows leaving it out if it is hard to compute (/rec/core/fc-numberMatched)
            **({} if matched is None else {"numberMatched": matched}),
        }
        return b"".join((encode(document)[:-1], b',"links":[', links.json, b'],"features":['))

    def rows(self, rows: Rows, *, first: bool) -> bytes | memoryview:
        if rows.features is not None:
            return b",".join(rows.features if first or not rows.features else [b"", *rows.features])
        # drop the brackets of the list, keep its commas; a view, because a copy would be large
        encoded = memoryview(encode(features(rows.rows, rows.layout)))[1:-1]
        return encoded if first or not encoded else b"".join((b",", encoded))

    def tail(self, returned: int, omitted: int = 0) -> bytes:
        said = b',"geometriesOmitted":%d' % omitted if omitted else b""
        return b'],"numberReturned":%d%b}' % (returned, said)

    def item(self, collection: Collection, layout: Layout, row: Row, links: PageLinks) -> bytes:
        # RFC 7946 has no member for another CRS, the header `Content-Crs` names it. With JSON-FG's `coordRefSys`, GDAL
        # would take `geometry` for longitude and latitude, and have no geometry
        return b"".join((encode(features([row], layout)[0])[:-1], b',"links":[', links.json, b"]}"))


FORMAT = GeoJson()


def features(rows: Sequence[Row], layout: Layout) -> list[dict[str, Any]]:
    """Return each row as a Feature, ready for `encode`."""
    shapes = geometries(rows, layout) if layout.has_geometry else [None] * len(rows)
    values = properties(rows, layout, [column.name for column in layout.properties])
    if not layout.has_id:
        return [
            {"type": "Feature", "geometry": geometry, "properties": members}
            for geometry, members in zip(shapes, values, strict=True)
        ]
    return [
        {"type": "Feature", "id": identifier, "geometry": geometry, "properties": members}
        for identifier, geometry, members in zip(identifiers(rows, layout), shapes, values, strict=True)
    ]


def identifiers(rows: Sequence[Row], layout: Layout) -> Sequence[Any]:
    """Return the ids of rows that have ids."""
    ids = [row[0] for row in rows]
    if layout.large_id:
        return [id_ if id_ is None or -SAFE_INTEGER <= id_ <= SAFE_INTEGER else str(id_) for id_ in ids]
    if layout.times and layout.times[0][0] == 0:
        return layout.times[0][1](ids)
    return ids


def properties(rows: Sequence[Row], layout: Layout, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the properties of each row under these names, ready for `encode`."""
    start = layout.has_id + layout.has_geometry
    end = start + len(names)
    objects = [dict(zip(names, row[start:end], strict=True)) for row in rows]
    for place, rfc3339 in layout.times:
        if place >= start:
            # by column: one operation on a whole column is faster than one on each value
            _replace(objects, names[place - start], rfc3339([row[place] for row in rows]))
    for name, is_json, column in zip(names, layout.raw_json, layout.properties, strict=True):
        if is_json:
            values: Sequence[str | None] = [members[name] for members in objects]
            if column.type not in _BOUNDED:
                values = _with_doubles(values)
            _replace(objects, name, [None if value is None else orjson.Fragment(value) for value in values])
    return objects


def geometries(rows: Sequence[Row], layout: Layout) -> list[orjson.Fragment | None]:
    """Return the geometries of rows that have a geometry column."""
    return _embed([row[layout.has_id] for row in rows])


def _with_doubles(values: Sequence[str | None]) -> Sequence[str | None]:
    """Return PostgreSQL's JSON with null for each number outside the range of doubles: strict readers reject these.

    Integers beyond 64 bits get a decimal, as in columns: GDAL rejects a page with one that has none.
    """
    if not _PERHAPS_HUGE.search("\0".join([value or "" for value in values])):
        return values
    return [value and _STRING_OR_NUMBER.sub(_double_or_null, value) for value in values]


def _double_or_null(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith('"'):
        return text
    if not isfinite(float(text)):
        return "null"
    return f"{text}.0" if _WHOLE.match(text) and not -(2**63) <= int(text) < 2**63 else text


def _replace(objects: Sequence[dict[str, Any]], name: str, values: Sequence[Any]) -> None:
    for members, value in zip(objects, values, strict=True):
        members[name] = value


def _embed(texts: Sequence[str | None]) -> list[orjson.Fragment | None]:
    """Return the geometries that PostGIS wrote; null if missing, omitted, or with a coordinate that is not finite."""
    fragment = orjson.Fragment
    joined = "".join([text or "" for text in texts])
    # "NaN", "Infinity", "Multi…": most pages contain none of these
    special = "N" in joined or "I" in joined or "M" in joined or may_have_short_rings(joined)
    return [None if not text else (_embed_one(text) if special else fragment(text)) for text in texts]


def _embed_one(text: str) -> orjson.Fragment | None:
    # "NaN" and "Infinity": no GeoJSON name has these capitals
    if "N" in text or "I" in text:
        return None
    if text.startswith(_MULTI) and ("[]" in text or (text.startswith(_POINTS) and _GAP.search(text))):
        # PostGIS writes an empty member as [] or, in a MultiPoint, as nothing between two commas
        geometry = orjson.loads(_GAP.sub("", text))
        geometry["coordinates"] = [member for member in geometry["coordinates"] if member]
        return orjson.Fragment(orjson.dumps(geometry))
    if may_have_short_rings(text):
        left = remove_short_rings(orjson.loads(text))
        return None if left is None else orjson.Fragment(orjson.dumps(left))
    return orjson.Fragment(text)


def encode_each(rows: Sequence[Row], layout: Layout) -> list[bytes]:
    """Return each row as a Feature, in JSON."""
    return encode_separately(features(rows, layout))


def encode_separately(values: Sequence[dict[str, Any]]) -> list[bytes]:
    """Return each of the values in JSON."""
    if not values:
        return []
    # one call for all, split at a byte that JSON never contains: a call for each takes half as long again, and leaves
    # each text in a buffer of several times its length
    separated: list[Any] = [_SEPARATOR] * (2 * len(values) - 1)
    separated[::2] = values
    return encode(separated)[1:-1].split(_BETWEEN)


def on_one_line(text: bytes) -> bytes:
    """Return JSON without line breaks; a column of type json may have some between its values."""
    return text.replace(b"\n", b" ").replace(b"\r", b" ")


def encode(value: Any) -> bytes:
    """Encode a value as JSON, times in UTC with a trailing Z."""
    return orjson.dumps(value, default=str, option=_OPTIONS)
