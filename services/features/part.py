"""The features service's part of the API: conformance classes, links, OpenAPI paths."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from libs.catalogue.data_queries import INSTANCES
from libs.catalogue.model import Collection
from libs.ogc.link import REL_FUNCTIONS, REL_QUERYABLES, REL_SCHEMA, REL_SORTABLES, Link
from libs.ogc.media_type import MediaType, name_format
from libs.ogc.service_part import CollectionLink, ServicePart
from libs.pg.text_folding import TextFolding
from libs.selection.property_parameters import with_property_parameters
from libs.web.openapi import add_language, load_document
from services.features.formats.format import Format
from services.features.formats.links import ATOM_TYPE, FACETS_TYPE
from services.features.formats.registry import EXPORT_FORMATS, FORMATS

_CQL2 = "http://www.opengis.net/spec/cql2/1.0/conf/"
_COMMON_3 = "http://www.opengis.net/spec/ogcapi-common-3/1.0/conf/"
_CASE, _ACCENTS = "case-insensitive-comparison", "accent-insensitive-comparison"
EVENTS_TYPE = "text/event-stream"
name_format("sse", EVENTS_TYPE, "event stream")
ASYNCAPI_TYPE = "application/asyncapi+json"
_ITEMS = "/collections/{collectionId}/items"
_SEARCH = "/collections/{collectionId}/search"
_EXPORT = "/collections/{collectionId}/export"
_DATA_QUERIES = {
    "/collections/{collectionId}/position": ("coords", "Features at a point"),
    "/collections/{collectionId}/radius": ("coords,within,within-units", "Features near a point"),
    "/collections/{collectionId}/area": ("coords", "Features in an area"),
    "/collections/{collectionId}/corridor": ("coords,corridor-width,width-units", "Features along a line"),
}
"""Paths of EDR, with the parameters that they require and the titles of the links to them."""
_COLLECTION = "/collections/{collectionId}"
_INSTANCE = f"{_COLLECTION}/{INSTANCES}/{{instanceId}}"


def data_query_links(address: str) -> list[Link]:
    """Return the links to the data queries of a collection, or of an instance, at this address."""
    return [
        Link(
            f"{address}/{path.rpartition('/')[2]}{{?{names},datetime,parameter-name,crs,limit,f}}",
            "data",
            "application/geo+json",
            title,
            True,
        )
        for path, (names, title) in _DATA_QUERIES.items()
    ]


_OPERATIONS = {
    _ITEMS: "items_schema",
    f"{_ITEMS}/{{itemId}}": "item_schema",
    **dict.fromkeys((_EXPORT, *_DATA_QUERIES), "items_schema"),
    **{f"{_INSTANCE}{path.removeprefix(_COLLECTION)}": "items_schema" for path in _DATA_QUERIES},
}


def _add_instance_query(paths: dict[str, Any], path: str) -> None:
    """Add the data query of an instance: that of its collection with one more path parameter."""
    operation = paths[path]["get"]
    kind = operation["operationId"].removeprefix("get")
    of_instance = {
        **operation,
        "operationId": f"getInstance{kind}",
        "summary": f"{operation['summary']}, of an instance",
        "parameters": [{"$ref": "#/components/parameters/instanceId"}, *operation["parameters"]],
        "responses": deepcopy(operation["responses"]),
    }
    paths[f"{_INSTANCE}{path.removeprefix(_COLLECTION)}"] = {"get": of_instance}


def _document() -> dict[str, Any]:
    """Return the OpenAPI document of this service, extended by its formats."""
    document = load_document(Path(__file__).parent / "openapi.yaml")
    components = document["components"]
    components["parameters"]["fDataQuery"]["schema"]["enum"] = [entry.name for entry in EXPORT_FORMATS.values()]
    components["parameters"]["fItems"]["schema"]["enum"] = [entry.name for entry in FORMATS]
    components["parameters"]["fExport"]["schema"]["enum"] = [entry.name for entry in EXPORT_FORMATS.values()]
    search = document["paths"][_SEARCH]["post"]["responses"]["200"]
    search["content"] = {
        entry.media_type: {"schema": dict(entry.items_schema)}
        for entry in FORMATS
        if entry.media_type != MediaType.HTML
    }
    for path in _DATA_QUERIES:
        _add_instance_query(document["paths"], path)
    for path, schema in _OPERATIONS.items():
        answer = document["paths"][path]["get"]["responses"]["200"]
        offered = FORMATS if path.startswith(_ITEMS) else EXPORT_FORMATS.values()
        answer["content"] = {entry.media_type: {"schema": dict(getattr(entry, schema))} for entry in offered}
        if MediaType.HTML in answer["content"]:
            add_language(document["paths"][path]["get"])
    return document


def _items_address(entry: Format) -> str:
    return _ITEMS if entry is FORMATS[0] else f"{_ITEMS}?f={entry.name}"


def amend_part(part: ServicePart, known: Mapping[str, Collection] | None, folding: TextFolding) -> ServicePart:
    """Return the part without conformance classes that the database cannot support, and with its properties by name.

    `known` are the collections by id; None before the first catalogue.
    """
    ways = ((_CASE, folding.case), (_ACCENTS, folding.accents))
    missing = {f"{_CQL2}{name}" for name, way in ways if way is None}
    return replace(
        part,
        conforms_to=tuple(uri for uri in part.conforms_to if uri not in missing),
        openapi=with_property_parameters(part.openapi, _ITEMS, (known or {}).values()),
    )


PART = ServicePart(
    name="features",
    openapi=_document(),
    conforms_to=(
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/html",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
        "http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables-query-parameters",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter",
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter",
        # Common's schemas came from this part of Features: QGIS knows them by these names
        "http://www.opengis.net/spec/ogcapi-features-5/1.0/conf/schemas",
        # of version 1.0, whose test suite there is (docs/conformance.md)
        *(
            f"http://www.opengis.net/spec/ogcapi-edr-1/1.0/conf/{name}"
            for name in ("core", "collections", "json", "oas30")
        ),
        "http://www.opengis.net/spec/json-fg-1/1.0/conf/core",
        "http://www.opengis.net/spec/json-fg-1/1.0/conf/types-schemas",
        "http://www.opengis.net/spec/json-fg-1/1.0/conf/profiles",
        *(
            f"{_COMMON_3}{name}"
            for name in (
                *("schemas", "advanced-property-roles", "returnables-and-receivables", "sortables"),
                "profile-parameter",
            )
        ),
        *(
            f"{_CQL2}{name}"
            for name in (
                "cql2-text",
                "cql2-json",
                "basic-cql2",
                "advanced-comparison-operators",
                _CASE,
                _ACCENTS,
                "basic-spatial-functions",
                # its name in drafts, which older versions of QGIS know
                "basic-spatial-operators",
                "basic-spatial-functions-plus",
                "spatial-functions",
                "temporal-functions",
                "array-functions",
                "functions",
                "property-property",
                "arithmetic",
            )
        ),
    ),
    landing_links=(
        Link("/stac", "related", MediaType.JSON, "STAC catalogue"),
        Link("/functions", REL_FUNCTIONS, MediaType.JSON, "Functions of filters"),
        Link("/changes", "monitor", MediaType.JSON, "Versions of all collections, and a stream of new ones"),
        Link("/asyncapi", "service-meta", ASYNCAPI_TYPE, "Streams of changes (AsyncAPI)"),
    ),
    collection_links=(
        *(CollectionLink(Link(_items_address(entry), "items", entry.media_type, entry.title)) for entry in FORMATS),
        *(
            CollectionLink(
                Link(f"{_EXPORT}?f={entry.name}", "enclosure", entry.media_type, f"All features as {entry.label}")
            )
            for entry in EXPORT_FORMATS.values()
        ),
        CollectionLink(
            Link("/collections/{collectionId}/queryables", REL_QUERYABLES, MediaType.SCHEMAJSON, "Queryables")
        ),
        CollectionLink(Link("/collections/{collectionId}/sortables", REL_SORTABLES, MediaType.SCHEMAJSON, "Sortables")),
        CollectionLink(
            Link("/collections/{collectionId}/schema", REL_SCHEMA, MediaType.SCHEMAJSON, "Schema of the features")
        ),
        # OGC API EDR, /req/core/rc-md-query-links: `common` makes the data queries of a collection from these
        *(CollectionLink(link, needs_geometry=True) for link in data_query_links(_COLLECTION)),
        # `common` leaves it out for collections without instances
        CollectionLink(
            Link(
                f"/collections/{{collectionId}}/{INSTANCES}{{?datetime,bbox,limit,offset}}",
                "data",
                MediaType.JSON,
                "Advisories",
                True,
            ),
            needs_geometry=True,
        ),
        # no relation is registered for it; the media type is that of the draft
        CollectionLink(Link("/collections/{collectionId}/facets", "related", FACETS_TYPE, "Counts by facets (JSON)")),
        CollectionLink(
            Link("/collections/{collectionId}/feed", "alternate", ATOM_TYPE, "Newest features, as an Atom feed")
        ),
        # RFC 5989: what tells that the resource has changed
        CollectionLink(
            Link("/collections/{collectionId}/changes", "monitor", MediaType.JSON, "New versions of the data")
        ),
        # GDAL reads the types of properties here
        CollectionLink(
            Link(
                "/collections/{collectionId}/schema/feature",
                "describedby",
                MediaType.SCHEMAJSON,
                "Schema of a feature in GeoJSON",
            )
        ),
    ),
)
