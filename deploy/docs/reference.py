"""Reference pages from the sources of the service: endpoints from its OpenAPI parts, settings from their models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from gateway.settings import GatewaySettings
from libs.web.openapi import load_document
from libs.web.settings import EnvironmentSettings
from services.common.settings import Settings as CommonSettings
from services.features.settings import Settings as FeaturesSettings
from services.tiles.settings import Settings as TilesSettings
from services.viewer.settings import Settings as ViewerSettings

API_PAGE, SETTINGS_PAGE = "docs/api-reference.md", "docs/settings-reference.md"
"""Locations in the folder of the site."""

_SERVICES = Path(__file__).parents[2] / "services"
_MODELS: Mapping[str, type[EnvironmentSettings]] = {
    "common": CommonSettings,
    "features": FeaturesSettings,
    "tiles": TilesSettings,
    "viewer": ViewerSettings,
    "gateway": GatewaySettings,
}
_TYPES = {bool: "yes or no", int: "integer", float: "number"}
"""Types in words; all others are written as text."""


def write_reference(folder: Path) -> None:
    """Write the pages into the folder of the site."""
    for name, text in ((API_PAGE, api_page()), (SETTINGS_PAGE, settings_page())):
        page = folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")


def api_page() -> str:
    """Return the page of endpoints: each with its parameters and formats, by service."""
    lines = [
        "# API reference",
        "",
        "This reference lists every endpoint with its parameters and formats. `make docs` generates it from OpenAPI.",
        "Paths are below `/api`; all accept `GET`. [Endpoints and formats](endpoints.md) explains them.",
    ]
    for service in ("common", "features", "tiles", "viewer"):
        document = load_document(_SERVICES / service / "openapi.yaml")
        lines += ["", f"## {service.capitalize()}", "", _one_line(document["info"].get("description", ""))]
        for path, item in document["paths"].items():
            lines += _endpoint(document, path, item)
    return "\n".join(lines) + "\n"


def _endpoint(document: Mapping[str, Any], path: str, item: Mapping[str, Any]) -> Iterator[str]:
    operation = item.get("get") or item["post"]
    yield from ("", f"### {operation['summary']}", "", f"`{path}`", "", _one_line(operation.get("description", "")))
    entries = [_resolve(document, entry) for entry in (*item.get("parameters", []), *operation.get("parameters", []))]
    if entries:
        yield from ("", "| parameter | in | type | default | meaning |", "|---|---|---|---|---|")
    for entry in entries:
        schema = _resolve(document, entry["schema"])
        default = f"`{schema['default']}`" if "default" in schema else ""
        cells = (f"`{entry['name']}`", entry["in"], _type(document, schema), default, entry.get("description", ""))
        yield f"| {' | '.join(map(_cell, cells))} |"
    formats = _resolve(document, operation["responses"]["200"]).get("content", {})
    if formats:
        yield from ("", f"Formats: {', '.join(f'`{name}`' for name in formats)}.")


def _resolve(document: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node:
        found: Any = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def _type(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list: {_type(document, _resolve(document, schema['items']))}"
    limits = [
        f"{words} {schema[name]}" for name, words in (("minimum", "at least"), ("maximum", "at most")) if name in schema
    ]
    return ", ".join([schema.get("type", "any"), *limits])


def settings_page() -> str:
    """Return the page of settings: type, limits and default of each variable, by program."""
    lines = [
        "# Settings reference",
        "",
        "This reference lists the environment variables of each program, with type, limits and default. `make docs`",
        "generates it from the programs' models. [Operations](operations.md#settings) explains each variable.",
    ]
    for program, model in _MODELS.items():
        lines += ["", f"## {program.capitalize()}", "", "| variable | type | default |", "|---|---|---|"]
        for field in sorted(model.model_fields.values(), key=lambda field: str(field.validation_alias)):
            cells = (f"`{field.validation_alias}`", _setting_type(field), _default(field.default))
            lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _setting_type(field: FieldInfo) -> str:
    (kind, *_) = [each for each in _members(field.annotation) if each is not NoneType]
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    limits = {
        f"{words} {getattr(bound, name)}"
        for bound in field.metadata
        for name, words in (("ge", "at least"), ("gt", "more than"), ("le", "at most"), ("lt", "less than"))
        if getattr(bound, name, None) is not None
    }
    return ", ".join([_TYPES.get(kind, "text"), *sorted(limits)])


def _members(annotation: Any) -> tuple[Any, ...]:
    """Return the types of a union, without their annotations; else the type alone."""
    if get_origin(annotation) is Literal:
        return (annotation,)
    if hasattr(annotation, "__metadata__"):
        return _members(annotation.__origin__)
    arguments = get_args(annotation)
    return arguments if NoneType in arguments else (annotation,)


def _default(value: Any) -> str:
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return ""
    if isinstance(value, bool):
        return "`yes`" if value else "`no`"
    return f"`{','.join(map(str, value)) if isinstance(value, tuple) else value}`"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "\\|")
