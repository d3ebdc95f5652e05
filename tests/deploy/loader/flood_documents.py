"""Made-up documents in the formats of flood sources: their own may not be distributed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deploy.loader.source import Document, Findings, Source

RETRIEVED = datetime(2026, 6, 1, tzinfo=UTC)
SQUARE = [[10.0, 10.0], [11.0, 10.0], [11.0, 11.0], [10.0, 11.0], [10.0, 10.0]]


def document(folder: Path, name: str, content: Any) -> Document:
    """Write a file of text, or of an object as JSON."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return Document(path, f"https://example.org/{name}", RETRIEVED)


def rows_of(source: Source, *documents: Document) -> tuple[list[Any], Findings]:
    """Return the rows that a source makes from documents, without their targets, and its findings."""
    findings = Findings()
    return [row for batch in source.read(list(documents), findings) for _, row in batch.rows], findings


def collection(*features: Any) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features)}


def gdacs(kind: str, event: int, episode: int, **properties: Any) -> list[dict[str, Any]]:
    """Return the features of an event: its centroid, and an area that names its event only in its link."""
    ring = properties.pop("ring", SQUARE)
    shared = {
        "name": f"{kind} somewhere", "alertlevel": "Orange", "eventtype": kind, "country": "Exampleland",
        "link": f"https://www.gdacs.org/report.aspx?eventtype={kind}&eventid={event}&episodeid={episode}",
        "fromdate": "20 Apr 2026 01:00:00", "todate": "26 May 2026 01:00:00", "severity": "6.1",
    } | properties  # fmt: skip
    centroid = shared | {
        "Class": "Point_Centroid",
        "eventid": str(event),
        "episodeid": str(episode),
        "alertscore": "1.5",
    }
    return [
        {"type": "Feature", "id": f"{kind}{event}{episode}Centroid", "properties": centroid,
         "geometry": {"type": "Point", "coordinates": [10.5, 10.5]}},
        {"type": "Feature", "id": f"{kind}{event}{episode}Affected", "properties": shared | {"Class": "Poly_Affected"},
         "geometry": {"type": "Polygon", "coordinates": [ring]}},
    ]  # fmt: skip


def dfo(number: int, **properties: Any) -> dict[str, Any]:
    ring = properties.pop("ring", SQUARE)
    usual = {
        "ID": number, "GlideNumbe": "0", "Country": "Nigeria", "OtherCount": "0",
        "long": 10.5, "lat": 10.5, "Area": 12_000.0,
        "Began": "1989-01-17", "Ended": "1989-01-27", "Validation": "News", "Dead": 35, "Displaced": 137_000,
        "MainCause": "Heavy  rain", "Severity": 1.5,
    }  # fmt: skip
    return {
        "type": "Feature",
        "properties": usual | properties,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def watershed(number: int) -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": {"pfaf_id": number, "area_km2": 12_100.26, "ISO": "TCD", "Admin0": "Chad", "Admin1": "Nord"},
        "geometry": {"type": "Polygon", "coordinates": [SQUARE]},
    }


MOM_HEADER = (
    "pfaf_id,run,region_file,Alert,Severity,Hazard_Score,Status,name,name_1,Days_until_peak,"
    "GloFAS_2yr,GloFAS_5yr,GloFAS_20yr"
)


def mom(number: int, run: str, **cells: Any) -> str:
    usual = {
        "pfaf_id": number, "run": run, "region_file": "Chad2022", "Alert": "Warning", "Severity": 0.9,
        "Hazard_Score": 48.4, "Status": "New", "name": "Chad", "name_1": "Nord", "Days_until_peak": "3.0",
        "GloFAS_2yr": "9.0", "GloFAS_5yr": "4.0",
        "GloFAS_20yr": "-9999.0",
    }  # fmt: skip
    return ",".join(str(value) for value in (usual | cells).values())
