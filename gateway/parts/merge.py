"""Strict merge of OpenAPI 3.0 documents: no overwriting, no dangling references.

A conflict is an error that names both sides. With the alternative, last writer wins, the document could describe one
service's operation with another one's text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]

METHODS = ("get", "head", "options", "post", "put", "patch", "delete", "trace")
_KNOWN = {"openapi", "info", "tags", "paths", "components", "servers", "externalDocs"}


class MergeError(ValueError):
    """The documents contradict each other; `conflicts` has a sentence for each contradiction."""

    def __init__(self, conflicts: Sequence[str]) -> None:
        super().__init__("; ".join(conflicts))
        self.conflicts = tuple(conflicts)


def merge(documents: Sequence[tuple[str, Document]]) -> dict[str, Any]:
    """Merge the documents of several services, given as (service, document) pairs.

    `openapi` and `info` are those of the first; the publisher adds `servers`. The input is not changed, but the result
    shares parts of it.

    Raises MergeError with every conflict: a repeated operation, operationId or path template, different components
    (except for enumeration values, which are united) or tags with one name, an undescribed tag, a dangling reference,
    different OpenAPI versions.
    """
    if not documents:
        raise MergeError(["there is no document to merge"])
    conflicts: list[str] = []
    _check_versions(documents, conflicts)
    merged: dict[str, Any] = {
        "openapi": documents[0][1].get("openapi"),
        "info": documents[0][1].get("info", {}),
        "tags": _merge_tags(documents, conflicts),
        "paths": _merge_paths(documents, conflicts),
        "components": _merge_components(documents, conflicts),
    }
    _check_operations(documents, {tag["name"] for tag in merged["tags"]}, conflicts)
    _check_references(documents, merged, conflicts)
    if conflicts:
        raise MergeError(conflicts)
    return merged


def _check_versions(documents: Sequence[tuple[str, Document]], conflicts: list[str]) -> None:
    first, document = documents[0]
    for service, other in documents:
        if other.get("openapi") != document.get("openapi"):
            conflicts.append(
                f"{first} is OpenAPI {document.get('openapi')} and {service} is OpenAPI {other.get('openapi')}"
            )
        if unknown := other.keys() - _KNOWN:
            conflicts.append(f"{service} has members that cannot be merged: {', '.join(sorted(unknown))}")


def _merge_tags(documents: Sequence[tuple[str, Document]], conflicts: list[str]) -> list[dict[str, Any]]:
    seen: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for service, document in documents:
        for tag in document.get("tags", []):
            owner, known = seen.setdefault(tag["name"], (service, tag))
            if known != tag:
                conflicts.append(f"{owner} and {service} describe the tag {tag['name']!r} differently")
    return [dict(tag) for _, tag in seen.values()]


def _merge_paths(documents: Sequence[tuple[str, Document]], conflicts: list[str]) -> dict[str, Any]:
    merged: dict[str, dict[str, Any]] = {}
    owners: dict[tuple[str, str], str] = {}
    templates: dict[str, tuple[str, str]] = {}
    for service, document in documents:
        for path, item in document.get("paths", {}).items():
            # Paths that differ only in names of parameters are equal (OpenAPI 3.0, Paths Object).
            owner, template = templates.setdefault(re.sub(r"\{[^}]*\}", "{}", path), (service, path))
            if template != path:
                conflicts.append(f"{owner} and {service} have the same path as {template} and {path}")
                continue
            target = merged.setdefault(path, {})
            for key, value in item.items():
                other = owners.setdefault((path, key), service)
                # Members other than methods (parameters, summary) may occur twice if they are equal.
                if key in target and (key in METHODS or target[key] != value):
                    name = f"{key.upper()} {path}" if key in METHODS else f"{key} of {path}"
                    conflicts.append(f"{other} and {service} both define {name}")
                else:
                    target[key] = value
    return merged


def _merge_components(documents: Sequence[tuple[str, Document]], conflicts: list[str]) -> dict[str, Any]:
    merged: dict[str, dict[str, Any]] = {}
    owners: dict[tuple[str, str], str] = {}
    for service, document in documents:
        for kind, components in document.get("components", {}).items():
            target = merged.setdefault(kind, {})
            for name, component in components.items():
                other = owners.setdefault((kind, name), service)
                united = _unite(target.setdefault(name, component), component)
                if united is None:
                    conflicts.append(f"{other} and {service} define components/{kind}/{name} differently")
                else:
                    target[name] = united
    return merged


def _unite(known: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the union of both components; None if they contradict each other.

    Enumerations may have different values: a service adds the media types of its formats to the common ones.
    """
    if known == other:
        return known
    if not ("enum" in known and "enum" in other) or {**known, "enum": []} != {**other, "enum": []}:
        return None
    return {**known, "enum": list(dict.fromkeys([*known["enum"], *other["enum"]]))}


def _check_operations(documents: Sequence[tuple[str, Document]], tags: set[str], conflicts: list[str]) -> None:
    owners: dict[str, str] = {}
    for service, document in documents:
        for name, operation in _operations(document):
            identifier = operation.get("operationId")
            if identifier is not None:
                where = f"{service} ({name})"
                if owners.setdefault(identifier, where) != where:
                    conflicts.append(f"{owners[identifier]} and {where} have the same operationId {identifier}")
            conflicts.extend(
                f"{service}: {name} has the tag {tag!r}, which no service describes"
                for tag in operation.get("tags", [])
                if tag not in tags
            )


def _operations(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, item in document.get("paths", {}).items():
        for method in METHODS:
            if method in item:
                yield f"{method.upper()} {path}", item[method]


def _check_references(
    documents: Sequence[tuple[str, Document]], merged: Mapping[str, Any], conflicts: list[str]
) -> None:
    for service, document in documents:
        references = set(_references([document.get("paths", {}), document.get("components", {})]))
        conflicts.extend(
            f"{service} refers to {reference}, which no service defines"
            for reference in sorted(references)
            if not _resolves(reference, merged)
        )


def _references(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        # A property may also be called "$ref"; only a text value makes it a reference.
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for name, value in node.items():
            # Examples are data: they contain no references.
            if name not in {"example", "default", "enum"}:
                yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _resolves(reference: str, document: Mapping[str, Any]) -> bool:
    if not reference.startswith("#/"):
        return False
    node: Any = document
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, Mapping) or name not in node:
            return False
        node = node[name]
    return True
