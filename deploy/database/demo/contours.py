"""Contours of intensity around the earthquakes of the demo: circles of a published equation, not shake maps."""

from collections.abc import Iterable, Iterator

import shapely
from shapely.geometry import MultiLineString

from deploy.impact.circles import circle
from deploy.impact.intensity import CLASSES, applies, radii_km
from deploy.loader.records.earthquake_products import Contour
from deploy.loader.records.earthquakes import EarthquakeEvent

_CUTS = MultiLineString([[(longitude, -90), (longitude, 90)] for longitude in (-180, 180)])
"""The antimeridian, where areas are split; contours do not follow it."""
SOURCE = "simulated by Allen, Wald and Worden (2012)"


def intensity_contours(events: Iterable[EarthquakeEvent]) -> Iterator[Contour]:
    """Yield the contours of the earthquakes that the equation applies to, by event, the weakest first."""
    for event in events:
        if event.magnitude is None or event.depth is None or applies(event.magnitude, event.depth) is not None:
            continue
        for name, radius in sorted(radii_km(event.magnitude, event.depth).items(), key=lambda pair: CLASSES[pair[0]]):
            area = circle(event.geom.x, event.geom.y, radius * 1000)
            edges = shapely.get_parts(area.boundary.difference(_CUTS))
            yield Contour(
                event_id=event.event_id,
                title=f"Intensity {CLASSES[name]:g}, {event.title}",
                intensity=CLASSES[name],
                event_date=event.event_date,
                updated=event.updated,
                version=None,
                source=SOURCE,
                geom=MultiLineString([*edges]),
            )
