"""Products of the USGS about strong earthquakes: shake maps, PAGER, ground failure.

The feed names the detail document of each event, which names the files of its products. `cont_mmi.json` has the
contours of intensity (`properties.value`), `exposures.json` the people in each intensity from I to X
(`aggregated_exposure`).
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely.geometry import MultiLineString

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import json_of
from deploy.loader.geometry.antimeridian import split_lines, unroll
from deploy.loader.records.earthquake_products import CONTOURS, PRODUCTS, Contour, EarthquakeProducts
from deploy.loader.records.target import Batch, Recall
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.same_earthquake import FIRST

_FEED = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_week.geojson"
_KINDS = ("shakemap", "losspager", "ground-failure")
_CONTOURS = ("download/cont_mmi.json", "download/cont_mi.json")
_EXPOSURES = "json/exposures.json"
_LEVELS = ("Green", "Yellow", "Orange", "Red")
_STRONG = 6
_MOST_PEOPLE = 10**10


class _Products(NamedTuple):
    """The products of an event: its numbers, the addresses of its files, and properties by kind."""

    ids: tuple[str, ...]
    contours: str | None
    exposures: str | None
    version: int | None
    updated: datetime | None
    said: dict[str, dict[str, Any]]


def list_products(document: Document) -> Iterator[str]:
    """Yield the details of events that have products, or the files of such details. Raises DocumentError."""
    content = json_of(document)
    if not isinstance(content, dict):
        return
    for feature in content.get("features") or ():
        try:
            properties = feature["properties"]
            kinds = properties["types"].split(",")
            detail, revision = properties["detail"], int(properties["updated"])
        except FAULTS:
            continue
        if any(kind in kinds for kind in _KINDS) and _is_web(detail):
            yield f"{detail}#{revision}"
    if _is_detail(content):
        try:
            found = _products(content)
        except FAULTS:
            return
        yield from (address for address in (found.contours, found.exposures) if address)


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield a batch for each event with products. A record is an event. Raises DocumentError."""
    contents = {document.address: json_of(document) for document in documents}
    if not any(isinstance(each, dict) and ("features" in each or _is_detail(each)) for each in contents.values()):
        raise DocumentError(f"{documents[0].address} is neither a feed nor the details of an earthquake")
    for address, content in contents.items():
        if not (isinstance(content, dict) and _is_detail(content)):
            continue
        findings.read += 1
        name = str(content.get("id"))
        try:
            found = _products(content)
            columns = _columns(found, contents.get(found.exposures or ""))
            lines = _contours(contents.get(found.contours or ""), found)
        except FAULTS as error:
            findings.rejected.append(Rejected(name or address, reason(error)))
            continue
        findings.issued = max(filter(None, (findings.issued, found.updated)), default=None)
        documents_of = {address, *filter(None, (found.contours, found.exposures))}
        make = partial(_rows, found, columns, lines, findings.waiting, documents_of)
        yield Batch((), recalls=(Recall(PRODUCTS, {"source": [FIRST], "event_id": list(found.ids)}, make),))


def _rows(  # noqa: PLR0917 - bound parts of one event
    found: _Products,
    columns: dict[str, Any],
    lines: Sequence[tuple[float, MultiLineString]],
    waiting: set[str],
    documents: set[str],
    stored: Sequence[Any],
) -> Batch:
    """Return the rows of the earthquake, if it is valid. If it is not stored yet, its documents wait for it."""
    if not stored:
        waiting |= documents
    events: list[EarthquakeProducts] = [event for event in stored if event.withdrawn is None]
    if not events:
        return Batch(())
    # the first number is the preferred one
    event = min(events, key=lambda each: found.ids.index(each.event_id))
    rows: list[tuple[Any, tuple[Any, ...]]] = [(PRODUCTS, event._replace(**columns))]
    rows += [
        (
            CONTOURS,
            Contour(
                event_id=event.event_id,
                title=f"Intensity {intensity:g}, {event.title}",
                intensity=intensity,
                event_date=event.event_date,
                updated=found.updated,
                version=found.version,
                source="USGS ShakeMap",
                geom=shape,
            ),
        )
        for intensity, shape in lines
    ]
    return Batch(rows, parts=[(CONTOURS, (event.event_id,))] if lines else ())


def _is_detail(content: dict[str, Any]) -> bool:
    properties = content.get("properties")
    return isinstance(properties, dict) and isinstance(properties.get("products"), dict)


def _products(detail: dict[str, Any]) -> _Products:
    """Return the preferred product of each kind, which is the first. Raises ValueError."""
    properties = detail["properties"]
    products: dict[str, Any] = {kind: each[0] for kind, each in properties["products"].items() if each}
    shakemap, pager = products.get("shakemap", {}), products.get("losspager", {})
    ids = [str(detail["id"]), *str(properties.get("ids") or "").split(",")]
    moment = shakemap.get("updateTime")
    version = (shakemap.get("properties") or {}).get("version")
    return _Products(
        ids=tuple(dict.fromkeys(filter(None, ids))),
        contours=_file(shakemap, *_CONTOURS),
        exposures=_file(pager, _EXPOSURES),
        version=int(version) if version is not None else None,
        updated=datetime.fromtimestamp(moment / 1000, UTC) if moment is not None else None,
        said={kind: products.get(kind, {}).get("properties") or {} for kind in _KINDS},
    )


def _file(product: dict[str, Any], *names: str) -> str | None:
    addresses = [(product.get("contents") or {}).get(name, {}).get("url") for name in names]
    return next((address for address in addresses if _is_web(address)), None)


def _is_web(address: Any) -> bool:
    return isinstance(address, str) and address.startswith(("https://", "http://"))


def _columns(found: _Products, exposures: Any) -> dict[str, Any]:
    """Return the values of the columns. Raises ValueError."""
    intensity = found.said["shakemap"].get("maxmmi")
    highest = float(intensity) if intensity is not None else None
    if highest is not None and not 0 <= highest <= 12:
        raise ValueError(f"{intensity} is no intensity")
    failure = found.said["ground-failure"]
    return {
        "max_intensity": highest,
        "people_strong_shaking": _people(exposures) if exposures is not None else None,
        "landslide_alert": _level(failure.get("landslide-alert")),
        "liquefaction_alert": _level(failure.get("liquefaction-alert")),
        "contours_url": found.contours,
    }


def _level(text: str | None) -> str | None:
    """Return the level of an alert; None if it is pending. Raises ValueError for another word."""
    level = text.capitalize() if text else None
    if level in {None, "Pending", "None"}:
        return None
    if level not in _LEVELS:
        raise ValueError(f"{text!r} is no level of an alert")
    return level


def _people(exposures: dict[str, Any]) -> int:
    """Return the people in intensities of VI and more. Raises ValueError."""
    said = exposures["population_exposure"]
    pairs = zip(said["mmi"], said["aggregated_exposure"], strict=True)
    people = sum(int(count) for intensity, count in pairs if int(intensity) >= _STRONG)
    if not 0 <= people <= _MOST_PEOPLE:
        raise ValueError(f"{people} is no number of people")
    return people


def _contours(content: Any, found: _Products) -> list[tuple[float, MultiLineString]]:
    """Return the lines of each intensity. Raises ValueError."""
    if content is None:
        return []
    lines: dict[float, list[Any]] = {}
    for feature in content["features"]:
        intensity = float(feature["properties"]["value"])
        if not 0 < intensity <= 12:
            raise ValueError(f"{intensity:g} is no intensity of a contour")
        geometry = feature["geometry"]
        parts = {"LineString": [geometry["coordinates"]], "MultiLineString": geometry["coordinates"]}[geometry["type"]]
        lines.setdefault(intensity, []).extend(_line(part) for part in parts)
    shapes = {intensity: split_lines(MultiLineString(parts)) for intensity, parts in lines.items()}
    return [(intensity, shape) for intensity, shape in sorted(shapes.items()) if not shape.is_empty]


def _line(positions: Sequence[Sequence[float]]) -> Any:
    """Return a line with unrolled longitudes. Raises ValueError."""
    place = np.array([each[:2] for each in positions], dtype=np.float64)
    if len(place) < 2 or not np.isfinite(place).all() or (np.abs(place) > (360, 90)).any():
        raise ValueError("a line of a contour has no valid positions")
    return shapely.linestrings(np.column_stack([unroll(place[:, 0]), place[:, 1]]))


def _addresses(_since: datetime | None) -> Iterable[str]:
    return [_FEED]


SOURCE = Source(
    name="usgs-products",
    title="Shake maps, PAGER and ground failure, USGS",
    licence="Public domain",
    licence_url="https://www.usgs.gov/information-policies-and-instructions/copyrights-and-credits",
    attribution="U.S. Geological Survey, ShakeMap, PAGER and Ground Failure",
    rhythm=timedelta(minutes=5),
    targets=(PRODUCTS, CONTOURS),
    read=read,
    documents="details of an event as GeoJSON, with the files of its products",
    addresses=_addresses,
    named=list_products,
    levels=2,
    once=True,
    most_named=200,
)
