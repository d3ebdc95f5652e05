"""The graphical tropical weather outlook of the NHC and the CPHC: areas in which tropical cyclones may form.

The archive `gtwo_shapefiles.zip` has `gtwo_areas_YYYYMMDDHHMM.shp` with the columns BASIN (Atlantic, East Pacific,
Central Pacific), PROB2DAY and PROB7DAY (such as 20%; before 2023 PROB5DAY). Without areas it has other layers only.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyogrio
import shapely
from shapely.geometry import MultiPolygon, Point

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import area_km2, normalise
from deploy.loader.geometry.polygons import repair
from deploy.loader.records import storms as tables
from deploy.loader.records.outlooks import FORMATION_AREAS, OUTLOOK_EVENTS, FormationArea, OutlookEvent
from deploy.loader.records.storms import StormNode
from deploy.loader.records.target import Batch, Recall, Rename
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.storms.identity import DISTURBANCE_TABLES, is_invest
from deploy.loader.storms.people import packaged_gazetteer
from libs.catalogue.basins import BASINS

ADDRESS = "https://www.nhc.noaa.gov/xgtwo/gtwo_shapefiles.zip"
_AREAS = re.compile(r"(?:.*/)?gtwo_areas_(\d{12})\.shp\Z", re.IGNORECASE)
_ANY = re.compile(r"(?:.*/)?gtwo_\w+_(\d{12})\.\w+\Z", re.IGNORECASE)
_LARGEST = 50_000_000
_OCEANS = {
    "atlantic": ("AL", "NA"),
    "east pacific": ("EP", "EP"),
    "pacific": ("EP", "EP"),
    "central pacific": ("CP", "EP"),
}
_PERCENT = re.compile(r"\s*(?:near )?(\d{1,3})\s*%?\s*\Z", re.IGNORECASE)
_SOURCE = "NHC outlook"
_VALID = timedelta(days=7)
_NEWEST_POSITION = timedelta(hours=24)
"""Age of the position of a system under investigation that may be the disturbance of an area."""
_BESIDE = 2.0
"""Distance in degrees from an area within which its disturbance may be: cyclones form ahead of it."""
_TOLERANCE = timedelta(days=1)


class _Area(NamedTuple):
    """number: its ocean and its place in the outlook, such as AL-1. chances: percent within two and seven days."""

    number: str
    basin: str
    issued: datetime
    chances: tuple[int | None, int | None]
    shape: MultiPolygon


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield a batch for the newest outlook: its areas replace those of earlier ones. Raises DocumentError."""
    outlooks = [_outlook(document, findings) for document in documents]
    issued, areas = max(outlooks, key=lambda outlook: outlook[0])
    findings.issued = issued
    where = {"kind": ["formation"], "source": [_SOURCE]}
    yield Batch((), recalls=(Recall(FORMATION_AREAS, where, partial(_with_known, issued, areas, findings)),))


def _outlook(document: Document, findings: Findings) -> tuple[datetime, list[_Area]]:
    """Return the areas of an archive, and its time. Raises DocumentError."""
    try:
        with zipfile.ZipFile(document.path) as archive:
            members = archive.infolist()
            damaged = archive.testzip() if sum(each.file_size for each in members) <= _LARGEST else "its size"
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise DocumentError(f"{document.address} is no archive, or not whole: {error}") from None
    named = next((found for each in members if (found := _ANY.match(each.filename))), None)
    if damaged or named is None:
        raise DocumentError(f"{document.address} is no outlook: {damaged or 'it has no layer gtwo_…'} cannot be used")
    try:
        issued = datetime.strptime(named[1], "%Y%m%d%H%M").replace(tzinfo=UTC)
    except ValueError:
        raise DocumentError(f"{document.address} has no valid time of issue: {named[1]}") from None
    if issued > document.retrieved + _TOLERANCE:
        raise DocumentError(f"{document.address}: its time, {issued:%Y-%m-%d %H:%M} UTC, is in the future")
    member = next((found[0] for each in members if (found := _AREAS.match(each.filename))), None)
    return issued, _areas(document, member, issued, findings) if member else []


def _areas(document: Document, member: str, issued: datetime, findings: Findings) -> list[_Area]:
    try:
        meta, _, shapes, values = pyogrio.raw.read(f"/vsizip/{{{document.path}}}/{member}")
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, ValueError) as error:
        raise DocumentError(f"{document.address}: {member} is no shapefile: {error}") from None
    columns = {name.upper(): column.tolist() for name, column in zip(meta["fields"], values, strict=True)}
    week = next((name for name in ("PROB7DAY", "PROB5DAY") if name in columns), None)
    if "BASIN" not in columns or "PROB2DAY" not in columns or week is None:
        raise DocumentError(f"{document.address}: {member} has no column BASIN, PROB2DAY or PROB7DAY")
    found: list[_Area] = []
    counts: dict[str, int] = {}
    for place, shape in enumerate(np.atleast_1d(shapely.from_wkb(shapes)) if shapes is not None else []):
        findings.read += 1
        ocean, basin = _OCEANS.get(str(columns["BASIN"][place]).strip().lower(), ("", ""))
        counts[ocean] = counts.get(ocean, 0) + 1
        number = f"{ocean}-{counts[ocean]}"
        try:
            if not ocean:
                raise ValueError(f"'{columns['BASIN'][place]}' is no ocean of the outlook")
            area, mended = repair(_polygons(shape))
            # the chance of the fifth day is not that of the seventh
            chances = (
                _percent(columns["PROB2DAY"][place]),
                _percent(columns[week][place]) if week == "PROB7DAY" else None,
            )
        except FAULTS as error:
            findings.rejected.append(Rejected(f"area {place + 1}", reason(error)))
            continue
        if mended:
            findings.repaired.append(Rejected(number, "; ".join(mended)))
        found.append(_Area(number, basin, issued, chances, area))
    return found


def _polygons(shape: Any) -> MultiPolygon:
    """Return a shape as polygons. Raises ValueError."""
    if shape is None or shape.geom_type not in {"Polygon", "MultiPolygon"}:
        raise ValueError("it is no polygon")
    return MultiPolygon([shape]) if shape.geom_type == "Polygon" else shape


def _percent(text: Any) -> int:
    """Return a percentage. Raises ValueError."""
    found = _PERCENT.match(str(text))
    if found is None or int(found[1]) > 100:
        raise ValueError(f"'{text}' is no percentage")
    return int(found[1])


def _with_known(issued: datetime, areas: list[_Area], findings: Findings, known: Sequence[FormationArea]) -> Batch:
    """Find the disturbances of the areas, unless a newer outlook is stored."""
    if any(area.advisory_time > issued for area in known):
        return Batch(())
    where: dict[str, list[Any]] = {"kind": ["analysed"], "basin": ["NA", "EP", "WP"]}
    after = {"valid_time": issued - _NEWEST_POSITION}
    make = partial(_identify, issued, areas, findings, known)
    return Batch((), recalls=(Recall(tables.DISTURBANCE_NODES, where, make, after=after),))


def _identify(
    issued: datetime,
    areas: list[_Area],
    findings: Findings,
    known: Sequence[FormationArea],
    nodes: Sequence[StormNode],
) -> Batch:
    """Identify each area with a system under investigation, else with an earlier area that it overlaps.

    An area without a system is looked at again, because another source may load its position later.
    """
    events: dict[str, str] = {}
    renames: list[Rename] = []
    for area in areas:
        before = max(known, key=lambda each: each.geom.intersection(area.shape).area, default=None)
        earlier = before.event_id if before and before.geom.intersects(area.shape) else None
        invest = _invest_of(area, nodes, issued)
        if invest and earlier and earlier != invest and not is_invest(earlier):
            renames.append(Rename(DISTURBANCE_TABLES, earlier, invest))
        event_id = invest or earlier
        findings.is_open = findings.is_open or invest is None
        if event_id is None or event_id in events.values():
            event_id = f"NHC-{area.number}-{issued:%Y%m%d%H%M}"
        events[area.number] = event_id
    gone = {each.event_id for each in known} - {*events.values(), *(rename.old for rename in renames)}
    ids = sorted({*events.values(), *gone, *(rename.old for rename in renames)})
    replaced = {rename.old: rename.new for rename in renames}
    make = partial(_rows, issued, areas, events, replaced)
    return Batch((), recalls=(Recall(OUTLOOK_EVENTS, {"event_id": ids}, make),), renames=renames)


def _invest_of(area: _Area, nodes: Sequence[StormNode], issued: datetime) -> str | None:
    """Return the system whose newest position is in the area or beside it; the nearest one counts."""
    newest: dict[str, StormNode] = {}
    for node in nodes:
        if not is_invest(node.event_id) or node.valid_time > issued + _NEWEST_POSITION:
            continue
        if node.event_id not in newest or newest[node.event_id].valid_time < node.valid_time:
            newest[node.event_id] = node
    near = [(area.shape.distance(node.geom), event_id) for event_id, node in newest.items()]
    return min(near)[1] if near and min(near)[0] <= _BESIDE else None


def _rows(
    issued: datetime,
    areas: list[_Area],
    events: Mapping[str, str],
    replaced: Mapping[str, str],
    stored: Sequence[OutlookEvent],
) -> Batch:
    """Return the rows of areas and events. Events without an area in this outlook have no probability any more."""
    known = {replaced.get(event.event_id, event.event_id): event for event in stored if event.event_id in replaced}
    known |= {event.event_id: event for event in stored if event.event_id not in replaced}
    rows: list[tuple[Any, tuple[Any, ...]]] = []
    gazetteer = packaged_gazetteer()
    people = gazetteer.places_within([area.shape for area in areas]) if gazetteer and areas else [None] * len(areas)
    for area, within in zip(areas, people, strict=True):
        event_id = events[area.number]
        two, seven = area.chances
        rows.append((OUTLOOK_EVENTS, _event(area, event_id, known.get(event_id))))
        rows.append(
            (
                FORMATION_AREAS,
                FormationArea(
                    event_id=event_id,
                    basin=area.basin,
                    season=issued.year,
                    start_date=issued,
                    end_date=issued + _VALID,
                    kind="formation",
                    advisory_time=issued,
                    area_km2=area_km2(area.shape),
                    population_in_places=within.population_in_places if within else None,
                    largest_places=within.largest_places if within else None,
                    probability_2_days=two,
                    probability_7_days=seven,
                    formation_area=area.number,
                    source=_SOURCE,
                    geom=area.shape,
                ),
            )
        )
    over = [event for event_id, event in known.items() if event_id not in events.values()]
    rows += [(OUTLOOK_EVENTS, each._replace(probability_2_days=None, probability_7_days=None)) for each in over]
    return Batch(rows, parts=[(FORMATION_AREAS, ("formation", _SOURCE))])


def _event(area: _Area, event_id: str, stored: OutlookEvent | None) -> OutlookEvent:
    two, seven = area.chances
    if stored is not None and is_invest(event_id):
        return stored._replace(probability_2_days=two, probability_7_days=seven, event_id=event_id)
    centre = area.shape.representative_point()
    return OutlookEvent(
        event_id=event_id,
        title=f"Tropical disturbance, {BASINS[area.basin]}, {area.issued:%B %Y}",
        basin=area.basin,
        season=area.issued.year,
        start_date=stored.start_date if stored else area.issued,
        end_date=area.issued,
        probability_2_days=two,
        probability_7_days=seven,
        source=_SOURCE,
        geom=Point(normalise(centre.x), centre.y),
    )


SOURCE = Source(
    name="nhc-outlooks",
    title="Tropical weather outlook, National Hurricane Center",
    licence="public domain (United States government work)",
    licence_url="https://www.weather.gov/disclaimer",
    attribution="NOAA National Hurricane Center",
    rhythm=timedelta(hours=6),
    asked=timedelta(minutes=15),
    targets=(OUTLOOK_EVENTS, FORMATION_AREAS),
    read=read,
    documents="the shapefiles of the outlook (gtwo_shapefiles.zip)",
    addresses=lambda _since: [ADDRESS],
)
