"""Earthquakes of the USGS, from its GeoJSON feeds and its event service (FDSN).

Formats: earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php, earthquake.usgs.gov/fdsnws/event/1/.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from pydantic import BaseModel, Field
from shapely.geometry import Point

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of, json_of
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.earthquakes import EVENTS, EarthquakeEvent
from deploy.loader.records.target import Batch, Rename, Withdrawal
from deploy.loader.source import Document, Findings, Rejected, Source
from deploy.loader.sources.same_earthquake import of_second
from deploy.loader.sources.surroundings import UNKNOWN, with_places

_FEED = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson"
_EVENTS = "https://earthquake.usgs.gov/fdsnws/event/1/query"
_PAGE = 20_000
"""Maximum number of events in one response of the event service."""
_TOLERANCE = timedelta(days=1)
"""Clock skew allowed. A later time would block every later revision."""

Milliseconds = int


class _Properties(BaseModel):
    time: Milliseconds | None = None
    updated: Milliseconds
    status: str | None = None
    net: str | None = None
    ids: str = ""
    mag: float | None = Field(default=None, allow_inf_nan=False)
    mag_type: str | None = Field(default=None, alias="magType")
    place: str | None = None
    title: str | None = None
    type: str | None = None
    types: str = ""
    sig: int | None = None
    felt: int | None = None
    alert: str | None = None
    tsunami: int | None = None
    url: str | None = None
    detail: str | None = None


class _Geometry(BaseModel):
    coordinates: tuple[float | None, float | None, float | None]


class _Feature(BaseModel):
    id: str = Field(min_length=1)
    properties: _Properties
    geometry: _Geometry | None


def addresses(since: datetime | None) -> Iterable[str]:
    """Return the feed of the last day; since a given time, the events after it, including deleted ones."""
    if since is None:
        return [_FEED]
    asked = {
        "format": "geojson",
        "starttime": since.strftime("%Y-%m-%dT%H:%M:%S"),
        "includedeleted": "true",
        "orderby": "time-asc",
        "limit": _PAGE,
        "offset": 1,
    }
    return [f"{_EVENTS}?{urlencode(asked)}"]


def next_page(document: Document) -> str | None:
    """Return the address of the next page of an event service response, if this one is full."""
    url = urlsplit(document.address)
    asked = {name: values[-1] for name, values in parse_qs(url.query).items()}
    if not asked.get("limit", "").isdecimal() or len(features_of(document)) < int(asked["limit"]):
        return None
    asked["offset"] = str(int(asked.get("offset", "1")) + int(asked["limit"]))
    return url._replace(query=urlencode(asked)).geturl()


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all documents, oldest event first."""
    rows: list[EarthquakeEvent] = []
    withdrawn: list[Withdrawal] = []
    renames: list[Rename] = []
    for document in documents:
        features = features_of(document)
        issued = _time_created(json_of(document))
        findings.issued = max(filter(None, (findings.issued, issued)), default=None)
        for content in features:
            findings.read += 1
            try:
                feature = _Feature.model_validate(content)
                event = _event(feature, document.retrieved)
                others = [_rename(feature, number) for number in _other_ids(feature)]
            except FAULTS as error:
                name = str(content.get("id", "")) if isinstance(content, dict) else ""
                findings.rejected.append(Rejected(name or f"number {findings.read}", reason(error)))
                continue
            renames += others
            if event is None:
                withdrawn.append(_withdrawal_of(feature, feature.id))
            else:
                rows.append(event)
    rows.sort(key=lambda row: row.event_date)
    held = {row.event_id for row in rows}
    gone = [each for each in dict.fromkeys(withdrawn) if each.key[1] not in held]
    merged = [each for each in renames if each.old not in held]
    # if both events have their own rows, withdraw the one with the old number
    gone += [Withdrawal(EVENTS, ("USGS", each.old), each.revision) for each in merged]
    if rows or gone:
        second = of_second(rows)
        recalls = (second,) if second else ()
        yield Batch([(EVENTS, row) for row in with_places(rows)], gone, renames=merged, recalls=recalls)


def _rename(feature: _Feature, number: str) -> Rename:
    """Return the rename of an event that another network listed. Raise ValueError for an invalid time."""
    return Rename((EVENTS,), number, feature.id, "USGS", _time(feature.properties.updated))


def _withdrawal_of(feature: _Feature, number: str) -> Withdrawal:
    """Return the withdrawal of an event number. Raise ValueError for an invalid time."""
    return Withdrawal(EVENTS, ("USGS", number), _time(feature.properties.updated))


def _other_ids(feature: _Feature) -> list[str]:
    """Return other networks' ids of the event: it may have been listed under one of them earlier."""
    return [event_id for event_id in feature.properties.ids.split(",") if event_id and event_id != feature.id]


def _event(feature: _Feature, retrieved: datetime) -> EarthquakeEvent | None:
    """Return the row; None if the event was deleted together with its position. Raises ValueError."""
    properties = feature.properties
    longitude, latitude, depth = feature.geometry.coordinates if feature.geometry else (None, None, None)
    is_deleted = properties.status == "deleted"
    if longitude is None or latitude is None or properties.time is None:
        if is_deleted:
            return None
        raise ValueError("it has no place or time")
    if not (-90 <= latitude <= 90 and -360 <= longitude <= 360):
        raise ValueError(f"{longitude}, {latitude} is no place")
    date, updated = _time(properties.time), _time(properties.updated)
    if max(date, updated) > retrieved + _TOLERANCE:
        raise ValueError(f"its time, {max(date, updated):%Y-%m-%d %H:%M} UTC, is in the future")
    products = properties.types.strip(",").split(",")
    return EarthquakeEvent(
        event_id=feature.id,
        title=properties.title,
        place=properties.place,
        magnitude=properties.mag,
        magnitude_type=properties.mag_type,
        depth=depth,
        event_date=date,
        updated=updated,
        source="USGS",
        network=properties.net,
        event_type=properties.type,
        status=properties.status,
        significance=properties.sig,
        felt=properties.felt,
        alert_level=properties.alert.capitalize() if properties.alert else None,
        tsunami=bool(properties.tsunami),
        url=properties.url,
        detail_url=properties.detail,
        # The feed does not link to single products; its detail document lists them with their files.
        shakemap_url=properties.detail if "shakemap" in products else None,
        population_impact_url=properties.detail if "losspager" in products else None,
        ground_failure_url=properties.detail if "ground-failure" in products else None,
        withdrawn=updated if is_deleted else None,
        **UNKNOWN,
        geom=Point(normalise(longitude), latitude),
    )


def _time(milliseconds: Milliseconds) -> datetime:
    """Convert milliseconds since 1970. Raises ValueError for times outside the calendar."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, OSError) as error:
        raise ValueError(f"{milliseconds} is no time") from error


def _time_created(content: Any) -> datetime | None:
    """Return the creation time of the document; None if it has none."""
    try:
        return _time(content["metadata"]["generated"])
    except FAULTS:
        return None


SOURCE = Source(
    name="usgs-earthquakes",
    title="USGS earthquakes",
    licence="Public domain",
    licence_url="https://www.usgs.gov/information-policies-and-instructions/copyrights-and-credits",
    attribution="U.S. Geological Survey, ANSS Comprehensive Earthquake Catalog and contributing networks",
    rhythm=timedelta(minutes=1),
    targets=(EVENTS,),
    read=read,
    documents="GeoJSON of a USGS feed or of its event service",
    addresses=addresses,
    catches_up=True,
    following=next_page,
)
