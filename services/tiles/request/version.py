"""The parameter `v`: the version of the data that the client requests."""

from collections.abc import Sequence
from functools import lru_cache

from libs.catalogue.model import Collection
from libs.web.query_params import QueryValues


@lru_cache(maxsize=4096)
def has_property(collection: Collection, name: str) -> bool:
    """Return whether requests for the collection already have a parameter of that name: a property, or an argument."""
    return collection.column(name) is not None or any(argument.name == name for argument in collection.arguments)


def wanted_version(query: QueryValues, collections: Sequence[Collection]) -> tuple[str | None, QueryValues]:
    """Return the version that the request names, None without one; and the query with the meaning of `v`.

    If a collection has a property `v`, the parameter means that property. Some clients append `?` to any address: at
    the end of `v` it is ignored, followed by more text it is a fault.
    """
    text: str | None = query.values["v"]
    if text is None:
        return None, query
    if any(has_property(collection, "v") for collection in collections):
        return None, query.with_extra({**query.extra, "v": text})
    version, _, more = text.partition("?")
    if more:
        query.fault("v", f"v is followed by '?{more[:100]}'; parameters are joined by &", value=text[:100])
    return version, query
