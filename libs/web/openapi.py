"""A service's hand-written OpenAPI part as data: the operations, their parameters and representations.

Requests are checked against the declared parameters, so documentation and validation cannot differ.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from libs.ogc.media_type import MediaType
from libs.web.accept_language import PARAMETER
from libs.web.query_params import QueryParameter, query_parameter

_METHODS = ("get", "head", "post", "put", "patch", "delete", "options")


@dataclass(frozen=True, slots=True)
class PathParameter:
    """A declared path parameter."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented operation."""

    operation_id: str
    path: str
    parameters: Mapping[str, QueryParameter]
    """Parameters by name."""
    lists: tuple[str, ...]
    """Names of parameters that are lists."""
    path_parameters: tuple[PathParameter, ...]
    extra_parameters: str | None
    """Name of the free-form parameter whose members are parameters (property queries)."""
    media_types: tuple[str, ...]
    """Media types of the 200 response, the default first."""
    negotiated: tuple[str, ...]
    """Media types that `Accept` chooses from; others (`x-only-with-f: true`) require `f`."""
    method: str = "get"
    """`post` for a search whose parameters are members of the JSON body."""


_SHARED = Path(__file__).parent / "components.yaml"
_EVERYWHERE = {
    "405": {"$ref": "#/components/responses/MethodNotAllowed"},
    "414": {"$ref": "#/components/responses/UriTooLong"},
    "429": {"$ref": "#/components/responses/TooManyRequests"},
    "431": {"$ref": "#/components/responses/HeadersTooLarge"},
    "503": {"$ref": "#/components/responses/Unavailable"},
}
"""Responses to a request to any operation, from the gateway if not from the service."""


def load_document(path: Path) -> dict[str, Any]:
    """Return the OpenAPI document in a YAML file, with the components and responses that all services share.

    Operations with a page get the parameter of its language.

    Raises ValueError if it redefines a shared component.
    """
    document: dict[str, Any] = _read(path)
    components = document.setdefault("components", {})
    for kind, shared in _read(_SHARED).items():
        own = components.setdefault(kind, {})
        if again := own.keys() & shared.keys():
            raise ValueError(f"{path} defines shared components anew: {', '.join(sorted(again))}")
        own.update(shared)
    for item in document["paths"].values():
        for method in item.keys() & set(_METHODS):
            if MediaType.HTML in item[method]["responses"]["200"].get("content", {}):
                add_language(item[method])
            item[method]["responses"] = dict(sorted((item[method]["responses"] | _EVERYWHERE).items()))
    return document


def _read(path: Path) -> Any:
    # takes a tenth of the time of PyYAML's default loader
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)


def add_language(operation: dict[str, Any]) -> None:
    """Add the parameter of the language to an operation with pages."""
    operation.setdefault("parameters", []).append({"$ref": f"#/components/parameters/{PARAMETER}"})


def with_status_of_invalid(document: Mapping[str, Any], status: int) -> dict[str, Any]:
    """Return the document with `status` instead of 422 for invalid parameters."""

    def replace_status(item: Mapping[str, Any]) -> dict[str, Any]:
        changed = dict(item)
        for method in item.keys() & set(_METHODS):
            responses = item[method]["responses"]
            answers = {str(status) if code == "422" else code: answer for code, answer in responses.items()}
            changed[method] = {**item[method], "responses": answers}
        return changed

    return {**document, "paths": {path: replace_status(item) for path, item in document["paths"].items()}}


def operations(document: dict[str, Any], *, limit_to_maximum: bool = False) -> Iterator[Operation]:
    """Yield every operation of the document. Raises ValueError if one declares something that we cannot check.

    `x-parameters-of` of a POST names the path of the GET whose parameters are the members of its body.

    `limit_to_maximum` says that a `limit` above its maximum means the maximum (/req/core/fc-limit-response-1).
    """
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method not in _METHODS:
                continue
            read = document["paths"][operation["x-parameters-of"]]["get"] if method == "post" else {}
            declared = [
                _resolve(document, entry)
                for entry in [
                    *item.get("parameters", []),
                    *operation.get("parameters", []),
                    *(entry for entry in read.get("parameters", []) if _resolve(document, entry)["in"] == "query"),
                ]
            ]
            found = _operation(document, path, operation, declared, {"limit"} if limit_to_maximum else set())
            yield replace(found, method=method)


def _operation(
    document: dict[str, Any],
    path: str,
    operation: dict[str, Any],
    declared: list[dict[str, Any]],
    to_maximum: Set[str],
) -> Operation:
    ok = _resolve(document, operation["responses"]["200"])
    query = [entry for entry in declared if entry["in"] == "query"]
    extra = [entry["name"] for entry in query if entry["schema"].get("type") == "object"]
    content = ok.get("content", {})
    return Operation(
        operation_id=operation["operationId"],
        path=path,
        parameters={
            entry["name"]: query_parameter(entry, to_maximum=entry["name"] in to_maximum)
            for entry in query
            if entry["schema"].get("type") != "object"
        },
        lists=tuple(entry["name"] for entry in query if entry["schema"].get("type") == "array"),
        path_parameters=tuple(
            PathParameter(entry["name"], entry["schema"]["type"]) for entry in declared if entry["in"] == "path"
        ),
        extra_parameters=extra[0] if extra else None,
        media_types=tuple(content),
        negotiated=tuple(name for name, entry in content.items() if not entry.get("x-only-with-f")),
    )


def _resolve(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """Follow a local `$ref`; parts have no other references."""
    while "$ref" in node:
        target: Any = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node
