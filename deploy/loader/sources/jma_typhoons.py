"""Winds and classes of the Japan Meteorological Agency, the regional agency of the West Pacific, for storms of others.

Form: the agency's disaster prevention XML, "typhoon analysis and forecast" (VPTW60 to VPTW65). An Atom feed names them.
A bulletin has the analysis and forecasts of a storm. The analysis (実況) has its name, its class such as (TY), and the
10-minute wind in kt. A storm is that of the same name in the same season.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urljoin
from xml.etree import ElementTree

from deploy.loader.documents.alerting import name_of, root_of
from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.records import storms as tables
from deploy.loader.records.storms import StormWind
from deploy.loader.records.target import Batch, Recall
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.storms.winds import JMA

ADDRESS = "https://www.data.jma.go.jp/developer/xml/feed/extra.xml"
_BULLETIN = re.compile(r"_VPTW6\d_")
_CLASS = re.compile(r"[（(]([A-Z]{1,4})[）)]")
_ANALYSIS, _REAL, _ISSUED = "実況", "通常", {"発表", "訂正"}
_WIND = {"type": "最大風速", "unit": "ノット"}
_HIGHEST_KT = 200
_TOLERANCE = timedelta(days=1)
_WAITING = timedelta(hours=12)
"""Age of a bulletin that is read again until its storm is stored."""
_APART = timedelta(days=5)
"""Longest time since the last position of a storm of the same name."""


class _Report(NamedTuple):
    """name: as the agency gives it. time: of the analysis, UTC. grade: the agency's class. address: of the bulletin."""

    name: str
    time: datetime
    wind_kt: int
    grade: str | None
    address: str


def named(document: Document) -> Iterator[str]:
    """Yield the bulletins about storms of a feed. Raises DocumentError."""
    for link in _all(root_of(document), "link"):
        address = urljoin(document.address, link.get("href", ""))
        if _BULLETIN.search(address):
            yield address


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield a batch of each storm, the oldest bulletin first. A record is a bulletin. Raises DocumentError."""
    reports = []
    for document in documents:
        try:
            root = root_of(document)
            if name_of(root) == "feed":
                continue
            findings.read += 1
            report = _report(root, document)
        except (*FAULTS, DocumentError) as error:
            if isinstance(error, DocumentError) and len(documents) == 1:
                raise
            findings.rejected.append(Rejected(document.address, reason(error)))
            continue
        if report is None:
            findings.left_out.append(Rejected(document.address, "it has no wind of a storm with a name"))
        else:
            reports.append(report)
    for report in sorted(reports, key=lambda each: each.time):
        findings.issued = max(filter(None, (findings.issued, report.time)))
        after = {"end_date": report.time - _APART}
        make = partial(_with_wind, report, findings)
        where: dict[str, list[Any]] = {"season": [report.time.year], "basin": ["WP"]}
        yield Batch((), recalls=(Recall(tables.REGIONAL_WINDS, where, make, after),))


def _with_wind(report: _Report, findings: Findings, stored: Sequence[StormWind]) -> Batch:
    """Return the storm of the report with its highest wind so far, and the class at that time."""
    same = [storm for storm in stored if (storm.name or "").casefold() == report.name.casefold()]
    if not same:
        findings.left_out.append(Rejected(report.name, "no stored storm has this name"))
        if datetime.now(UTC) - report.time < _WAITING:
            # the JTWC may name it later, and is loaded at the same time as this source
            findings.waiting.add(report.address)
        return Batch(())
    storm = same[0]
    if storm.regional_agency == JMA.name and (storm.regional_wind_kt or 0) > report.wind_kt:
        return Batch(())
    told = storm._replace(
        regional_agency=JMA.name,
        regional_wind_kt=report.wind_kt,
        regional_wind_minutes=JMA.minutes,
        regional_class=report.grade,
    )
    return Batch([(tables.REGIONAL_WINDS, told)])


def _report(root: ElementTree.Element, document: Document) -> _Report | None:
    """Return the analysis of a bulletin; None for exercises, cancellations, and storms without a name or a wind.

    Raises one of FAULTS, and DocumentError.
    """
    if name_of(root) != "Report":
        raise DocumentError(f"{document.address} is neither a bulletin of the JMA nor its feed")
    if _text(root, "Status") != _REAL or _text(root, "InfoType") not in _ISSUED:
        return None
    analysis = next((each for each in _all(root, "MeteorologicalInfo") if _is_analysis(each)), None)
    if analysis is None:
        raise ValueError("it has no analysis")
    time = datetime.fromisoformat(_text(analysis, "DateTime")).astimezone(UTC)
    if time > document.retrieved + _TOLERANCE:
        raise ValueError(f"its time, {time:%Y-%m-%d %H:%M} UTC, is in the future")
    part = next(_all(analysis, "TyphoonNamePart"), None)
    name = _text(part, "Name") if part is not None else ""
    winds = (each for each in _all(analysis, "WindSpeed") if _WIND.items() <= each.attrib.items())
    wind = next((each.text.strip() for each in winds if each.text and each.text.strip()), "")
    if not name or not wind:
        return None
    if not 0 < int(wind) <= _HIGHEST_KT:
        raise ValueError(f"{wind} is no wind in kt")
    grade = _CLASS.search(_text(analysis, "TyphoonClass"))
    return _Report(name.title(), time, int(wind), grade[1] if grade else None, document.address)


def _is_analysis(info: ElementTree.Element) -> bool:
    time = next(_all(info, "DateTime"), None)
    return time is not None and time.get("type") == _ANALYSIS


def _all(element: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (each for each in element.iter() if name_of(each) == name)


def _text(element: ElementTree.Element, name: str) -> str:
    found = next(_all(element, name), None)
    return (found.text or "").strip() if found is not None else ""


SOURCE = Source(
    name="jma-typhoons",
    title="Winds of typhoons, Japan Meteorological Agency",
    licence="JMA terms of its XML: reuse without restriction, within the Meteorological Service Act",
    licence_url="https://xml.kishou.go.jp/xmlpull.html",
    attribution="Japan Meteorological Agency",
    rhythm=timedelta(hours=3),
    asked=timedelta(minutes=10),
    targets=(tables.REGIONAL_WINDS,),
    read=read,
    documents="the Atom feed of the agency's XML (extra.xml), or bulletins about typhoons (VPTW60 to VPTW65)",
    addresses=lambda _since: [ADDRESS],
    named=named,
    once=True,
    most_named=60,
)
