"""Convert schemas of OpenAPI 3.0 to JSON Schema: `nullable`, and no members beside a `$ref`."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator


def faults(document: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    """Return the violations in `value` of `schema` in the OpenAPI `document`."""
    whole = {**_translated(schema), "components": _translated(document["components"])}
    validator = Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]


def _translated(node: Any) -> Any:
    if isinstance(node, list):
        return [_translated(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    result = {name: _translated(value) for name, value in node.items() if name not in {"nullable", "example"}}
    if node.get("nullable") is not True:
        return result
    return {"anyOf": [{"type": "null"}, result]}
