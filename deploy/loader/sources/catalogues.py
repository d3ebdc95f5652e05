"""Earthquake catalogues as CSV: each row is checked, and rows are written in large batches."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TypeVar

import shapely
from pydantic import AwareDatetime, BaseModel, Field
from shapely.geometry import Point

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import csv_rows
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.earthquakes import CatalogueEvent
from deploy.loader.records.target import Batch, Target
from deploy.loader.source import Document, Findings, Rejected
from deploy.loader.sources.surroundings import with_places

_ROWS = 25_000
"""Rows of a batch: some 20 MB of memory, and a transaction of a second."""
_TOLERANCE = timedelta(days=1)


class Listed(BaseModel):
    """The columns of every catalogue: position and time, WGS 84."""

    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-360, le=360)
    time: AwareDatetime

    @property
    def latest(self) -> datetime:
        """The latest of its times."""
        return self.time


Event = TypeVar("Event", bound=Listed)


def batches(
    documents: list[Document],
    findings: Findings,
    model: type[Event],
    made: Callable[[Event, Point], CatalogueEvent],
    target: Target,
) -> Iterator[Batch]:
    """Yield the events of catalogues that fit the model, in large batches. Raises DocumentError."""
    columns = {field.alias or name for name, field in model.model_fields.items()}
    # check all documents before yielding a row of one
    opened = [(document, csv_rows(document, columns)) for document in documents]
    events: list[Event] = []
    for document, records in opened:
        for record in records:
            findings.read += 1
            try:
                event = model.model_validate(record)
            except FAULTS as error:
                findings.rejected.append(Rejected(f"row {findings.read}", reason(error)))
                continue
            if event.latest > document.retrieved + _TOLERANCE:
                why = f"its time, {event.latest:%Y-%m-%d %H:%M} UTC, is in the future"
                findings.rejected.append(Rejected(f"row {findings.read}", why))
                continue
            events.append(event)
            if len(events) == _ROWS:
                yield _batch(events, made, target)
                events = []
    if events:
        yield _batch(events, made, target)


def _batch(events: list[Event], made: Callable[[Event, Point], CatalogueEvent], target: Target) -> Batch:
    # all points at once: one by one would take a third of the time of the whole load
    points = shapely.points([normalise(event.longitude) for event in events], [event.latitude for event in events])
    return Batch([(target, row) for row in with_places(map(made, events, points))])
