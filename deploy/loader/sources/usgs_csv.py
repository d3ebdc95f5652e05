"""Earthquakes of the USGS as CSV, from its event service (FDSN) and its feeds: fewer columns than GeoJSON.

Format: earthquake.usgs.gov/earthquakes/feed/v1.0/csv.php.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from pydantic import AwareDatetime, Field, field_validator
from shapely.geometry import Point

from deploy.loader.records.earthquakes import REVISED_CATALOGUE, CatalogueEvent
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, Findings, Source
from deploy.loader.sources.catalogues import Listed, batches
from deploy.loader.sources.surroundings import UNKNOWN


class _Event(Listed):
    id: str = Field(min_length=1)
    updated: AwareDatetime
    depth: float | None = Field(allow_inf_nan=False)
    mag: float | None = Field(allow_inf_nan=False)
    mag_type: str = Field(alias="magType")
    net: str
    place: str
    type: str
    status: str

    @property
    def latest(self) -> datetime:
        """Time of the newest revision, which is after the event."""
        return max(self.time, self.updated)

    @field_validator("depth", "mag", mode="before")
    @classmethod
    def _clear_unknown(cls, value: object) -> object:
        return None if value == "" else value


def _row(event: _Event, point: Point) -> CatalogueEvent:
    # the same title as in the GeoJSON feeds
    title = f"M {event.mag:.1f} - {event.place}" if event.mag is not None else event.place
    return CatalogueEvent(
        event_id=event.id,
        title=title or None,
        place=event.place or None,
        magnitude=event.mag,
        magnitude_type=event.mag_type or None,
        depth=event.depth,
        event_date=event.time,
        updated=event.updated,
        source="USGS",
        network=event.net or None,
        event_type=event.type or None,
        status=event.status or None,
        **UNKNOWN,
        geom=point,
    )


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield large batches of events, in the order of the documents."""
    return batches(documents, findings, _Event, _row, REVISED_CATALOGUE)


SOURCE = Source(
    name="usgs-earthquakes-csv",
    title="USGS earthquakes, as CSV",
    licence="Public domain",
    licence_url="https://www.usgs.gov/information-policies-and-instructions/copyrights-and-credits",
    attribution="U.S. Geological Survey, ANSS Comprehensive Earthquake Catalog and contributing networks",
    rhythm=timedelta(days=1),
    targets=(REVISED_CATALOGUE,),
    read=read,
    documents="CSV of the event service of the USGS",
)
