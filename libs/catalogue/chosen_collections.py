"""The parameter `collections`: which of them a resource of the dataset is about (/req/collections-selection). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from urllib.parse import quote, unquote

from libs.catalogue.model import Collection
from libs.ogc.errors import Fault

MOST = 32
"""In one tile; `maxItems` of the parameter."""
_SHOWN = 100
"""Characters of a name in a sentence about it."""
_LOOKED_AT = 300
"""Collections whose names may be meant by one that does not exist."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Collections with a geometry, in the order of their layers."""

    collections: tuple[Collection, ...]
    named: bool
    """Whether the request names them."""
    omitted: int = 0
    """How many more there are, which a request that names none does not get."""


def chosen_collections(
    known: Mapping[str, Collection], names: Sequence[str] | None, base: str
) -> tuple[Chosen, list[Fault]]:
    """The collections that `names` (ids, or addresses that begin with the service's `base`) choose, and what is wrong.

    Without names, the first tables and views with a geometry, in the order of the list of collections, but for those
    that are configured not to be shown with others. Functions may take any time, and want arguments.
    """
    if names is None:
        usual = [each for each in known.values() if each.geometries and each.overview]
        drawable = [each for each in usual if each.kind != "function"]
        return Chosen(tuple(drawable[:MOST]), named=False, omitted=max(0, len(drawable) - MOST)), []
    faults: list[Fault] = []
    found: dict[str, Collection] = {}
    for name in names:
        collection = _named(known, name, base)
        if collection is None:
            # to look for names that are near takes long: once is enough
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
    """The parameter's value that chooses these, as it stands in an address."""
    # a comma between two ids is none of an id, which is escaped once more
    return ",".join(quote(quote(each.id) if set(each.id) & {",", "%"} else each.id, safe="") for each in collections)


def _named(known: Mapping[str, Collection], name: str, base: str) -> Collection | None:
    id_ = name.removeprefix(f"{base}/collections/")
    return known.get(id_) or known.get(unquote(id_))


def _hint(known: Mapping[str, Collection], name: str) -> str:
    near = get_close_matches(name[:_SHOWN], islice(known, _LOOKED_AT), 3, 0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _fault(sentence: str, name: str) -> Fault:
    return Fault(("query", "collections"), f"collections: {sentence}", name[:_SHOWN], "enum")
