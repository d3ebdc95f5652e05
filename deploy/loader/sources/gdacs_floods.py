"""Floods of GDACS: the event with its affected area, and the alert of its newest episode."""

from collections.abc import Iterator
from datetime import timedelta

from shapely.geometry import MultiPolygon

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import area_km2
from deploy.loader.geometry.polygons import GeometryError, polygons_of, repair
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.floods import ALERTS, REVISED_FLOODS, FloodAlert, FloodEvent
from deploy.loader.records.target import Batch, Recall, Rename, Withdrawal
from deploy.loader.source import Document, Findings, Rejected, Source
from deploy.loader.sources import gdacs
from deploy.loader.sources.gdacs import Feed, GdacsEvent

IN_FORCE = timedelta(days=2)
"""Validity of an alert: GDACS makes a new episode of a lasting flood every day."""


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all documents: for each event a row of floods and one of alerts, the oldest first."""
    drawn: list[tuple[GdacsEvent, MultiPolygon]] = []
    for event in gdacs.events_of(documents, "FL", findings):
        name = f"FL{event.number}"
        try:
            area, mended = _area(event)
        except FAULTS as error:
            findings.rejected.append(Rejected(name, reason(error)))
            continue
        if mended:
            findings.repaired.append(Rejected(name, "; ".join(mended)))
        drawn.append((event, area))
    gazetteer = installed_gazetteer()
    near = gazetteer.nearby([event.longitude for event, _ in drawn], [event.latitude for event, _ in drawn])
    people = gazetteer.people_within([area for _, area in drawn])
    rows = [
        row
        for (event, area), facts, count in zip(drawn, near, people, strict=True)
        for row in (
            (REVISED_FLOODS, _flood(event, area, facts, count)),
            (ALERTS, _alert(event, area, facts, count)),
        )
    ]
    feed = gdacs.feed_of(documents, "FL")
    glides = [Rename((), event.glide, f"GDACS-FL{event.number}") for event, _ in drawn if event.glide]
    yield Batch(rows=[*rows], recalls=_withdraw_missing(feed), renames=glides)


def _withdraw_missing(feed: Feed) -> tuple[Recall, ...]:
    """Withdraw active and future alerts that are missing from the feed.

    An alert older than all reports in the feed may have aged out of it, and ends by itself. An alert newer than all of
    them was issued after the feed, which arrives late. Both stay.
    """
    since, until = feed.since, feed.until
    if since is None or until is None:
        return ()
    present = {f"GDACS-FL{number}" for number in feed.numbers}

    def alerts(found: list[FloodAlert]) -> Batch:
        active = [row for row in found if since <= row.issued <= until and not row.withdrawn]
        gone = [row for row in active if row.alert_id not in present]
        return Batch((), withdrawn=[Withdrawal(ALERTS, (row.alert_id,)) for row in gone])

    def events(found: list[FloodEvent]) -> Batch:
        gone = [row for row in found if row.event_id not in present and row.began <= until and not row.withdrawn]
        return Batch((), withdrawn=[Withdrawal(REVISED_FLOODS, (row.event_id,)) for row in gone])

    of_source = {"source": [gdacs.SOURCE_NAME]}
    return (
        Recall(ALERTS, of_source, alerts, after={"expires": feed.retrieved}, absence=True),
        Recall(REVISED_FLOODS, of_source, events, after={"ended": feed.retrieved}, absence=True),
    )


def _area(event: GdacsEvent) -> tuple[MultiPolygon, list[str]]:
    """Return the affected area, and the repairs made. Raises GeometryError."""
    if event.affected is None:
        raise GeometryError("it has no affected area")
    shape, unclosed = polygons_of(event.affected)
    area, mended = repair(shape)
    return area, unclosed + mended


def _flood(event: GdacsEvent, area: MultiPolygon, near: Nearby, people: int) -> FloodEvent:
    return FloodEvent(
        event_id=f"GDACS-FL{event.number}",
        title=f"{event.name}, {event.began:%B %Y}",
        began=event.began,
        ended=event.ended,
        severity=None,
        main_cause=None,
        dead=None,
        displaced=None,
        area_km2=area_km2(area),
        other_country=None,
        glide_number=event.glide,
        alert_level=event.alert_level,
        episode_id=event.episode,
        url=event.url or None,
        place=near.words,
        population_in_places=people,
        source=gdacs.SOURCE_NAME,
        withdrawn=None,
        geom=area,
        **(near._asdict() | {"country": event.country}),
    )


def _alert(event: GdacsEvent, area: MultiPolygon, near: Nearby, people: int) -> FloodAlert:
    # an edit long after the last day of an episode belongs to its archive, and issues no alert
    issued = event.modified if event.modified <= event.ended + IN_FORCE else event.ended
    return FloodAlert(
        alert_id=f"GDACS-FL{event.number}",
        event_id=f"GDACS-FL{event.number}",
        title=f"{event.episode_level} flood alert, {event.country or near.words}, {issued:%d %B %Y}",
        alert_level=event.episode_level,
        alert_score=event.episode_score,
        episode_id=event.episode,
        issued=issued,
        # a forecast flood lasts until its end
        expires=max(issued + IN_FORCE, event.ended),
        area_km2=area_km2(area),
        url=event.url or None,
        place=near.words,
        population_in_places=people,
        source=gdacs.SOURCE_NAME,
        withdrawn=None,
        geom=area,
        **(near._asdict() | {"country": event.country}),
    )


SOURCE = Source(
    name="gdacs-floods",
    title="Floods and flood alerts, GDACS",
    licence=gdacs.LICENCE,
    licence_url=gdacs.LICENCE_URL,
    attribution=gdacs.ATTRIBUTION,
    rhythm=timedelta(minutes=6),
    targets=(REVISED_FLOODS, ALERTS),
    read=read,
    documents=gdacs.DOCUMENTS,
    addresses=lambda _since: [gdacs.FEED],
)
