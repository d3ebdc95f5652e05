"""The merged OpenAPI document: valid, complete, and the same as the served one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator

from services.common.part import PART as COMMON
from services.features.part import PART as FEATURES
from services.tiles.part import PART as TILES
from services.viewer.part import PART as VIEWER
from tests.contract.conftest import Api

pytestmark = pytest.mark.system

# from the contract's table of endpoints
PATHS = {
    "/",
    "/conformance",
    "/collections",
    "/collections/{collectionId}",
    "/collections/{collectionId}/queryables",
    "/collections/{collectionId}/items",
    "/collections/{collectionId}/items/{itemId}",
    "/tileMatrixSets",
    "/tileMatrixSets/{tileMatrixSetId}",
    "/collections/{collectionId}/tiles",
    "/collections/{collectionId}/tiles/{tileMatrixSetId}",
    "/collections/{collectionId}/tiles/{tileMatrixSetId}/{z}/{x}/{y}",
    "/collections/{collectionId}/tiles/{tileMatrixSetId}/tilejson.json",
    "/collections/{collectionId}/tiles/{tileMatrixSetId}/style.json",
    "/collections/{collectionId}/tiles/{tileMatrixSetId}/map.html",
}


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(child)


def test_it_is_valid_openapi_3_0(api: Api) -> None:
    assert api.document["openapi"].startswith("3.0.")
    OpenAPIV30SpecValidator(api.document).validate()


def test_it_has_the_paths_of_the_contract_and_of_every_service(api: Api) -> None:
    parts = {path for part in (COMMON, FEATURES, TILES, VIEWER) for path in part.openapi["paths"]}
    assert api.document["paths"].keys() == parts
    assert parts >= PATHS
    others = {path: item.keys() - {"get", "parameters"} for path, item in api.document["paths"].items()}
    # searches by POST read, as all operations do
    assert {path: set(found) for path, found in others.items() if found} == {
        "/collections/{collectionId}/search": {"post"},
        "/stac/search": {"post"},
    }


def test_it_says_where_it_is_served(api: Api) -> None:
    assert api.document["servers"] == [{"url": api.base}]
    assert api.document["info"]["version"] == "v1.0.0-alpha"


def test_every_operation_lists_what_it_can_answer(api: Api) -> None:
    for operation in api.operations():
        assert {"200", "422"} <= operation.responses.keys(), operation.id
        assert ("404" in operation.responses) == bool(operation.in_path), operation.id
        assert operation.content("422")["application/json"]["schema"]["$ref"].endswith("/HTTPValidationError")


def test_path_parameters_are_those_of_the_path_and_required(api: Api) -> None:
    for operation in api.operations():
        assert set(re.findall(r"\{(\w+)\}", operation.path)) == set(operation.in_path), operation.id
        assert all(parameter["required"] for parameter in operation.parameters if parameter["in"] == "path")


def test_operation_ids_are_unique_and_follow_the_standard(api: Api) -> None:
    identifiers = [operation.id for operation in api.operations()]
    assert len(identifiers) == len(set(identifiers))
    for ending in ("getTileSetsList", "getTileSet", "getTile"):
        assert any(identifier.endswith(f".collection.vector.{ending}") for identifier in identifiers)


def test_it_keeps_to_what_openapi_3_0_knows(api: Api) -> None:
    for node in _nodes(api.document):
        if "$ref" in node:
            assert str(node["$ref"]).startswith("#/"), node
        if isinstance(node.get("type"), list):
            pytest.fail(f"several types: {node}")
        for name in ("exclusiveMinimum", "exclusiveMaximum"):
            assert isinstance(node.get(name, True), bool), node
        assert not {"example", "examples"} <= node.keys(), node


def test_what_may_be_null_has_a_type(api: Api) -> None:
    """`nullable` says nothing of a schema that has no `type` beside it (OpenAPI 3.0.3, Schema Object)."""

    def without_type(node: Any, path: str) -> Iterator[str]:
        if isinstance(node, dict):
            if node.get("nullable") is True and "type" not in node:
                yield path
            for name, value in node.items():
                yield from without_type(value, f"{path}/{name}")
        elif isinstance(node, list):
            for at, value in enumerate(node):
                yield from without_type(value, f"{path}/{at}")

    assert list(without_type(api.document, "")) == []


def test_parameters_of_items_are_as_features_core_says(api: Api) -> None:
    items = next(each for each in api.operations() if each.path == "/collections/{collectionId}/items")
    declared = {parameter["name"]: parameter for parameter in items.parameters}
    limit, bbox, datetime = declared["limit"], declared["bbox"], declared["datetime"]
    assert [parameter.get("style") for parameter in (limit, bbox, datetime)] == ["form"] * 3
    assert (limit["schema"]["type"], limit["schema"]["minimum"]) == ("integer", 0)
    assert (limit["schema"]["maximum"], limit["schema"]["default"]) == (10000, 10)
    assert (bbox["schema"]["type"], bbox["schema"]["minItems"], bbox["schema"]["maxItems"]) == ("array", 4, 6)
    assert bbox["schema"]["items"] == {"type": "number"}
    assert datetime["schema"]["type"] == "string"


def test_every_documented_path_is_served_and_no_other(api: Api) -> None:
    for operation in api.operations():
        answer = api.get(api.address(operation.path))
        assert answer.status == 200, (answer.url, answer.status, answer.body[:300])
    for path in (
        "/item",
        "/collections/hazard.hazard_eq_events/item",
        "/tileMatrixSets/WebMercatorQuad/0",
        "/tile",
        "/internal/part",
    ):
        assert api.get(path).status == 404, path
