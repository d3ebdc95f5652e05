"""Alerts in the Common Alerting Protocol (CAP 1.1 and 1.2), and the feeds that lead to them.

Specification: OASIS, Common Alerting Protocol 1.2. Positions are latitude first; a circle has its radius in km.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urljoin
from xml.etree import ElementTree

from pyproj import Geod
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from deploy.loader.documents.faults import FAULTS
from deploy.loader.documents.reading import json_of
from deploy.loader.source import Document, DocumentError

_BUDDHIST = 543
"""Years by which the calendar of Thailand is ahead; its alerts use it."""
_LATEST_YEAR = 2400
_LARGEST_KM = 1000.0
_CORNERS = 36
_WGS84 = Geod(ellps="WGS84")


class Item(NamedTuple):
    """An entry of a feed: its words, the address of the alert, and its end, None if unknown."""

    words: str
    address: str
    expires: datetime | None


class Alert(NamedTuple):
    """An alert in one language, with what applies to all its areas; times UTC.

    references: the identifiers of alerts that it replaces. shapes: its areas, with unrolled longitudes.
    """

    identifier: str
    sender: str
    sent: datetime
    status: str
    kind: str
    references: tuple[str, ...]
    event: str
    category: str
    severity: str
    headline: str
    sender_name: str
    area: str
    web: str | None
    expires: datetime | None
    shapes: tuple[BaseGeometry, ...]


def items_of(document: Document) -> list[Item]:
    """Return the entries of RSS, Atom or the WMO's list as JSON; none for another document. Raises DocumentError."""
    with document.path.open("rb") as file:
        is_json = file.read(4).lstrip(b"\xef\xbb\xbf")[:1] == b"{"
    if is_json:
        content = json_of(document)
        found = content.get("items") if isinstance(content, dict) else None
        if not isinstance(found, list):
            raise DocumentError(f"{document.address} has no list of items")
        return list(_of_list(found, document.address))
    root = root_of(document)
    return [] if name_of(root) == "alert" else list(_of_feed(root, document.address))


def root_of(document: Document) -> ElementTree.Element:
    """Return the root of an XML document. Raises DocumentError."""
    try:
        # Expat 2.4.1 and later expands no external entities and limits internal ones
        return ElementTree.fromstring(document.path.read_bytes())  # noqa: S314
    except (ElementTree.ParseError, ValueError) as error:
        raise DocumentError(f"{document.address} is not XML, or not whole: {error}") from None


def name_of(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _of_list(items: list[Any], base: str) -> Iterator[Item]:
    for item in items:
        try:
            address = item.get("capURL") or item["url"]
            words = " ".join(str(item.get(name) or "") for name in ("event", "headline"))
            yield Item(words, urljoin(base, f"/v2/cap-alerts/{address}"), _time_or_none(item.get("expires")))
        except FAULTS:
            continue


def _of_feed(root: ElementTree.Element, base: str) -> Iterator[Item]:
    for entry in root.iter():
        if name_of(entry) not in {"item", "entry"}:
            continue
        texts = {name_of(each): (each.text or "").strip() for each in entry}
        links = [each.get("href") for each in entry if name_of(each) == "link" and "cap" in (each.get("type") or "cap")]
        address = next(filter(None, links), None) or texts.get("link")
        if address:
            words = " ".join(texts.get(name, "") for name in ("title", "event", "description", "summary"))
            yield Item(words, urljoin(base, address), _time_or_none(texts.get("expires")))


def _time_or_none(text: Any) -> datetime | None:
    try:
        return time_of(text)
    except FAULTS:
        return None


def time_of(text: str) -> datetime:
    """Parse a time of CAP (ISO 8601) or of RSS (RFC 2822), UTC. Raises ValueError."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        time = parsedate_to_datetime(text.strip())
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return time.replace(year=time.year - _BUDDHIST) if time.year > _LATEST_YEAR else time


def alert_of(root: ElementTree.Element) -> Alert:
    """Return the alert of a document, in English if it has English. Raises ValueError, LookupError."""
    said = _texts(root)
    infos = [each for each in root if name_of(each) == "info"]
    if not infos:
        # a cancellation may omit it
        infos = [ElementTree.Element("info")]
    english = [each for each in infos if _texts(each).get("language", "en").lower().startswith("en")]
    info = (english or infos)[0]
    about = _texts(info)
    ends = [time_of(text) for each in infos if (text := _texts(each).get("expires"))]
    areas = [area for area in info if name_of(area) == "area"]
    shapes = [shape for area in areas for shape in _shapes(area)]
    references = [part.split(",") for part in said.get("references", "").split()]
    return Alert(
        identifier=_require(said, "identifier"),
        sender=said.get("sender", ""),
        sent=time_of(_require(said, "sent")),
        status=_require(said, "status"),
        kind=_require(said, "msgType"),
        references=tuple(parts[1] for parts in references if len(parts) == 3),
        event=about.get("event", ""),
        category=about.get("category", ""),
        severity=about.get("severity", "Unknown"),
        headline=about.get("headline", ""),
        sender_name=about.get("senderName", "") or said.get("sender", ""),
        area="; ".join(filter(None, (_texts(area).get("areaDesc") for area in areas))),
        web=about.get("web"),
        expires=max(ends, default=None),
        shapes=tuple(shapes),
    )


def _require(said: dict[str, str], name: str) -> str:
    if not said.get(name):
        raise ValueError(f"it has no {name}")
    return said[name]


def _texts(element: ElementTree.Element) -> dict[str, str]:
    return {name_of(each): each.text.strip() for each in element if each.text and each.text.strip()}


def _shapes(area: ElementTree.Element) -> Iterator[BaseGeometry]:
    """Yield the polygons and circles of an area. Raises ValueError."""
    for each in area:
        text = (each.text or "").strip()
        if name_of(each) == "polygon" and text:
            places = [_place(pair) for pair in re.split(r"\s+", text)]
            if len(set(places)) < 3:
                raise ValueError("a polygon has fewer than three positions")
            yield Polygon(places)
        elif name_of(each) == "circle" and text:
            centre, _, radius = text.partition(" ")
            yield _circle(_place(centre), float(radius))


def _place(pair: str) -> tuple[float, float]:
    """Return longitude and latitude. Raises ValueError."""
    latitude, longitude = map(float, pair.split(","))
    if not (-90 <= latitude <= 90 and -360 <= longitude <= 360):
        raise ValueError(f"{pair} is no place")
    return longitude, latitude


def _circle(centre: tuple[float, float], radius_km: float) -> BaseGeometry:
    """Return a circle on the ellipsoid. Raises ValueError for a point, and for more than a region."""
    if not 0 < radius_km <= _LARGEST_KM:
        raise ValueError(f"a circle has a radius of {radius_km:g} km")
    bearings = [-360 / _CORNERS * corner for corner in range(_CORNERS)]
    east, north = [centre[0]] * _CORNERS, [centre[1]] * _CORNERS
    longitudes, latitudes, _ = _WGS84.fwd(east, north, bearings, [radius_km * 1000] * _CORNERS)
    beside = [longitude + 360 * round((centre[0] - longitude) / 360) for longitude in longitudes]
    return Polygon(list(zip(beside, latitudes, strict=True)))
