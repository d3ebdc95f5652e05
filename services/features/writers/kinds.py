"""Kinds of geometries in WKB: type and coordinates, such as `Point Z`."""

from collections.abc import Iterable

_TYPES = {
    1: "Point", 2: "LineString", 3: "Polygon", 4: "MultiPoint", 5: "MultiLineString", 6: "MultiPolygon",
    7: "GeometryCollection",
}  # fmt: skip
_COORDINATES = ("", " Z", " M", " ZM")


class OtherKindsError(Exception):
    """Geometries have other kinds than the job names; `kinds` are all that were found."""

    def __init__(self, kinds: frozenset[str]) -> None:
        super().__init__(sorted(kinds))
        self.kinds = kinds


def kinds_of(values: Iterable[bytes | None]) -> frozenset[str]:
    """Return the kinds of geometries in ISO WKB (OGC 06-103r4, 8.2), without those that are missing."""
    codes = {(value[0], bytes(value[1:5])) for value in values if value is not None and len(value) >= 5}
    return frozenset(_kind(int.from_bytes(code, "little" if order else "big")) for order, code in codes)


def _kind(code: int) -> str:
    return _TYPES.get(code % 1000, "Unknown") + _COORDINATES[min(code // 1000, 3)]


def gdal_type(kinds: frozenset[str]) -> str | None:
    """Return GDAL's name of a type that holds all these kinds with all their coordinates; None if there is none.

    GDAL has no type for several kinds with heights or measures: `Unknown` drops both.
    """
    if any(kind.endswith((" Z", " M", " ZM")) for kind in kinds) and len(kinds) > 1:
        return None
    if len(kinds) != 1:
        return "Unknown"
    name, _, coordinates = next(iter(kinds)).partition(" ")
    if coordinates == "ZM":
        return f"Measured 3D {name}"
    if coordinates == "M":
        return "PointM" if name == "Point" else f"Measured {name}"
    return f"{name} Z" if coordinates else name
