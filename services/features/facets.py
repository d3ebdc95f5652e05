"""GET /collections/{collectionId}/facets (after the draft of OGC API Records Part 2: Facets)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.selection.past import as_of
from libs.selection.selection import select
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url
from libs.web.conditional import check_preconditions, check_tag, data_headers
from libs.web.html import page_response
from libs.web.respond import json_bytes, links_json, representations
from services.features.aggregation.buckets import Counted
from services.features.aggregation.facet import DEFAULT_BUCKETS, Facet, NumberFacet, PlaceFacet, TermFacet, TimeFacet
from services.features.aggregation.request import facets_of, parse_facets
from services.features.answer import Answer
from services.features.pages.facet_html import sections, usual_facets
from services.features.resources import CATALOGUE, FACETS, FOLDING, VALUES, VERSIONS
from services.features.sending import send

_GEOJSON = "application/geo+json"
_COUNTED = ("facets", "min-count")
"""Parameters that control the counting, not the selection."""


async def get_facets(call: Call) -> web.StreamResponse:
    """Count the features of a selection by the requested facets; without `facets`, list the available ones."""
    app = call.request.app
    present = app[CATALOGUE].collection(call.path["collectionId"])
    collection = as_of(present, call.query)
    answer = Answer(data_headers(call.request, call.media_type, app[VERSIONS].version(collection)))
    check_tag(call.request, answer.headers)
    selection = select(collection, call.query, folding=app[FOLDING].current)
    facets = parse_facets(collection, call.query)
    if call.media_type == _GEOJSON and not facets:
        facets = tuple(PlaceFacet(geometry.name, geometry) for geometry in collection.geometries[:1])
    if call.media_type == _GEOJSON and not _has_cells(facets):
        call.query.fault("facets", "facets must be one facet of places for GeoJSON, such as geom:grid:5")
    call.query.check()
    check_preconditions(call.request, answer.headers)
    is_page = call.media_type == MediaType.HTML
    ranges = await app[VALUES].recent(present) if is_page else {}
    if is_page and call.query.values["facets"] is None:
        facets = tuple(usual_facets(list(facets_of(collection)), ranges or {}))
    counted, failing = await app[FACETS].count(selection, facets)
    answer = answer.with_failing(failing)
    if call.media_type == _GEOJSON:
        cells = json_bytes(_cells(call, collection, facets, counted))
        return await send(call.request, answer.with_body(cells, _GEOJSON))
    document = _document(call, collection, facets, counted)
    if not is_page:
        return await send(call.request, answer.with_body(json_bytes(document), call.media_type))
    given = dict(sent_parameters(call.request))
    context = {
        "collection": collection,
        "document": document,
        "links": document["links"],
        "sections": sections(facets, document["facets"], given),
        "known": [facet.name for facet in facets_of(collection)],
        "filtered": _query({name: text for name, text in given.items() if name not in _COUNTED}),
        "asked": _facet_parameters(given, facets),
    }
    answer = answer.as_incomplete() if ranges is None else answer
    return page_response(call.request, "facets.html", context, headers=answer.headers)


def _query(given: Mapping[str, str]) -> str:
    """Return the parameters except `f` as the start of a query string."""
    others = {name: text for name, text in given.items() if name != "f"}
    return f"{urlencode(others)}&" if others else ""


def _facet_parameters(given: Mapping[str, str], facets: Iterable[Facet]) -> str:
    """Return the counted facets as parameters: the requested ones, or the defaults of a page."""
    asked = {name: given[name] for name in _COUNTED if name in given}
    return urlencode({"facets": ",".join(map(_token, facets)), **asked}, safe=",:/")


def _token(facet: Facet) -> str:
    """Return the token in `facets` that requests this facet."""
    if isinstance(facet, NumberFacet) and facet.width is not None:
        return f"{facet.name}:width:{facet.width}"
    return facet.name


def _document(
    call: Call, collection: Collection, facets: Sequence[Facet], counted: Sequence[Counted]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "id": collection.id,
        "title": collection.title,
        "defaultBucketCount": DEFAULT_BUCKETS,
    }
    if facets:
        result["numberMatched"] = counted[0].values + counted[0].nulls
        result["facets"] = {
            facet.name: {**_definition(facet), **_result(facet, found)}
            for facet, found in zip(facets, counted, strict=True)
        }
    else:
        result["facets"] = {facet.name: _definition(facet) for facet in facets_of(collection)}
    # a page without `facets` shows several
    is_asked = call.query.values["facets"] is not None
    links = _links(call, collection, with_cells=_has_cells(facets) or not is_asked)
    return {**result, "links": links_json(links, call.media_type)}


def _definition(facet: Facet) -> dict[str, Any]:
    """Return the members that the draft gives a facet before it is counted."""
    if isinstance(facet, TermFacet):
        by, _, direction = facet.sorting.partition("_")
        order = {} if direction == "desc" else {"sortOrder": "ascending"}
        return {"type": "term", "property": facet.column.name, "sortedBy": by, **order, "minOccurs": facet.least}
    if isinstance(facet, PlaceFacet):
        shape = "hexagon" if facet.hexagons else "grid"
        return {"type": "grid", "property": facet.geometry.name, "cell": shape, "cellSize": facet.size}
    fixed = isinstance(facet, TimeFacet) and (facet.unit or not (facet.bins or facet.quantiles or facet.edges))
    by_width = isinstance(facet, NumberFacet) and facet.width is not None
    kind = "quantiles" if facet.quantiles else "edges" if facet.edges else "fixedBucketCount"
    definition = {
        "type": "histogram",
        "property": facet.column.name,
        "sortedBy": "value",
        "bucketType": "fixedInterval" if fixed or by_width else kind,
    }
    if isinstance(facet, TimeFacet) and facet.end is not None:
        definition["endProperty"] = facet.end.name
    return definition


def _result(facet: Facet, found: Counted) -> dict[str, Any]:
    result = {**found.more, "buckets": found.buckets, "more": found.other_buckets > 0, "nulls": found.nulls}
    if isinstance(facet, TermFacet):
        result["other"] = {"buckets": found.other_buckets, "count": found.other}
    return result


def _cells(
    call: Call, collection: Collection, facets: Sequence[Facet], counted: Sequence[Counted]
) -> Mapping[str, Any]:
    """Return the cells as features, for clients that draw them."""
    buckets = [(facet, bucket) for facet, found in zip(facets, counted, strict=True) for bucket in found.buckets]
    return {
        "type": "FeatureCollection",
        "id": collection.id,
        "title": collection.title,
        "numberReturned": len(buckets),
        "links": links_json(_links(call, collection)),
        "features": [
            {
                "type": "Feature",
                "id": bucket["value"],
                "geometry": bucket["geometry"],
                "properties": {"facet": facet.name, "count": bucket["count"], "centre": bucket["centre"]},
            }
            for facet, bucket in buckets
        ],
    }


def _links(call: Call, collection: Collection, *, with_cells: bool = True) -> list[Link]:
    address = f"{base_url(call.request)}/collections/{path_segment(collection.id)}"
    own = f"{address}/facets?{_query(call.given)}".rstrip("?&")
    offers = [offer for offer in call.offers if offer != _GEOJSON or with_cells]
    return [
        *representations(own, call.media_type, offers),
        Link(address, "collection", MediaType.JSON, "The collection"),
    ]


def _has_cells(facets: Sequence[Facet]) -> bool:
    return len(facets) < 2 and all(isinstance(facet, PlaceFacet) for facet in facets)
