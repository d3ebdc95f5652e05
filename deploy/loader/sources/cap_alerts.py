"""Flood alerts of national services in the Common Alerting Protocol, from the list of the WMO or any CAP feed.

The list and feeds name the alerts, each a document that never changes. An update has another identifier and refers to
the alerts that it replaces. The signatures of alerts are not verified.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import shapely
from shapely.geometry import MultiPolygon

from deploy.loader.documents import alerting
from deploy.loader.documents.alerting import Alert
from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import area_km2
from deploy.loader.geometry.polygons import repair
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.floods import ALERTS, FloodAlert
from deploy.loader.records.target import Batch, Withdrawal
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source

LIST = "https://severeweather.wmo.int/v2/json/wmo_all.json"
_FLOOD = re.compile(
    r"flood|inunda|inonda|\bcrues?\b|crecida|überschwemm|hochwasser|povode|poplav|powod|наводн|паводк|подтопл"
    r"|洪|氾濫|فيضان|سيول|banjir|น้ำท่วม|\blũ\b|बाढ़|বন্যা",
    re.IGNORECASE,
)
"""Words for floods in the languages of alerts; the word is free text."""
_LEVELS = {"Extreme": "Red", "Severe": "Orange", "Moderate": "Green", "Minor": "Green", "Unknown": "Green"}
_VALID = timedelta(days=1)
"""Validity of an alert without an end."""
_TOLERANCE = timedelta(days=1)


def list_alerts(document: Document) -> Iterator[str]:
    """Yield the addresses of the flood alerts of a list or feed that have not ended. Raises DocumentError."""
    for item in alerting.items_of(document):
        is_over = item.expires is not None and item.expires < document.retrieved
        if _FLOOD.search(item.words) and not is_over and item.address.startswith(("http://", "https://")):
            yield item.address


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all alerts, the oldest first. Raises DocumentError."""
    drawn: list[tuple[Alert, MultiPolygon, str]] = []
    gone: list[Alert] = []
    for document in documents:
        if _is_index(document):
            continue
        findings.read += 1
        try:
            alert = alerting.alert_of(alerting.root_of(document))
            if (why := _find_reason(alert, document)) is not None:
                findings.left_out.append(Rejected(alert.identifier, why))
            elif alert.kind == "Cancel":
                gone.append(alert)
            else:
                drawn.append((alert, _area(alert, findings), document.address.partition("#")[0]))
        except (*FAULTS, DocumentError) as error:
            findings.rejected.append(Rejected(document.address, reason(error)))
            continue
        findings.issued = max(alert.sent, findings.issued or alert.sent)
    drawn.sort(key=lambda each: each[0].sent)
    gazetteer = installed_gazetteer()
    centres = [area.representative_point() for _, area, _ in drawn]
    near = gazetteer.nearby([each.x for each in centres], [each.y for each in centres])
    people = gazetteer.people_within([area for _, area, _ in drawn])
    rows = [
        (ALERTS, _row(alert, area, address, facts, count))
        for (alert, area, address), facts, count in zip(drawn, near, people, strict=True)
    ]
    replaced = {_number(number) for alert in (*(each[0] for each in drawn), *gone) for number in alert.references}
    if rows or replaced:
        kept = [each for each in rows if each[1].alert_id not in replaced]
        yield Batch([*kept], [Withdrawal(ALERTS, (number,)) for number in sorted(replaced)])


def _is_index(document: Document) -> bool:
    """Return whether the document leads to alerts."""
    with document.path.open("rb") as file:
        beginning = file.read(4)
    if beginning.lstrip(b"\xef\xbb\xbf")[:1] == b"{":
        return True
    try:
        return alerting.name_of(alerting.root_of(document)) != "alert"
    except DocumentError:
        return False


def _find_reason(alert: Alert, document: Document) -> str | None:
    """Return why a valid alert has no row; None if it has one. Raises ValueError for an implausible time."""
    if alert.sent > document.retrieved + _TOLERANCE:
        raise ValueError(f"its time, {alert.sent:%Y-%m-%d %H:%M} UTC, is in the future")
    if alert.status != "Actual" or alert.kind not in {"Alert", "Update", "Cancel"}:
        return f"its status is {alert.status}, its kind {alert.kind}"
    if alert.kind == "Cancel":
        return None
    if not _FLOOD.search(f"{alert.event} {alert.headline}"):
        return f"{alert.event!r} is no flood"
    if _expires(alert) < document.retrieved:
        return "it has ended"
    if alert.severity not in _LEVELS:
        raise ValueError(f"{alert.severity!r} is no severity")
    return None if alert.shapes else "its areas have names or codes only"


def _expires(alert: Alert) -> datetime:
    return alert.expires or alert.sent + _VALID


def _area(alert: Alert, findings: Findings) -> MultiPolygon:
    """Return the areas as one. Raises GeometryError."""
    area, mended = repair(shapely.union_all([shapely.make_valid(shape) for shape in alert.shapes]))
    if mended:
        findings.repaired.append(Rejected(alert.identifier, "; ".join(mended)))
    return area


def _number(identifier: str) -> str:
    return f"CAP-{identifier}"


def _row(alert: Alert, area: MultiPolygon, address: str, near: Nearby, people: int) -> FloodAlert:
    return FloodAlert(
        alert_id=_number(alert.identifier),
        event_id=_number(alert.identifier),
        title=alert.headline or f"{alert.event}, {alert.area or near.words}",
        alert_level=_LEVELS[alert.severity],
        alert_score=None,
        episode_id=None,
        issued=alert.sent,
        expires=_expires(alert),
        area_km2=area_km2(area),
        url=alert.web if (alert.web or "").startswith(("http://", "https://")) else address,
        place=near.words,
        population_in_places=people,
        source=f"{alert.sender_name} (CAP)",
        withdrawn=None,
        geom=area,
        **near._asdict(),
    )


SOURCE = Source(
    name="cap-alerts",
    title="Flood alerts of national services, WMO Severe Weather Information Centre",
    licence="terms of each issuing service; alerts are public, and must name it",
    licence_url="https://severeweather.wmo.int",
    attribution="The issuing national services (column source), through the WMO Severe Weather Information Centre",
    rhythm=timedelta(minutes=5),
    targets=(ALERTS,),
    read=read,
    documents="alerts as CAP 1.2, or feeds of them (RSS, Atom, or the WMO's wmo_all.json)",
    addresses=lambda _since: [LIST],
    named=list_alerts,
    once=True,
    most_named=150,
)
