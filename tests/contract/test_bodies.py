"""Responses match the document: every operation, every JSON format, and the errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.contract.conftest import COLLECTION, Api, Operation, Response
from tests.contract.json_schema import faults

pytestmark = pytest.mark.system

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"


def _check(api: Api, operation: Operation, answer: Response, values: list[Any]) -> None:
    media_type = answer.type.partition("; charset")[0]
    declared = operation.content(str(answer.status))
    assert media_type in declared, (answer.url, answer.type)
    for value in values:
        found = faults(api.document, declared[media_type]["schema"], value)
        assert not found, (answer.url, found[:5])


def _values(answer: Response) -> list[Any]:
    if "json" not in answer.type:
        return []
    if answer.type.startswith(("application/geo+json-seq", "application/ndjson")):
        return [json.loads(line.strip(b"\x1e")) for line in answer.body.splitlines() if line.strip(b"\x1e")]
    return [answer.json()]


def test_the_default_answer_of_every_operation(api: Api) -> None:
    for operation in api.operations():
        answer = api.get(api.address(operation.path))
        assert answer.status == 200, (answer.url, answer.body[:300])
        assert answer.type.partition("; charset")[0] == next(iter(operation.content())), answer.url
        _check(api, operation, answer, _values(answer))


def test_every_documented_format_by_its_name_and_by_its_media_type(api: Api) -> None:
    seen = 0
    for operation in api.operations():
        formats: list[str] = next(
            (entry["schema"]["enum"] for entry in operation.parameters if entry["name"] == "f"), []
        )
        by_name = {api.get(api.address(operation.path), {"f": name}).type.partition("; charset")[0] for name in formats}
        if formats:
            assert by_name == set(operation.content()), operation.id
        for media_type in operation.content():
            address = api.address(operation.path)
            if media_type in operation.negotiated():
                answer = api.get(address, Accept=media_type)
            else:
                answer = api.get(address, {"f": {"application/json": "json", "text/html": "html"}[media_type]})
            assert (answer.status, answer.type.partition("; charset")[0]) == (200, media_type), answer.url
            if "seq" not in media_type and "ndjson" not in media_type:
                _check(api, operation, answer, _values(answer))
            seen += 1
    assert seen > 25


def test_every_collection_in_every_json_form(api: Api) -> None:
    operations = {operation.path: operation for operation in api.operations()}
    collections = api.get("/collections?limit=1000", Accept="application/json").json()["collections"]
    for collection in collections:
        for path in (
            "/collections/{collectionId}",
            "/collections/{collectionId}/queryables",
            "/collections/{collectionId}/items",
            "/collections/{collectionId}/tiles",
            "/collections/{collectionId}/tiles/{tileMatrixSetId}",
            "/collections/{collectionId}/tiles/{tileMatrixSetId}/tilejson.json",
            "/collections/{collectionId}/tiles/{tileMatrixSetId}/style.json",
        ):
            answer = api.get(api.address(path, collectionId=collection["id"]))
            if answer.status == 404 and "/tiles" in path:
                continue
            assert answer.status == 200, (answer.url, answer.body[:300])
            _check(api, operations[path], answer, _values(answer))


def test_every_tile_matrix_set_and_tileset(api: Api) -> None:
    operations = {operation.path: operation for operation in api.operations()}
    sets = api.get("/tileMatrixSets").json()["tileMatrixSets"]
    assert len(sets) == 13
    for entry in sets:
        for path in ("/tileMatrixSets/{tileMatrixSetId}", "/collections/{collectionId}/tiles/{tileMatrixSetId}"):
            answer = api.get(api.address(path, tileMatrixSetId=entry["id"]))
            assert answer.status == 200, (answer.url, answer.body[:300])
            _check(api, operations[path], answer, _values(answer))


def _status_of_invalid(operation: Operation) -> int:
    # the STAC API requires 400, in any mode of the service; a feature has it for a header
    return 400 if "400" in operation.responses and operation.path.startswith("/stac") else 422


def test_errors_have_the_documented_shape(api: Api) -> None:
    for operation in api.operations():
        invalid = api.get(api.address(operation.path), {"no-such-parameter": "1"})
        assert invalid.status == _status_of_invalid(operation), invalid.url
        _check(api, operation, invalid, [invalid.json()])
        assert invalid.json()["detail"][0]["loc"] == ["query", "no-such-parameter"]
        if "collectionId" in operation.in_path:
            missing = api.get(api.address(operation.path, collectionId="no.such"))
            assert missing.status == 404, missing.url
            _check(api, operation, missing, [missing.json()])
        if "tileMatrixSetId" in operation.in_path:
            missing = api.get(api.address(operation.path, tileMatrixSetId="NoSuchSet"))
            assert missing.status == 404, missing.url
            _check(api, operation, missing, [missing.json()])
        refused = api.get(api.address(operation.path), Accept="image/png")
        # a single representation cannot be refused
        assert refused.status == (406 if len(operation.negotiated()) > 1 else 200), refused.url
        if refused.status == 406:
            _check(api, operation, refused, [refused.json()])


def test_errors_for_browsers_are_documented_pages(api: Api) -> None:
    for operation in api.operations():
        invalid = api.get(api.address(operation.path), {"no-such-parameter": "1"}, Accept=BROWSER)
        assert (invalid.status, invalid.type) == (_status_of_invalid(operation), "text/html; charset=utf-8"), (
            invalid.url
        )
        _check(api, operation, invalid, [])


def test_all_faults_are_reported_at_once(api: Api) -> None:
    query = {"limit": "-1", "bbox": "1,2,3", "datetime": "yesterday", "filter": "(", "sortby": "nothing", "x": "1"}
    detail = api.get(f"/collections/{COLLECTION}/items", query).json()["detail"]
    assert {fault["loc"][1] for fault in detail} == set(query)
