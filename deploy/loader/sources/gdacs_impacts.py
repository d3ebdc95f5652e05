"""Impacts of floods and GLIDE numbers of earthquakes, from the list and the data of events of the API of GDACS.

The list (`geteventlist`) has floods and earthquakes with their GLIDE numbers. The data of a flood (`geteventdata`) have
reports as `sendai`: what was counted (`death`, `displaced`), how many, in which region, and until when. Reports of a
region repeat what earlier ones counted, so the latest of each region counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode, urljoin

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import json_of
from deploy.loader.records.alerted_earthquakes import GLIDES, EarthquakeGlide
from deploy.loader.records.floods import IMPACTS, FloodImpact
from deploy.loader.records.target import Batch, Recall, Rename
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources import gdacs

_LIST = "https://www.gdacs.org/gdacsapi/api/events/geteventlist/SEARCH"
_DATA = "/gdacsapi/api/events/geteventdata"
_SPAN = timedelta(days=30)
_COUNTED = {"death": "dead", "displaced": "displaced"}
"""Columns of what a report counts."""
_MOST = 10**9
_WAITING = timedelta(days=2)
"""Age of data of a flood that are read again until the flood is stored, which another source loads."""


def list_floods(document: Document) -> Iterator[str]:
    """Yield the addresses of the data of floods in a list. Raises DocumentError."""
    for properties in _read_list(json_of(document)):
        try:
            number, revision = int(properties["eventid"]), properties.get("datemodified")
        except FAULTS:
            continue
        if properties.get("eventtype") == "FL":
            asked = urlencode({"eventtype": "FL", "eventid": number})
            yield f"{urljoin(document.address, _DATA)}?{asked}#{revision or properties.get('episodeid')}"


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield a batch of impacts, and one of GLIDE numbers. A record is an event. Raises DocumentError."""
    impacts: dict[str, dict[str, Any]] = {}
    recent: dict[str, str] = {}
    glides: dict[str, str] = {}
    for document in documents:
        content = json_of(document)
        if not isinstance(content, dict) or not ({"features", "properties"} & content.keys()):
            raise DocumentError(f"{document.address} is neither a list of events nor the data of one")
        for properties in [*_read_list(content), *_of_event(content)]:
            findings.read += 1
            name = f"{properties.get('eventtype')}{properties.get('eventid')}"
            try:
                if properties.get("eventtype") == "FL":
                    number = int(properties["eventid"])
                    impacts.setdefault(f"GDACS-FL{number}", {}).update(_impact(properties))
                    if "sendai" in properties and _is_recent(properties):
                        recent[f"GDACS-FL{number}"] = document.address
                elif properties.get("eventtype") == "EQ" and properties.get("glide") and properties.get("sourceid"):
                    glides[str(properties["sourceid"])] = str(properties["glide"])
            except FAULTS as error:
                findings.rejected.append(Rejected(name, reason(error)))
                continue
    known = {event_id: said for event_id, said in impacts.items() if said}
    if known:
        yield Batch(
            (), recalls=(Recall(IMPACTS, {"event_id": list(known)}, partial(_with_impact, known, recent, findings)),)
        )
    if glides:
        where = {"source": ["USGS"], "event_id": list(glides)}
        yield Batch((), recalls=(Recall(GLIDES, where, partial(_with_glide, glides)),))


def _read_list(content: Any) -> list[dict[str, Any]]:
    features = content.get("features") if isinstance(content, dict) else None
    found = [each.get("properties") for each in features or () if isinstance(each, dict)]
    return [each for each in found if isinstance(each, dict)]


def _of_event(content: dict[str, Any]) -> list[dict[str, Any]]:
    properties = content.get("properties")
    return [properties] if isinstance(properties, dict) else []


def _impact(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that the reports fill. Raises ValueError."""
    latest: dict[tuple[str, str], tuple[datetime, int]] = {}
    for report in properties.get("sendai") or ():
        column = _COUNTED.get(str(report.get("sendainame")).strip().lower())
        if column is None:
            continue
        count = int(str(report["sendaivalue"]).replace(",", ""))
        if not 0 <= count <= _MOST:
            raise ValueError(f"{count} is no number of people")
        until = gdacs.time_of(report.get("expires_date") or report["dateinsert"])
        place = column, f"{report.get('country')} {report.get('region')}"
        latest[place] = max(latest.get(place, (until, count)), (until, count))
    found: dict[str, Any] = {"glide_number": properties["glide"]} if properties.get("glide") else {}
    for (column, _), (_, count) in latest.items():
        found[column] = found.get(column, 0) + count
    return found


def _is_recent(properties: dict[str, Any]) -> bool:
    return datetime.now(UTC) - gdacs.time_of(properties.get("datemodified") or properties["todate"]) < _WAITING


def _with_impact(
    known: dict[str, dict[str, Any]], recent: dict[str, str], findings: Findings, stored: Sequence[FloodImpact]
) -> Batch:
    """Return the floods with their impacts. Data of recent floods that are not stored yet are read again."""
    present = {flood.event_id for flood in stored}
    findings.waiting |= {address for event_id, address in recent.items() if event_id not in present}
    rows = [(IMPACTS, flood._replace(**known[flood.event_id])) for flood in stored]
    return Batch(rows, renames=[Rename((), row.glide_number, row.event_id) for _, row in rows if row.glide_number])


def _with_glide(glides: dict[str, str], stored: Sequence[EarthquakeGlide]) -> Batch:
    rows = [(GLIDES, event._replace(glide_number=glides[event.event_id])) for event in stored]
    return Batch(rows, renames=[Rename((), row.glide_number, row.event_id) for _, row in rows])


def _addresses(since: datetime | None) -> Iterable[str]:
    now = datetime.now(UTC)
    asked = {"eventlist": "EQ;FL", "fromDate": f"{since or now - _SPAN:%Y-%m-%d}", "toDate": f"{now:%Y-%m-%d}"}
    return [f"{_LIST}?{urlencode(asked, safe=';')}"]


SOURCE = Source(
    name="gdacs-impacts",
    title="Impacts of floods, and GLIDE numbers, GDACS",
    licence=gdacs.LICENCE,
    licence_url=gdacs.LICENCE_URL,
    attribution=gdacs.ATTRIBUTION,
    rhythm=timedelta(minutes=30),
    targets=(IMPACTS, GLIDES),
    read=read,
    documents="the list and the data of events of GDACS's API",
    addresses=_addresses,
    named=list_floods,
    once=True,
    most_named=100,
)
