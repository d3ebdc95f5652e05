"""JSON Schemas of documents, from the description of the API."""

from collections.abc import Mapping
from typing import Any

_BEFORE = "#/components/schemas/"


def json_schema(openapi: Mapping[str, Any], name: str, id_: str) -> dict[str, Any]:
    """Return a schema of the components as JSON Schema 2020-12, with those that it refers to."""
    schemas = openapi["components"]["schemas"]
    used: dict[str, Any] = {}
    root = _convert(schemas[name], schemas, used)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": id_, **root, "$defs": used}


def _convert(node: Any, schemas: Mapping[str, Any], used: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_convert(each, schemas, used) for each in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        name = node["$ref"].removeprefix(_BEFORE)
        if name not in used:
            # before its own content, which may refer to it
            used[name] = {}
            used[name] = _convert(schemas[name], schemas, used)
        return {"$ref": f"#/$defs/{name}"}
    converted = {key: _convert(value, schemas, used) for key, value in node.items() if key != "nullable"}
    if node.get("nullable") and "type" in node:
        # OpenAPI 3.0 says of a type that it may be null; JSON Schema has the type `null` for that
        converted["type"] = [node["type"], "null"]
    return converted
