"""Floods mapped by the Rapid Mapping of the Copernicus Emergency Management Service, with their footprints.

The list (`public-activations-info`) names all activations, the details of each its areas of interest (`aois`), products
and layers. Layer `observedEventA` of a delivered product has the flooded area as GeoJSON. Before the first product, the
event has the areas of interest.
"""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import shapely
from pydantic import BaseModel, Field
from shapely.geometry import MultiPolygon
from shapely.geometry.base import BaseGeometry

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import json_of
from deploy.loader.geometry.antimeridian import area_km2
from deploy.loader.geometry.polygons import polygons_of, repair
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.floods import FLOODS, FloodEvent
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, Findings, Rejected, Source

_API = "https://rapidmapping.emergency.copernicus.eu/backend/dashboard-api"
_PAGE = "https://rapidmapping.emergency.copernicus.eu"
SOURCE_NAME = "Copernicus EMS"
_CODE = re.compile(r"EMS[RN]\d{3,4}")
_NEWEST = timedelta(days=45)
"""Age of the last update of activations that are requested."""
_TOLERANCE = timedelta(days=1)
_NO_FLOOD = ("burnt", "burned", "landslide", "wind", "ash", "lava")
"""Words of areas in a product that are not flooded."""


class _Layer(BaseModel):
    name: str
    address: str | None = Field(default=None, alias="json")


class _Version(BaseModel):
    delivered: str | None = Field(default=None, alias="deliveryTime")


class _Product(BaseModel):
    version: _Version | None = None
    monitoring: int | None = Field(default=0, alias="monitoringNumber")
    layers: list[_Layer] = []

    @property
    def order(self) -> tuple[int, str]:
        return self.monitoring or 0, (self.version and self.version.delivered) or ""


class _Area(BaseModel):
    extent: str | None = None
    products: list[_Product] = []

    @property
    def footprints(self) -> list[str]:
        """The flooded areas of the newest delivered product."""
        delivered = [each for each in self.products if each.version and each.version.delivered]
        newest = max(delivered, key=lambda each: each.order, default=_Product())
        return [
            layer.address
            for layer in newest.layers
            if "observedEventA" in layer.name and (layer.address or "").startswith(("http://", "https://"))
            if layer.address
        ]


class _Activation(BaseModel):
    code: str = Field(pattern=_CODE.pattern)
    name: str = Field(min_length=1)
    category: str | None = None
    began: datetime = Field(alias="eventTime")
    activated: datetime | None = Field(default=None, alias="activationTime")
    updated: datetime | None = Field(default=None, alias="lastUpdate")
    closed: bool = False
    countries: list[Any] = []
    aois: list[_Area] = []
    extent: str | None = None


class _Found(NamedTuple):
    activation: _Activation
    area: MultiPolygon
    is_mapped: bool


def list_documents(document: Document) -> Iterator[str]:
    """Yield the details of current floods of the list, or the footprints of such details. Raises DocumentError."""
    for content in _activations(json_of(document)):
        try:
            activation = _Activation.model_validate(content)
        except FAULTS:
            continue
        revision = str(content.get("lastUpdate") or "")
        if activation.aois:
            for area in activation.aois:
                # a revision may change areas that have the same address
                yield from (f"{address}#{revision}" for address in area.footprints)
        elif _is_flood(activation) and _is_recent(activation, document.retrieved):
            folder = document.address.partition("public-activations")[0]
            yield f"{folder}public-activations/?code={activation.code}#{revision}"


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all activations with details, the oldest first. Raises DocumentError."""
    contents = {document.address.partition("#")[0]: json_of(document) for document in documents}
    found: list[_Found] = []
    for document in documents:
        for content in _activations(contents[document.address.partition("#")[0]]):
            if not content.get("aois"):
                continue
            findings.read += 1
            name = str(content.get("code"))
            try:
                activation = _Activation.model_validate(content)
                if not _is_flood(activation):
                    findings.left_out.append(Rejected(name, f"it is no flood: {activation.category}"))
                    continue
                found.append(_with_area(activation, contents, document.retrieved, findings))
            except FAULTS as error:
                findings.rejected.append(Rejected(name, reason(error)))
                continue
            updated = _utc(activation.updated or activation.began)
            findings.issued = max(updated, findings.issued or updated)
    if not found:
        return
    found.sort(key=lambda each: (_utc(each.activation.began), each.activation.code))
    gazetteer = installed_gazetteer()
    centres = [each.area.representative_point() for each in found]
    near = gazetteer.nearby([each.x for each in centres], [each.y for each in centres])
    people = gazetteer.people_within([each.area for each in found])
    yield Batch([(FLOODS, _row(each, facts, count)) for each, facts, count in zip(found, near, people, strict=True)])


def _activations(content: Any) -> list[dict[str, Any]]:
    """Return the activations of a list or of details; none for another document."""
    found = content.get("results", [content]) if isinstance(content, dict) else content
    return [each for each in found if isinstance(each, dict) and "code" in each] if isinstance(found, list) else []


def _is_flood(activation: _Activation) -> bool:
    return "flood" in (activation.category or activation.name).lower()


def _is_recent(activation: _Activation, retrieved: datetime) -> bool:
    newest = activation.updated or activation.activated or activation.began
    return not activation.closed or retrieved - _utc(newest) < _NEWEST


def _utc(time: datetime) -> datetime:
    """Return a time in UTC; without a zone it already is."""
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _with_area(activation: _Activation, contents: dict[str, Any], retrieved: datetime, findings: Findings) -> _Found:
    """Return the activation with its footprint, else its areas of interest. Raises ValueError."""
    if _utc(activation.began) > retrieved + _TOLERANCE:
        raise ValueError(f"it begins in the future, {activation.began:%Y-%m-%d %H:%M}")
    addresses = [address for area in activation.aois for address in area.footprints]
    shapes = [shape for address in addresses for shape in _footprint(contents.get(address))]
    is_mapped = bool(shapes)
    if not is_mapped:
        shapes = [_of_text(text) for area in activation.aois if (text := area.extent)]
        shapes = shapes or ([_of_text(activation.extent)] if activation.extent else [])
    if not shapes:
        raise ValueError("it has neither a footprint nor areas of interest")
    area, mended = repair(shapely.union_all([shapely.make_valid(shape) for shape in shapes]))
    if mended:
        findings.repaired.append(Rejected(activation.code, "; ".join(mended)))
    return _Found(activation, area, is_mapped)


def _footprint(content: Any) -> Iterator[BaseGeometry]:
    """Yield the flooded areas of a layer. Raises GeometryError."""
    for feature in content.get("features", ()) if isinstance(content, dict) else ():
        said = json.dumps(feature.get("properties") or {}).lower()
        if feature.get("geometry") and not any(word in said for word in _NO_FLOOD):
            yield polygons_of(feature["geometry"])[0]


def _of_text(text: str) -> BaseGeometry:
    """Return an area in well-known text. Raises ShapelyError."""
    return shapely.from_wkt(text.rpartition(";")[2])


def _row(found: _Found, near: Nearby, people: int) -> FloodEvent:
    activation = found.activation
    countries = [
        each.get("short_name") or each.get("name") if isinstance(each, dict) else each for each in activation.countries
    ]
    country = str(countries[0]) if countries and countries[0] else near.country
    return FloodEvent(
        event_id=f"{activation.code}",
        title=activation.name if found.is_mapped else f"{activation.name} (areas to be mapped)",
        began=_utc(activation.began),
        ended=_utc(activation.updated) if activation.closed and activation.updated else None,
        severity=None,
        main_cause=None,
        dead=None,
        displaced=None,
        area_km2=area_km2(found.area),
        other_country=str(countries[1]) if len(countries) > 1 and countries[1] else None,
        glide_number=None,
        alert_level=None,
        episode_id=None,
        url=f"{_PAGE}/{activation.code}",
        place=near.words,
        population_in_places=people,
        source=SOURCE_NAME,
        withdrawn=None,
        geom=found.area,
        **(near._asdict() | {"country": country}),
    )


def _addresses(_since: datetime | None) -> Iterable[str]:
    return [f"{_API}/public-activations-info/"]


SOURCE = Source(
    name="copernicus-ems",
    title="Floods mapped from satellites, Copernicus EMS Rapid Mapping",
    licence="CC BY 4.0 (Copernicus Emergency Management Service)",
    licence_url="https://creativecommons.org/licenses/by/4.0/",
    attribution="Copernicus Emergency Management Service, European Union, Rapid Mapping",
    rhythm=timedelta(minutes=30),
    targets=(FLOODS,),
    read=read,
    documents="details of activations, and layers observedEventA as GeoJSON",
    addresses=_addresses,
    named=list_documents,
    levels=2,
    once=True,
    most_named=200,
)
