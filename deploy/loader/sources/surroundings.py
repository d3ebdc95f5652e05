"""What is near earthquakes, told with them."""

from collections.abc import Iterable
from typing import TypeVar

from deploy.loader.places.gazetteer import Nearby, installed
from deploy.loader.records.earthquakes import CatalogueEvent, EarthquakeEvent

Event = TypeVar("Event", EarthquakeEvent, CatalogueEvent)

UNKNOWN = dict.fromkeys(Nearby._fields)
"""What stands in a row until `with_places` was asked: that is quick for many, and slow for one at a time."""


def with_places(events: Iterable[Event]) -> list[Event]:
    """The events with the nearest place, country and province, in their order. Raises SourceMissingError."""
    rows = list(events)
    near = installed().nearby([row.geom.x for row in rows], [row.geom.y for row in rows])
    return [row._replace(**facts._asdict()) for row, facts in zip(rows, near, strict=True)]
