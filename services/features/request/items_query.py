"""A request for items as one frozen value, parsed and checked before any SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from libs.catalogue.model import Collection, Column
from libs.cql import in_utc
from libs.geo.crs import CRS84, Crs
from libs.ogc.temporal import in_utc_text
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.selection.past import AS_OF
from libs.selection.request import requested_crs
from libs.selection.selection import Selection, SortTerm, configured_order, select
from libs.web.query_params import QueryValues
from services.features.request.cursor import Position, decode_cursor
from services.features.request.long_parameters import unpack_cursor
from services.features.request.order import is_by_content, row_identity, usual_order


@dataclass(frozen=True, slots=True)
class GeometryOptions:
    """The requested form of geometries, and of addresses among the properties."""

    bbox_only: bool = False
    """Return boxes instead of geometries."""
    simplify: float | None = None
    """Tolerance in units of the CRS; None: not simplified."""
    crs: Crs = CRS84
    lonlat: bool = False
    """Points as columns of numbers."""
    base: str = ""
    """Base address of the products that properties lead to; empty: properties as they are stored."""


AS_STORED = GeometryOptions()
"""Geometries as stored, in CRS84."""


_LONGEST_QUOTED = 100
_RANK = Column("rank", "integer", "integer", not_null=True)
"""How well a feature matches `q`. Ranks of different searches never meet: the fingerprint has the search."""


@dataclass(frozen=True, slots=True)
class ItemsQuery:
    """A parsed request for items."""

    selection: Selection
    order: tuple[SortTerm, ...]
    """The total order: `sortby`, then the row identity, so that ties are always broken the same way."""
    limit: int
    offset: int
    after: Position | None
    """Start of the page, from a `cursor`; None for the first page."""
    options: GeometryOptions
    given: Mapping[str, str]
    """The parameters as sent, their times in UTC: for links and forms."""
    fingerprint: str
    """Hash of everything that decides the rows and their order, but not the page: binds a cursor to its query."""
    counted: bool = True
    """Whether the client wants the number of matches."""
    resource: str = "items"
    """Last segment of the path of its pages: `items`, or a data query of EDR such as `radius`."""

    @property
    def resumable(self) -> bool:
        """Whether a cursor can name a row. Without a row identity, pages go by offset."""
        return bool(row_identity(self.selection.collection))

    @property
    def by_content(self) -> bool:
        """Whether several rows may be equal in the order, and so must be counted."""
        return is_by_content(self.order)


def total_order(selection: Selection) -> tuple[SortTerm, ...]:
    """Return the total order of a selection.

    It is `sortby`, or the best matches of `q` and the collection's own order; then the id and the row identity, unless
    present already.
    """
    if selection.rank is None:
        return _total_order(selection.collection, selection.sort)
    best = SortTerm(_RANK, descending=True, expression=selection.rank)
    return best, *_total_order(selection.collection, ())


@lru_cache(maxsize=1024)
def _total_order(collection: Collection, sort: tuple[SortTerm, ...]) -> tuple[SortTerm, ...]:
    terms = list(sort or configured_order(collection, collection.sort) or usual_order(collection))
    names = {term.column.name for term in terms}
    for term in (*[SortTerm(column) for column in collection.id_columns], *row_identity(collection)):
        if term.expression is not None or term.column.name not in names:
            terms.append(term)
            names.add(term.column.name)
    return tuple(terms)


def geometry_options(selection: Selection, query: QueryValues, base: str = "") -> GeometryOptions:
    """Return the options `bbox-only`, `simplify`, `crs` and `geometry`. Report invalid ones as faults of the query.

    base: base address of the request, for properties that lead to products of this service.
    """
    values = query.values
    crs = requested_crs(selection.collection, query, "crs") or CRS84
    is_lonlat = values.get("geometry") == "lonlat"
    shown = selection.geometry.type if selection.geometry is not None else "none"
    if is_lonlat and shown != "Point":
        query.fault("geometry", f"geometry=lonlat is for points; the geometry here is {shown}", "enum", "lonlat")
    elif is_lonlat and crs.srid != CRS84.srid:
        sentence = "geometry=lonlat gives longitude and latitude: it cannot be combined with another crs"
        query.fault("geometry", sentence, "enum", "lonlat")
    return GeometryOptions(
        bool(values["bbox-only"]), values["simplify"] or None, crs, is_lonlat, _of_products(selection, base)
    )


def _of_products(selection: Selection, base: str) -> str:
    # all others do not depend on the address of the request
    return base if selection.collection.product_source is not None else ""


def parse_items(
    collection: Collection,
    query: QueryValues,
    given: Mapping[str, str],
    folding: TextFolding = UNTRIED,
    *,
    base: str = "",
    resource: str = "items",
) -> ItemsQuery:
    """The query that the parameters make; `given` is how they were sent. Raises InvalidParameters with every fault.

    base: as of `geometry_options`. resource: as of `ItemsQuery`.
    """
    query, given = _unpack_parameters(query, given)
    selection = select(collection, query, folding=folding)
    values = query.values
    order = total_order(selection)
    fingerprint = _fingerprint(selection, order)
    after = None
    if values["cursor"] is not None and not row_identity(collection):
        query.fault(
            "cursor", "cursor cannot be used: the rows of this collection have no unique id", value=values["cursor"]
        )
    elif values["cursor"] is not None:
        try:
            after = decode_cursor(values["cursor"], fingerprint, order)
        except ValueError as error:
            query.fault("cursor", f"cursor {error}", value=values["cursor"])
        if values["offset"]:
            query.fault("offset", "offset and cursor cannot be combined", value=values["offset"])
    options = geometry_options(selection, query, base)
    query.check()
    return ItemsQuery(
        selection=selection,
        order=order,
        limit=values["limit"],
        offset=values["offset"] or 0,
        after=after,
        options=options,
        given=_with_times_in_utc(collection, given),
        fingerprint=fingerprint,
        counted=values.get("numberMatched") is not False,
        resource=resource,
    )


def _with_times_in_utc(collection: Collection, given: Mapping[str, str]) -> Mapping[str, str]:
    """Return the parameters with their times in UTC, so that links are explicit; a time without a zone is in UTC."""
    changed = {
        name: said
        for name, text in given.items()
        if ":" in text and _is_time(collection, name) and (said := in_utc_text(text)) != text
    }
    if "filter" in given and (said := in_utc(given["filter"], given.get("filter-lang", ""))) != given["filter"]:
        changed["filter"] = said
    return {**given, **changed} if changed else given


def _is_time(collection: Collection, name: str) -> bool:
    column = collection.column(name)
    return name in ("datetime", AS_OF) or (column is not None and column.format == "date-time")


def _unpack_parameters(query: QueryValues, given: Mapping[str, str]) -> tuple[QueryValues, Mapping[str, str]]:
    """Return the parameters, parsed and as sent, with those that the cursor holds."""
    cursor = query.values["cursor"]
    if cursor is None:
        return query, given
    try:
        held, rest = unpack_cursor(cursor)
    except ValueError as error:
        query.fault("cursor", f"cursor {error}", value=cursor[:_LONGEST_QUOTED])
        held, rest = {}, None
    for name in held:
        if name in given:
            query.fault(name, f"{name} is already part of the cursor", value=name)
    query = query.with_values({**held, "cursor": rest})
    if not held:
        return query, given
    others = {name: text for name, text in given.items() if name != "cursor"}
    return query, {**others, **held, **({"cursor": rest} if rest else {})}


def _fingerprint(selection: Selection, order: tuple[SortTerm, ...]) -> str:
    """Return a checksum of the rows and the order that a selection requests."""
    if selection.conditions or selection.arguments:
        return _checksum(selection, order)
    return _of_all(selection.collection, order)


@lru_cache(maxsize=1024)
def _of_all(collection: Collection, order: tuple[SortTerm, ...]) -> str:
    return _checksum(Selection(collection, None, (), (), ()), order)


def _checksum(selection: Selection, order: Sequence[SortTerm]) -> str:
    text, args = (selection.table + selection.where).render()
    terms = [(term.column.name, term.column.sql_type, term.descending) for term in order]
    return blake2b(f"{selection.collection.id}{text}{args!r}{terms}".encode(), digest_size=9).hexdigest()
