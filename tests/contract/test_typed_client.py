"""A client with typed models, written from the tables of the contract alone, reads the documents of the service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.contract.conftest import COLLECTION, Api

pytestmark = pytest.mark.system

MediaType = Literal[
    "application/xml",
    "application/json",
    "application/ndjson",
    "application/geo+json",
    "application/geo+json-seq",
    "application/schema+json",
    "text/html",
    "text/plain",
    "text/csv",
    "application/vnd.oai.openapi+json;version=3.0",
    "application/vnd.oai.openapi;version=3.0",
    "application/x-protobuf",
    "application/vnd.mapbox-vector-tile",
]
Numbers4 = Annotated[list[float], Field(min_length=4, max_length=4)]
Numbers6 = Annotated[list[float], Field(min_length=6, max_length=6)]


class Strict(BaseModel):
    """Takes no text for a number."""

    model_config = ConfigDict(strict=True)


class Link(Strict):
    href: str
    rel: str
    type: MediaType | None = None
    templated: bool | None = None
    varBase: str | None = None  # noqa: N815 - the contract's spelling
    hreflang: str | None = None
    title: str | None = None
    length: int | None = None


class Landing(Strict):
    title: str | None = None
    description: str | None = None
    links: list[Link]


class Conformance(Strict):
    conformsTo: list[str]  # noqa: N815


class Spatial(Strict):
    bbox: list[list[float]]
    crs: str = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"


class Extent(Strict):
    spatial: Spatial | None = None
    temporal: dict[str, Any] | None = None


class Collection(Strict):
    id: str
    title: str | None = None
    description: str | None = None
    links: list[Link]
    extent: Extent | None = None
    itemType: str = "feature"  # noqa: N815
    crs: list[str] = ["http://www.opengis.net/def/crs/OGC/1.3/CRS84"]


class Collections(Strict):
    links: list[Link]
    timeStamp: str | None = None  # noqa: N815
    numberMatched: int | None = None  # noqa: N815
    numberReturned: int | None = None  # noqa: N815
    collections: list[Collection]


class Queryables(Strict):
    title: str
    properties: dict[str, dict[str, str]]
    type: str = "object"
    id: str = Field(alias="$id")


class Geometry(Strict):
    type: Literal[
        "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"
    ]
    bbox: Numbers4 | Numbers6 | None = None
    coordinates: list[Any] | None = None
    geometries: list[Geometry] | None = None


class Item(Strict):
    type: Literal["Feature"]
    geometry: Geometry | None
    properties: dict[str, Any] | None
    id: int | str | None = None
    links: list[Link] | None = None
    bbox: Numbers4 | Numbers6 | None = None


class Items(Strict):
    type: Literal["FeatureCollection"]
    features: list[Item]
    id: str
    title: str | None = None
    description: str | None = None
    keywords: list[str] | None = None
    links: list[Link] | None = None
    timeStamp: str | None = None  # noqa: N815
    numberMatched: int | None = None  # noqa: N815
    numberReturned: int | None = None  # noqa: N815
    bbox: Numbers4 | Numbers6 | None = None


class TileSets(Strict):
    """Of which the contract tells no more than the purpose."""

    links: list[Link] = []
    tilesets: list[Landing]


def test_typed_models_of_the_contract_read_every_document(api: Api) -> None:
    def read(model: type[BaseModel], path: str, media_type: str = "application/json") -> Any:
        answer = api.get(path, Accept=media_type)
        assert (answer.status, answer.type) == (200, media_type), path
        return model.model_validate_json(answer.body)

    read(Landing, "/")
    assert read(Conformance, "/conformance").conformsTo
    found = read(Collections, "/collections?limit=1000").collections
    assert len(found) >= 13
    for each in found:
        address = f"/collections/{each.id}"
        assert read(Collection, address) == each
        assert read(Queryables, f"{address}/queryables", "application/schema+json").properties
        page = read(Items, f"{address}/items?limit=3", "application/geo+json")
        for feature in page.features:
            assert read(Item, f"{address}/items/{feature.id}", "application/geo+json").properties
        sets = api.get(f"{address}/tiles", Accept="application/json")
        if sets.status == 200:
            assert len(TileSets.model_validate_json(sets.body).tilesets) == 13


def test_links_of_every_json_document_have_types_of_the_contract(api: Api) -> None:
    """Also of documents that the contract does not describe, which the same clients come across."""

    def links(node: Any) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [link for entry in node for link in links(entry)]
        if not isinstance(node, dict):
            return []
        own = [node] if {"href", "rel"} <= node.keys() else []
        return own + [link for value in node.values() for link in links(value)]

    seen = 0
    paths = ("/changes", f"/collections/{COLLECTION}/facets", f"/collections/{COLLECTION}/feed?f=geojson", "/functions")
    addresses = [*paths, *(api.address(operation.path) for operation in api.operations())]
    for address in addresses:
        answer = api.get(address)
        if "json" in answer.type and "seq" not in answer.type and "ndjson" not in answer.type:
            for link in links(answer.json()):
                read = Link.model_validate(link)
                # schemas without a type have a title
                assert read.type or read.title or read.rel in ("license", "profile"), (address, link)
                seen += 1
    assert seen > 150
