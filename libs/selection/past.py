"""The parameter `asOf`: the rows of a collection as they were known at a past time."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from libs.catalogue.model import Collection
from libs.ogc.errors import Fault
from libs.ogc.temporal import parse_instant, rfc3339
from libs.selection.request import FaultCollector

AS_OF = "asOf"


def as_of(collection: Collection, query: FaultCollector) -> Collection:
    """Return the collection at the time of `asOf`; itself without it, and with a fault if it is invalid."""
    text = query.values.get(AS_OF)
    if text is None:
        return collection
    try:
        moment = parse_instant(text)
    except ValueError as error:
        query.fault(AS_OF, f"asOf {error}".removesuffix(", nor a date"), value=text)
        return collection
    if collection.history is None:
        query.fault(AS_OF, _not_kept(collection), value=text)
    elif moment < parse_instant(collection.history.since):
        sentence = f"asOf is before {collection.history.since}, when the history of {collection.id} begins"
        query.fault(AS_OF, sentence, value=text)
    elif moment > datetime.now(UTC):
        query.fault(AS_OF, "asOf is in the future: what will be known then is not known yet", value=text)
    else:
        return at_time(collection, moment)
    return collection


def no_history(collection: Collection, loc: tuple[str, ...]) -> Fault:
    """Return the fault of a request for versions that are not kept."""
    return Fault(loc, _not_kept(collection), collection.id)


def _not_kept(collection: Collection) -> str:
    return (
        f"earlier versions of the rows of {collection.id} are not kept; if it is a table, its operator can have them"
        f" kept by make history TABLE={collection.id}"
    )


@lru_cache(maxsize=256)
def at_time(collection: Collection, moment: datetime) -> Collection:
    """Return the collection of the rows at a past time, with only its columns known.

    They come from a function, so their location in a table is unknown.
    """
    return replace(
        collection,
        kind="view",
        past=rfc3339(moment),
        geometries=tuple([replace(geometry, bbox=None) for geometry in collection.geometries]),
        item_count=None,
        product_source=None,
        impact_source=None,
    )
