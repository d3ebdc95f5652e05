"""Places and countries near earthquakes."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from deploy.loader.places.countries import CountriesNearby
from deploy.loader.places.gazetteer import Gazetteer, Nearby, installed_gazetteer
from deploy.loader.records.earthquakes import CatalogueEvent, EarthquakeEvent

Event = TypeVar("Event", EarthquakeEvent, CatalogueEvent)

UNKNOWN = dict.fromkeys((*Nearby._fields, *CountriesNearby._fields))
"""Values of these columns before `with_places`, which is fast for many rows and slow for single ones."""


def with_places(events: Iterable[Event]) -> list[Event]:
    """Return the events with the places and countries near them, in their order. Raise SourceMissingError."""
    rows = list(events)
    return [
        row._replace(**near)
        for row, near in zip(
            rows,
            surroundings(installed_gazetteer(), [row.geom.x for row in rows], [row.geom.y for row in rows]),
            strict=True,
        )
    ]


def surroundings(gazetteer: Gazetteer, longitudes: Sequence[float], latitudes: Sequence[float]) -> list[dict[str, Any]]:
    """Return the columns of `UNKNOWN` for each position, in degrees of WGS 84, in their order."""
    east, north = np.asarray(longitudes, dtype=np.float64), np.asarray(latitudes, dtype=np.float64)
    near, countries = gazetteer.nearby(east, north), gazetteer.countries.find_near(east, north)
    return [place._asdict() | country._asdict() for place, country in zip(near, countries, strict=True)]
