"""Requests parsed and planned once: the same ones come again and again, and half their cost is this."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from libs.catalogue.model import Collection
from libs.ogc.media_type import MediaType
from libs.pg.column_types import TEMPORAL, Kind, base_type, types_where
from libs.pg.sql import Sql
from libs.selection.selection import select
from libs.web.app import Call, sent_parameters
from services.features.formats.links import ItemLinkTemplate, LinkTemplate, item_link_template, link_template
from services.features.formats.representations import REPRESENTATIONS, Representation
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.rows.items_sql import item_plan, marks_plan
from services.features.rows.items_store import one_more
from services.features.rows.kept_features import FEWEST, Shelf
from services.features.rows.row_plan import RowPlan

_KEPT = 1024
_LONGEST = 1000
"""Characters of a query string; longer ones are rarely asked twice."""
_KEYS = types_where(Kind.INTEGER, Kind.STRING, Kind.UUID, *TEMPORAL, one_text=True)
"""Types of keys whose values are equal where their texts are."""


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """A request for a page in a format other than HTML."""

    collection: Collection
    query: ItemsQuery
    representation: Representation
    plan: RowPlan
    marks: RowPlan | None
    """Of keys and marks alone, where the features may be at hand."""
    links: LinkTemplate

    def shelf(self, server: str | None) -> Shelf | None:
        """Where its features are kept, read from this server since it was started."""
        if self.marks is None or server is None:
            return None
        geometry = self.query.selection.geometry
        shown = geometry.name if geometry is not None else None, self.query.bbox_only
        return server, self.collection.id, self.collection.oid, self.collection.shape, shown


@dataclass(frozen=True, slots=True)
class PreparedItem:
    """A request for a feature, whichever it is."""

    collection: Collection
    plan: Callable[[Sql], RowPlan]
    """Of the row that a condition picks."""
    links: ItemLinkTemplate


_Prepared = TypeVar("_Prepared", PreparedPage, PreparedItem)


class Prepared:
    """The requests of late. A collection that changes is another object, so nothing outlives its catalogue."""

    def __init__(self) -> None:
        self._requests: OrderedDict[tuple[object, ...], PreparedPage | PreparedItem] = OrderedDict()

    def page(self, call: Call, collection: Collection) -> PreparedPage:
        """The request, checked. Raises InvalidParameters with every fault."""
        return self._known(call, collection, _page)

    def item(self, call: Call, collection: Collection) -> PreparedItem:
        """The same for a feature; the id is not looked at."""
        return self._known(call, collection, _item)

    def _known(self, call: Call, collection: Collection, prepare: Callable[[Call, Collection], _Prepared]) -> _Prepared:
        # as it was escaped: unescaped, "%2526" and "%26" would be one request
        query = call.request.rel_url.raw_query_string
        key = prepare, collection.id, query, call.media_type
        found = self._requests.get(key)
        if found is not None and found.collection is collection:
            self._requests.move_to_end(key)
            # what is wrong with the path is not known to be right from another request
            call.query.check()
            return cast(_Prepared, found)
        made = prepare(call, collection)
        if len(query) <= _LONGEST:
            self._requests[key] = made
            if len(self._requests) > _KEPT:
                self._requests.popitem(last=False)
        return made


def _page(call: Call, collection: Collection) -> PreparedPage:
    query = parse_items(collection, call.query, call.request.query)
    representation = REPRESENTATIONS[call.media_type]
    plan = one_more(query, representation.geometry_as)
    marks = marks_plan(query, limit=query.limit + 1) if representation.of_features and _is_keepable(query) else None
    return PreparedPage(collection, query, representation, plan, marks, link_template(query, call.media_type))


def _is_keepable(query: ItemsQuery) -> bool:
    """Whether its features may be those of other requests, too."""
    collection = query.selection.collection
    key = collection.column(collection.key or "")
    return (
        query.limit >= FEWEST
        # rows with marks
        and bool(collection.row_address)
        and key is not None
        and key.not_null
        and base_type(key.sql_type) in _KEYS
        # a client that asks for other names or tolerances each time must not push out what all ask for
        and query.selection.properties is collection.columns
        and query.simplify is None
    )


def _item(call: Call, collection: Collection) -> PreparedItem:
    selection, simplify = select(collection, call.query), call.query.values["simplify"]
    call.query.check()
    is_page = call.media_type == MediaType.HTML
    plan = item_plan(
        selection,
        bbox_only=bool(call.query.values["bbox-only"]) and not is_page,
        simplify=simplify or None,
        geometry_as="drawing" if is_page else "wkt" if call.media_type == MediaType.CSV else "geojson",
    )
    # links must not carry what the page passes over
    given = dict(sent_parameters(call.request)) if is_page else call.request.query
    return PreparedItem(collection, plan, item_link_template(collection.id, given, call.media_type))
