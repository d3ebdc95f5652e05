"""The part of a request that a selection needs, and its CRS (OGC 18-058r1).

`libs.web` implements it; this library does not depend on HTTP.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from libs.catalogue.model import Collection
from libs.geo.crs import CRS84, Crs, crs_of


class FaultCollector(Protocol):
    """Checked query parameters, and a list of faults to add to."""

    @property
    def values(self) -> Mapping[str, Any]:
        """Declared parameters by name, in their types; None if absent."""
        ...

    @property
    def extra(self) -> Mapping[str, str]:
        """Other parameters, as text: property queries."""
        ...

    def fault(self, name: str, msg: str, kind: str = "value_error", value: object = None) -> None:
        """Add a fault of the parameter `name`."""
        ...


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
