"""Events of the Global Disaster Alert and Coordination System in its GeoJSON: a feature per class.

Class `Point_Centroid` describes the event and `Poly_Affected` its area; the other classes are drawings. Polygons of the
feed do not name their event, so features are joined by the event and episode in `link`. Documents of the API have the
same features with some other names. An item of the RSS feed corresponds to a centroid.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

from pydantic import AliasChoices, BaseModel, Field

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of
from deploy.loader.source import Document, DocumentError, Findings, Rejected

FEED = "https://www.gdacs.org/contentdata/xml/gdacs.geojson"
SOURCE_NAME = "GDACS"
LICENCE = "GDACS terms of use: free with attribution, without warranty"
LICENCE_URL = "https://www.gdacs.org/About/termofuse.aspx"
ATTRIBUTION = "Global Disaster Alert and Coordination System, GDACS"
DOCUMENTS = "GeoJSON as www.gdacs.org/contentdata/xml/gdacs.geojson has it"

_TOLERANCE = timedelta(days=1)
"""Maximum error of a clock."""
_LEVELS = ("Green", "Orange", "Red")


class _Severity(BaseModel):
    severity: float | None = Field(default=None, allow_inf_nan=False)


class _Properties(BaseModel):
    """The feed and the API use different names for the level of the episode, and for the severity."""

    eventtype: str
    name: str
    alertlevel: str
    alertscore: float | None = Field(default=None, allow_inf_nan=False)
    episode_level: str | None = Field(
        default=None, validation_alias=AliasChoices("episodealertlevel", "alertlevelepisode")
    )
    episode_score: float | None = Field(
        default=None, allow_inf_nan=False, validation_alias=AliasChoices("episodealertscore", "alertscoreepisode")
    )
    fromdate: str
    todate: str
    datemodified: str | None = None
    country: str = ""
    severity: float | None = Field(default=None, allow_inf_nan=False)
    severitydata: _Severity | None = None
    glide: str | None = None
    sourceid: str | None = None

    @property
    def known_severity(self) -> float | None:
        return self.severitydata.severity if self.severity is None and self.severitydata else self.severity


class _Centroid(BaseModel):
    properties: _Properties
    position: tuple[float, float]


class GdacsEvent(NamedTuple):
    """An event at its newest episode; degrees, UTC.

    affected: the GeoJSON geometry of the area, None if there is none. alert_level: the highest so far; episode_level:
    that of the newest episode. source_id: the number of the agency that reported it, such as the USGS. modified: issue
    time of the episode.
    """

    number: str
    episode: int
    name: str
    alert_level: str
    alert_score: float | None
    episode_level: str
    episode_score: float | None
    began: datetime
    ended: datetime
    modified: datetime
    country: str | None
    severity: float | None
    glide: str | None
    source_id: str | None
    url: str
    longitude: float
    latitude: float
    affected: Any


class Feed(NamedTuple):
    """The content of a feed at one time: the numbers of events of a kind, readable or not, and the span of its reports.

    since, until: issue times of the oldest and newest report in it, of all kinds of events. None if the feed does not
        show which events are missing: a feature names no event, no report has a time, or a document is a file, whose
        age is unknown.
    """

    numbers: frozenset[str]
    since: datetime | None
    until: datetime | None
    retrieved: datetime


def feed_of(documents: list[Document], kind: str) -> Feed:
    """Return the events of a kind (`FL`) in all documents. Raises DocumentError."""
    numbers: set[str] = set()
    issued: list[datetime] = []
    is_complete = all("://" in document.address for document in documents)
    for document in documents:
        for feature in _features(document):
            properties = feature.get("properties") if isinstance(feature, dict) else None
            known = _event_and_episode(properties) if isinstance(properties, dict) else None
            if not isinstance(properties, dict) or known is None:
                is_complete = False
                continue
            if properties.get("eventtype") == kind:
                numbers.add(known[0])
            with suppress(*FAULTS):
                issued.append(time_of(properties.get("datemodified") or properties["todate"]))
    since, until = (min(issued), max(issued)) if issued and is_complete else (None, None)
    return Feed(frozenset(numbers), since, until, max(document.retrieved for document in documents))


def events_of(documents: list[Document], kind: str, findings: Findings) -> Iterator[GdacsEvent]:
    """Yield the events of a kind (`EQ`, `FL`) at their newest episodes, the oldest first. A record is an event.

    Raises DocumentError. Unreadable records are findings.
    """
    found: dict[str, GdacsEvent] = {}
    for document in documents:
        for (number, episode), features in _group_by_episode(_features(document), kind, findings).items():
            findings.read += 1
            try:
                event = _event(number, episode, features, document.retrieved)
            except FAULTS as error:
                findings.rejected.append(Rejected(f"{kind}{number}", reason(error)))
                continue
            before = found.get(number)
            if before is not None:
                findings.duplicates.append(f"{kind}{number} episode {min(episode, before.episode)}")
            if before is None or before.episode <= episode:
                found[number] = event
            findings.issued = max(event.modified, findings.issued or event.modified)
    yield from sorted(found.values(), key=lambda event: (event.began, event.number))


def _features(document: Document) -> list[Any]:
    """Return the features of GeoJSON, or the items of RSS as features. Raises DocumentError."""
    with document.path.open("rb") as file:
        beginning = file.read(400)
    if not beginning.lstrip(b"\xef\xbb\xbf\xc3\xaf\xc2 \t\r\n").startswith(b"<") or b"<rss" not in beginning:
        return features_of(document)
    try:
        content = document.path.read_bytes()
        # Expat 2.4.1 and later expands no external entities and limits internal ones; some files have two marks
        items = ElementTree.fromstring(content[content.index(b"<") :]).iter("item")  # noqa: S314
        return [_feature(item) for item in items]
    except (ElementTree.ParseError, ValueError) as error:
        raise DocumentError(f"{document.address} is no RSS, or not whole: {error}") from None


def _feature(item: ElementTree.Element) -> dict[str, Any]:
    """Convert an item of RSS to the equivalent centroid; `gdacs:severity` has its number in an attribute."""
    said = {element.tag.rpartition("}")[2]: element for element in item.iter()}
    properties: dict[str, Any] = {name: (element.text or "").strip() for name, element in said.items()}
    properties |= {"Class": "Point_Centroid", "name": properties.get("title")}
    properties["severity"] = said["severity"].get("value") if "severity" in said else None
    position = [properties.get("long"), properties.get("lat")]
    return {"id": properties.get("guid"), "properties": properties, "geometry": {"coordinates": position}}


def _group_by_episode(features: list[Any], kind: str, findings: Findings) -> dict[tuple[str, int], dict[str, Any]]:
    """Return features by event and episode, and by class."""
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
    try:
        asked = parse_qs(urlsplit(_report(properties)).query)
        number = str(properties.get("eventid") or asked.get("eventid", [""])[0])
        episode = int(properties.get("episodeid") or asked.get("episodeid", [""])[0])
    except FAULTS:
        return None
    return (number, episode) if number.isascii() and number.isdecimal() else None


def _report(properties: dict[str, Any]) -> str:
    """Return the address of the report: `link` of the feed, `url.report` of the API."""
    addresses = properties.get("url")
    link = properties.get("link") or (addresses.get("report") if isinstance(addresses, dict) else None)
    return link if isinstance(link, str) and link.startswith(("https://", "http://")) else ""


def _event(number: str, episode: int, features: dict[str, Any], retrieved: datetime) -> GdacsEvent:
    """Return the event. Raises ValueError."""
    centroid = features.get("Point_Centroid")
    if centroid is None:
        raise ValueError("it has no centroid, which says what it is")
    geometry = centroid.get("geometry") or {}
    checked = _Centroid(properties=centroid["properties"], position=geometry.get("coordinates", ())[:2])
    said, (longitude, latitude) = checked.properties, checked.position
    if not (-90 <= latitude <= 90 and -360 <= longitude <= 360):
        raise ValueError(f"{longitude}, {latitude} is no place")
    for level in (said.alertlevel, said.episode_level or said.alertlevel):
        if level not in _LEVELS:
            raise ValueError(f"its alert level is {level!r}, not {', '.join(_LEVELS)}")
    began, ended = time_of(said.fromdate), time_of(said.todate)
    modified = time_of(said.datemodified) if said.datemodified else ended
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
        episode_level=said.episode_level or said.alertlevel,
        episode_score=said.alertscore if said.episode_score is None else said.episode_score,
        began=began,
        ended=ended,
        modified=modified,
        country=said.country or None,
        severity=said.known_severity,
        glide=said.glide or None,
        source_id=said.sourceid or None,
        url=_report(centroid["properties"]),
        longitude=longitude,
        latitude=latitude,
        affected=(features.get("Poly_Affected") or {}).get("geometry"),
    )


def time_of(text: str) -> datetime:
    """Parse a time in UTC. Raises ValueError.

    Formats are `27 May 2026 14:51:04` of the feed, with slashes in older ones; ISO 8601 of the API; `Wed, 27 May 2026
    14:51:04 GMT` of RSS.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        said = _DATE.search(text)
        if said is None:
            raise ValueError(f"{text!r} is no time such as 27 May 2026 14:51:04") from None
        # strptime would expect month names in the machine's language
        month = _MONTHS.index(said[2].lower()) + 1
        hour, minute, second = map(int, said.groups()[3:])
        time = datetime(int(said[3]), month, int(said[1]), hour, minute, second, tzinfo=UTC)
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


_DATE = re.compile(r"\b(\d{1,2})[ /-]([A-Za-z]{3})[a-z]*[ /-](\d{4}) (\d{2}):(\d{2}):(\d{2})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
