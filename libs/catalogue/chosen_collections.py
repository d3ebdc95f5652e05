"""The parameter `collections`, which selects collections of the dataset (/req/collections-selection). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from urllib.parse import quote, unquote

from libs.catalogue.model import Collection
from libs.ogc.errors import Fault

MOST = 32
"""Maximum number of collections in one tile; `maxItems` of the parameter."""
_SHOWN = 100
"""Maximum length of a name in an error message, in characters."""
_LOOKED_AT = 300
"""Maximum number of collections that are compared with an unknown name, for a suggestion."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Collections with a geometry, in the order of their layers."""

    collections: tuple[Collection, ...]
    named: bool
    """Whether the request names the collections."""
    omitted: int = 0
    """Number of further collections that a request without names does not get."""


def chosen_collections(
    known: Mapping[str, Collection], names: Sequence[str] | None, base: str
) -> tuple[Chosen, list[Fault]]:
    """Return the collections that `names` select, and the faults.

    A name is an id, or an address that begins with the service's `base`. Without names, these are the first tables and
    views with a geometry, in the order of the list of collections, except those configured not to be shown with others.
    Functions are left out: they may take long, and need arguments.
    """
    if names is None:
        usual = [each for each in known.values() if each.geometries and each.overview]
        drawable = [each for each in usual if each.kind != "function"]
        return Chosen(tuple(drawable[:MOST]), named=False, omitted=max(0, len(drawable) - MOST)), []
    faults: list[Fault] = []
    found: dict[str, Collection] = {}
    for name in names:
        collection = _find(known, name, base)
        if collection is None:
            # searching for similar names takes long: do it once
            hint = "" if faults else _hint(known, name)
            faults.append(_fault(f"there is no collection '{name[:_SHOWN]}'{hint}", name))
        elif not collection.geometries:
            faults.append(_fault(f"'{collection.id}' has no geometry, hence no tiles", name))
        elif collection.id in found:
            faults.append(_fault(f"'{collection.id}' is named more than once", name))
        else:
            found[collection.id] = collection
    return Chosen(tuple(found.values()), named=True), faults


def collections_value(collections: Sequence[Collection]) -> str:
    """Return the parameter's value that selects these, escaped for an address."""
    # a comma separates ids: a comma within an id is escaped twice
    return ",".join(quote(quote(each.id) if set(each.id) & {",", "%"} else each.id, safe="") for each in collections)


def _find(known: Mapping[str, Collection], name: str, base: str) -> Collection | None:
    id_ = name.removeprefix(f"{base}/collections/")
    return known.get(id_) or known.get(unquote(id_))


def _hint(known: Mapping[str, Collection], name: str) -> str:
    near = get_close_matches(name[:_SHOWN], islice(known, _LOOKED_AT), 3, 0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _fault(sentence: str, name: str) -> Fault:
    return Fault(("query", "collections"), f"collections: {sentence}", name[:_SHOWN], "enum")
