"""Floods of the Dartmouth Flood Observatory's archive, as GeoJSON: a hand-drawn polygon for each.

Columns: floodobservatory.colorado.edu/Archives (the names are those of its shapefile, cut to ten characters).
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, field_validator, model_validator
from shapely.geometry import MultiPolygon

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of
from deploy.loader.geometry.antimeridian import area_km2
from deploy.loader.geometry.polygons import polygons_of, repair
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.floods import FLOODS, FloodEvent
from deploy.loader.records.target import Batch, Rename
from deploy.loader.source import Document, Findings, Rejected, Source

SOURCE_NAME = "Dartmouth Flood Observatory"
_BATCH = 1000


class _Properties(BaseModel):
    number: int = Field(alias="ID")
    glide: str | None = Field(default=None, alias="GlideNumbe")
    country: str = Field(alias="Country", min_length=1)
    other_country: str | None = Field(default=None, alias="OtherCount")
    began: date = Field(alias="Began")
    ended: date | None = Field(default=None, alias="Ended")
    dead: int | None = Field(default=None, alias="Dead", ge=0)
    displaced: int | None = Field(default=None, alias="Displaced", ge=0)
    cause: str | None = Field(default=None, alias="MainCause")
    severity: float | None = Field(default=None, alias="Severity", ge=0, le=3)

    @model_validator(mode="before")
    @classmethod
    def _names(cls, properties: Any) -> Any:
        """Convert names to the archive's case: newer shapefiles have capitals only."""
        if not isinstance(properties, dict):
            return properties
        known = {str(field.alias).upper(): str(field.alias) for field in cls.model_fields.values()}
        return {known.get(str(name).upper(), name): value for name, value in properties.items()}

    @field_validator("glide", "other_country", "cause", mode="after")
    @classmethod
    def _empty_if_zero(cls, text: str | None) -> str | None:
        """Convert `0`, which means empty in the archive."""
        return None if text is None or text.strip() in {"", "0"} else " ".join(text.split())


class _Flood(NamedTuple):
    properties: _Properties
    area: MultiPolygon
    near: Nearby


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield batches of a thousand floods, by number."""
    floods: list[tuple[_Properties, MultiPolygon]] = []
    for document in documents:
        for feature in features_of(document):
            findings.read += 1
            name = _name(feature, findings.read)
            try:
                properties = _Properties.model_validate(feature["properties"])
                area = _area(name, feature["geometry"], findings)
                _refuse_times(properties, document.retrieved)
            except FAULTS as error:
                findings.rejected.append(Rejected(name, reason(error)))
                continue
            floods.append((properties, area))
    gazetteer = installed_gazetteer()
    centres = [area.representative_point() for _, area in floods]
    near = gazetteer.nearby([point.x for point in centres], [point.y for point in centres])
    found: dict[int, _Flood] = {}
    for (properties, area), facts in zip(floods, near, strict=True):
        flood, before = _Flood(properties, area, facts), found.get(properties.number)
        if before is not None:
            findings.duplicates.append(str(properties.number))
        if before is None or not _lies_where_it_says(before) or _lies_where_it_says(flood):
            found[properties.number] = flood
    chosen = [found[number] for number in sorted(found)]
    newest = max((flood.properties.ended or flood.properties.began for flood in chosen), default=None)
    findings.issued = _midnight(newest) if newest else None
    for start in range(0, len(chosen), _BATCH):
        part = chosen[start : start + _BATCH]
        people = gazetteer.people_within([flood.area for flood in part])
        rows = [(FLOODS, _row(flood, count)) for flood, count in zip(part, people, strict=True)]
        glides = [(row.glide_number, row.event_id) for _, row in rows if row.glide_number]
        yield Batch(rows, renames=[Rename((), glide, event_id) for glide, event_id in glides])


def _name(feature: Any, place: int) -> str:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    return str(properties.get("ID", f"feature {place}")) if isinstance(properties, dict) else f"feature {place}"


def _area(name: str, geometry: Any, findings: Findings) -> MultiPolygon:
    """Return the area. Raises GeometryError."""
    shape, unclosed = polygons_of(geometry)
    area, mended = repair(shape)
    if unclosed or mended:
        findings.repaired.append(Rejected(name, "; ".join([*unclosed, *mended])))
    return area


def _refuse_times(properties: _Properties, retrieved: datetime) -> None:
    if properties.ended and properties.ended < properties.began:
        raise ValueError(f"it ends, {properties.ended}, before it begins, {properties.began}")
    if _midnight(properties.began) > retrieved + timedelta(days=1):
        raise ValueError(f"it begins in the future, {properties.began}")


def _lies_where_it_says(flood: _Flood) -> bool:
    """Return whether the area contains the position: one number occurs twice, once on another continent."""
    return flood.near.country == flood.properties.country


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _row(flood: _Flood, people: int) -> FloodEvent:
    said = flood.properties
    cause = said.cause or "Flood"
    return FloodEvent(
        event_id=f"DFO-{said.number}",
        title=f"{cause}, {said.country}, {said.began:%B %Y}",
        began=_midnight(said.began),
        ended=_midnight(said.ended) if said.ended else None,
        severity=said.severity,
        main_cause=said.cause,
        dead=said.dead,
        displaced=said.displaced,
        area_km2=area_km2(flood.area),
        other_country=said.other_country,
        glide_number=said.glide,
        alert_level=None,
        episode_id=None,
        url=None,
        place=flood.near.words,
        population_in_places=people,
        source=SOURCE_NAME,
        withdrawn=None,
        geom=flood.area,
        **(flood.near._asdict() | {"country": said.country}),
    )


SOURCE = Source(
    name="dfo-floods",
    title="Archive of large floods, Dartmouth Flood Observatory",
    licence="Free for research and education, with citation",
    licence_url="https://floodobservatory.colorado.edu/Archives/index.html",
    attribution="G. R. Brakenridge, Global Active Archive of Large Flood Events, Dartmouth Flood Observatory",
    rhythm=timedelta(days=365),
    targets=(FLOODS,),
    read=read,
    documents="GeoJSON of the archive's shapefile: ID, Country, Began, Ended, MainCause, Severity",
)
