"""STAC items of an event, its hazard and its impacts, from a feature and the stored tables of impacts. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson
import shapely

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.ogc.link import is_web_address, path_segment
from services.features.stac.correlation import EPISODE, correlation_id, own_countries
from services.features.stac.counted import Counted
from services.features.stac.country_codes import alpha_3
from services.features.stac.sources import DEATHS, DISPLACED, HAZARD_CODE

STAC_VERSION = "1.1.0"
MONTY = "https://ifrcgo.org/monty-stac-extension/v1.3.0/schema.json"
EVENTS, HAZARDS, IMPACTS = "dams-events", "dams-hazards", "dams-impacts"
ROLES = {EVENTS: "event", HAZARDS: "hazard", IMPACTS: "impact"}
"""Collections of items in their order, and the role of their items."""
GEOJSON = "application/geo+json"

_COUNTERPARTS = {
    "GH0101": ("EQ", "nat-geo-ear-gro"),
    "MH0600": ("FL", "nat-hyd-flo-flo"),
    "MH0306": ("TC", "nat-met-sto-tro"),
}
"""The codes of GLIDE and EM-DAT for a code of UNDRR-ISC 2025."""
NAMES = {"GH0101": "Earthquake", "MH0600": "Flooding", "MH0306": "Tropical cyclone"}
_SEVERITIES = (
    ("magnitude", None),
    ("max_wind_kt", "kt"),
    ("severity", "severity class of the Dartmouth Flood Observatory"),
    ("min_pressure_hpa", "hPa"),
    ("area_km2", "km2"),
)
"""Properties that give the severity of a hazard, the first that has a value, and their units."""
_DETAILS = ("depth", "magnitude_type", "category", "wind_minutes", "min_pressure_hpa", "area_km2", "alert_level")
_GLIDE = re.compile(r"([A-Z]{2})-(\d{4})-(\d+)-([A-Z]{3})", re.ASCII)
_SPLIT = "--"
"""Between the event and the rest of the identifier of an impact."""

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """An event as all of its items need it."""

    id: str
    collection: Collection
    feature: Mapping[str, Any]
    box: tuple[float, float, float, float] | None
    countries: tuple[str, ...]
    has_raster: bool = False

    @property
    def properties(self) -> Mapping[str, Any]:
        """The properties of the feature."""
        found: Mapping[str, Any] = self.feature["properties"]
        return found

    @property
    def title(self) -> str:
        """Its title or name, else its identifier."""
        return str(self.properties.get("title") or self.properties.get("name") or self.id)


def event_of(collection: Collection, feature: Mapping[str, Any], reached: Iterable[str], *, has_raster: bool) -> Event:
    """Return the event of a feature. reached: codes of the countries with people in its zones."""
    properties, geometry = feature["properties"], feature.get("geometry")
    # the first decides the correlation identifier, and so must not change with the impacts
    countries = tuple(dict.fromkeys([*own_countries(properties.get("country_codes")), *reached]))
    box = None
    if geometry is not None:
        west, south, east, north = shapely.from_geojson(orjson.dumps(geometry)).bounds
        box = (round(west, 7), round(south, 7), round(east, 7), round(north, 7))
    return Event(str(properties[EVENT_KEY]), collection, feature, box, countries, has_raster)


def event_item(event: Event, base: str) -> Item:
    """Return the item of an event."""
    address = f"{base}/events/{path_segment(event.id)}"
    links = [_related(base, HAZARDS, event.id, "Its hazard"), *_glide(event)]
    item = _item(event, EVENTS, event.id, base, links)
    item["assets"] = {
        "features": _asset(f"{address}?f=geojson", GEOJSON, "Features of the event in all collections", "data"),
        "page": _asset(f"{address}?f=html", "text/html", "Page of the event", "overview"),
        "bundle": _asset(f"{address}/bundle", "application/zip", "GeoPackage and Shapefiles", "data"),
        "impact": _asset(f"{address}/impact?f=json", "application/json", "People in its zones", "data"),
        "facilities": _asset(f"{address}/facilities?f=json", "application/json", "Facilities in its zones", "data"),
    }
    return item


def hazard_item(event: Event, base: str) -> Item:
    """Return the item of the hazard of an event."""
    links = [_related(base, EVENTS, event.id, "Its event")]
    item = _item(event, HAZARDS, event.id, base, links)
    detail = _severity(event.properties)
    if detail is not None:
        item["properties"]["monty:hazard_detail"] = detail
    address = f"{base}/collections/{path_segment(event.collection.id)}/items?{urlencode({EVENT_KEY: event.id})}"
    item["assets"] = {"feature": _asset(f"{address}&f=geojson", GEOJSON, "The feature with all properties", "data")}
    if event.has_raster:
        item["assets"]["intensity"] = _asset(
            f"{base}/events/{path_segment(event.id)}/intensity.tif",
            "image/tiff; application=geotiff; profile=cloud-optimized",
            "Wind or shaking",
            "data",
        )
    return item


def impact_items(event: Event, counted: Counted | None, base: str) -> Iterator[Item]:
    """Yield the items of the impacts of an event."""
    for name, kind, words in ((DEATHS, "death", "Deaths"), (DISPLACED, "displaced_total", "People displaced")):
        value = event.properties.get(name)
        if value is not None:
            detail = _detail(kind, value, "primary", f"{words}, as the source of the event reports them")
            yield _impact(event, name, words, detail, base)
    for zone in counted.zones if counted else ():
        for country in zone["countries"]:
            code = alpha_3(country["code"])
            if counted is None or code is None:
                continue
            title = f"People in {country['name']}: {zone['label']}"
            words = f"{title} ({zone['kind']}). Wider zones include the people of narrower ones."
            detail = _detail("potentially_affected", country["people"], "modelled", words)
            zone_name = re.sub(r"[^a-z0-9]+", "-", f"{zone['kind']} {zone['zone']}".lower()).strip("-")
            item = _impact(event, f"{zone_name}-{code}", title, detail, base)
            item["properties"] |= {"created": counted.computed, "monty:country_codes": [code]}
            yield item


def event_of_impact(identifier: str) -> str:
    """Return the event in the identifier of an impact."""
    return identifier.rpartition(_SPLIT)[0]


def _impact(event: Event, name: str, title: str, detail: Mapping[str, Any], base: str) -> Item:
    links = [
        _related(base, EVENTS, event.id, "Its event"),
        _related(base, HAZARDS, event.id, "Its hazard"),
    ]
    item = _item(event, IMPACTS, f"{event.id}{_SPLIT}{name}", base, links)
    item["properties"] |= {
        "title": f"{event.title}: {title}",
        "monty:impact_detail": detail,
    }
    address = f"{base}/events/{path_segment(event.id)}/impact"
    item["assets"] = {
        "table": _asset(f"{address}?f=csv", "text/csv", "All tables of people in its zones", "data"),
        "document": _asset(f"{address}?f=json", "application/json", "The same with data, method and quality", "data"),
    }
    return item


def _detail(kind: str, value: float, estimate: str, words: str) -> dict[str, Any]:
    return {
        "category": "people",
        "type": kind,
        "value": value,
        "unit": "people",
        "estimate_type": estimate,
        "description": words,
    }


def _severity(properties: Mapping[str, Any]) -> dict[str, Any] | None:
    for name, unit in _SEVERITIES:
        value = properties.get(name)
        if value is not None:
            details = {key: properties[key] for key in _DETAILS if key != name and properties.get(key) is not None}
            scale = unit or str(properties.get("magnitude_type") or "magnitude")
            return {"severity_value": value, "severity_unit": scale, "estimate_type": "primary", **details}
    return None


def _item(event: Event, collection: str, identifier: str, base: str, links: Iterable[Mapping[str, Any]]) -> Item:
    properties, code = event.properties, str(event.properties[HAZARD_CODE])
    times = _times(event)
    said = {
        "description": properties.get("place") or properties.get("main_cause"),
        "updated": properties.get("updated"),
        "glide_number": properties.get("glide_number"),
    }
    address = f"{base}/stac/collections/{collection}"
    own = f"{address}/items/{path_segment(identifier)}"
    words = [NAMES.get(code), *event.countries, properties.get("name"), properties.get("glide_number")]
    return {
        "type": "Feature",
        "stac_version": STAC_VERSION,
        "stac_extensions": [MONTY],
        "id": identifier,
        "collection": collection,
        "geometry": event.feature.get("geometry"),
        **({"bbox": list(event.box)} if event.box else {}),
        "properties": {
            "title": event.title,
            **{name: value for name, value in said.items() if value is not None},
            **times,
            "keywords": [str(word) for word in words if word],
            "roles": [ROLES[collection], "source"],
            "monty:src_event_id": event.id,
            "monty:episode_number": EPISODE,
            "monty:country_codes": list(event.countries),
            "monty:hazard_codes": [code, *_COUNTERPARTS.get(code, ())],
            "monty:corr_id": correlation_id(times["datetime"], event.countries, event.box, code),
        },
        "links": [
            {"rel": "self", "href": own, "type": GEOJSON},
            {"rel": "root", "href": f"{base}/stac", "type": "application/json"},
            {"rel": "parent", "href": address, "type": "application/json"},
            {"rel": "collection", "href": address, "type": "application/json"},
            *_via(event, base),
            *links,
        ],
        "assets": {},
    }


def _times(event: Event) -> dict[str, Any]:
    pair, time = event.collection.period_columns(), event.collection.time()
    start = event.properties.get(pair[0].name if pair else time.name if time else "")
    end = event.properties.get(pair[1].name) if pair else None
    # an event without an end continues: STAC has an interval only with both
    return {"datetime": start, **({"start_datetime": start, "end_datetime": end} if start and end else {})}


def _via(event: Event, base: str) -> list[dict[str, str]]:
    """The page of the source; without one the page of this service."""
    url = str(event.properties.get("url") or "")
    own = f"{base}/events/{path_segment(event.id)}"
    page = {"rel": "alternate", "href": f"{own}?f=html", "type": "text/html", "title": "Page of the event"}
    return [{"rel": "via", "href": url if is_web_address(url) else own, "title": "Where the event comes from"}, page]


def _related(base: str, collection: str, identifier: str, title: str) -> dict[str, Any]:
    href = f"{base}/stac/collections/{collection}/items/{path_segment(identifier)}"
    return {"rel": "related", "href": href, "type": GEOJSON, "title": title, "roles": [ROLES[collection]]}


def _glide(event: Event) -> list[dict[str, Any]]:
    """The entry of the disaster in the list of GLIDE numbers."""
    found = _GLIDE.fullmatch(str(event.properties.get("glide_number") or ""))
    if found is None:
        return []
    hazard, year, number, country = found.groups()
    query = urlencode(
        {"level1": country, "fromyear": year, "toyear": year, "events": hazard, "number": f"{year}-{number}"}
    )
    href = f"https://www.glidenumber.net/glide/jsonglideset.jsp?{query}"
    return [{"rel": "related", "href": href, "type": "application/json", "title": found[0], "roles": ["event"]}]


def _asset(href: str, media_type: str, title: str, role: str) -> dict[str, Any]:
    return {"href": href, "type": media_type, "title": title, "roles": [role]}
