"""The strict merge: what it keeps, and every kind of conflict that it refuses."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gateway.parts.merge import METHODS, MergeError, merge

ERROR = {"description": "Not there", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/E"}}}}


def document(path: str, operation_id: str, *, tag: str = "A", **components: Any) -> dict[str, Any]:
    return {
        "openapi": "3.0.3",
        "info": {"title": operation_id, "version": "1"},
        "tags": [{"name": tag, "description": "words"}],
        "paths": {
            path: {
                "get": {
                    "operationId": operation_id,
                    "tags": [tag],
                    "responses": {"404": {"$ref": "#/components/responses/NotFound"}},
                }
            }
        },
        "components": {"responses": {"NotFound": ERROR}, "schemas": {"E": {"type": "object"}} | components},
    }


def conflicts(*documents: tuple[str, dict[str, Any]]) -> str:
    with pytest.raises(MergeError) as raised:
        merge(documents)
    return " | ".join(raised.value.conflicts)


def test_keeps_everything_of_both_and_leaves_the_input_alone() -> None:
    left, right = document("/a", "getA"), document("/b", "getB", tag="B", Only={"type": "string"})
    right |= {"servers": [{"url": "/"}], "externalDocs": {"url": "/docs"}}
    before = copy.deepcopy((left, right))
    merged = merge([("left", left), ("right", right)])
    assert list(merged["paths"]) == ["/a", "/b"]
    assert [tag["name"] for tag in merged["tags"]] == ["A", "B"]
    assert set(merged["components"]["schemas"]) == {"E", "Only"}
    assert (merged["openapi"], merged["info"]["title"]) == ("3.0.3", "getA")
    assert list(merged) == ["openapi", "info", "tags", "paths", "components"]
    assert (left, right) == before


def test_one_path_may_have_methods_of_two_services() -> None:
    right = document("/a", "postA")
    right["paths"]["/a"]["post"] = right["paths"]["/a"].pop("get")
    merged = merge([("left", document("/a", "getA")), ("right", right)])
    assert set(merged["paths"]["/a"]) == {"get", "post"}


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (("/a", "getA"), ("/a", "getB"), "left and right both define GET /a"),
        (
            ("/c/{id}", "getA"),
            ("/c/{collectionId}", "getB"),
            "left and right have the same path as /c/{id} and /c/{collectionId}",
        ),
        (("/a", "get"), ("/b", "get"), "left (GET /a) and right (GET /b) have the same operationId get"),
    ],
)
def test_paths_and_operation_ids_must_be_unique(left: tuple[str, str], right: tuple[str, str], message: str) -> None:
    assert conflicts(("left", document(*left)), ("right", document(*right))) == message


def test_path_parameters_that_differ() -> None:
    left, right = document("/a", "getA"), document("/a", "postA")
    right["paths"]["/a"]["post"] = right["paths"]["/a"].pop("get")
    left["paths"]["/a"]["parameters"] = [{"name": "x"}]
    right["paths"]["/a"]["parameters"] = [{"name": "y"}]
    assert conflicts(("left", left), ("right", right)) == "left and right both define parameters of /a"


def test_component_of_one_name_with_two_contents() -> None:
    found = conflicts(
        ("left", document("/a", "getA", Bbox={"type": "array"})),
        ("right", document("/b", "getB", Bbox={"type": "string"})),
    )
    assert found == "left and right define components/schemas/Bbox differently"


def test_enumerations_of_one_name_are_united() -> None:
    left, right = {"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["b", "c"]}
    found = merge([("left", document("/a", "getA", Kind=left)), ("right", document("/b", "getB", Kind=right))])
    assert found["components"]["schemas"]["Kind"] == {"type": "string", "enum": ["a", "b", "c"]}
    assert left["enum"] == ["a", "b"]
    numbers = {"type": "integer", "enum": [1]}
    assert conflicts(("left", document("/a", "getA", Kind=left)), ("right", document("/b", "getB", Kind=numbers)))


def test_tag_with_two_descriptions() -> None:
    right = document("/b", "getB")
    right["tags"][0]["description"] = "other words"
    assert conflicts(("left", document("/a", "getA")), ("right", right)) == (
        "left and right describe the tag 'A' differently"
    )


def test_unknown_tag() -> None:
    left = document("/a", "getA")
    left["paths"]["/a"]["get"]["tags"] = ["Typo"]
    assert conflicts(("left", left)) == "left: GET /a has the tag 'Typo', which no service describes"


@pytest.mark.parametrize("reference", ["#/components/schemas/Gone", "other.yaml#/E", "#/components/schemas/E/x"])
def test_dangling_reference(reference: str) -> None:
    left = document("/a", "getA", User={"allOf": [{"$ref": reference}]})
    assert conflicts(("left", left)) == f"left refers to {reference}, which no service defines"


def test_reference_into_a_path_and_reference_in_an_example() -> None:
    left = document("/a", "getA", User={"$ref": "#/paths/~1a/get/operationId"})
    for data in ("example", "default"):
        left["components"]["schemas"]["E"][data] = {"$ref": "#/not/a/reference"}
    left["components"]["schemas"]["E"]["enum"] = [{"$ref": "#/not/a/reference"}]
    assert merge([("left", left)])["paths"]["/a"]


def test_names_with_slashes_and_tildes_are_referred_to() -> None:
    odd: dict[str, Any] = {"~1a/b~": {"type": "object"}, "User": {"$ref": "#/components/schemas/~01a~1b~0/type"}}
    assert merge([("left", document("/a", "getA", **odd))])["components"]["schemas"].keys() >= odd.keys()


def test_a_property_may_be_called_like_a_reference() -> None:
    pointer: dict[str, Any] = {"type": "object", "properties": {"$ref": {"type": "string"}}}
    assert merge([("left", document("/a", "getA", Pointer=pointer))])["components"]["schemas"]["Pointer"] == pointer
    pointer["properties"]["$ref"] = {"$ref": "#/components/schemas/Gone"}
    found = conflicts(("left", document("/a", "getA", Pointer=pointer)))
    assert found == "left refers to #/components/schemas/Gone, which no service defines"


def test_different_versions_and_unknown_members() -> None:
    right = document("/b", "getB") | {"openapi": "3.1.0", **dict.fromkeys(("webhooks", "security", "x-b", "x-a"))}
    found = conflicts(("left", document("/a", "getA")), ("right", right))
    versions = "left is OpenAPI 3.0.3 and right is OpenAPI 3.1.0"
    assert found == f"{versions} | right has members that cannot be merged: security, webhooks, x-a, x-b"


def test_all_conflicts_are_reported_at_once() -> None:
    found = conflicts(
        ("left", document("/a", "get", Bbox={"type": "array"})),
        ("right", document("/a", "get", Bbox={"type": "string"})),
    )
    assert found == (
        "left and right both define GET /a | left and right define components/schemas/Bbox differently"
        " | left (GET /a) and right (GET /a) have the same operationId get"
    )
    lost: dict[str, Any] = {name: {"$ref": f"#/{name}"} for name in "cabed"}
    assert conflicts(("left", document("/a", "getA", **lost))) == " | ".join(
        f"left refers to #/{name}, which no service defines" for name in "abcde"
    )


def test_of_several_that_differ_the_first_is_named_each_time() -> None:
    kinds = ("array", "string", "object")
    of_three = [(kind, document(f"/{kind}", kind, Bbox={"type": kind})) for kind in kinds]
    for _, each in of_three:
        each["tags"][0]["description"] = each["openapi"] = each["info"]["title"]
    assert conflicts(*of_three).split(" | ") == [
        "array is OpenAPI array and string is OpenAPI string",
        "array is OpenAPI array and object is OpenAPI object",
        "array and string describe the tag 'A' differently",
        "array and object describe the tag 'A' differently",
        "array and string define components/schemas/Bbox differently",
        "array and object define components/schemas/Bbox differently",
    ]
    # a part that has the path of another one does not conflict with a third one too
    for (_, each), path in zip(of_three, ("/{a}", "/{b}", "/{b}"), strict=True):
        each.update(openapi="3.0.3", tags=[], components={}, paths={path: {"get": {}}})
    same = [f"array and {other} have the same path as /{{a}} and /{{b}}" for other in ("string", "object")]
    assert conflicts(*of_three).split(" | ") == same
    for _, each in of_three:
        each["paths"] = {"/a": {"get": {}}}
    assert conflicts(*of_three) == "array and string both define GET /a | array and object both define GET /a"


def test_what_a_document_does_not_have_is_empty() -> None:
    nothing: dict[str, Any] = {"info": {}, "tags": [], "paths": {}, "components": {}}
    assert merge([("left", {"openapi": "3.0.3"}), ("right", {"openapi": "3.0.3"})]) == {"openapi": "3.0.3", **nothing}


def test_nothing_to_merge() -> None:
    assert conflicts() == "there is no document to merge"


@pytest.mark.parametrize(
    ("one", "other", "united"),
    [
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["b", "c"]}, ["a", "b", "c"]),
        ({"type": "string", "enum": ["a"]}, {"type": "string"}, None),
        ({"type": "string"}, {"type": "string", "enum": []}, None),
        ({"type": "string", "enum": ["a"]}, {"type": "text", "enum": ["a"]}, None),
    ],
)
def test_of_enumerations_one_may_know_more(
    one: dict[str, Any], other: dict[str, Any], united: list[str] | None
) -> None:
    documents = [("left", document("/a", "getA", Kind=one)), ("right", document("/b", "getB", Kind=other))]
    if united is None:
        assert "components/schemas/Kind differently" in conflicts(*documents)
    else:
        assert merge(documents)["components"]["schemas"]["Kind"]["enum"] == united


@pytest.mark.parametrize("method", ["get", "head", "options", "post", "put", "patch", "delete", "trace"])
def test_no_method_is_defined_twice_not_even_in_the_same_words(method: str) -> None:
    def one() -> dict[str, Any]:
        found = document("/a", "of A")
        found["paths"]["/a"] = {method: found["paths"]["/a"]["get"]}
        del found["paths"]["/a"][method]["operationId"]
        return found

    assert method in METHODS
    assert conflicts(("left", one()), ("right", one())) == f"left and right both define {method.upper()} /a"
    one_with_typo = one()
    one_with_typo["paths"]["/a"][method]["tags"] = ["Typo"]
    assert conflicts(("left", one_with_typo)).startswith(f"left: {method.upper()} /a has the tag 'Typo'")


def test_what_is_said_twice_in_the_same_words_is_said_once() -> None:
    left, right = document("/a", "getA"), document("/a", "postA")
    right["paths"]["/a"]["post"] = right["paths"]["/a"].pop("get")
    for each in (left, right):
        each["paths"]["/a"]["parameters"] = [{"name": "x"}]
    assert merge([("left", left), ("right", right)])["paths"]["/a"]["parameters"] == [{"name": "x"}]


def test_an_error_tells_every_conflict_in_its_message() -> None:
    error = MergeError(["one", "other"])
    assert (str(error), error.conflicts) == ("one; other", ("one", "other"))
