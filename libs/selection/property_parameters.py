"""Queryables as named parameters of the published document.

Clients such as GDAL leave to the service what they find there by name, and filter the rest themselves; generated
clients have an argument for each. Requests are checked as before: the free-form parameter of the operation takes any
property.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from libs.catalogue.model import Collection, Column

_SINGLE = ("string", "number", "integer", "boolean")
_MOST = 1000
"""Names in one document: that of a database with more of them has the free-form parameter alone."""
_MOST_NAMED = 3
"""Collections in a description."""


def with_property_parameters(
    document: Mapping[str, Any], path: str, collections: Iterable[Collection]
) -> dict[str, Any]:
    """The OpenAPI document with a parameter of the operation at `path` for each property of a single value.

    They are marked `x-queryable`, and take the place of the free-form parameter, unless there are too many of them:
    what a generated client says by the one would be overwritten by the others. Names that the operation has already
    mean what they mean there. Of names that differ only by case or signs (`Name`, `name`), of which a generated client
    would make one argument, only the first has a parameter: requests may use the others, and so may filters.
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
    """Return those of `names` that are no other's argument in a generated client, nor one of `declared`."""
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
