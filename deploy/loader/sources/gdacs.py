"""Events of the Global Disaster Alert and Coordination System, as its GeoJSON gives them: a feature for each class.

Classes: `Point_Centroid` says what the event is, `Poly_Affected` where; others are drawings. Polygons do not name their
event, so features are joined by the event and episode in `link`.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel, Field, ValidationError

from deploy.loader.documents.reading import features_of, reason
from deploy.loader.source import Document, Findings, Rejected

FEED = "https://www.gdacs.org/contentdata/xml/gdacs.geojson"
SOURCE_NAME = "GDACS"
LICENCE = "GDACS terms of use: free with attribution, without warranty"
LICENCE_URL = "https://www.gdacs.org/About/termofuse.aspx"
ATTRIBUTION = "Global Disaster Alert and Coordination System, GDACS"
DOCUMENTS = "GeoJSON as www.gdacs.org/contentdata/xml/gdacs.geojson has it"

_TOLERANCE = timedelta(days=1)
"""By which a clock may be wrong."""
_LEVELS = ("Green", "Orange", "Red")


class _Properties(BaseModel):
    eventtype: str
    name: str
    alertlevel: str
    alertscore: float | None = Field(default=None, allow_inf_nan=False)
    fromdate: str
    todate: str
    datemodified: str | None = None
    country: str = ""
    severity: float | None = Field(default=None, allow_inf_nan=False)
    glide: str | None = None


class _Centroid(BaseModel):
    properties: _Properties
    position: tuple[float, float]


class GdacsEvent(NamedTuple):
    """An event at its newest episode; degrees, UTC.

    affected: the GeoJSON geometry of the area, None where there is none. modified: when the episode was issued.
    """

    number: str
    episode: int
    name: str
    alert_level: str
    alert_score: float | None
    began: datetime
    ended: datetime
    modified: datetime
    country: str | None
    severity: float | None
    glide: str | None
    url: str
    longitude: float
    latitude: float
    affected: Any


class Feed(NamedTuple):
    """What a feed holds at one time: the numbers of events of a kind, readable or not, and since when it has reports.

    since: when the oldest report in it was issued, of whatever kind; None where it cannot be known what is missing:
        where a feature names no event, no report has a time, or a document is a file, which is of any time.
    """

    numbers: frozenset[str]
    since: datetime | None
    retrieved: datetime


def feed_of(documents: list[Document], kind: str) -> Feed:
    """What of a kind (`FL`) the documents hold together. Raises DocumentError."""
    numbers: set[str] = set()
    issued: list[datetime] = []
    is_complete = all("://" in document.address for document in documents)
    for document in documents:
        for feature in features_of(document):
            properties = feature.get("properties") if isinstance(feature, dict) else None
            known = _event_and_episode(properties) if isinstance(properties, dict) else None
            if not isinstance(properties, dict) or known is None:
                is_complete = False
                continue
            if properties.get("eventtype") == kind:
                numbers.add(known[0])
            with suppress(ValueError, TypeError):
                issued.append(_time(properties.get("datemodified") or properties["todate"]))
    since = min(issued) if issued and is_complete else None
    return Feed(frozenset(numbers), since, max(document.retrieved for document in documents))


def events_of(documents: list[Document], kind: str, findings: Findings) -> Iterator[GdacsEvent]:
    """The events of a kind (`EQ`, `FL`) at their newest episodes, the oldest first. A record is an event.

    Raises DocumentError. What cannot be read is a finding.
    """
    found: dict[str, GdacsEvent] = {}
    for document in documents:
        for (number, episode), features in _by_episode(features_of(document), kind, findings).items():
            findings.read += 1
            try:
                event = _event(number, episode, features, document.retrieved)
            except ValueError as error:
                why = reason(error) if isinstance(error, ValidationError) else str(error)
                findings.rejected.append(Rejected(f"{kind}{number}", why))
                continue
            before = found.get(number)
            if before is not None:
                findings.duplicates.append(f"{kind}{number} episode {min(episode, before.episode)}")
            if before is None or before.episode <= episode:
                found[number] = event
            findings.issued = max(event.modified, findings.issued or event.modified)
    yield from sorted(found.values(), key=lambda event: (event.began, event.number))


def _by_episode(features: list[Any], kind: str, findings: Findings) -> dict[tuple[str, int], dict[str, Any]]:
    """Features by event and episode, and by class."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for place, feature in enumerate(features, start=1):
        properties = feature.get("properties") if isinstance(feature, dict) else None
        if not isinstance(properties, dict):
            findings.read += 1
            findings.rejected.append(Rejected(f"feature {place}", "it has no properties"))
        elif properties.get("eventtype") == kind:
            key = _event_and_episode(properties)
            if key is None:
                findings.read += 1
                findings.rejected.append(Rejected(str(feature.get("id", f"feature {place}")), "it names no event"))
            else:
                found.setdefault(key, {})[str(properties.get("Class"))] = feature
    return found


def _event_and_episode(properties: dict[str, Any]) -> tuple[str, int] | None:
    asked = parse_qs(urlsplit(_report(properties)).query)
    number = str(properties.get("eventid") or asked.get("eventid", [""])[0])
    episode = str(properties.get("episodeid") or asked.get("episodeid", [""])[0])
    return (number, int(episode)) if number.isdecimal() and episode.isdecimal() else None


def _report(properties: dict[str, Any]) -> str:
    """The address of the report: `link` of the feed, `url.report` of the API."""
    addresses = properties.get("url")
    link = properties.get("link") or (addresses.get("report") if isinstance(addresses, dict) else None)
    return link if isinstance(link, str) and link.startswith(("https://", "http://")) else ""


def _event(number: str, episode: int, features: dict[str, Any], retrieved: datetime) -> GdacsEvent:
    """Raises ValueError."""
    centroid = features.get("Point_Centroid")
    if centroid is None:
        raise ValueError("it has no centroid, which says what it is")
    geometry = centroid.get("geometry") or {}
    checked = _Centroid(properties=centroid["properties"], position=geometry.get("coordinates", ())[:2])
    said, (longitude, latitude) = checked.properties, checked.position
    if not (-90 <= latitude <= 90 and -360 <= longitude <= 360):
        raise ValueError(f"{longitude}, {latitude} is no place")
    if said.alertlevel not in _LEVELS:
        raise ValueError(f"its alert level is {said.alertlevel!r}, not {', '.join(_LEVELS)}")
    began, ended = _time(said.fromdate), _time(said.todate)
    modified = _time(said.datemodified) if said.datemodified else ended
    if ended < began:
        raise ValueError(f"it ends, {said.todate}, before it begins, {said.fromdate}")
    if began > retrieved + _TOLERANCE:
        raise ValueError(f"it begins in the future, {said.fromdate}")
    return GdacsEvent(
        number=number,
        episode=episode,
        name=said.name,
        alert_level=said.alertlevel,
        alert_score=said.alertscore,
        began=began,
        ended=ended,
        modified=modified,
        country=said.country or None,
        severity=said.severity,
        glide=said.glide or None,
        url=_report(centroid["properties"]),
        longitude=longitude,
        latitude=latitude,
        affected=(features.get("Poly_Affected") or {}).get("geometry"),
    )


def _time(text: str) -> datetime:
    """UTC: `27 May 2026 14:51:04` of the feed, ISO 8601 of the API. Raises ValueError."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        day, month, rest = text.split(" ", 2)
        # not by strptime, whose names of months depend on the language that the machine is set to
        number = _MONTHS.index(month[:3].lower()) + 1
        time = datetime.strptime(f"{day} {number} {rest}", "%d %m %Y %H:%M:%S").replace(tzinfo=UTC)
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
