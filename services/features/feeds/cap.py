"""An alert in the Common Alerting Protocol (OASIS CAP 1.2), from a feature with the necessary columns.

A collection holds alerts if its features have an issue time (`sent` or `issued`) and an expiry time (`expires`).
Columns named after elements of CAP fill these: `event`, `headline` (or `title`), `description`, `instruction`,
`category`, `urgency`, `severity`, `certainty`, `effective`, `onset`, `areaDesc` (or `area_desc`, `country`).

It is an Update if its event has earlier alerts or its row was updated, and a Cancel if its source withdrew it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

from libs.catalogue.model import Collection
from libs.ogc.cap import CAP, cap_time, message_of, set_message
from libs.ogc.link import path_segment
from libs.ogc.temporal import moment_of
from libs.web.impact_sentence import sentence
from services.features.feeds.xml import add, document

_SENT = ("sent", "issued")
_CATEGORIES = ("Geo", "Met", "Safety", "Security", "Rescue", "Fire", "Health", "Env", "Transport", "Infra", "CBRNE")
_URGENCIES = ("Immediate", "Expected", "Future", "Past")
_SEVERITIES = ("Extreme", "Severe", "Moderate", "Minor")
_CERTAINTIES = ("Observed", "Likely", "Possible", "Unlikely")
_BY_COLOUR = {"red": "Extreme", "orange": "Severe", "yellow": "Moderate", "green": "Minor"}
"""CAP severity by the colour that alert systems such as GDACS use."""
_CATEGORY_WORDS = {"flood": "Met", "storm": "Met", "cyclone": "Met", "earthquake": "Geo", "fire": "Fire"}
_NOT_REAL = ("exercise", "synthetic")
_PUBLIC = "Actual"


@dataclass(frozen=True, slots=True)
class CapSettings:
    """The operator's settings for alerts."""

    status: str
    """`Test`, `Exercise` or, for real data, `Actual`."""
    sender: str | None
    """Sender of the alerts, such as `alerts@example.org`; None: derived from the host name."""


def is_of_alerts(collection: Collection) -> bool:
    """Return whether a collection has the columns of an alert, and ids."""
    return bool(collection.id_columns) and _time_name(collection, _SENT) is not None and _is_time(collection, "expires")


def alert(
    collection: Collection,
    feature: Mapping[str, Any],
    *,
    address: str,
    sender: str,
    status: str,
    language: str = "en",
    headline: Mapping[str, Any] | None = None,
    earlier: Sequence[str] = (),
) -> bytes:
    """Return the alert of a feature with plain values. `address` is the address of the feature.

    The description begins with the people in the zones of its event, from the `headline` of the impact, if that is
    known; the parameters `impact.people` and `impact.zone` have the number.

    earlier: references to the alerts of its event that were sent before.

    A feature that calls itself simulated is at most an exercise, whatever `status` says.
    """
    properties = feature["properties"]
    is_simulated = any(map(_says_simulated, properties.values()))
    root = ET.Element(f"{{{CAP}}}alert")
    sent = moment_of(properties.get(sent_name(collection) or "")) or datetime.now(UTC)
    _add(root, "identifier")
    _add(root, "sender", sender)
    _add(root, "sent")
    _add(root, "status", "Exercise" if is_simulated and status == _PUBLIC else status)
    _add(root, "msgType")
    if isinstance(properties.get("source"), str):
        _add(root, "source", properties["source"])
    _add(root, "scope", "Public")
    if is_simulated:
        _add(root, "note", "Simulated: no real event. Do not act on it.")
    set_message(root, message_of(identifier_of(collection, feature), sent, sender, properties, earlier))
    _info(_add(root, "info"), collection, feature, address=address, language=language, impact=headline)
    return document(root)


def identifier_of(collection: Collection, feature: Mapping[str, Any]) -> str:
    """Return the identifier of the first alert of a feature."""
    return f"{path_segment(collection.id)}.{path_segment(str(feature['id']))}"


def sent_name(collection: Collection) -> str | None:
    """Return the name of the time of issue."""
    return _time_name(collection, _SENT)


def _info(
    info: ET.Element,
    collection: Collection,
    feature: Mapping[str, Any],
    *,
    address: str,
    language: str,
    impact: Mapping[str, Any] | None,
) -> None:
    properties = feature["properties"]
    title = _find_first(properties, "headline", "title") or collection.title
    event = _find_first(properties, "event") or collection.title.removesuffix("s")
    _add(info, "language", language)
    _add(info, "category", _category(properties, collection))
    _add(info, "event", event)
    _add(info, "urgency", _word(properties.get("urgency"), _URGENCIES))
    _add(info, "severity", _severity(properties))
    _add(info, "certainty", _word(properties.get("certainty"), _CERTAINTIES))
    for name in ("effective", "onset", "expires"):
        if (time := _time(properties.get(name))) is not None:
            _add(info, name, time)
    if collection.attribution:
        _add(info, "senderName", collection.attribution)
    _add(info, "headline", title[:160])
    said = [] if impact is None else [f"{sentence(impact, title)}."]
    if described := "\n".join([*said, *filter(None, [_find_first(properties, "description")])]):
        _add(info, "description", described)
    if instruction := _find_first(properties, "instruction"):
        _add(info, "instruction", instruction)
    _add(info, "web", address)
    for column in collection.columns:
        value = properties.get(column.name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            _parameter(info, column.name, str(value))
    if impact is not None:
        _parameter(info, "impact.people", str(impact["people"]))
        _parameter(info, "impact.zone", impact["label"])
    area = _add(info, "area")
    _add(area, "areaDesc", _find_first(properties, "areaDesc", "area_desc", "country", "place") or title)
    for ring in _rings(feature["geometry"]):
        _add(area, "polygon", " ".join(f"{y:.6g},{x:.7g}" for x, y, *_ in ring))
    for x, y in _points(feature["geometry"]):
        _add(area, "circle", f"{y:.6g},{x:.7g} 0")


def _parameter(info: ET.Element, name: str, value: str) -> None:
    parameter = _add(info, "parameter")
    _add(parameter, "valueName", name)
    _add(parameter, "value", value)


def _is_time(collection: Collection, name: str) -> bool:
    column = collection.column(name)
    return column is not None and column.format == "date-time"


def _time_name(collection: Collection, names: Sequence[str]) -> str | None:
    return next((name for name in names if _is_time(collection, name)), None)


def _says_simulated(value: object) -> bool:
    """Return whether a text says `simulated`; other words must stand alone: real alerts say `exercise caution`."""
    text = value.strip().lower() if isinstance(value, str) else ""
    return "simulated" in text or text in _NOT_REAL


def _find_first(properties: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := properties.get(name), str) and value.strip()), "")


def _word(value: object, words: Sequence[str]) -> str:
    return next((word for word in words if word.lower() == str(value).lower()), "Unknown")


def _severity(properties: Mapping[str, Any]) -> str:
    own = _word(properties.get("severity"), _SEVERITIES)
    return own if own != "Unknown" else _BY_COLOUR.get(str(properties.get("alert_level")).lower(), "Unknown")


def _category(properties: Mapping[str, Any], collection: Collection) -> str:
    own = next((word for word in _CATEGORIES if word.lower() == str(properties.get("category")).lower()), None)
    words = f"{collection.title} {_find_first(properties, 'event', 'headline', 'title')}".lower()
    return own or next((name for word, name in _CATEGORY_WORDS.items() if word in words), "Other")


def _time(value: object) -> str | None:
    found = moment_of(value)
    return cap_time(found) if found is not None else None


def _rings(geometry: Mapping[str, Any] | None) -> list[Any]:
    """Return the outer rings of areas: CAP has no holes."""
    if geometry is None:
        return []
    if geometry["type"] == "GeometryCollection":
        return [ring for member in geometry["geometries"] for ring in _rings(member)]
    areas = {"Polygon": [geometry.get("coordinates")], "MultiPolygon": geometry.get("coordinates")}
    return [area[0] for area in areas.get(geometry["type"], ()) or () if area]


def _points(geometry: Mapping[str, Any] | None) -> list[tuple[float, float]]:
    return [tuple(geometry["coordinates"][:2])] if geometry is not None and geometry["type"] == "Point" else []


def _add(parent: ET.Element, name: str, text: str | None = None) -> ET.Element:
    return add(parent, f"{{{CAP}}}{name}", text)
