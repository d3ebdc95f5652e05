"""Publish queryables as named parameters of the OpenAPI document.

Clients such as GDAL send filters on properties that they find there by name, and filter the rest themselves; generated
clients have an argument for each. Requests are still checked in the same way: the free-form parameter of the operation
accepts any property.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from libs.catalogue.model import Collection, Column

_SINGLE = ("string", "number", "integer", "boolean")
_MOST = 1000
"""Maximum number of names in a document: a database with more has only the free-form parameter."""
_MOST_NAMED = 3
"""Maximum number of collections named in a description."""


def with_property_parameters(
    document: Mapping[str, Any], path: str, collections: Iterable[Collection]
) -> dict[str, Any]:
    """Return the OpenAPI document with a parameter at `path` for each property with single values.

    They are marked `x-queryable`, and take the place of the free-form parameter, unless there are too many of them:
    what a generated client says by the one would be overwritten by the others. Names that the operation has already
    mean what they mean there. Among names that differ only by case or signs (`Name`, `name`), of which a generated
    client would make one argument, only the first has a parameter: requests may use the others, and so may filters.
    """
    columns: defaultdict[str, list[tuple[str, Column]]] = defaultdict(list)
    for collection in collections:
        for column in collection.columns:
            if column.type in _SINGLE:
                columns[column.name].append((collection.id, column))
    operation, shared = document["paths"][path]["get"], document["components"]["parameters"]
    declared = [
        (entry, shared[entry["$ref"].rpartition("/")[2]] if "$ref" in entry else entry)
        for entry in operation["parameters"]
    ]
    names = _distinct(sorted(columns), [resolved["name"] for _, resolved in declared])
    if not 0 < len(names) <= _MOST:
        return dict(document)
    own = [entry for entry, resolved in declared if resolved["schema"].get("type") != "object"]
    parameters = [*own, *(_parameter(name, columns[name]) for name in names)]
    changed = {**operation, "parameters": parameters}
    return {**document, "paths": {**document["paths"], path: {**document["paths"][path], "get": changed}}}


def _distinct(names: Iterable[str], declared: Iterable[str]) -> list[str]:
    """Return those of `names` whose argument in a generated client differs from all others, also from `declared`."""
    taken = {_argument(name) for name in declared}
    found = []
    for name in names:
        if (argument := _argument(name)) not in taken:
            taken.add(argument)
            found.append(name)
    return found


def _argument(name: str) -> str:
    """What remains of a name when a generator turns it into an argument of any of its languages."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _parameter(name: str, found: list[tuple[str, Column]]) -> dict[str, Any]:
    types = {column.type for _, column in found}
    ids = [collection_id for collection_id, _ in found]
    among = ", ".join(ids[:_MOST_NAMED]) + (f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else "")
    return {
        "name": name,
        "in": "query",
        "description": f"Only features whose `{name}` equals the value. A property of {among}.",
        "style": "form",
        "explode": False,
        "schema": {"type": types.pop() if len(types) == 1 else "string"},
        "x-queryable": True,
    }
