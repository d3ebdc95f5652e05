"""A service's document as data: formats in their order, shared components, operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.web.openapi import load_document, operations, with_status_of_invalid

DOCUMENT = """
paths:
  /things/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
    get:
      operationId: getThing
      parameters:
        - $ref: "#/components/parameters/size"
        - {name: more, in: query, schema: {type: object}}
      responses:
        "200": {content: {text/html: {}, application/json: {}}}
components:
  parameters:
    size: {name: size, in: query, schema: {type: integer, default: 3}}
"""


def test_an_operation(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(DOCUMENT)
    [found] = operations(load_document(tmp_path / "openapi.yaml"))
    assert (found.operation_id, found.path, found.extra_parameters) == ("getThing", "/things/{id}", "more")
    # the first is what a client gets that asks for none
    assert found.media_types == ("text/html", "application/json")
    assert [(parameter.name, parameter.type) for parameter in found.path_parameters] == [("id", "integer")]
    assert {name: parameter.default for name, parameter in found.parameters.items()} == {"size": 3, "lang": None}


def test_shared_components_are_there_and_cannot_be_defined_anew(tmp_path: Path) -> None:
    file = tmp_path / "openapi.yaml"
    file.write_text(DOCUMENT)
    [(kind, name)] = [(kind, next(iter(found))) for kind, found in load_document(file)["components"].items()][-1:]
    file.write_text(f"paths: {{}}\ncomponents: {{{kind}: {{{name}: {{}}}}}}")
    with pytest.raises(ValueError, match=f"defines shared components anew: {name}"):
        load_document(file)


def test_every_operation_tells_what_any_request_may_be_answered_with(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(DOCUMENT)
    responses = load_document(tmp_path / "openapi.yaml")["paths"]["/things/{id}"]["get"]["responses"]
    assert list(responses) == ["200", "405", "414", "429", "431", "503"]


MORE = """
paths:
  /things:
    parameters: [{name: ids, in: query, explode: false, schema: {type: array, items: {type: string}}}]
    get:
      operationId: getThings
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 5}}
        - {name: size, in: query, schema: {type: integer, maximum: 5}}
      responses:
        "200": {content: {application/json: {}, text/csv: {x-only-with-f: true}}}
        "422": {description: invalid}
"""


def test_what_an_operation_offers_and_what_only_who_names_it_gets(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(MORE)
    document = load_document(tmp_path / "openapi.yaml")
    [strict], [lenient] = operations(document), operations(document, limit_to_maximum=True)
    assert (strict.media_types, strict.negotiated) == (("application/json", "text/csv"), ("application/json",))
    # without a page there is no language
    assert (set(strict.parameters), strict.lists, strict.extra_parameters) == ({"ids", "limit", "size"}, ("ids",), None)
    assert lenient.parameters["limit"].parse("9") == 5
    for found, name in ((lenient, "size"), (strict, "limit")):
        with pytest.raises(ValueError, match="at most 5"):
            found.parameters[name].parse("9")


def test_status_of_invalid_parameters_is_a_setting(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(MORE)
    document = load_document(tmp_path / "openapi.yaml")
    changed = with_status_of_invalid(document, 400)["paths"]["/things"]
    assert changed["get"]["responses"]["400"] == {"description": "invalid"}
    assert "422" not in changed["get"]["responses"]
    assert "422" in document["paths"]["/things"]["get"]["responses"]
    assert changed["parameters"] == document["paths"]["/things"]["parameters"]
    assert changed["get"]["operationId"] == "getThings"
