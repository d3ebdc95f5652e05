"""Bulletins of the tsunami warning centres of the United States: Atom, with the newest bulletin of each centre.

A bulletin has the preliminary position of its earthquake, and its category in the summary. It becomes a link of that
earthquake; without a stored earthquake nearby, the feed is read again later.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple
from xml.etree import ElementTree

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import WGS84
from deploy.loader.records.earthquake_products import BULLETINS, TsunamiBulletin
from deploy.loader.records.target import Batch, Recall
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.same_earthquake import FIRST

_FEEDS = tuple(f"https://www.tsunami.gov/events/xml/{centre}Atom.xml" for centre in ("PHEB", "PAAQ"))
_CATEGORY = re.compile(r"Category:\s*([A-Za-z]+)")
_CATEGORIES = ("Information", "Watch", "Advisory", "Warning", "Threat", "Cancellation")
_BEFORE = timedelta(days=1)
"""Longest time from an earthquake to a bulletin about it."""
_LATEST = timedelta(days=7)
"""Age of a bulletin for which an earthquake is still awaited."""
_TOLERANCE = timedelta(minutes=10)
_FARTHEST_KM = 200.0


class _Bulletin(NamedTuple):
    number: str
    issued: datetime
    category: str
    longitude: float
    latitude: float
    address: str


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield a batch for each bulletin, the oldest first. Raises DocumentError."""
    found = [bulletin for document in documents for bulletin in _bulletins(document, findings)]
    for bulletin in sorted(found, key=lambda each: each.issued):
        findings.issued = max(filter(None, (findings.issued, bulletin.issued)), default=None)
        make = partial(_of_earthquake, bulletin, findings)
        yield Batch((), recalls=(Recall(BULLETINS, {}, make, after={"event_date": bulletin.issued - _BEFORE}),))


def _of_earthquake(bulletin: _Bulletin, findings: Findings, stored: Sequence[TsunamiBulletin]) -> Batch:
    """Return the earthquake with the bulletin: of those nearby the strongest, as aftershocks follow it."""
    near = [
        event
        for event in stored
        if event.withdrawn is None
        and event.event_date <= bulletin.issued + _TOLERANCE
        and WGS84.inv(event.geom.x, event.geom.y, bulletin.longitude, bulletin.latitude)[2] / 1000 <= _FARTHEST_KM
    ]
    if not near:
        findings.left_out.append(Rejected(bulletin.number, "no stored earthquake is near its position"))
        findings.is_open = findings.is_open or _is_recent(bulletin)
        return Batch(())
    event = max(near, key=lambda each: (each.magnitude or 0.0, each.event_date))
    if event.tsunami_issued is not None and event.tsunami_issued > bulletin.issued:
        return Batch(())
    # the USGS's event replaces that of the EMSC, and has to get the bulletin too
    findings.is_open = findings.is_open or (event.source != FIRST and _is_recent(bulletin))
    told = event._replace(
        tsunami_status=bulletin.category, tsunami_url=bulletin.address, tsunami_issued=bulletin.issued
    )
    return Batch([(BULLETINS, told)])


def _is_recent(bulletin: _Bulletin) -> bool:
    return datetime.now(UTC) - bulletin.issued < _LATEST


def _bulletins(document: Document, findings: Findings) -> Iterator[_Bulletin]:
    """Yield the bulletins of a feed. Raises DocumentError."""
    try:
        # Expat 2.4.1 and later expands no external entities and limits internal ones
        feed = ElementTree.fromstring(document.path.read_bytes())  # noqa: S314
    except (ElementTree.ParseError, ValueError) as error:
        raise DocumentError(f"{document.address} is not Atom, or not whole: {error}") from None
    if _name(feed) != "feed":
        raise DocumentError(f"{document.address} is not Atom: it begins with {_name(feed)}")
    for entry in feed:
        if _name(entry) != "entry":
            continue
        findings.read += 1
        try:
            yield _bulletin(entry, document.retrieved)
        except FAULTS as error:
            findings.rejected.append(Rejected(f"{document.address}, entry {findings.read}", reason(error)))


def _bulletin(entry: ElementTree.Element, retrieved: datetime) -> _Bulletin:
    """Return the bulletin of an entry. Raises ValueError."""
    said = {_name(each): each for each in entry}
    issued = datetime.fromisoformat((said["updated"].text or "").strip())
    issued = issued.astimezone(UTC) if issued.tzinfo else issued.replace(tzinfo=UTC)
    if issued > retrieved + _BEFORE:
        raise ValueError(f"its time, {issued:%Y-%m-%d %H:%M} UTC, is in the future")
    longitude, latitude = float(said["long"].text or ""), float(said["lat"].text or "")
    if not (-90 <= latitude <= 90 and -360 <= longitude <= 360):
        raise ValueError(f"{longitude}, {latitude} is no place")
    category = _CATEGORY.search(" ".join(said["summary"].itertext()))
    if category is None or category[1].capitalize() not in _CATEGORIES:
        raise ValueError("its summary has no category")
    links = {each.get("title", ""): each.get("href", "") for each in entry if _name(each) == "link"}
    address = links.get("Bulletin") or next(iter(links.values()), "")
    if not address.startswith(("http://", "https://")):
        raise ValueError("it has no address")
    number = (said["id"].text or "").strip() if "id" in said else address
    return _Bulletin(number, issued, category[1].capitalize(), longitude, latitude, address)


def _name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace; centres use various ones."""
    return element.tag.rpartition("}")[2]


def _addresses(_since: datetime | None) -> Iterable[str]:
    return _FEEDS


SOURCE = Source(
    name="tsunami-bulletins",
    title="Tsunami bulletins, NOAA",
    licence="public domain (United States government work)",
    licence_url="https://www.weather.gov/disclaimer",
    attribution="NOAA Tsunami Warning Centers",
    rhythm=timedelta(minutes=5),
    targets=(BULLETINS,),
    read=read,
    documents="the Atom feeds of the warning centres (PHEBAtom.xml, PAAQAtom.xml)",
    addresses=_addresses,
)
