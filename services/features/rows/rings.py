"""Rings of fewer than four positions: databases hold them, no format allows them (RFC 7946, section 3.1.6)."""

import re
from typing import Any

import orjson

_SHORT = re.compile(r"\[\[[^\[\]]*\](?:,\[[^\[\]]*\]){0,2}\]")
_SHORT_WKT = re.compile(r"\((?:[^(),]+,){0,2}[^(),]+\)")
_SHORT_HOLE_WKT = re.compile(r"(?<=\)),\((?:[^(),]+,){0,2}[^(),]+\)")
_LEAST = 4


def may_have_short_rings(text: str) -> bool:
    """Whether polygons in GeoJSON or WKT, one or many one after another, may have such a ring."""
    if "POLYGON" in text:
        return _SHORT_WKT.search(text) is not None
    return "Polygon" in text and _SHORT.search(text) is not None


def without_short_rings(geometry: dict[str, Any]) -> dict[str, Any] | None:
    """A GeoJSON geometry without such rings; None where nothing is left of it."""
    kind = geometry["type"]
    if kind == "GeometryCollection":
        members = [without_short_rings(member) for member in geometry["geometries"]]
        return {**geometry, "geometries": [member for member in members if member is not None]}
    if kind == "Polygon":
        rings = _rings(geometry["coordinates"])
        return {**geometry, "coordinates": rings} if rings else None
    if kind == "MultiPolygon":
        parts = [rings for rings in map(_rings, geometry["coordinates"]) if rings]
        return {**geometry, "coordinates": parts} if parts else None
    return geometry


def _rings(rings: list[Any]) -> list[Any]:
    """None at all without the outer one."""
    if not rings or len(rings[0]) < _LEAST:
        return []
    return [ring for ring in rings if len(ring) >= _LEAST]


def is_nothing_else(text: str) -> bool:
    """Whether nothing is left of a geometry, in GeoJSON or WKT, without such rings."""
    if text.startswith("{"):
        return may_have_short_rings(text) and without_short_rings(orjson.loads(text)) is None
    return wkt_without_short_rings(text) is None


def wkt_without_short_rings(text: str) -> str | None:
    """The same of a polygon in WKT; of one of several parts, or in a collection, None where an outer ring is short."""
    if "POLYGON" not in text or not _SHORT_WKT.search(text):
        return text
    if not text.startswith(("POLYGON", "MULTIPOLYGON")):
        # lines of two positions look the same
        return text
    text = _SHORT_HOLE_WKT.sub("", text)
    return None if _SHORT_WKT.search(text) else text
