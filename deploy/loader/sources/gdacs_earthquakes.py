"""Earthquakes with GDACS's own alert level, without the circles that it draws around epicentres."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial

from shapely.geometry import Point

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.alerted_earthquakes import (
    ALERTED_EARTHQUAKES,
    GLIDES,
    AlertedEarthquake,
    EarthquakeGlide,
)
from deploy.loader.records.earthquakes import EVENTS, EarthquakeEvent
from deploy.loader.records.target import Batch, Recall, Rename, Withdrawal
from deploy.loader.source import Document, Findings, Source
from deploy.loader.sources import gdacs
from deploy.loader.sources.surroundings import surroundings


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all documents, the oldest event first."""
    events = list(gdacs.events_of(documents, "EQ", findings))
    longitudes, latitudes = [event.longitude for event in events], [event.latitude for event in events]
    near = surroundings(installed_gazetteer(), longitudes, latitudes)
    rows = [
        (
            ALERTED_EARTHQUAKES,
            AlertedEarthquake(
                event_id=f"GDACS-EQ{event.number}",
                title=f"M {event.severity:g} - {event.name}" if event.severity is not None else event.name,
                place=Nearby(*(facts[name] for name in Nearby._fields)).words,
                magnitude=event.severity,
                event_date=event.began,
                updated=event.modified,
                source=gdacs.SOURCE_NAME,
                event_type="earthquake",
                alert_level=event.alert_level,
                episode_id=event.episode,
                url=event.url or None,
                glide_number=event.glide,
                **facts,
                geom=Point(normalise(event.longitude), event.latitude),
            ),
        )
        for event, facts in zip(events, near, strict=True)
    ]
    numbers = {event.source_id: f"GDACS-EQ{event.number}" for event in events if event.source_id}
    glides = {event.source_id: event.glide for event in events if event.source_id and event.glide}
    make = partial(_leave_to_usgs, numbers, glides)
    known = Recall(EVENTS, {"source": ["USGS"], "event_id": list(numbers)}, make)
    aliases = [Rename((), event.glide, f"GDACS-EQ{event.number}") for event in events if event.glide]
    if rows:
        yield Batch(
            rows=[*rows], recalls=(known,), renames=[each for each in aliases if each.new not in numbers.values()]
        )


def _leave_to_usgs(numbers: Mapping[str, str], glides: Mapping[str, str], found: Sequence[EarthquakeEvent]) -> Batch:
    """Make earthquakes that the USGS lists aliases of its events, which get the GLIDE number.

    Their rows are not written, or are withdrawn.
    """
    same = [(numbers[event.event_id], event.event_id) for event in found]
    renames = [Rename((), own, number) for own, number in same]
    withdrawn = [Withdrawal(ALERTED_EARTHQUAKES, (gdacs.SOURCE_NAME, own)) for own, _ in same]
    named = [(event, glides[event.event_id]) for event in found if event.event_id in glides]
    renames += [Rename((), glide, event.event_id) for event, glide in named]
    rows = [
        (GLIDES, EarthquakeGlide(event.event_id, event.source, event.event_date, glide, event.geom))
        for event, glide in named
    ]
    return Batch(rows, withdrawn, renames=renames)


SOURCE = Source(
    name="gdacs-earthquakes",
    title="Earthquakes with alert levels, GDACS",
    licence=gdacs.LICENCE,
    licence_url=gdacs.LICENCE_URL,
    attribution=gdacs.ATTRIBUTION,
    rhythm=timedelta(minutes=6),
    # the USGS has the same events
    by_name_only=True,
    targets=(ALERTED_EARTHQUAKES,),
    read=read,
    documents=gdacs.DOCUMENTS,
    addresses=lambda _since: [gdacs.FEED],
)
