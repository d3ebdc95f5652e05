"""Rings with fewer than four positions: databases store them, but no format allows them (RFC 7946, section 3.1.6)."""

import re
from typing import Any

import orjson

_SHORT = re.compile(r"\[\[[^\[\]]*\](?:,\[[^\[\]]*\]){0,2}\]")
_SHORT_WKT = re.compile(r"\((?:[^(),]+,){0,2}[^(),]+\)")
_SHORT_HOLE_WKT = re.compile(r"(?<=\)),\((?:[^(),]+,){0,2}[^(),]+\)")
_LEAST = 4


def may_have_short_rings(text: str) -> bool:
    """Return whether GeoJSON or WKT texts of one or more polygons may contain such a ring."""
    if "POLYGON" in text:
        return _SHORT_WKT.search(text) is not None
    return "Polygon" in text and _SHORT.search(text) is not None


def remove_short_rings(geometry: dict[str, Any]) -> dict[str, Any] | None:
    """Return a GeoJSON geometry without these rings; None if no ring is left."""
    kind = geometry["type"]
    if kind == "GeometryCollection":
        members = [remove_short_rings(member) for member in geometry["geometries"]]
        return {**geometry, "geometries": [member for member in members if member is not None]}
    if kind == "Polygon":
        rings = _rings(geometry["coordinates"])
        return {**geometry, "coordinates": rings} if rings else None
    if kind == "MultiPolygon":
        parts = [rings for rings in map(_rings, geometry["coordinates"]) if rings]
        return {**geometry, "coordinates": parts} if parts else None
    return geometry


def _rings(rings: list[Any]) -> list[Any]:
    """Return the rings without short ones; none if the outer one is short."""
    if not rings or len(rings[0]) < _LEAST:
        return []
    return [ring for ring in rings if len(ring) >= _LEAST]


def is_nothing_else(text: str) -> bool:
    """Return whether a geometry in GeoJSON or WKT is empty without such rings."""
    if text.startswith("{"):
        return may_have_short_rings(text) and remove_short_rings(orjson.loads(text)) is None
    return remove_short_rings_of_wkt(text) is None


def remove_short_rings_of_wkt(text: str) -> str | None:
    """Return a polygon or multipolygon in WKT without short holes; None if an outer ring is short."""
    if "POLYGON" not in text or not _SHORT_WKT.search(text):
        return text
    if not text.startswith(("POLYGON", "MULTIPOLYGON")):
        # in a collection, a line of two positions looks the same as a short ring
        return text
    text = _SHORT_HOLE_WKT.sub("", text)
    return None if _SHORT_WKT.search(text) else text
