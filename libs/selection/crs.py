"""Parameters that name a CRS (OGC 18-058r1)."""

from libs.catalogue.model import Collection
from libs.geo.crs import CRS84, Crs, crs_of
from libs.selection.request import FaultCollector

_LONGEST_QUOTED = 200


def requested_crs(collection: Collection, query: FaultCollector, name: str) -> Crs | None:
    """Return the CRS that the parameter `name` identifies; CRS84 without it.

    Returns None and adds a fault to the query if the collection does not support the CRS.
    """
    uri = query.values.get(name)
    if uri is None:
        return CRS84
    offered = collection.crs()
    found = crs_of(uri) if uri in offered else None
    if found is None:
        shown = uri[:_LONGEST_QUOTED]
        query.fault(
            name,
            f"{name} '{shown}' is not available for this collection; use one of {', '.join(offered)}",
            "enum",
            shown,
        )
    return found
