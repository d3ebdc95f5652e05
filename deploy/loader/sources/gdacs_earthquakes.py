"""Earthquakes with GDACS's own alert level; the circles that it draws around epicentres are left out."""

from collections.abc import Iterator
from datetime import timedelta

from shapely.geometry import Point

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.places.gazetteer import installed
from deploy.loader.records.alerted_earthquakes import ALERTED_EARTHQUAKES, AlertedEarthquake
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, Findings, Source
from deploy.loader.sources import gdacs


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """One batch of all documents, the oldest event first."""
    events = list(gdacs.events_of(documents, "EQ", findings))
    near = installed().nearby([event.longitude for event in events], [event.latitude for event in events])
    rows = [
        (
            ALERTED_EARTHQUAKES,
            AlertedEarthquake(
                event_id=f"GDACS-EQ{event.number}",
                title=f"M {event.severity:g} - {event.name}" if event.severity is not None else event.name,
                place=facts.words,
                magnitude=event.severity,
                event_date=event.began,
                updated=event.modified,
                source=gdacs.SOURCE_NAME,
                event_type="earthquake",
                alert_level=event.alert_level,
                episode_id=event.episode,
                url=event.url or None,
                **facts._asdict(),
                geom=Point(normalise(event.longitude), event.latitude),
            ),
        )
        for event, facts in zip(events, near, strict=True)
    ]
    if rows:
        yield Batch(rows=[*rows])


SOURCE = Source(
    name="gdacs-earthquakes",
    title="Earthquakes with alert levels, GDACS",
    licence=gdacs.LICENCE,
    licence_url=gdacs.LICENCE_URL,
    attribution=gdacs.ATTRIBUTION,
    rhythm=timedelta(minutes=6),
    # they are those of the USGS
    by_name_only=True,
    targets=(ALERTED_EARTHQUAKES,),
    read=read,
    documents=gdacs.DOCUMENTS,
    addresses=lambda _since: [gdacs.FEED],
)
