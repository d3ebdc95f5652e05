"""The places that a data query of OGC API EDR names: `coords` with the distance around it."""

from __future__ import annotations

from libs.catalogue.model import Collection, GeometryColumn
from libs.cql import CqlError, coords_predicate, metres_of
from libs.geo.crs import CRS84, crs_of
from libs.pg.sql import Sql
from libs.selection.columns import geometry_queryable
from libs.selection.request import FaultCollector

QUERY_TYPE = "query-type"
"""Name of the value that says which data query it is: a key of `GEOMETRY_TYPES`. It is not a parameter."""
GEOMETRY_TYPES = {
    "position": ("Point", "MultiPoint"),
    "radius": ("Point", "MultiPoint"),
    "area": ("Polygon", "MultiPolygon"),
    "corridor": ("LineString", "MultiLineString"),
}
_UNITS = "m, km, ft, mi, nmi"
_DISTANCES = {"radius": ("within", "within-units", 1.0), "corridor": ("corridor-width", "width-units", 0.5)}
"""By query type: the parameters of the distance and of its unit, and the part of it on each side of `coords`."""
_LONGEST_QUOTED = 100


def coords_conditions(collection: Collection, geometry: GeometryColumn | None, query: FaultCollector) -> list[Sql]:
    """Return the condition for features at `coords`, or within the distance around it; faults go to the query."""
    wkt, kind = query.values.get("coords"), query.values.get(QUERY_TYPE)
    if kind is None:
        return []
    metres = _metres(query, kind)
    geometry = geometry or collection.geometry()
    uri = query.values.get("crs")
    # an unknown one is a fault of the options of geometries
    crs = CRS84 if uri is None else crs_of(uri) if uri in collection.crs() else None
    if geometry is None:
        query.fault("coords", "coords cannot be used: this collection has no geometry")
        return []
    if wkt is None or crs is None or (kind in _DISTANCES and metres is None):
        # reported already
        return []
    try:
        return [coords_predicate(geometry_queryable(geometry), wkt, GEOMETRY_TYPES[kind], metres=metres, crs=crs)]
    except CqlError as error:
        sentence = str(error).replace("the end of the filter", "the end").removeprefix("the geometry ")
        query.fault("coords", f"coords: {sentence}", value=wkt if len(wkt) <= _LONGEST_QUOTED else None)
        return []


def _metres(query: FaultCollector, kind: str) -> float | None:
    """Return the distance on each side; None for a query without one, and for an invalid one, which is a fault."""
    if kind not in _DISTANCES:
        return None
    name, unit_name, share = _DISTANCES[kind]
    number, unit = query.values.get(name), query.values.get(unit_name)
    if number is None or unit is None:
        return None
    metres = metres_of(unit)
    if metres is None:
        query.fault(unit_name, f"{unit_name} is not a known unit; use one of {_UNITS}", "enum", unit[:_LONGEST_QUOTED])
        return None
    return float(number) * metres * share
