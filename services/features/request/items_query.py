"""A request for items as one frozen value, parsed and checked before any SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from libs.catalogue.model import Collection
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.selection.selection import Selection, SortTerm, configured_order, select
from libs.web.query_params import QueryValues
from services.features.request.cursor import Position, decode_cursor


@dataclass(frozen=True, slots=True)
class ItemsQuery:
    """What a request for items wants."""

    selection: Selection
    order: tuple[SortTerm, ...]
    """The total order: what `sortby` says, then the key, so that ties are always broken the same way."""
    limit: int
    offset: int
    after: Position | None
    """Where the page starts, from a `cursor`; None for the first page."""
    bbox_only: bool
    simplify: float | None
    given: Mapping[str, str]
    """The parameters as they were sent, for forms."""
    fingerprint: str
    """Of all that decides which rows in which order, but not of the page: binds a cursor to its query."""

    @property
    def resumable(self) -> bool:
        """Whether the order is total, so that a cursor can name a row; without a unique key, pages go by offset."""
        return _resumable(self.selection.collection)


def _resumable(collection: Collection) -> bool:
    return collection.key is not None and not collection.key_repeats


def total_order(selection: Selection) -> tuple[SortTerm, ...]:
    """`sortby`, else the collection's own order; then the key unless it is there already."""
    collection = selection.collection
    sort = selection.sort or configured_order(collection, collection.sort)
    key = collection.column(collection.key) if collection.key else None
    if key is None or any(term.column.name == key.name for term in sort):
        return sort
    return (*sort, SortTerm(key))


def parse_items(
    collection: Collection, query: QueryValues, given: Mapping[str, str], folding: TextFolding = UNTRIED
) -> ItemsQuery:
    """The query that the parameters make; `given` is how they were sent. Raises InvalidParameters with every fault."""
    selection = select(collection, query, folding=folding)
    values = query.values
    order = total_order(selection)
    fingerprint = _fingerprint(selection, order)
    after = None
    if values["cursor"] is not None and not _resumable(collection):
        query.fault(
            "cursor", "cursor cannot be used: this collection has no unique identifiers", value=values["cursor"]
        )
    elif values["cursor"] is not None:
        try:
            after = decode_cursor(values["cursor"], fingerprint, order)
        except ValueError as error:
            query.fault("cursor", f"cursor {error}", value=values["cursor"])
        if values["offset"]:
            query.fault("offset", "offset and cursor cannot be combined", value=values["offset"])
    query.check()
    return ItemsQuery(
        selection=selection,
        order=order,
        limit=values["limit"],
        offset=values["offset"] or 0,
        after=after,
        bbox_only=bool(values["bbox-only"]),
        simplify=values["simplify"] or None,
        given=given,
        fingerprint=fingerprint,
    )


def _fingerprint(selection: Selection, order: Sequence[SortTerm]) -> str:
    """A checksum of the rows and their order that a selection asks for."""
    text, args = (selection.table + selection.where).render()
    terms = [(term.column.name, term.column.sql_type, term.descending) for term in order]
    return blake2b(f"{selection.collection.id}{text}{args!r}{terms}".encode(), digest_size=9).hexdigest()
