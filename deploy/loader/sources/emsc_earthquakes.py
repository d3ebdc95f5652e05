"""Earthquakes of the European-Mediterranean Seismological Centre: GeoJSON of its event service (FDSN, format=json).

Coordinates have the depth as a negative height in km; `depth` is positive. `evtype` has two letters: how certain the
kind is, and the kind.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from pydantic import AwareDatetime, BaseModel, Field
from shapely.geometry import Point

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.earthquakes import SECOND_EVENTS, SecondEvent
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, Findings, Rejected, Source
from deploy.loader.sources.same_earthquake import SECOND, exclude_known
from deploy.loader.sources.surroundings import UNKNOWN, with_places

_EVENTS = "https://www.seismicportal.eu/fdsnws/event/1/query"
_LEAST = 3.0
"""Lowest magnitude that is requested: weaker earthquakes are too many, and of local interest."""
_MOST = 5000
_NEWEST = timedelta(days=2)
_TOLERANCE = timedelta(days=1)
_KINDS = {
    "e": "earthquake", "i": "induced or triggered event", "m": "mining explosion", "h": "chemical explosion",
    "x": "experimental explosion", "n": "nuclear explosion", "r": "rock burst", "l": "landslide",
}  # fmt: skip
"""Kinds by the second letter of `evtype`, in the words of the USGS where it has one."""


class _Properties(BaseModel):
    unid: str = Field(min_length=1, pattern=r"^[\w-]+$")
    time: AwareDatetime
    lastupdate: AwareDatetime | None = None
    flynn_region: str | None = None
    lat: float = Field(ge=-90, le=90)
    lon: float = Field(ge=-360, le=360)
    depth: float | None = Field(default=None, ge=-20, le=1000)
    mag: float | None = Field(default=None, ge=-5, le=11)
    magtype: str | None = None
    evtype: str | None = None
    auth: str | None = None


class _Feature(BaseModel):
    properties: _Properties


def addresses(since: datetime | None) -> Iterable[str]:
    """Return the request for the events since a time, or of the last two days."""
    asked = {
        "format": "json",
        "starttime": f"{since or datetime.now(UTC) - _NEWEST:%Y-%m-%dT%H:%M:%S}",
        "minmag": _LEAST,
        "orderby": "time",
        "limit": _MOST,
    }
    return [f"{_EVENTS}?{urlencode(asked)}"]


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all documents, without earthquakes that the USGS lists. Raises DocumentError."""
    rows: dict[str, SecondEvent] = {}
    for document in documents:
        for content in features_of(document):
            findings.read += 1
            try:
                event = _event(_Feature.model_validate(content).properties, document.retrieved)
            except FAULTS as error:
                name = str(content.get("id", "")) if isinstance(content, dict) else ""
                findings.rejected.append(Rejected(name or f"number {findings.read}", reason(error)))
                continue
            findings.duplicates += [event.event_id] * (event.event_id in rows)
            rows[event.event_id] = event
            findings.issued = max(filter(None, (findings.issued, event.updated)), default=None)
    if rows:
        yield exclude_known(with_places(sorted(rows.values(), key=lambda row: row.event_date)))


def _event(properties: _Properties, retrieved: datetime) -> SecondEvent:
    """Return the row. Raises ValueError."""
    date, updated = properties.time.astimezone(UTC), (properties.lastupdate or properties.time).astimezone(UTC)
    if max(date, updated) > retrieved + _TOLERANCE:
        raise ValueError(f"its time, {max(date, updated):%Y-%m-%d %H:%M} UTC, is in the future")
    place = properties.flynn_region.title() if properties.flynn_region else None
    magnitude = f"M {properties.mag:.1f}" if properties.mag is not None else None
    return SecondEvent(
        event_id=f"{SECOND}-{properties.unid}",
        title=" - ".join(part for part in (magnitude, place) if part) or None,
        place=place,
        magnitude=properties.mag,
        magnitude_type=properties.magtype,
        depth=properties.depth,
        event_date=date,
        updated=updated,
        source=SECOND,
        network=properties.auth,
        event_type=_KINDS.get((properties.evtype or "")[1:2], "other event") if properties.evtype else None,
        status=None,
        **UNKNOWN,
        geom=Point(normalise(properties.lon), properties.lat),
    )


SOURCE = Source(
    name="emsc-earthquakes",
    title="Earthquakes that the USGS does not list, EMSC",
    licence="terms of the EMSC: attribution required; ask the EMSC before commercial use",
    licence_url="https://www.seismicportal.eu",
    attribution="European-Mediterranean Seismological Centre (EMSC), EMSC-RTS and contributing networks",
    rhythm=timedelta(minutes=5),
    # the USGS has most of the same events
    by_name_only=True,
    targets=(SECOND_EVENTS,),
    read=read,
    documents="GeoJSON of the event service of the EMSC",
    addresses=addresses,
)
