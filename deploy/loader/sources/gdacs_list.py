"""The list of current cyclones of GDACS's API (geteventlist), which leads to the drawing of each (getgeometry)."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from deploy.loader.documents.reading import features_of
from deploy.loader.source import Document

_LIST = "https://www.gdacs.org/gdacsapi/api/events/geteventlist/SEARCH"
_CENTRE = "Point_Centroid"
_SPAN = timedelta(days=10)
"""Age of events that are requested; a cyclone is updated every six hours."""


def addresses(since: datetime | None) -> Iterable[str]:
    """Return the request for the cyclones since a time, or of the last days."""
    now = datetime.now(UTC)
    asked = {"eventlist": "TC", "fromDate": f"{since or now - _SPAN:%Y-%m-%d}", "toDate": f"{now:%Y-%m-%d}"}
    return [f"{_LIST}?{urlencode(asked)}"]


def is_list(document: Document) -> bool:
    """Return whether a fetched document lists events instead of drawing one. Raises DocumentError."""
    if "://" not in document.address:
        return False
    found = [_properties(feature) for feature in features_of(document)]
    return all(each.get("Class", _CENTRE) == _CENTRE and "iscurrent" in each for each in found)


def drawings(document: Document) -> Iterator[str]:
    """Yield the address of the newest drawing of each current cyclone of a list. Raises DocumentError."""
    if is_list(document):
        for each in map(_properties, features_of(document)):
            address = each.get("url", {}).get("geometry") if isinstance(each.get("url"), dict) else None
            if _is_current(each) and isinstance(address, str) and address.startswith(("http://", "https://")):
                yield address


def current(document: Document) -> frozenset[str]:
    """Return the events of the current cyclones of a list. Raises DocumentError."""
    return frozenset(
        f"TC{each.get('eventid')}" for each in map(_properties, features_of(document)) if _is_current(each)
    )


def _is_current(properties: dict[str, Any]) -> bool:
    return properties.get("eventtype") == "TC" and str(properties.get("iscurrent")).lower() == "true"


def _properties(feature: Any) -> dict[str, Any]:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    return properties if isinstance(properties, dict) else {}
