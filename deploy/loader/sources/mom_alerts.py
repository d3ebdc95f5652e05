"""Flood alerts of the Model of Models: a CSV of alerts, and a GeoJSON of their watersheds.

The CSV is a table of many runs, or a file of one run from the model (`Final_Attributes_2026112706….csv`, whose name
contains the run). They are joined by `pfaf_id`, the Pfafstetter number of the watershed. Every run goes to
hazard_fl_alerts_mom_runs, the newest of each watershed also to hazard_fl_alerts_mom_forecast. The model's server lists
its runs on a page, which names the newest one.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urljoin

from pydantic import AliasChoices, BaseModel, Field, field_validator
from shapely.geometry import MultiPolygon, Point

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import csv_rows, features_of
from deploy.loader.geometry.polygons import polygons_of, repair
from deploy.loader.places.gazetteer import installed_gazetteer
from deploy.loader.records.floods import LATEST_WATERSHED_ALERTS, WATERSHED_RUNS, WatershedAlert, WatershedRun
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source

SOURCE_NAME = "Model of Models"
VALID = timedelta(days=1)
"""Validity of an alert: runs are six to twenty-four hours apart."""

_LEVELS = {"Warning": "Red", "Watch": "Orange", "Advisory": "Green", "Information": "Green"}
_COLUMNS = ("pfaf_id", "Alert", "Hazard_Score")
_RUN = re.compile(r"Final_Attributes_(\d{4})(\d{2})(\d{2})(\d{2})")
"""Year, month, day and hour of a run."""


_LISTED = re.compile(r'href="([^"/]*Final_Attributes_\d{10}[^"/]*\.csv)"')


class _Watershed(NamedTuple):
    area: MultiPolygon
    point: Point
    area_km2: float


class _Alert(BaseModel):
    pfaf_id: int
    run: datetime
    level: str = Field(alias="Alert")
    change: str | None = Field(default=None, alias="Status")
    country: str | None = Field(default=None, validation_alias=AliasChoices("name", "Admin0"))
    province: str | None = Field(default=None, validation_alias=AliasChoices("name_1", "Admin1"))
    hazard_score: float | None = Field(default=None, alias="Hazard_Score", allow_inf_nan=False)
    days_until_peak: float | None = Field(default=None, alias="Days_until_peak", ge=0, le=366)
    exceeds_2y: float | None = Field(default=None, alias="GloFAS_2yr", ge=0, le=100)
    exceeds_5y: float | None = Field(default=None, alias="GloFAS_5yr", ge=0, le=100)
    exceeds_20y: float | None = Field(default=None, alias="GloFAS_20yr", ge=0, le=100)

    @field_validator("*", mode="before")
    @classmethod
    def _empty(cls, value: object) -> object:
        """Convert an empty cell, and GloFAS's -9999, to None."""
        return None if value in ("", "-9999", "-9999.0") else value

    @field_validator("level")
    @classmethod
    def _check_level(cls, level: str) -> str:
        if level not in _LEVELS:
            raise ValueError(f"{level!r} is none of {', '.join(_LEVELS)}")
        return level

    @field_validator("run")
    @classmethod
    def _utc(cls, run: datetime) -> datetime:
        return run.astimezone(UTC) if run.tzinfo else run.replace(tzinfo=UTC)


def newest_run(document: Document) -> Iterator[str]:
    """Yield the address of the newest run of a page that lists runs."""
    if _is_page(document):
        runs = _LISTED.findall(document.path.read_text(encoding="utf-8", errors="replace"))
        if runs:
            # their names begin with the time
            yield urljoin(document.address, max(runs))


def _is_page(document: Document) -> bool:
    with document.path.open("rb") as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield a batch for each month of runs, the oldest first. A record is an alert."""
    tables, areas = _kinds(documents)
    watersheds = _watersheds(areas, findings)
    people = dict(
        zip(watersheds, installed_gazetteer().people_within([shed.area for shed in watersheds.values()]), strict=True)
    )
    alerts: dict[tuple[int, datetime], _Alert] = {}
    for document in tables:
        of_name = _run_of(document)
        for cells in csv_rows(document, _COLUMNS):
            findings.read += 1
            row = {"run": of_name, **cells}
            name = f"{row.get('pfaf_id')} {row.get('run')}"
            try:
                alert = _Alert.model_validate(row)
                _refuse(alert, watersheds, document.retrieved)
            except FAULTS as error:
                findings.rejected.append(Rejected(name, reason(error)))
                continue
            key = (alert.pfaf_id, alert.run)
            if key in alerts:
                findings.duplicates.append(name)
            alerts[key] = alert
    ordered = sorted(alerts.values(), key=lambda alert: (alert.run, alert.pfaf_id))
    findings.issued = ordered[-1].run if ordered else None
    newest = {alert.pfaf_id: alert for alert in ordered}
    months: dict[str, list[_Alert]] = {}
    for alert in ordered:
        months.setdefault(f"{alert.run:%Y%m}", []).append(alert)
    for month in months.values():
        rows: list[Any] = [(WATERSHED_RUNS, _run(alert, watersheds[alert.pfaf_id])) for alert in month]
        rows += [
            (LATEST_WATERSHED_ALERTS, _latest(alert, watersheds[alert.pfaf_id], people[alert.pfaf_id]))
            for alert in month
            if newest[alert.pfaf_id] is alert
        ]
        yield Batch(rows=rows)


def _kinds(documents: list[Document]) -> tuple[list[Document], list[Document]]:
    """Return tables of alerts, and areas. Raises DocumentError if one kind is missing."""
    areas = []
    for document in documents:
        with document.path.open("rb") as file:
            if file.read(4).lstrip(b"\xef\xbb\xbf").startswith(b"{"):
                areas.append(document)
    tables = [document for document in documents if document not in areas and not _is_run_list(document)]
    if not areas or not tables:
        raise DocumentError("two documents are needed: the watersheds (GeoJSON) and their alerts (CSV)")
    return tables, areas


def _is_run_list(document: Document) -> bool:
    """Return whether the document leads to runs. Another page is read as alerts, which refuses it with its title."""
    return _is_page(document) and any(newest_run(document))


def _run_of(document: Document) -> str | None:
    """Return the run in the name of a file, as ISO 8601."""
    found = _RUN.search(document.address)
    return "{}-{}-{}T{}:00:00Z".format(*found.groups()) if found else None


def _number(feature: Any) -> object:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    return properties.get("pfaf_id") if isinstance(properties, dict) else None


def _watersheds(documents: list[Document], findings: Findings) -> dict[int, _Watershed]:
    """Return the watersheds by number, without invalid ones: their alerts are then rejected with a reason."""
    found: dict[int, _Watershed] = {}
    for document in documents:
        for feature in features_of(document):
            try:
                number = int(feature["properties"]["pfaf_id"])
                size = float(feature["properties"]["area_km2"])
                shape, unclosed = polygons_of(feature["geometry"])
                area, mended = repair(shape)
            except FAULTS as error:
                findings.read += 1
                findings.rejected.append(Rejected(f"watershed {_number(feature)}", reason(error)))
                continue
            if unclosed or mended:
                findings.repaired.append(Rejected(f"watershed {number}", "; ".join([*unclosed, *mended])))
            found[number] = _Watershed(area, area.representative_point(), round(size, 1))
    if not found:
        raise DocumentError("the GeoJSON holds no watershed with pfaf_id, area_km2 and an area")
    return found


def _refuse(alert: _Alert, watersheds: dict[int, _Watershed], retrieved: datetime) -> None:
    if alert.pfaf_id not in watersheds:
        raise ValueError(f"watershed {alert.pfaf_id} is not among those given, or has no area")
    if alert.run > retrieved + VALID:
        raise ValueError(f"its run, {alert.run:%Y-%m-%d %H:%M} UTC, is in the future")


def _run(alert: _Alert, shed: _Watershed) -> WatershedRun:
    peak = alert.run + timedelta(days=alert.days_until_peak) if alert.days_until_peak is not None else None
    lies = ", ".join(part for part in (alert.province, alert.country) if part)
    return WatershedRun(
        event_id=f"MoM-{alert.pfaf_id}",
        watershed_id=str(alert.pfaf_id),
        title=f"Flood {alert.level.lower()}, {lies}, {alert.run:%d %B %Y}",
        alert_level=_LEVELS[alert.level],
        source_level=alert.level,
        change=alert.change,
        forecast_date=alert.run,
        valid_to=alert.run + VALID,
        peak_date=peak,
        probability=alert.exceeds_5y,
        exceeds_2y=alert.exceeds_2y,
        exceeds_20y=alert.exceeds_20y,
        hazard_score=alert.hazard_score,
        country=alert.country,
        province=alert.province,
        source=SOURCE_NAME,
        geom=shed.point,
    )


def _latest(alert: _Alert, shed: _Watershed, people: int) -> WatershedAlert:
    facts = _run(alert, shed)._asdict() | {"geom": shed.area}
    return WatershedAlert(
        alert_id=f"MoM-{alert.pfaf_id}",
        valid_from=alert.run,
        area_km2=shed.area_km2,
        population_in_places=people,
        **facts,
    )


SOURCE = Source(
    name="mom-alerts",
    title="Flood alerts by watershed, Model of Models",
    licence="Apache License 2.0",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    attribution="Model of Models, Pacific Disaster Center and University of Maryland",
    rhythm=timedelta(hours=6),
    targets=(WATERSHED_RUNS, LATEST_WATERSHED_ALERTS),
    read=read,
    named=newest_run,
    documents="two: GeoJSON of the watersheds (pfaf_id, area_km2) and CSV of the alerts (pfaf_id, run, Alert, …, or "
    "Final_Attributes_….csv, or the page that lists them)",
    needs="DAMS_LOADER_ADDRESSES, a file of watersheds and the address of the runs",
)
