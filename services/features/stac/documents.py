"""The catalogue and the collections of items. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from libs.web.accept_language import mark
from services.features.stac.items import EVENTS, GEOJSON, HAZARDS, IMPACTS, MONTY, NAMES, ROLES, STAC_VERSION
from services.features.stac.sources import Source

CONFORMS_TO = (
    "https://api.stacspec.org/v1.0.0/core",
    "https://api.stacspec.org/v1.0.0/collections",
    "https://api.stacspec.org/v1.0.0/ogcapi-features",
    "https://api.stacspec.org/v1.0.0/item-search",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
)
"""Conformance classes of the catalogue."""

VERSION = "dams:data_version"
"""Member of a collection: its items do not change while it does not. For programs that store them."""
_JSON = "application/json"
_TITLES = {
    EVENTS: (mark("Events"), mark("Earthquakes, floods and storms, one item for each event.")),
    HAZARDS: (mark("Hazards"), mark("The hazard of each event, with its severity where the source reports one.")),
    IMPACTS: (
        mark("Impacts"),
        mark(
            "People in the zones of each event by zone and country, which this service computes, and the deaths and"
            " displaced people that the source of a flood reports. Wider zones include the people of narrower ones."
            " Areas without a code of ISO 3166-1, such as Somaliland, have no item here; the table of the event has"
            " them."
        ),
    ),
}


def landing(title: str, description: str | None, base: str) -> dict[str, Any]:
    """Return the catalogue, which is also the landing page of the STAC API."""
    own = f"{base}/stac"
    search = {"rel": "search", "href": f"{own}/search", "type": GEOJSON, "title": "Search items"}
    return {
        "type": "Catalog",
        "stac_version": STAC_VERSION,
        "id": "dams",
        "title": title,
        "description": description or title,
        "conformsTo": list(CONFORMS_TO),
        "links": [
            {"rel": "self", "href": own, "type": _JSON},
            {"rel": "root", "href": own, "type": _JSON},
            {"rel": "alternate", "href": f"{own}?f=html", "type": "text/html"},
            {"rel": "conformance", "href": f"{own}/conformance", "type": _JSON},
            {"rel": "data", "href": f"{own}/collections", "type": _JSON},
            {**search, "method": "GET"},
            {**search, "method": "POST"},
            {
                "rel": "service-desc",
                "href": f"{base}/openapi.json",
                "type": "application/vnd.oai.openapi+json;version=3.0",
            },
            {"rel": "service-doc", "href": f"{base}/docs", "type": "text/html"},
            *(
                {"rel": "child", "href": f"{own}/collections/{name}", "type": _JSON, "title": _TITLES[name][0]}
                for name in ROLES
            ),
        ],
    }


def collection(
    name: str, sources: Sequence[Source], summaries: Mapping[str, Sequence[str]], title: str, base: str
) -> dict[str, Any]:
    """Return a collection of items. summaries: the values of `country_codes` and `hazard_codes` of its items."""
    own = f"{base}/stac/collections/{name}"
    found = [source.collection for source in sources]
    publishers = dict.fromkeys(publisher.title for each in found for publisher in each.publishers)
    licences = dict.fromkeys(
        [
            *(each.license for each in found),
            *(publisher.licence_url for each in found for publisher in each.publishers),
            *(address for each in found for _, address in each.part_licenses),
        ]
    )
    return {
        "type": "Collection",
        "stac_version": STAC_VERSION,
        "stac_extensions": [MONTY],
        "id": name,
        "title": _TITLES[name][0],
        "description": _TITLES[name][1],
        "keywords": [
            "disaster",
            ROLES[name],
            *(words for code, words in NAMES.items() if code in summaries["hazard_codes"]),
        ],
        "license": "other",
        "roles": [ROLES[name], "source"],
        "providers": [
            *({"name": publisher, "roles": ["producer"]} for publisher in publishers),
            {"name": title, "roles": ["processor", "host"], "url": f"{base}/"},
        ],
        "extent": _extent(sources),
        "summaries": {
            "roles": [ROLES[name], "source"],
            "monty:country_codes": list(summaries["country_codes"]),
            "monty:hazard_codes": list(summaries["hazard_codes"]),
        },
        "links": [
            {"rel": "self", "href": own, "type": _JSON},
            {"rel": "root", "href": f"{base}/stac", "type": _JSON},
            {"rel": "parent", "href": f"{base}/stac", "type": _JSON},
            {"rel": "items", "href": f"{own}/items", "type": GEOJSON},
            *({"rel": "license", "href": address} for address in licences if address),
        ],
    }


def item_collection(items: Sequence[Mapping[str, Any]], links: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a page of items."""
    return {
        "type": "FeatureCollection",
        "features": list(items),
        "numberReturned": len(items),
        "links": list(links),
    }


def _extent(sources: Sequence[Source]) -> dict[str, Any]:
    boxes = [box.unwrap() for source in sources if (box := source.collection.bbox()) is not None]
    whole = (
        [
            min(box.west for box in boxes),
            min(box.south for box in boxes),
            max(box.east for box in boxes),
            max(box.north for box in boxes),
        ]
        if boxes
        else [-180, -90, 180, 90]
    )
    intervals = [source.collection.temporal_extent() for source in sources]
    starts, ends = [start for start, _ in intervals], [end for _, end in intervals]
    return {
        "spatial": {"bbox": [whole]},
        "temporal": {"interval": [[_bound(min, starts), _bound(max, ends)]]},
    }


def _bound(choose: Any, moments: Sequence[str | None]) -> str | None:
    """The first or last moment; open if one of them is. They are in UTC, so that texts compare like times."""
    return None if not moments or None in moments else str(choose(moments))
